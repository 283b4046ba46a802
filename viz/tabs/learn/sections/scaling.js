// Dot products of random vectors of k numbers, with the root and without: their spread, the softmax's entropy and gradient.
const { h } = former;
const { words, panel } = section;
const MEASURES = ["spread", "entropy", "gradient"];
const WAYS = ["plain", "scaled"];
const demo = section.demo(
  {
    measure: { initial: "spread", choices: MEASURES },
    power: { initial: 5, min: props.powers[0], max: props.powers[1] },
    seed: { initial: 0, min: 0, max: props.seeds - 1 },
  },
  { measured: ["measure", "power", "seed"] },
);
const sized = () => 2 ** demo.view.power;

const measure = former.fields.choice(demo, "measure", words("measure"), MEASURES, (value) => words(value), (value) => words(`${value}_hint`));
const seed = former.fields.stepper(demo, "seed", words("seed"));
const slider = h("input", { type: "range", min: props.powers[0], max: props.powers[1], step: 1, "aria-label": words("size"), oninput: () => demo.set({ power: Number(slider.value) }) });
const size = h("output", { class: "size" });
panel.tools.append(measure.node, seed.node);
const place = h("div", { class: "place" });
const table = h("tbody");
const row = h("div", { class: "row" });
panel.picture.append(
  h("label", { class: "slider" }, h("span", { class: "quiet" }, words("size")), slider, size),
  place,
  h("div", { class: "below" }, h("table", {}, h("thead", {}, h("tr", {}, h("td"), ...["mean", ...MEASURES].map((name) => h("th", { scope: "col" }, words(name))))), table), row),
);
const chart = former.chart(place, { label: words("chart"), onclick: (at) => demo.set({ power: props.powers[0] + at }) });
if (props.trained.length) {
  const [scaled, plain] = props.trained;
  panel.picture.append(h("p", { class: "quiet trained" }, words("trained", { scaled: scaled.name, bits: former.fixed(scaled.bits, 3), plain: plain.name, other: former.fixed(plain.bits, 3) })));
}

/** The weights of one query at this size, as bars: with the root and without. */
const bars = (name, weights) => h("figure", { "data-way": name }, h("figcaption", {}, words(`row_${name}`)), h("div", { class: "bars" }, ...weights.map((weight) => {
  const bar = h("i", { title: former.share(weight) });
  bar.style.height = `${(100 * weight).toFixed(1)}%`;
  return bar;
})));

const paint = former.eachFrame(() => {
  measure.update();
  seed.update();
  slider.value = demo.view.power;
  size.textContent = words("size_is", { k: former.whole(sized()), root: former.number(Math.sqrt(sized()), 3) });
  const { measured } = demo.answers;
  if (!measured) return;
  const at = measured.sizes.indexOf(sized());
  const title = words(measured.measure);
  chart.draw({
    figures: measured.figures,
    keep: measured.measure,
    change: (data, layout) => {
      data.forEach((trace, i) => (trace.name = words(WAYS[i])));
      layout.xaxis.title = { text: words("size") };
      layout.yaxis.title = { text: title };
    },
  });
  table.replaceChildren(...WAYS.map((name) => h("tr", { "data-way": name }, h("th", { scope: "row" }, words(name)), ...["mean", ...MEASURES].map((each) => h("td", { "data-measure": each, "data-value": measured[name][at][each] }, former.fixed(measured[name][at][each], 3))))));
  row.replaceChildren(...WAYS.map((name) => bars(name, measured.rows[name])));
  const { plain, scaled } = measured;
  section.tell(words("lesson", { k: former.whole(sized()), plain: former.number(plain[at].spread, 3), scaled: former.number(scaled[at].spread, 3), root: former.number(Math.sqrt(sized()), 3) }));
  section.node.dataset.rev = demo.rev;
});

section.tries(
  [
    { name: "small", words: words("try", { k: 2 }), act: () => demo.set({ power: 1 }) },
    { name: "large", words: words("try", { k: former.whole(1024) }), act: () => demo.set({ power: 10 }) },
    { name: "gradient", words: words("try_gradient"), act: () => demo.set({ measure: "gradient", power: 10 }) },
  ],
);
section.check({
  question: words("question"),
  choices: ["four", "two", "same"].map((name) => words(`choice_${name}`)),
  answer: async () => {
    const { plain, sizes } = demo.answers.measured;
    const [before, after] = [16, 64].map((k) => plain[sizes.indexOf(k)].spread);
    const ratio = after / before;
    const right = [4, 2, 1].map((value) => Math.abs(Math.log(ratio / value)));
    return { right: right.indexOf(Math.min(...right)), said: words("answer", { before: former.number(before, 3), after: former.number(after, 3), ratio: former.number(ratio, 3) }) };
  },
});
section.links(() => ["explore", "mask"].map((tab) => [tab, {}]));
demo.subscribe(section.node, paint);
former.onTheme(paint);
demo.start();
