// A text read segment by segment: the bits of each byte with and without the memory; which bytes still affect each
// layer's vector at the last byte; and the score of a head as the sum of its four terms.

import { h, tableRow } from "../../../../browser/lib/base.js";
import { makeChart } from "../../../../browser/lib/chart.js";
import { palette, tokenSpans } from "../../../../browser/lib/colour.js";
import { makeHeatMap } from "../../../../browser/lib/heat_map.js";
import { readable } from "../../../../browser/lib/hint.js";
import { asFixed, asNumber } from "../../../../browser/lib/numbers.js";

const SHOWS = ["memory", "reach", "terms"];
const COSTLY = 12; // bits at the darkest background

/** The distance of the first byte that affects a layer, counted back from the last byte. */
const far = (row) => row.length - 1 - row.findIndex((value) => value > 0);

const spread = (values) => {
  const mean = values.reduce((one, other) => one + other, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
};

export const mount = (section, props) => {
  const { words, panel } = section;
  const demo = section.demo(
    {
      show: { initial: "memory", choices: SHOWS },
      text: { initial: props.text, longest: 1000 },
      memory: { initial: "on", choices: ["on", "off"] },
      layer: { initial: 0, min: 0, max: props.layers - 1 },
      head: { initial: 0, min: 0, max: props.heads - 1 },
    },
    { carried: ["text"], reached: ["text"], scored: ["text", "layer", "head"] },
  );

  const [show, memory] = [section.choice("show", SHOWS), section.choice("memory", ["on", "off"])];
  const text = section.line("text", words("field"));
  const steppers = ["layer", "head"].map((name) => section.stepper(name));
  const asking = h("div.asking", memory.node, ...steppers.map(({ node }) => node));
  panel.tools.append(show.node, text.node);

  // --- what the memory is worth --------------------------------------------------------------------------------------

  const bytes = readable(h("p.bytes"));
  const bars = h("div.place");
  const onVal = h("p.quiet");
  const inMemory = h(
    "div.in-memory",
    bytes,
    h("p.quiet", words("ground", { segment: props.segment, trained: props.trained.segment })),
    bars,
    h("div.with-equation", onVal, panel.equation()),
  );
  const chart = makeChart(bars, { label: words("chart_memory") });
  if (props.measured.length)
    onVal.append(
      words("on_val", {
        bytes: props.bytes,
        list: props.measured.map(({ memory: kept, bits }) =>
          words("measured", { memory: kept, bits: asFixed(bits, 4) }),
        ),
      }),
      " ",
      section.measured("", props.command),
    );

  const paintMemory = () => {
    const { labels, bits, chart: figures, ...each } = demo.answers.carried;
    const shown = each[demo.view.memory];
    const colours = palette().weights;
    const spans = tokenSpans(labels, (i) => {
      const kind = i && i % props.segment === 0 ? "byte begins" : "byte";
      if (!i) return { kind };
      const message = words("byte", {
        label: labels[i],
        bits: asFixed(shown[i - 1], 1),
        on: asFixed(each.on[i - 1], 1),
        off: asFixed(each.off[i - 1], 1),
      });
      return { kind, title: message, pixel: colours[Math.round(255 * Math.min(1, shown[i - 1] / COSTLY))] };
    });
    bytes.replaceChildren(...spans);
    bytes.dataset.bits = shown.reduce((one, other) => one + other, 0) / shown.length;
    chart.draw({
      figures,
      keep: "memory",
      x: words("axis_memory"),
      change: ([bar]) =>
        Object.assign(bar, {
          y: props.memories.map((kept) => words("remembered", { memory: kept })),
          text: bits.map((value) => asFixed(value, 3)),
          textposition: "auto",
        }),
    });
    if (demo.view.show !== "memory") return;
    const mean = (values) => asFixed(values.reduce((one, other) => one + other, 0) / values.length, 2);
    section.tell(words("lesson_memory", { off: mean(each.off), on: mean(each.on), memory: props.trained.memory }));
  };

  // --- how far back it reaches ---------------------------------------------------------------------------------------

  const place = h("div.map");
  const readout = h("p.told", { role: "status" });
  const farthest = h("table.far");
  const inReach = h("div.in-reach", place, readout, farthest, h("p.quiet", words("rounding")));

  const point = (at) => {
    if (!demo.answers.reached || !at) return void (readout.textContent = "");
    const { labels, ...moved } = demo.answers.reached;
    const value = moved[demo.view.memory][at.row][at.column];
    readout.textContent = words("cell", {
      moves: value ? "yes" : "no",
      label: labels[at.column],
      back: labels.length - 1 - at.column,
      layer: at.row,
      moved: asNumber(value, 2),
    });
  };
  const map = makeHeatMap(place, { label: words("map"), onpoint: point, onpick: point });

  const paintReach = () => {
    const { labels, ...moved } = demo.answers.reached;
    const rows = moved[demo.view.memory];
    const most = rows.map((row) => Math.max(...row));
    const { weights, masked } = palette();
    map.draw({
      labels: rows.map((_, i) => `${i}`),
      across: labels,
      titles: [words("layers"), words("bytes", { short: props.short })],
      fill: true,
      pixel: (row, column) =>
        rows[row][column] ? weights[40 + Math.round(215 * Math.sqrt(rows[row][column] / most[row]))] : masked,
      hidden: (row, column) => !rows[row][column],
    });
    const line = (row, i) =>
      tableRow(words("reaches", { layer: i }), h("td", { "data-far": far(row) }, words("far", { back: far(row) })));
    farthest.replaceChildren(h("caption", words("farthest")), h("tbody", ...rows.map(line)));
    if (demo.view.show === "reach")
      section.tell(words("lesson_reach", { on: demo.view.memory, far: far(rows.at(-1)), near: far(rows[0]) }));
  };

  // --- four terms ----------------------------------------------------------------------------------------------------

  const stack = h("div.place");
  const together = h("p.quiet");
  const inTerms = h("div.in-terms", stack, h("div.with-equation", together, panel.equation()));
  const stacked = makeChart(stack, { label: words("chart_terms") });

  const paintTerms = () => {
    const { scored } = demo.answers;
    stacked.draw({
      figures: scored.chart,
      keep: `${demo.view.layer} ${demo.view.head}`,
      ...{ x: words("keys"), y: words("score") },
      names: [...props.terms, "score"].map((name) => words(name)),
    });
    together.textContent = words("together", { error: asNumber(scored.error, 2) });
    if (demo.view.show !== "terms") return;
    const most = props.terms.reduce((one, two) => (spread(scored[two]) > spread(scored[one]) ? two : one));
    section.tell(
      words("lesson_terms", {
        layer: demo.view.layer,
        head: demo.view.head,
        term: words(most),
        spread: asFixed(spread(scored[most]), 2),
      }),
    );
  };
  panel.picture.append(asking, inMemory, inReach, inTerms);

  // --- what can be tried ---------------------------------------------------------------------------------------------

  section.tries({
    off: { show: "memory", memory: "off" },
    reach: { show: "reach" },
    terms: { show: "terms" },
  });
  section.check({
    shows: { show: "reach" },
    question: words("question", { short: props.short, layers: props.layers }),
    choices: ["one", "layers", "none"].map((name) => words(`choice_${name}`, { short: props.short })),
    answer: async () => {
      const { on } = await demo.answered("reached");
      const [first, last] = [far(on[0]), far(on.at(-1))];
      const right = last < props.short ? 2 : last > first ? 1 : 0;
      return { right, said: words("answer", { far: last, near: first, short: props.short }) };
    },
  });
  section.links(() => [["explore", { model: props.model, text: demo.view.text }]]);

  const paint = () => {
    const { answers } = demo;
    if (answers.carried) paintMemory();
    if (answers.reached) paintReach();
    if (answers.scored) paintTerms();
  };
  const places = steppers.map(({ node }) => node);
  section.parts({ memory: [inMemory, memory.node], reach: [inReach, memory.node], terms: [inTerms, ...places] });
  section.begin(paint);
};
