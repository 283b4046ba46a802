// One token through a trained stack: what each half of a block adds and what the model would say there; and whose output
// moves when the token is changed, with attention and without.
const { h } = former;
const { words, panel } = section;
const demo = section.demo(
  {
    text: { initial: props.text, longest: 1000 },
    at: { initial: props.most - 1, min: 0, max: props.most - 1 },
    attention: { initial: "on", choices: ["on", "off"] },
  },
  { through: ["text", "at", "attention"] },
);

// --- what is shown --------------------------------------------------------------------------------------------------------

const text = former.fields.line(demo, "text", words("field", { most: props.most }), former.say("text_hint"));
const attention = former.fields.choice(demo, "attention", words("attention"), ["on", "off"], (value) => words(`attention_${value}`), (value) => words(`attention_${value}_hint`));
panel.tools.append(text.node, attention.node);

const tokens = h("ol");
const count = h("p", { class: "count", "aria-live": "polite" });
const caption = h("caption");
const rows = h("tbody");
const heads = ["point", "added", "top"].map((name) => h("th", { scope: "col" }, words(name)));
const place = h("div", {});
panel.picture.append(
  h("div", { class: "tokens" }, h("p", { class: "quiet" }, words("tokens")), tokens, count),
  h("div", { class: "stack-place" }, h("table", { class: "stack" }, caption, h("thead", {}, h("tr", {}, ...heads)), rows)),
  h("div", { class: "chart-column" }, h("h3", {}, words("chart")), place),
);
const chart = former.chart(place, { label: words("chart") });

const paintTokens = ({ labels, at, moved }) => {
  const most = Math.max(...moved, 1e-9);
  const colours = former.colours().weights;
  tokens.replaceChildren(
    ...labels.map((label, i) => {
      const said = words("token", { label, chosen: labels[at], moved: former.number(moved[i], 2) });
      const mark = h("i");
      if (moved[i] > 0) former.ground(mark, colours[Math.round(255 * Math.max(0.12, moved[i] / most))]);
      return h("li", {}, h("button", { type: "button", "aria-pressed": `${i === at}`, title: said, "aria-label": said, "data-moved": moved[i], onclick: () => demo.set({ at: i }) }, label, mark));
    }),
  );
  const others = moved.filter((value, i) => i !== at);
  const moving = others.filter((value) => value > 0).length;
  count.textContent = words("count", { label: labels[at], moved: moving, others: others.length });
};

const nameOf = ({ part, layer }) => (part === "embedding" ? words("embedding") : words(`part_${part}`, { layer: layer - 1 }));
const guess = ({ label, prob }) => {
  const box = h("span", { class: "guess", "data-prob": prob }, words("guess", { label, share: former.share(prob) }));
  former.ground(box, former.colours().weights[Math.round(255 * prob)]);
  return box;
};
const paintStack = ({ labels, at, points }) => {
  caption.textContent = words("stack", { label: labels[at], model: props.model });
  rows.replaceChildren(
    ...points.map((point) => h("tr", { "data-part": point.part, "data-layer": point.layer }, h("th", { scope: "row" }, nameOf(point)), h("td", { "data-added": point.added }, former.fixed(point.added, 1)), h("td", {}, ...point.top.map(guess)))),
  );
  const last = points.at(-1).top[0];
  const other = points.findLastIndex(({ top }) => top[0].label !== last.label);
  const since = other === points.length - 2 ? "never" : "point";
  section.tell(words("lesson", { label: labels[at], last: last.label, share: former.share(last.prob), since, point: nameOf(points[Math.min(other + 1, points.length - 1)]) }));
};

const change = (data, layout) => {
  data[0].name = words("trace_attention");
  data[1].name = words("trace_feed_forward");
  layout.xaxis.title.text = words("layer");
  layout.yaxis.title.text = words("length");
};

// --- what can be tried ------------------------------------------------------------------------------------------------------

section.tries(
  [
    { name: "off", words: words("try_off"), act: () => demo.set({ attention: "off" }) },
    { name: "middle", words: words("try_middle"), act: () => demo.set({ at: Math.floor(demo.answers.through.labels.length / 2) }) },
    { name: "other", words: words("try_other"), act: () => demo.set({ text: words("other"), at: demo.fields.at.initial }) },
  ],
);

section.check({
  question: words("question"),
  choices: ["own", "after", "all"].map((name) => words(`choice_${name}`)),
  answer: async () => {
    const { labels, at, movedOff } = demo.answers.through;
    const most = (part) => Math.max(0, ...part);
    const [before, after] = [most(movedOff.slice(0, at)), most(movedOff.slice(at + 1))];
    const others = Math.max(before, after);
    const right = before > 0 ? 2 : after > 0 ? 1 : 0;
    return { right, said: words("answer", { label: labels[at], own: former.number(movedOff[at], 3), others: others ? former.number(others, 2) : former.whole(0) }) };
  },
});
section.links(() => ["explore", "generate", "mask"].map((tab) => [tab, { ...(tab !== "mask" && { model: props.model }), text: demo.view.text }]));

const paint = () => {
  text.update();
  attention.update();
  const { through } = demo.answers;
  if (!through) return;
  paintTokens(through);
  paintStack(through);
  chart.draw({ figures: through.chart, keep: through.text, change });
};
demo.subscribe(section.node, paint);
former.onTheme(paint);
demo.start();
