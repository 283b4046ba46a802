// Which input has reached which output, step by step, for each model side by side.

import { h } from "../../../../browser/lib/base.js";
import { palette } from "../../../../browser/lib/colour.js";
import { makeHeatMap } from "../../../../browser/lib/heat_map.js";
import { asNumber } from "../../../../browser/lib/numbers.js";
import { makeWiring } from "../../lib/wiring.js";

const PACE = 450; // ms between two steps while playing
const FAINT = 50; // of 255, so that even a small influence is visible

/** One model's map: which input has reached which output so far, and a mark for each output that is ready. {node,
 *  draw(labels, result, now)}. */
const makeReach = ({ words, panel }, { kind, model, wiring }, number, point) => {
  const container = h("div.map");
  const [outputs, message] = [h("ol.outputs"), h("p")];
  const wires = makeWiring(wiring);
  const caption = h("figcaption", h("b", words(kind)), " ", model);
  const node = h(
    "figure",
    { "data-kind": kind },
    ...[caption, wires.node, container, outputs, message, panel.equation(number)],
  );
  const label = words("map", { kind: words(kind) });
  const map = makeHeatMap(container, { label, onpoint: (at) => point(kind, at), onpick: (at) => point(kind, at) });

  const drawMap = (labels, { steps, moved }, now) => {
    const { weights, masked } = palette();
    const most = moved.map((row) => Math.max(...row));
    const strength = (row, column) => FAINT + Math.round((255 - FAINT) * Math.sqrt(moved[row][column] / most[row]));
    const pixel = (row, column) => {
      if (!steps[row][column]) return masked;
      return weights[steps[row][column] <= now ? strength(row, column) : 0];
    };
    const hidden = (row, column) => !steps[row][column];
    map.draw({ labels, titles: [words("outputs"), words("inputs")], pixel, hidden });
  };
  const drawOutputs = (labels, { steps, settled, count: all }, now) => {
    const ready = settled.map((step) => step <= now);
    const entry = (yes, i) =>
      h("li", { class: yes ? "stands" : "", title: words("output", { label: labels[i], step: settled[i] }) });
    outputs.replaceChildren(...ready.map(entry));
    const stand = ready.filter(Boolean).length;
    const first = steps.at(-1)[0];
    const reaches = first ? "yes" : "no";
    message.textContent = words("stand", { stand, count: labels.length, all, reaches, first });
    node.dataset.stands = stand;
  };
  const draw = (labels, result, now) => {
    wires.draw({ count: labels.length, step: now, label: words("wiring", { kind: words(kind), step: now }) });
    drawMap(labels, result, now);
    drawOutputs(labels, result, now);
  };
  return { node, draw };
};

/** {node, paint}: the models of `worth`. */
export const makeReaches = (section, { worth }) => {
  const { words, live: demo } = section;
  const last = () => Math.max(...worth.map(({ kind }) => demo.answers.reached[kind].count));
  const now = () => Math.min(demo.view.step, last());
  const player = section.player({
    last,
    now,
    pace: PACE,
    ready: () => Boolean(demo.answers.reached),
    inWords: () => words("step_is", { step: now(), last: last() }),
  });
  const readout = h("p.told", { role: "status" });
  const point = (kind, at) => {
    const { labels, [kind]: result } = demo.answers.reached ?? {};
    if (!result || !at) return void (readout.textContent = "");
    const taken = result.steps[at.row][at.column];
    readout.textContent = words("cell", {
      kind: words(kind),
      input: labels[at.column],
      output: labels[at.row],
      reaches: taken ? "yes" : "no",
      step: taken,
      moved: asNumber(result.moved[at.row][at.column], 2),
    });
  };
  const maps = worth.map((model, i) => ({ kind: model.kind, ...makeReach(section, model, i, point) }));
  const node = h(
    "div.reach",
    h("div.course", ...player.nodes),
    h("p.quiet", words("wires")),
    h("div.maps", ...maps.map((map) => map.node)),
    readout,
  );
  const paint = (/** @type {any} */ { labels, ...results }) => {
    for (const { kind, draw } of maps) draw(labels, results[kind], now());
  };
  return { node, paint };
};
