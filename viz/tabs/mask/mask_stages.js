// One head's scores, the masked scores, and their softmax, side by side; below, one row step by step.

import { eachFrame, h } from "../../browser/lib/base.js";
import { makeBar, palette, signedAt, variable } from "../../browser/lib/colour.js";
import { disable, fields } from "../../browser/lib/fields.js";
import { makeLegend } from "../../browser/lib/heat_map/legend.js";
import { makeHeatMap } from "../../browser/lib/heat_map.js";
import { keys } from "../../browser/lib/keys.js";
import { say } from "../../browser/lib/messages.js";
import { asNumber, asWhole } from "../../browser/lib/numbers.js";
import { makePanel, onAppearance } from "../../browser/lib/panel.js";
import { masking } from "./lib/masking.js";
import { stepTable } from "./lib/steps.js";

const MAPS = ["scores", "masked", "weights"];
const MAP_OF = { scores: "scores", masked: "masked", exp: "weights", sum: "weights", weights: "weights" };
const point = (at) => masking.point(at && { query: at.row, key: at.column });
const goToRow = (row) => masking.set({ row });
const isRoot = () => masking.view.scale === "root";

/** The pixel of each cell, as a function of row and column, for each map; and the largest score. */
const pixelsOf = ({ scores, allowed, weights }) => {
  const colours = palette();
  const most = Math.max(1e-9, ...scores.flat().map(Math.abs));
  const passing = (colour) => (row, column) => (allowed[row][column] ? colour(row, column) : colours.masked);
  const score = (row, column) => colours.scores[signedAt(scores[row][column] / most)];
  const weight = (row, column) =>
    colours.weights[Math.round(255 * (isRoot() ? Math.sqrt(weights[row][column]) : weights[row][column]))];
  return { most, pixels: { scores: score, masked: passing(score), weights: passing(weight) } };
};

/** Describes the cell under the pointer in a paragraph. */
const describeCell = (reading, { labels, scores, allowed, weights }) => {
  const { query, key } = masking.hover ?? {};
  for (const name of ["query", "key", "score", "weight"]) delete reading.dataset[name];
  if (query === undefined) return void (reading.textContent = say("mask_point"));
  const passes = allowed[query]?.[key];
  if (passes === undefined) return; // it belonged to an earlier, longer text
  const [score, weight] = [asNumber(scores[query][key]), asNumber(weights[query][key])];
  Object.assign(reading.dataset, {
    query,
    key,
    score: scores[query][key],
    weight: passes ? weights[query][key] : "masked",
  });
  const values = { query: masking.quote(labels, query), key: masking.quote(labels, key), score, weight };
  reading.textContent = say(passes ? "mask_reading" : "mask_reading_hidden", values);
};

/** The number of cells of every mask for this text; the chart below shows how it grows. */
const costsOf = (growth) => {
  const { lengths, cells: counts, chosen } = growth;
  const at = lengths.indexOf(growth.at);
  return Object.keys(counts).map((line) => {
    const count = counts[line][at];
    return h(
      "span",
      { class: line === chosen ? "chosen" : "", "data-line": line, "data-count": count },
      masking.lineOf(line, growth),
      h("span.bar", { "aria-hidden": "true" }, makeBar(count / counts.none[at])),
      h("b", asWhole(count)),
    );
  });
};

const goTo = (stage) => masking.set({ stage });

/** Handles the arrow keys; while presenting, left and right go to the next panel. */
const byKey = (event) => {
  const { stage, row } = masking.view;
  const act = {
    ArrowLeft: () => goTo(stage - 1),
    ArrowRight: () => goTo(stage + 1),
    ArrowUp: () => goToRow(row - 1),
    ArrowDown: () => goToRow(row + 1),
  }[event.key];
  if (!act || keys.modified(event) || event.target.closest("input")) return;
  act();
  event.preventDefault();
};

