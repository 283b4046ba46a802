// Dot products of random vectors of k numbers, with and without the root: their standard deviation, the softmax's
// entropy and gradient. Then two models trained in the same way, one without the root: how widely their heads attend.

import { eachFrame, h, tableHead, tableRow } from "../../../../browser/lib/base.js";
import { makeChart } from "../../../../browser/lib/chart.js";
import { asFixed, asNumber, asShare, asWhole } from "../../../../browser/lib/numbers.js";

const MEASURES = ["spread", "entropy", "gradient"];
const WAYS = ["plain", "scaled"];
const SHOWS = ["random", "trained"];

export const mount = (section, props) => {
  const { words, panel } = section;
  const demo = section.demo(
    {
      show: { initial: "random", choices: SHOWS },
      text: { initial: props.text, longest: 1000 },
      measure: { initial: "spread", choices: MEASURES },
      power: { initial: 5, min: props.powers[0], max: props.powers[1] },
      seed: { initial: 0, min: 0, max: props.seeds - 1 },
    },
    { measured: ["measure", "power", "seed"], trained: ["text"] },
  );
  const sized = () => 2 ** demo.view.power;

  const show = section.choice("show", SHOWS);
  const measure = section.choice("measure", MEASURES, (value) => value);
  const seed = section.stepper("seed");
  const root = () => asNumber(Math.sqrt(sized()), 3);
  const size = section.slider("power", () => words("size_is", { k: asWhole(sized()), root: root() }), words("size"));
  size.value.classList.add("size");
  const text = section.line("text", words("field", { most: props.most }));
  panel.tools.append(show.node, measure.node, seed.node, text.node);
  const place = h("div.place");
  const table = h("tbody");
  const row = h("div.row");
  const random = h(
    "div.random",
    size.node,
    place,
    h(
      "div.below",
      h("table", tableHead("", ...["mean", ...MEASURES].map((name) => words(name))), table),
      panel.equation(),
      row,
    ),
  );
  const chart = makeChart(place, { label: words("chart"), onclick: (at) => demo.set({ power: props.powers[0] + at }) });

  /** The weights of one query at this size as bars, with and without the root. */
  const bars = (name, weights) =>
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

  const paintRandom = ({ measured }) => {
    if (!measured) return;
    const at = measured.sizes.indexOf(sized());
    chart.draw({
      figures: measured.chart,
      keep: measured.measure,
      ...{ x: words("size"), y: words(measured.measure) },
      names: WAYS.map((way) => words(way)),
    });
    table.replaceChildren(
      ...WAYS.map((name) =>
        tableRow(
          { "data-way": name },
          words(name),
          ...["mean", ...MEASURES].map((each) =>
            h(
              "td",
              { "data-measure": each, "data-value": measured[name][at][each] },
              asFixed(measured[name][at][each], 3),
            ),
          ),
        ),
      ),
    );
    row.replaceChildren(...WAYS.map((name) => bars(name, measured.rows[name])));
    const { plain, scaled } = measured;
    if (demo.view.show === "random")
      section.tell(
        words(`lesson_${measured.measure}`, {
          k: asWhole(sized()),
          plain: asNumber(plain[at][measured.measure], 3),
          scaled: asNumber(scaled[at][measured.measure], 3),
          root: root(),
        }),
      );
  };

  // --- trained -------------------------------------------------------------------------------------------------------

  const headsPlace = h("div.place");
  const both = h("tbody");
  const inTrained = h(
    "div.trained",
    headsPlace,
    h("table", tableHead("", ...["mean_entropy", "surprise", "bits"].map((name) => words(name))), both),
    h("div.with-equation", h("p.quiet", words("alike")), panel.equation(0)),
  );
  const heads = makeChart(headsPlace, { label: words("chart_trained") });
  panel.picture.append(random, inTrained);

  const paintTrained = ({ trained }) => {
    if (!trained) return;
    const names = trained.plain.entropy.flatMap((layer, i) =>
      layer.map((_, head) => words("head", { layer: i, head })),
    );
    heads.draw({
      figures: trained.chart,
      keep: "trained",
      x: words("entropy"),
      names: ["scaled", "plain"].map((way) => words(`with_${way}`)),
      change: (data) => data.slice(0, 2).forEach((trace) => (trace.y = names)),
    });
    const cell = (name, value) =>
      h("td", { "data-measure": name, "data-value": value }, value === null ? words("none") : asFixed(value, 3));
    both.replaceChildren(
      ...["scaled", "plain"].map((way) => {
        const { mean, surprise } = trained[way];
        return tableRow(
          { "data-way": way },
          words("model", { name: props.trained[way].name, with: words(`with_${way}`) }),
          cell("entropy", mean),
          cell("surprise", surprise),
          cell("bits", props.trained[way].bits),
        );
      }),
    );
    const { scaled, plain } = trained;
    if (demo.view.show === "trained")
      section.tell(
        words("lesson_trained", {
          scaled: asFixed(scaled.mean, 2),
          plain: asFixed(plain.mean, 2),
          even: asFixed(trained.even, 2),
          bits: asFixed(props.trained.scaled.bits, 2),
          other: asFixed(props.trained.plain.bits, 2),
        }),
      );
  };

  const paint = eachFrame(() => {
    paintRandom(demo.answers);
    paintTrained(demo.answers);
    section.node.dataset.rev = demo.rev;
  });

  section.tries({
    large: [{ show: "random", power: 10 }, words("try", { k: asWhole(1024) })],
    gradient: { show: "random", measure: "gradient", power: 10 },
    trained: { show: "trained" },
  });
  section.check({
    shows: { show: "random", measure: "spread" },
    names: ["four", "two", "same"],
    answer: async () => {
      const { plain, sizes } = await demo.answered("measured");
      const [before, after] = [16, 64].map((k) => plain[sizes.indexOf(k)].spread);
      const ratio = after / before;
      const right = [4, 2, 1].map((value) => Math.abs(Math.log(ratio / value)));
      return {
        right: right.indexOf(Math.min(...right)),
        said: words("answer", { before: asNumber(before, 3), after: asNumber(after, 3), ratio: asNumber(ratio, 3) }),
      };
    },
  });
  section.links(() => [
    ["explore", { model: "tiny-generator", text: demo.view.text }],
    ["mask", { text: demo.view.text }],
  ]);
  section.parts({ random: [random, measure.node, seed.node], trained: [inTrained, text.node] });
  section.begin(paint);
};
