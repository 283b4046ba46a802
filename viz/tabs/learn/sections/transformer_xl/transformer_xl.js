// A text read segment by segment: the bits of each byte with and without the memory; which bytes still affect each
// layer's vector at the last byte; and the score of a head as the sum of its four terms.

import { h, tableRow } from "../../../../browser/lib/base.js";
import { makeChart } from "../../../../browser/lib/chart.js";
import { palette, tokenSpans } from "../../../../browser/lib/colour.js";
import { makeHeatMap } from "../../../../browser/lib/heat_map.js";
import { readable } from "../../../../browser/lib/hint.js";
import { asFixed, asNumber } from "../../../../browser/lib/numbers.js";

const COSTLY = 12; // bits at the darkest background

/** The distance of the first byte that affects a layer, counted back from the last byte. */
const far = (row) => row.length - 1 - row.findIndex((value) => value > 0);

const fieldsOf = (props) => ({
  show: { initial: "memory", choices: ["memory", "reach", "terms"] },
  text: { initial: props.text, longest: 1000 },
  memory: { initial: "on", choices: ["on", "off"] },
  layer: { initial: 0, min: 0, max: props.layers - 1 },
  head: { initial: 0, min: 0, max: props.heads - 1 },
});

/** The measurements of the memory on the models' cards, if there are any. */
const measuredOf = (section, { measured, bytes, command }) => {
  const { words } = section;
  if (!measured.length) return [];
  const list = measured.map(({ memory, bits }) => words("measured", { memory, bits: asFixed(bits, 4) }));
  return [words("on_val", { bytes, list }), " ", section.measured("", command)];
};

/** The bits of each byte with and without the memory: {node, paint}. */
const makeMemory = (section, props) => {
  const { words, panel, live: demo } = section;
  const { segment, trained } = props;
  const bytes = readable(h("p.bytes"));
  const bars = h("div.place");
  const onVal = h("p.quiet", ...measuredOf(section, props));
  const node = h(
    "div.in-memory",
    bytes,
    h("p.quiet", words("ground", { segment, trained: trained.segment })),
    bars,
    h("div.with-equation", onVal, panel.equation()),
  );
  const chart = makeChart(bars, { label: words("chart_memory") });

  const paintBytes = ({ labels, means, ...each }) => {
    const bits = each[demo.view.memory];
    const colours = palette().weights;
    const spans = tokenSpans(labels, (i) => {
      const kind = i && i % segment === 0 ? "byte begins" : "byte";
      if (!i) return { kind };
      const [shown, on, off] = [bits, each.on, each.off].map((values) => asFixed(values[i - 1], 1));
      const title = words("byte", { label: labels[i], bits: shown, on, off });
      return { kind, title, pixel: colours[Math.round(255 * Math.min(1, bits[i - 1] / COSTLY))] };
    });
    bytes.replaceChildren(...spans);
    bytes.dataset.bits = means[demo.view.memory];
  };
  const paint = () => {
    const { carried } = demo.answers;
    if (!carried) return;
    paintBytes(carried);
    const change = ([bar]) =>
      Object.assign(bar, {
        y: props.memories.map((memory) => words("remembered", { memory })),
        text: carried.bits.map((value) => asFixed(value, 3)),
        textposition: "auto",
      });
    chart.draw({ figures: carried.chart, keep: "memory", x: words("axis_memory"), change });
    const { on, off } = carried.means;
    section.showLesson(words("lesson_memory", { off: asFixed(off, 2), on: asFixed(on, 2), memory: trained.memory }));
  };
  return { node, paint };
};

