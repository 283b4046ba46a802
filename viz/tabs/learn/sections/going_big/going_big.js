// The memory of the tables of dot products, step by step, for sizes that can be set; the tensors kept with and without
// a fused kernel; and the recorded memory of a training step as bars.

import { h, tableRow } from "../../../../browser/lib/base.js";
import { makeChart } from "../../../../browser/lib/chart.js";
import { asWhole } from "../../../../browser/lib/numbers.js";

const ROOM = 12e9; // bytes, of the article's GPU

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

export const mount = (section, props) => {
  const { words, panel } = section;
  const { article, limits, held, measured } = props;
  const SIZES = Object.keys(limits);
  const demo = section.demo(
    {
      ...Object.fromEntries(SIZES.map((name) => [name, { initial: article[name], min: 1, max: limits[name] }])),
      bits: { initial: article.bits, choices: ["32", "16"] },
    },
    { counted: [...SIZES, "bits"] },
  );

  /** 64000000 → "64 MB". */
  const bytes = (count) => {
    const unit = Math.max(0, Math.floor(Math.log10(count) / 3 + 1e-9));
    return words("bytes", { value: Number((count / 1000 ** unit).toPrecision(3)), unit });
  };
  /** The bytes by the formula: the tables of one layer, four for each head and text. */
  const layerOf = ({ t, batch, heads, bits }) => t * t * (Number(bits) / 8) * batch * heads * held;

  // --- the steps -----------------------------------------------------------------------------------------------------

  const steppers = SIZES.map((name) => section.stepper(name));
  const bits = section.choice("bits", ["32", "16"]);
  const [steps, kept] = [table(words("steps")), table("")];
  const exact = layerOf(article);
  const note = h("p.source", words("article", { fits: room(exact), eight: room(8 * exact) }));
  const inputs = h("div.inputs", ...steppers.map(({ node }) => node), bits.node);

  const paintSteps = () => {
    const { t, batch, heads, layers, bits: precision, table: scores, longer } = demo.answers.counted;
    const number = Number(precision) / 8;
    const layer = held * scores; // as counted on the tensor
    steps.draw([
      ["table", words("step_table", { t, bytes: number }), bytes(t * t * number), t * t * number],
      ["batch", words("step_batch", { batch, heads }), bytes(scores), scores],
      ["layer", words("step_layer", { held }), bytes(layer), layer],
      ["layers", words("step_layers", { layers }), bytes(layers * layer), layers * layer],
      ["fits", words("step_fits"), room(layer), Math.floor(ROOM / layer)],
    ]);
    section.tell(words("lesson", { t, layer: bytes(layer), longer: bytes(held * longer) }));
  };

  const paintKept = () => {
    const { t, heads, equation, kernel } = demo.answers.counted.kept;
    kept.title.textContent = words("kept", { t, heads });
    kept.draw([
      ["equation", words("equation"), bytes(equation), equation],
      ["kernel", words("kernel"), bytes(kernel), kernel],
    ]);
  };

  // --- what was measured ---------------------------------------------------------------------------------------------

  const { batch, tokens, depth, heads: ofModel, name: model } = measured.model;
  // one of its tables
  const formula = bytes((depth * layerOf({ t: tokens, batch, heads: ofModel, bits: "32" })) / held);
  const { cpu, torch } = measured.machine;
  const message = words("measured", {
    date: measured.date,
    name: model,
    batch,
    t: tokens,
    depth,
    heads: ofModel,
    formula,
    cpu,
    torch,
  });
  const place = h("div");
  const bars = makeChart(place, { label: words("chart") });
  const names = measured.peaks.map(({ precision, accumulate, checkpointing }) =>
    words("bar", { precision, accumulate, checkpointing: checkpointing ? "yes" : "no" }),
  );
  const peaks = measured.peaks.map(({ megabytes }) => megabytes);
  const change = (data, layout) => {
    Object.assign(data[0], {
      x: peaks,
      y: names,
      text: peaks.map((value) => bytes(1e6 * value)),
      textposition: peaks.map((value) => (value < Math.max(...peaks) / 4 ? "outside" : "inside")),
    });
    layout.xaxis.title.text = words("axis");
  };
  panel.picture.append(
    h("div.column", inputs, steps.node, panel.equation(), note, kept.node),
    h("div.column", h("h3", words("chart")), place, section.measured(message, measured.command)),
  );

  // --- what can be tried ---------------------------------------------------------------------------------------------

  section.tries(
    {
      long: { t: 2 * article.t },
      half: { bits: "16" },
      deep: { heads: 8, layers: 12 },
    },
    () => demo.set(article),
  );

  section.check({
    names: ["ten", "hundred", "thousand"],
    answer: async () => {
      const { table: small, longer: large } = await demo.answered("counted");
      const factor = large / small;
      return {
        right: Math.round(Math.log10(factor)) - 1,
        said: words("answer", { small: bytes(small), large: bytes(large), factor: asWhole(factor) }),
      };
    },
  });
  section.links(() => [
    ["mask", {}],
    ["explore", { model }],
  ]);

  section.begin(() => {
    if (!demo.answers.counted) return;
    paintSteps();
    paintKept();
  });
  bars.draw({ figures: props.chart, keep: "measured", change });
};
