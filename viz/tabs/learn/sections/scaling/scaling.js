// Dot products of random vectors of k numbers, with and without the root: their standard deviation, the softmax's
// entropy and gradient. Then two models trained in the same way, one without the root: how widely their heads attend.

import { eachFrame, h, tableHead, tableRow } from "../../../../browser/lib/base.js";
import { makeChart } from "../../../../browser/lib/chart.js";
import { asFixed, asNumber, asShare, asWhole } from "../../../../browser/lib/numbers.js";

const MEASURES = ["spread", "entropy", "gradient"];
const WAYS = ["plain", "scaled"];

const fieldsOf = (props) => ({
  show: { initial: "random", choices: ["random", "trained"] },
  text: { initial: props.text, longest: 1000 },
  measure: { initial: "spread", choices: MEASURES },
  power: { initial: 5, min: props.powers[0], max: props.powers[1] },
  seed: { initial: 0, min: 0, max: props.seeds - 1 },
});

/** The weights of one query at this size as bars, with and without the root. */
const bars = (words, name, weights) =>
  h(
    "figure",
    { "data-way": name },
    h("figcaption", words(`row_${name}`)),
    h(
      "div.bars",
      ...weights.map((weight) => {
        const bar = h("i", { title: asShare(weight) });
        bar.style.height = `${(100 * weight).toFixed(1)}%`;
        return bar;
      }),
    ),
  );

/** Dot products of random vectors: {node, paint}. */
const makeRandom = (section, { powers }) => {
  const { words, panel, live: demo } = section;
  const sized = () => 2 ** demo.view.power;
  const root = () => asNumber(Math.sqrt(sized()), 3);
  const size = section.slider("power", () => words("size_is", { k: asWhole(sized()), root: root() }), words("size"));
  size.value.classList.add("size");
  const container = h("div.place");
  const table = h("tbody");
  const row = h("div.row");
  const node = h(
    "div.random",
    size.node,
    container,
    h(
      "div.below",
      h("table", tableHead("", ...["mean", ...MEASURES].map((name) => words(name))), table),
      panel.equation(),
      row,
    ),
  );
  const chart = makeChart(container, { label: words("chart"), onclick: (at) => demo.set({ power: powers[0] + at }) });

  const line = (name, values) => {
    const cell = (measure) =>
      h("td", { "data-measure": measure, "data-value": values[measure] }, asFixed(values[measure], 3));
    return tableRow({ "data-way": name }, words(name), ...["mean", ...MEASURES].map(cell));
  };
  const paint = () => {
    const { measured } = demo.answers;
    if (!measured) return;
    const { measure, sizes, rows } = measured;
    const at = sizes.indexOf(sized());
    const names = WAYS.map((way) => words(way));
    chart.draw({ figures: measured.chart, keep: measure, x: words("size"), y: words(measure), names });
    table.replaceChildren(...WAYS.map((name) => line(name, measured[name][at])));
    row.replaceChildren(...WAYS.map((name) => bars(words, name, rows[name])));
    const [plain, scaled] = WAYS.map((way) => asNumber(measured[way][at][measure], 3));
    section.showLesson(words(`lesson_${measure}`, { k: asWhole(sized()), plain, scaled, root: root() }));
  };
  return { node, paint };
};

/** Two models trained in the same way, one without the root: {node, paint}. */
const makeTrained = (section, { trained: models }) => {
  const { words, panel, live: demo } = section;
  const ways = ["scaled", "plain"];
  const headsContainer = h("div.place");
  const both = h("tbody");
  const node = h(
    "div.trained",
    headsContainer,
    h("table", tableHead("", ...["mean_entropy", "surprise", "bits"].map((name) => words(name))), both),
    h("div.with-equation", h("p.quiet", words("alike")), panel.equation(0)),
  );
  const heads = makeChart(headsContainer, { label: words("chart_trained") });

  const cell = (name, value) =>
    h("td", { "data-measure": name, "data-value": value }, value === null ? words("none") : asFixed(value, 3));
  const line = (way, { mean, surprise }) => {
    const { name, bits } = models[way];
    const cells = [cell("entropy", mean), cell("surprise", surprise), cell("bits", bits)];
    return tableRow({ "data-way": way }, words("model", { name, with: words(`with_${way}`) }), ...cells);
  };
  const paintChart = ({ chart: figures, plain }) => {
    const labels = plain.entropy.flatMap((layer, i) => layer.map((_, head) => words("head", { layer: i, head })));
    const names = ways.map((way) => words(`with_${way}`));
    const change = (data) => data.slice(0, 2).forEach((trace) => (trace.y = labels));
    heads.draw({ figures, keep: "trained", x: words("entropy"), names, change });
  };
  const paint = () => {
    const { trained } = demo.answers;
    if (!trained) return;
    paintChart(trained);
    both.replaceChildren(...ways.map((way) => line(way, trained[way])));
    const means = { scaled: trained.scaled.mean, plain: trained.plain.mean, even: trained.even };
    const numbers = { ...means, bits: models.scaled.bits, other: models.plain.bits };
    const values = Object.entries(numbers).map(([name, value]) => [name, asFixed(value, 2)]);
    section.showLesson(words("lesson_trained", Object.fromEntries(values)));
  };
  return { node, paint };
};

const addCheck = (section) => {
  const { words, live: demo } = section;
  const answer = async () => {
    const { plain, sizes } = await demo.answered("measured");
    const [before, after] = [16, 64].map((k) => plain[sizes.indexOf(k)].spread);
    const ratio = after / before;
    const distances = [4, 2, 1].map((value) => Math.abs(Math.log(ratio / value)));
    const values = { before: asNumber(before, 3), after: asNumber(after, 3), ratio: asNumber(ratio, 3) };
    return { right: distances.indexOf(Math.min(...distances)), said: words("answer", values) };
  };
  section.check({ shows: { show: "random", measure: "spread" }, names: ["four", "two", "same"], answer });
};

export const mount = (section, props) => {
  const { words, panel } = section;
  const demo = section.demo(fieldsOf(props), { measured: ["measure", "power", "seed"], trained: ["text"] });
  const show = section.choice("show");
  const measure = section.choice("measure", (value) => value);
  const seed = section.stepper("seed");
  const text = section.line("text", words("field", { most: props.most }));
  const [random, trained] = [makeRandom(section, props), makeTrained(section, props)];
  panel.tools.append(show.node, measure.node, seed.node, text.node);
  panel.picture.append(random.node, trained.node);

  section.tries({
    large: [{ show: "random", power: 10 }, words("try", { k: asWhole(1024) })],
    gradient: { show: "random", measure: "gradient", power: 10 },
    trained: { show: "trained" },
  });
  addCheck(section);
  section.links(() => [
    ["explore", { model: "tiny-generator", text: demo.view.text }],
    ["mask", { text: demo.view.text }],
  ]);
  const paint = section.parts({ random: [random, measure.node, seed.node], trained: [trained, text.node] });
  section.needs({ random: "measured", trained: "trained" });
  section.begin(eachFrame(paint));
};