/** The three maps: {node, paint}. */
const makeMaps = () => {
  /** Weights spread over many keys are all small, but their square roots can be distinguished. */
  const root = h(
    "button.field-button.root",
    {
      title: say("control_scale_root_hint"),
      "aria-label": say("control_scale_root_hint"),
      onclick: () => masking.set({ scale: isRoot() ? "linear" : "root" }),
    },
    say("control_scale_root"),
  );

  const makeMap = (name) => {
    const heading = h("h3");
    const bar = h("div.bar");
    const container = h("div");
    const top = h("div.heading", heading, bar, name === "weights" ? root : "");
    const node = h("div.map", { "data-map": name }, top, container);
    const picture = makeHeatMap(container, {
      label: say("mask_map_label", { name: say(`mask_map_${name}`, { size: "s" }) }),
      onpoint: point,
      onpick: ({ row }) => goToRow(row),
      onkey: byKey,
    });
    return { name, node, heading, picture, legend: makeLegend(bar) };
  };
  const maps = MAPS.map(makeMap);

  const paint = () => {
    const { labels, allowed, headSize, tokens, cells: left } = masking.answers.stages;
    const { most, pixels } = pixelsOf(masking.answers.stages);
    const hidden = (row, column) => !allowed[row][column];
    root.setAttribute("aria-pressed", `${isRoot()}`);
    const { query, key } = masking.hover ?? {};
    for (const { name, node, heading, picture, legend } of maps) {
      heading.textContent = say(`mask_map_${name}`, { size: headSize });
      legend(name === "weights" ? "weights" : "scores", "linear", most, {
        hides: left < tokens ** 2 && name !== "scores",
      });
      node.classList.toggle("current", MAP_OF[masking.STAGES[masking.view.stage]] === name);
      picture.draw({
        labels,
        pixel: pixels[name],
        hidden: name === "scores" ? null : hidden,
        sign: name === "masked" ? (row, column) => (hidden(row, column) ? "−∞" : null) : null,
        rows: [{ at: Math.min(masking.view.row, tokens - 1), colour: variable("mark") }],
        at: query === undefined ? null : { row: query, column: key },
      });
    }
  };
  return { node: h("div.maps", ...maps.map(({ node }) => node)), paint };
};

/** One row step by step: {node, paint}. */
const makeSteps = () => {
  const row = fields.stepper(masking, "row", say("mask_row"));
  const button = (name, by) =>
    h("button.field-button", { onclick: () => goTo(masking.view.stage + by) }, say(`mask_${name}`));
  const [back, next] = [button("back", -1), button("next", 1)];
  const where = h("b.where");
  const sentence = h("p.sentence", { "aria-live": "polite" });
  const table = stepTable((column) => masking.point(column === null ? null : { query: masking.view.row, key: column }));
  const steps = h("div.steps", h("div.transport", row.node, back, next, where, sentence), table.node);
  steps.addEventListener("keydown", byKey);

  const paint = () => {
    const { stage } = masking.view;
    row.update();
    disable([back, stage === 0], [next, stage === masking.STAGES.length - 1]);
    where.textContent = say("mask_step", {
      at: stage + 1,
      count: masking.STAGES.length,
      name: say(`mask_step_${masking.STAGES[stage]}`),
    });
    sentence.textContent = table.paint();
  };
  return { node: steps, paint };
};

export const mount = ({ element, props }) => {
  masking.begin(props.value);
  const { tools, body, foot } = makePanel(element, say("mask_stages"));

  const kind = fields.choice(
    masking,
    "mask",
    say("mask_kind"),
    masking.fields.mask.choices,
    (value) => say(`mask_${value}`),
    (value) => say(`mask_${value}_hint`),
  );
  const width = fields.stepper(masking, "size", "");
  const cells = h("output.cells");
  tools.append(kind.node, width.node, cells);

  const [maps, steps] = [makeMaps(), makeSteps()];
  const reading = h("p.readout", { "aria-live": "polite" });

  const wait = h("p.quiet", { role: "status" }, say("mask_waiting_first"));
  body.append(wait, maps.node, steps.node);
  const costs = h("div.costs", { role: "group", "aria-label": say("mask_costs") });
  foot.append(reading, costs);

  const paint = eachFrame(() => {
    const { stages, growth } = masking.answers;
    kind.update();
    const sized = masking.hasSize(masking.view.mask);
    width.node.hidden = !sized;
    if (sized) width.update(say(`mask_size_${masking.view.mask}`));
    element.classList.toggle("waiting", !stages);
    wait.hidden = Boolean(stages) || !masking.busy;
    if (!stages) return;
    cells.textContent = say("mask_cells", {
      cells: asWhole(stages.cells),
      all: asWhole(stages.tokens ** 2),
    });
    maps.paint();
    describeCell(reading, stages);
    steps.paint();
    if (growth) costs.replaceChildren(h("span.quiet", say("mask_costs")), ...costsOf(growth));
    element.dataset.rev = masking.rev;
  });
  masking.paints(element, ["query", "key"], paint);
  onAppearance(paint);
};