/** Which bytes still affect each layer's vector at the last byte: {node, paint}. */
const makeReach = (section, { short }) => {
  const { words, live: demo } = section;
  const container = h("div.map");
  const readout = h("p.told", { role: "status" });
  const farthest = h("table.far");
  const node = h("div.in-reach", container, readout, farthest, h("p.quiet", words("rounding")));
  const point = (at) => {
    if (!demo.answers.reached || !at) return void (readout.textContent = "");
    const { labels, ...influence } = demo.answers.reached;
    const value = influence[demo.view.memory][at.row][at.column];
    readout.textContent = words("cell", {
      moves: value ? "yes" : "no",
      label: labels[at.column],
      back: labels.length - 1 - at.column,
      layer: at.row,
      moved: asNumber(value, 2),
    });
  };
  const map = makeHeatMap(container, { label: words("map"), onpoint: point, onpick: point });

  const paintMap = (labels, rows) => {
    const most = rows.map((row) => Math.max(...row));
    const { weights, masked } = palette();
    map.draw({
      labels: rows.map((_, i) => `${i}`),
      across: labels,
      titles: [words("layers"), words("bytes", { short })],
      fill: true,
      pixel: (row, column) =>
        rows[row][column] ? weights[40 + Math.round(215 * Math.sqrt(rows[row][column] / most[row]))] : masked,
      hidden: (row, column) => !rows[row][column],
    });
  };
  const line = (row, i) => tableRow(words("reaches", { layer: i }), h("td", words("far", { back: far(row) })));
  const paint = () => {
    if (!demo.answers.reached) return;
    const { memory } = demo.view;
    const { labels, [memory]: rows } = demo.answers.reached;
    paintMap(labels, rows);
    farthest.replaceChildren(h("caption", words("farthest")), h("tbody", ...rows.map(line)));
    section.showLesson(words("lesson_reach", { on: memory, far: far(rows.at(-1)), near: far(rows[0]) }));
  };
  return { node, paint };
};

/** The score of a head as the sum of its four terms: {node, paint}. */
const makeTerms = (section, { terms }) => {
  const { words, panel, live: demo } = section;
  const stack = h("div.place");
  const together = h("p.quiet");
  const node = h("div.in-terms", stack, h("div.with-equation", together, panel.equation()));
  const stacked = makeChart(stack, { label: words("chart_terms") });

  const paint = () => {
    const { scored } = demo.answers;
    if (!scored) return;
    const { layer, head, spreads } = scored;
    const names = [...terms, "score"].map((name) => words(name));
    stacked.draw({ figures: scored.chart, keep: `${layer} ${head}`, x: words("keys"), y: words("score"), names });
    together.textContent = words("together", { error: asNumber(scored.error, 2) });
    const most = terms.reduce((one, two) => (spreads[two] > spreads[one] ? two : one));
    const values = { layer, head, term: words(most), spread: asFixed(spreads[most], 2) };
    section.showLesson(words("lesson_terms", values));
  };
  return { node, paint };
};

const addCheck = (section, { short, layers }) => {
  const { words, live: demo } = section;
  const answer = async () => {
    const { on } = await demo.answered("reached");
    const [first, last] = [far(on[0]), far(on.at(-1))];
    const right = last < short ? 2 : last > first ? 1 : 0;
    return { right, said: words("answer", { far: last, near: first, short }) };
  };
  section.check({
    shows: { show: "reach" },
    question: words("question", { short, layers }),
    choices: ["one", "layers", "none"].map((name) => words(`choice_${name}`, { short })),
    answer,
  });
};

export const mount = (section, props) => {
  const { words, panel } = section;
  const demo = section.demo(fieldsOf(props), {
    carried: ["text"],
    reached: ["text"],
    scored: ["text", "layer", "head"],
  });
  const [show, memory] = [section.choice("show"), section.choice("memory")];
  const text = section.line("text", words("field"));
  const steppers = ["layer", "head"].map((name) => section.stepper(name).node);
  const parts = [makeMemory(section, props), makeReach(section, props), makeTerms(section, props)];
  const [inMemory, inReach, inTerms] = parts;
  panel.tools.append(show.node, text.node);
  panel.picture.append(h("div.asking", memory.node, ...steppers), ...parts.map(({ node }) => node));

  section.tries({
    off: { show: "memory", memory: "off" },
    reach: { show: "reach" },
    terms: { show: "terms" },
  });
  addCheck(section, props);
  section.links(() => [["explore", { model: props.model, text: demo.view.text }]]);

  const shown = { memory: [inMemory, memory.node], reach: [inReach, memory.node], terms: [inTerms, ...steppers] };
  const paint = section.parts(shown);
  section.needs({ memory: "carried", reach: "reached", terms: "scored" });
  section.begin(paint);
};
