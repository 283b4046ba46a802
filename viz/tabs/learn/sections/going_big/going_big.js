// The memory of the tables of dot products, step by step, for sizes that can be set; the tensors kept with and without
// a fused kernel; and the recorded memory of a training step as bars.

import { h, tableRow } from "../../../../browser/lib/base.js";
import { makeChart } from "../../../../browser/lib/chart.js";
import { asWhole, inUnit } from "../../../../browser/lib/numbers.js";

const ROOM = 12e9; // bytes, of the article's GPU

/** A table of lines [name, label, value in words, value]: {node, title, draw}. */
const table = (caption) => {
  const title = h("caption", caption);
  const body = h("tbody");
  const draw = (rows) =>
    body.replaceChildren(
      ...rows.map(([name, label, value, exact]) =>
        tableRow({ "data-row": name }, label, h("td", { "data-value": exact }, value)),
      ),
    );
  return { node: h("table", title, body), title, draw };
};

const room = (layer) => asWhole(Math.floor(ROOM / layer));

/** 64000000 → "64 MB". */
const bytes = (words, count) => {
  const { value, unit } = inUnit(count);
  return words("bytes", { value: Number(value.toPrecision(3)), unit });
};

/** The bytes by the formula: the tables of one layer, `held` for each head and text. */
const layerOf = ({ t, batch, heads, bits }, held) => t * t * (Number(bits) / 8) * batch * heads * held;

/** The memory step by step, and what is kept with and without a fused kernel: {node, paint}. */
const makeSteps = (section, { article, held }, sizes) => {
  const { words, panel, live: demo } = section;
  const inBytes = (count) => bytes(words, count);
  const steppers = sizes.map((name) => section.stepper(name).node);
  const bits = section.choice("bits");
  const [steps, kept] = [table(words("steps")), table("")];
  const exact = layerOf(article, held);
  const note = h("p.source", words("article", { fits: room(exact), eight: room(8 * exact) }));

  const paintSteps = ({ t, batch, heads, layers, bits: precision, table: scores, longer }) => {
    const number = Number(precision) / 8;
    const layer = held * scores; // as counted on the tensor
    const line = (name, values, count) => [name, words(`step_${name}`, values), inBytes(count), count];
    steps.draw([
      line("table", { t, bytes: number }, t * t * number),
      line("batch", { batch, heads }, scores),
      line("layer", { held }, layer),
      line("layers", { layers }, layers * layer),
      ["fits", words("step_fits"), room(layer), Math.floor(ROOM / layer)],
    ]);
    section.showLesson(words("lesson", { t, layer: inBytes(layer), longer: inBytes(held * longer) }));
  };
  const paintKept = ({ t, heads, equation, kernel }) => {
    kept.title.textContent = words("kept", { t, heads });
    kept.draw([
      ["equation", words("equation"), inBytes(equation), equation],
      ["kernel", words("kernel"), inBytes(kernel), kernel],
    ]);
  };
  const paint = () => {
    const { counted } = demo.answers;
    if (!counted) return;
    paintSteps(counted);
    paintKept(counted.kept);
  };
  const inputs = h("div.inputs", ...steppers, bits.node);
  return { node: h("div.column", inputs, steps.node, panel.equation(), note, kept.node), paint };
};

/** The recorded memory of a training step as bars: a node. */
const measuredBars = (section, { measured, held, chart: figures }) => {
  const { words } = section;
  const { model, peaks } = measured;
  const { batch, tokens: t, depth, heads } = model;
  const formula = bytes(words, (depth * layerOf({ t, batch, heads, bits: "32" }, held)) / held); // one of its tables
  const container = h("div");
  const bars = makeChart(container, { label: words("chart") });
  const names = peaks.map(({ precision, accumulate, checkpointing }) =>
    words("bar", { precision, accumulate, checkpointing: checkpointing ? "yes" : "no" }),
  );
  const megabytes = peaks.map((peak) => peak.megabytes);
  const change = (data, layout) => {
    Object.assign(data[0], {
      x: megabytes,
      y: names,
      text: megabytes.map((value) => bytes(words, 1e6 * value)),
      textposition: megabytes.map((value) => (value < Math.max(...megabytes) / 4 ? "outside" : "inside")),
    });
    layout.xaxis.title.text = words("axis");
  };
  bars.draw({ figures, keep: "measured", change });
  return h("div.column", h("h3", words("chart")), container, section.recorded(measured, { ...model, t, formula }));
};

const addCheck = (section) => {
  const { words, live: demo } = section;
  const answer = async () => {
    const { table: small, longer: large } = await demo.answered("counted");
    const factor = large / small;
    const values = { small: bytes(words, small), large: bytes(words, large), factor: asWhole(factor) };
    return { right: Math.round(Math.log10(factor)) - 1, said: words("answer", values) };
  };
  section.check({ names: ["ten", "hundred", "thousand"], answer });
};

export const mount = (section, props) => {
  const { article, limits, measured } = props;
  const sizes = Object.keys(limits);
  const demo = section.demo(
    {
      ...Object.fromEntries(sizes.map((name) => [name, { initial: article[name], min: 1, max: limits[name] }])),
      bits: { initial: article.bits, choices: ["32", "16"] },
    },
    { counted: [...sizes, "bits"] },
  );
  const steps = makeSteps(section, props, sizes);
  section.panel.picture.append(steps.node, measuredBars(section, props));
  section.tries(
    {
      long: { t: 2 * article.t },
      half: { bits: "16" },
      deep: { heads: 8, layers: 12 },
    },
    () => demo.set(article),
  );
  addCheck(section);
  section.links(() => [
    ["mask", {}],
    ["explore", { model: measured.model.name }],
  ]);
  section.needs("counted");
  section.begin(steps.paint);
};
