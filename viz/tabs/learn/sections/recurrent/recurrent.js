// A recurrent, a convolutional and a self-attention model of one size side by side: step by step, which input has
// reached which output and which outputs are ready; then the time for longer texts; then the quality of each.

import { h, tableHead, tableRow } from "../../../../browser/lib/base.js";
import { makeChart } from "../../../../browser/lib/chart.js";
import { palette } from "../../../../browser/lib/colour.js";
import { makeHeatMap } from "../../../../browser/lib/heat_map.js";
import { asFixed, asNumber, asWhole } from "../../../../browser/lib/numbers.js";
import { makeWiring } from "../../lib/wiring.js";

const SHOWS = ["reach", "time", "bits"];
const PACE = 450; // ms between two steps while playing
const FAINT = 50; // of 255, so that even a small influence is visible

export const mount = (section, props) => {
  const { words, panel } = section;
  const KINDS = props.worth.map(({ kind }) => kind);
  const demo = section.demo(
    {
      show: { initial: "reach", choices: SHOWS },
      text: { initial: props.text, longest: 400 },
      step: { initial: 2, min: 0, max: props.most + 1 },
    },
    { reached: ["text"] },
  );
  const last = () => Math.max(...KINDS.map((kind) => demo.answers.reached[kind].count));
  const now = () => Math.min(demo.view.step, last());

  // --- what is shown -------------------------------------------------------------------------------------------------

  const text = section.line("text", words("field", { most: props.most }));
  const show = section.choice("show", SHOWS);
  panel.tools.append(show.node, text.node);

  const player = section.player({
    last,
    now,
    pace: PACE,
    ready: () => Boolean(demo.answers.reached),
  });
  const { play, slider } = player;
  const step = h("output");
  const readout = h("p.told", { role: "status" });

  /** One model's map: which input has reached which output so far, and a mark for each output that is ready. */
  const mapOf = (kind) => {
    const place = h("div.map");
    const [outputs, message] = [h("ol.outputs"), h("p")];
    const { model, wiring } = props.worth.find((each) => each.kind === kind);
    const wires = makeWiring(wiring);
    const node = h(
      "figure",
      { "data-kind": kind },
      h("figcaption", h("b", words(kind)), " ", model),
      wires.node,
      place,
      outputs,
      message,
      panel.equation(KINDS.indexOf(kind)),
    );
    const map = makeHeatMap(place, {
      label: words("map", { kind: words(kind) }),
      onpoint: (at) => point(kind, at),
      onpick: (at) => point(kind, at),
    });
    const draw = (/** @type {any} */ { labels, [kind]: result }) => {
      const { weights, masked } = palette();
      wires.draw({ count: labels.length, step: now(), label: words("wiring", { kind: words(kind), step: now() }) });
      const most = result.moved.map((row) => Math.max(...row));
      const has = (row, column) => result.steps[row][column] > 0 && result.steps[row][column] <= now();
      const strength = (row, column) =>
        FAINT + Math.round((255 - FAINT) * Math.sqrt(result.moved[row][column] / most[row]));
      map.draw({
        labels,
        titles: [words("outputs"), words("inputs")],
        pixel: (row, column) =>
          has(row, column) ? weights[strength(row, column)] : result.steps[row][column] ? weights[0] : masked,
        hidden: (row, column) => !result.steps[row][column],
      });
      const stands = result.settled.map((from) => from <= now());
      outputs.replaceChildren(
        ...stands.map((yes, i) =>
          h("li", {
            class: yes ? "stands" : "",
            title: words("output", { label: labels[i], step: result.settled[i] }),
          }),
        ),
      );
      const first = result.steps.at(-1)[0];
      message.textContent = words("stand", {
        stand: stands.filter(Boolean).length,
        count: labels.length,
        all: result.count,
        reaches: first ? "yes" : "no",
        first,
      });
      node.dataset.stands = stands.filter(Boolean).length;
    };
    return { node, draw };
  };
  const maps = KINDS.map(mapOf);
  const reach = h(
    "div.reach",
    h("div.course", play, slider, step),
    h("p.quiet", words("wires")),
    h("div.maps", ...maps.map(({ node }) => node)),
    readout,
  );

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

  const charted = (name, table, ...sources) => {
    const place = h("div.place");
    const chart = makeChart(place, { label: words(`chart_${name}`) });
    return {
      node: h("div.charted", place, table, ...sources),
      draw: (labels) => chart.draw({ figures: props.charts[name], keep: name, ...labels }),
    };
  };
  const tableOf = (name, heads, rows) =>
    h(
      "table",
      { class: name },
      tableHead("", ...heads.map((head) => head)),
      h(
        "tbody",
        ...rows.map(([kind, cells]) =>
          tableRow(
            { "data-kind": kind },
            words(kind),
            ...cells.map(([value, message]) => h("td", { "data-value": value }, message)),
          ),
        ),
      ),
    );

  const { lengths, date, machine, command } = props.measured;
  const measures = [0, Math.floor(lengths.length / 2), lengths.length - 1];
  const times = tableOf(
    "times",
    [
      ...measures.map((i) => words("at_length", { t: lengths[i] })),
      words("longer", { times: lengths.at(-1) / lengths[measures[1]] }),
    ],
    KINDS.map((kind) => {
      const taken = props.times[kind];
      const ratio = taken.at(-1) / taken[measures[1]];
      return [
        kind,
        [
          ...measures.map((i) => [taken[i], words("milliseconds", { value: asNumber(taken[i], 3) })]),
          [ratio, words("ratio", { value: asNumber(ratio, 3) })],
        ],
      ];
    }),
  );
  const { cpu, threads, torch } = machine;
  const measured = section.measured(words("measured", { date, cpu, threads, torch }), command);
  const time = charted("time", times, h("p.quiet", words("time_note")), measured);

  const best = props.worth.reduce((one, other) => (other.bits < one.bits ? other : one));
  const slowest = Math.max(...props.worth.map(({ seconds }) => seconds));
  const quickest = props.worth.every(({ seconds }) => seconds >= best.seconds);
  const worth = tableOf(
    "worth",
    ["parameters", "bytes", "seconds", "bits"].map((name) => words(`column_${name}`)),
    props.worth.map(({ kind, parameters, bytes, seconds, bits }) => [
      kind,
      [
        [parameters, asWhole(parameters)],
        [bytes, asWhole(bytes)],
        [seconds, words("seconds", { value: seconds })],
        [bits, asFixed(bits, 4)],
      ],
    ]),
  );
  const winner = h(
    "p.winner",
    words("winner", {
      kind: words(best.kind),
      bits: asFixed(best.bits, 4),
      seconds: best.seconds,
      quickest: quickest ? "yes" : "no",
    }),
  );
  const bits = charted("bits", worth, winner, h("p.quiet", words("bits_note")));
  panel.picture.append(reach, time.node, bits.node);

  const ofKinds = (number) => Object.fromEntries(KINDS.map((kind) => [kind, number(kind)]));
  const lesson = {
    reach: (reached) => words("lesson", { count: reached.labels.length, ...ofKinds((kind) => reached[kind].count) }),
    time: () =>
      words("lesson_time", { t: lengths.at(-1), ...ofKinds((kind) => asNumber(props.times[kind].at(-1), 3)) }),
    bits: () => words("lesson_bits", { kind: words(best.kind), bits: asFixed(best.bits, 4) }),
  };
  const paint = () => {
    const { view } = demo;
    const names = KINDS.map((kind) => words(kind));
    if (view.show === "time") time.draw({ x: words("axis_length"), y: words("axis_time"), names });
    if (view.show === "bits")
      bits.draw({
        ...{ x: words("axis_seconds"), y: words("axis_bits") },
        change: ([dots], { xaxis }) => {
          dots.text = names;
          Object.assign(xaxis, { type: "linear", range: [0, 1.25 * slowest], dtick: 20 });
        },
      });
    const { reached } = demo.answers;
    if (!reached) return;
    step.textContent = words("step_is", { step: now(), last: last() });
    slider.setAttribute("aria-valuetext", step.textContent);
    for (const { draw } of maps) draw(reached);
    section.tell(lesson[view.show](reached));
  };

  // --- what can be tried ---------------------------------------------------------------------------------------------

  section.tries({
    one: { show: "reach", step: 1 },
    time: { show: "time" },
    bits: { show: "bits" },
  });
  section.check({
    shows: { show: "reach" },
    names: ["layers", "each", "never"],
    answer: async () => {
      const reached = await demo.answered("reached");
      const { labels } = reached;
      const [recurrent, attention] = ["recurrent", "attention"].map((kind) => reached[kind].steps.at(-1)[0]);
      const right = recurrent === 0 ? 2 : recurrent >= labels.length ? 1 : 0;
      return { right, said: words("answer", { count: labels.length, recurrent, attention }) };
    },
  });
  section.links(() => [
    ["explore", { model: "tiny-generator", text: demo.view.text }],
    ["mask", { text: demo.view.text }],
  ]);

  section.parts({ reach: [reach, text.node], time: [time.node], bits: [bits.node] });
  section.begin(paint);
};
