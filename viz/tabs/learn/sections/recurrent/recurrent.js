// A recurrent, a convolutional and a self-attention model of one size side by side: step by step, which input has
// reached which output and which outputs are ready; then the time for longer texts; then the quality of each.

import { h, tableHead, tableRow } from "../../../../browser/lib/base.js";
import { makeChart } from "../../../../browser/lib/chart.js";
import { asFixed, asNumber, asWhole } from "../../../../browser/lib/numbers.js";
import { makeReaches } from "./reach.js";

/** A chart above a table and notes: {node, draw(labels)}. */
const chartOver = ({ words }, name, figures, ...below) => {
  const container = h("div.place");
  const chart = makeChart(container, { label: words(`chart_${name}`) });
  const draw = (labels) => chart.draw({ figures, keep: name, ...labels });
  return { node: h("div.charted", container, ...below), draw };
};

/** A table with a row for each kind: its cells are [value, words]. */
const tableOf = ({ words }, name, heads, rows) => {
  const cell = ([value, message]) => h("td", { "data-value": value }, message);
  const row = ([kind, cells]) => tableRow({ "data-kind": kind }, words(kind), ...cells.map(cell));
  return h("table", { class: name }, tableHead("", ...heads), h("tbody", ...rows.map(row)));
};

/** The time for longer texts: {node, paint}. */
const makeTime = (section, { worth, times, measured, charts }) => {
  const { words } = section;
  const { lengths } = measured;
  const shown = [0, Math.floor(lengths.length / 2), lengths.length - 1];
  const rows = worth.map(({ kind }) => {
    const taken = times[kind];
    const ratio = taken.at(-1) / taken[shown[1]];
    const cells = shown.map((i) => [taken[i], words("milliseconds", { value: asNumber(taken[i], 3) })]);
    return [kind, [...cells, [ratio, words("ratio", { value: asNumber(ratio, 3) })]]];
  });
  const longer = words("longer", { times: lengths.at(-1) / lengths[shown[1]] });
  const heads = [...shown.map((i) => words("at_length", { t: lengths[i] })), longer];
  const source = section.recorded(measured);
  const table = tableOf(section, "times", heads, rows);
  const { node, draw } = chartOver(section, "time", charts.time, table, h("p.quiet", words("time_note")), source);
  const names = worth.map(({ kind }) => words(kind));
  return { node, paint: () => draw({ x: words("axis_length"), y: words("axis_time"), names }) };
};

/** The quality of each model: {node, paint}. */
const makeBits = (section, { worth, charts }, best) => {
  const { words } = section;
  const slowest = Math.max(...worth.map(({ seconds }) => seconds));
  const quickest = worth.every(({ seconds }) => seconds >= best.seconds);
  const table = tableOf(
    section,
    "worth",
    ["parameters", "bytes", "seconds", "bits"].map((name) => words(`column_${name}`)),
    worth.map(({ kind, parameters, bytes, seconds, bits }) => [
      kind,
      [
        [parameters, asWhole(parameters)],
        [bytes, asWhole(bytes)],
        [seconds, words("seconds", { value: seconds })],
        [bits, asFixed(bits, 4)],
      ],
    ]),
  );
  const winner = words("winner", {
    kind: words(best.kind),
    bits: asFixed(best.bits, 4),
    seconds: best.seconds,
    quickest: quickest ? "yes" : "no",
  });
  const notes = [h("p.winner", winner), h("p.quiet", words("bits_note"))];
  const { node, draw } = chartOver(section, "bits", charts.bits, table, ...notes);
  const change = ([dots], { xaxis }) => {
    dots.text = worth.map(({ kind }) => words(kind));
    Object.assign(xaxis, { type: "linear", range: [0, 1.25 * slowest], dtick: 20 });
  };
  return { node, paint: () => draw({ x: words("axis_seconds"), y: words("axis_bits"), change }) };
};

const addCheck = (section) => {
  const answer = async () => {
    const reached = await section.live.answered("reached");
    const count = reached.labels.length;
    const [recurrent, attention] = ["recurrent", "attention"].map((kind) => reached[kind].steps.at(-1)[0]);
    const right = recurrent === 0 ? 2 : recurrent >= count ? 1 : 0;
    return { right, said: section.words("answer", { count, recurrent, attention }) };
  };
  section.check({ shows: { show: "reach" }, names: ["layers", "each", "never"], answer });
};

export const mount = (section, props) => {
  const { words, panel } = section;
  const { worth, times, measured } = props;
  const demo = section.demo(
    {
      show: { initial: "reach", choices: ["reach", "time", "bits"] },
      text: { initial: props.text, longest: 400 },
      step: { initial: 2, min: 0, max: props.most + 1 },
    },
    { reached: ["text"] },
  );
  const text = section.line("text", words("field", { most: props.most }));
  const show = section.choice("show");
  const best = worth.reduce((one, other) => (other.bits < one.bits ? other : one));
  const reach = makeReaches(section, props);
  const charts = { time: makeTime(section, props), bits: makeBits(section, props, best) };
  panel.tools.append(show.node, text.node);
  panel.picture.append(reach.node, charts.time.node, charts.bits.node);

  const ofKinds = (number) => Object.fromEntries(worth.map(({ kind }) => [kind, number(kind)]));
  const lesson = {
    reach: (reached) => words("lesson", { count: reached.labels.length, ...ofKinds((kind) => reached[kind].count) }),
    time: () => {
      const seconds = ofKinds((kind) => asNumber(times[kind].at(-1), 3));
      return words("lesson_time", { t: measured.lengths.at(-1), ...seconds });
    },
    bits: () => words("lesson_bits", { kind: words(best.kind), bits: asFixed(best.bits, 4) }),
  };
  section.tries({ one: { show: "reach", step: 1 }, time: { show: "time" }, bits: { show: "bits" } });
  addCheck(section);
  section.links(() => [
    ["explore", { model: "tiny-generator", text: demo.view.text }],
    ["mask", { text: demo.view.text }],
  ]);

  section.parts({ reach: [reach, text.node], time: [charts.time], bits: [charts.bits] });
  section.needs({ reach: "reached" });
  section.begin(() => {
    const { reached } = demo.answers;
    charts[demo.view.show]?.paint();
    if (!reached) return;
    reach.paint(reached);
    section.showLesson(lesson[demo.view.show](reached));
  });
};
