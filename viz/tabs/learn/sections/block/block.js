// One token through a trained stack: what each half of a block adds, and the prediction at that point; and which
// outputs change with the token, with and without attention. Then the parts of a block that are not linear, and how the
// gradient at the start of training depends on the place of the norms.

import { h } from "../../../../browser/lib/base.js";
import { makeChart } from "../../../../browser/lib/chart.js";
import { ground, makeBar, palette } from "../../../../browser/lib/colour.js";
import { fields } from "../../../../browser/lib/fields.js";
import { say } from "../../../../browser/lib/messages.js";
import { asFixed, asNumber, asShare, asWhole } from "../../../../browser/lib/numbers.js";

const SHOWS = ["stack", "linear", "gradient"];
const PARTS = ["softmax", "activation", "norm"];

export const mount = (section, props) => {
  const { words, panel } = section;
  const demo = section.demo(
    {
      show: { initial: "stack", choices: SHOWS },
      text: { initial: props.text, longest: 1000 },
      at: { initial: props.most - 1, min: 0, max: props.most - 1 },
      attention: { initial: "on", choices: ["on", "off"] },
      depth: props.depths,
      seed: { initial: 0, min: 0, max: props.seeds - 1 },
    },
    { through: ["text", "at", "attention"], linear: ["text"], gradient: ["text", "depth", "seed"] },
  );

  // --- what is shown -------------------------------------------------------------------------------------------------

  const text = fields.line(demo, "text", words("field"), say("text_hint"));
  const show = section.choice("show", SHOWS);
  const attention = section.choice("attention", ["on", "off"]);
  const [depth, seed] = ["depth", "seed"].map((name) => fields.stepper(demo, name, words(name)));
  panel.tools.append(show.node, text.node, attention.node, depth.node, seed.node);

  const tokens = h("ol");
  const count = h("p", { class: "count", "aria-live": "polite" });
  const caption = h("caption");
  const rows = h("tbody");
  const heads = ["point", "added", "top"].map((name) => h("th", { scope: "col" }, words(name)));
  const place = h("div", {});
  const inStack = h(
    "div",
    { class: "in-stack" },
    h("div", { class: "tokens" }, h("p", { class: "quiet" }, words("tokens", { most: props.most })), tokens, count),
    h(
      "div",
      { class: "stack-place" },
      h("table", { class: "stack" }, caption, h("thead", {}, h("tr", {}, ...heads)), rows),
    ),
    h("div", { class: "chart-column" }, h("h3", {}, words("chart")), place),
  );
  const chart = makeChart(place, { label: words("chart") });

  const paintTokens = ({ labels, at, moved }) => {
    const most = Math.max(...moved, 1e-9);
    const colours = palette().weights;
    tokens.replaceChildren(
      ...labels.map((label, i) => {
        const said = words("token", { label, chosen: labels[at], moved: asNumber(moved[i], 2) });
        const mark = h("i");
        if (moved[i] > 0) ground(mark, colours[Math.round(255 * Math.max(0.12, moved[i] / most))]);
        return h(
          "li",
          {},
          h(
            "button",
            {
              "aria-pressed": `${i === at}`,
              title: said,
              "aria-label": said,
              "data-moved": moved[i],
              onclick: () => demo.set({ at: i }),
            },
            label,
            mark,
          ),
        );
      }),
    );
    const others = moved.filter((_, i) => i !== at);
    const moving = others.filter((value) => value > 0).length;
    count.textContent = words("count", { label: labels[at], moved: moving, others: others.length });
  };

  const nameOf = ({ part, layer }) =>
    part === "embedding" ? words("embedding") : words(`part_${part}`, { layer: layer - 1 });
  const guess = ({ label, prob }) => {
    const box = h("span", { class: "guess", "data-prob": prob }, words("guess", { label, share: asShare(prob) }));
    ground(box, palette().weights[Math.round(255 * prob)]);
    return box;
  };
  const paintStack = ({ labels, at, points }) => {
    caption.textContent = words("stack", { label: labels[at], model: props.model });
    rows.replaceChildren(
      ...points.map((point) =>
        h(
          "tr",
          { "data-part": point.part, "data-layer": point.layer },
          h("th", { scope: "row" }, nameOf(point)),
          h("td", { "data-added": point.added }, asFixed(point.added, 1)),
          h("td", {}, ...point.top.map(guess)),
        ),
      ),
    );
    const last = points.at(-1).top[0];
    const other = points.findLastIndex(({ top }) => top[0].label !== last.label);
    const since = other === points.length - 2 ? "never" : "point";
    if (demo.view.show === "stack")
      section.tell(
        words("lesson", {
          label: labels[at],
          last: last.label,
          share: asShare(last.prob),
          since,
          point: nameOf(points[Math.min(other + 1, points.length - 1)]),
        }),
      );
  };

  const change = (data, layout) => {
    data[0].name = words("trace_attention");
    data[1].name = words("trace_feed_forward");
    layout.xaxis.title.text = words("layer");
    layout.yaxis.title.text = words("length");
  };

  // --- what is not linear --------------------------------------------------------------------------------------------

  const activation = words(`activation_${props.activation}`);
  const cases = h("tbody");
  const inLinear = h(
    "div",
    { class: "in-linear" },
    h("p", {}, words("linear", { model: props.model })),
    h(
      "div",
      { class: "cases-place" },
      h(
        "table",
        { class: "cases" },
        h("caption", {}, words("cases")),
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ...PARTS.map((part) => h("th", { scope: "col" }, words(`part_${part}`, { activation }))),
            h("th", { scope: "col" }, words("off")),
          ),
        ),
        cases,
      ),
    ),
    h("p", { class: "quiet" }, words("linear_how")),
  );

  const paintLinear = ({ linear }) => {
    if (!linear) return;
    cases.replaceChildren(
      ...linear.cases.map(({ left, off }) => {
        const cell = (part) =>
          h("td", { class: left.includes(part) ? "in" : "out" }, words(left.includes(part) ? "in" : `out_${part}`));
        const filled = makeBar(Math.max(0, 1 + Math.log10(Math.max(off, 1e-9)) / 8)); // from 10⁻⁸ to 1
        return h(
          "tr",
          { "data-left": left.join(" ") },
          ...PARTS.map(cell),
          h(
            "td",
            { class: "off", "data-off": off },
            h("div", {}, h("b", {}, asNumber(off, 2)), h("span", { class: "bar" }, filled)),
          ),
        );
      }),
    );
    const of = (...left) => linear.cases.find((each) => each.left.join() === left.join()).off;
    const [least] = PARTS.map((part) => of(part)).sort((one, other) => one - other);
    if (demo.view.show === "linear")
      section.tell(
        words("lesson_linear", {
          whole: asNumber(of(...PARTS), 2),
          least: asNumber(least, 2),
          none: asNumber(of(), 2),
          activation,
        }),
      );
  };

  // --- the gradient at the start -------------------------------------------------------------------------------------

  const gradientPlace = h("div", {});
  const inGradient = h(
    "div",
    { class: "in-gradient" },
    h("h3", {}, words("gradient")),
    gradientPlace,
    h("p", { class: "quiet" }, words("gradient_how", { emb: props.emb })),
  );
  const curves = makeChart(gradientPlace, { label: words("gradient") });
  panel.picture.append(inStack, inLinear, inGradient);

  const paintGradient = ({ gradient }) => {
    if (!gradient) return;
    curves.draw({
      figures: gradient.chart,
      keep: `${gradient.depth}`,
      change: (data, layout) => {
        ["post", "pre"].forEach((norm, i) => (data[i].name = words(`norm_${norm}`)));
        layout.xaxis.title.text = words("layer");
        layout.yaxis.title.text = words("gradient_size");
        layout.yaxis.rangemode = "tozero";
      },
    });
    const ratio = ([first, ...rest]) => asNumber(rest.at(-1) / first, 2);
    if (demo.view.show === "gradient")
      section.tell(
        words("lesson_gradient", { depth: gradient.depth, post: ratio(gradient.post), pre: ratio(gradient.pre) }),
      );
  };

  // --- what can be tried ---------------------------------------------------------------------------------------------

  section.tries([
    { name: "off", words: words("try_off"), act: () => demo.set({ show: "stack", attention: "off" }) },
    { name: "linear", words: words("try_linear"), act: () => demo.set({ show: "linear" }) },
    { name: "gradient", words: words("try_gradient"), act: () => demo.set({ show: "gradient" }) },
  ]);

  section.check({
    question: words("question"),
    choices: ["own", "after", "all"].map((name) => words(`choice_${name}`)),
    answer: async () => {
      const { labels, at, movedOff } = await demo.answered("through");
      const most = (part) => Math.max(0, ...part);
      const [before, after] = [most(movedOff.slice(0, at)), most(movedOff.slice(at + 1))];
      const others = Math.max(before, after);
      const right = before > 0 ? 2 : after > 0 ? 1 : 0;
      return {
        right,
        said: words("answer", {
          label: labels[at],
          own: asNumber(movedOff[at], 3),
          others: others ? asNumber(others, 2) : asWhole(0),
        }),
      };
    },
  });
  section.links(() =>
    ["explore", "generate", "mask"].map((tab) => [
      tab,
      { ...(tab !== "mask" && { model: props.model }), text: demo.view.text },
    ]),
  );

  const paint = () => {
    for (const part of [show, text, attention, depth, seed]) part.update();
    const { show: shown } = demo.view;
    const seen = {
      stack: [inStack, attention.node],
      linear: [inLinear],
      gradient: [inGradient, depth.node, seed.node],
    };
    for (const [name, parts] of Object.entries(seen)) for (const part of parts) part.hidden = name !== shown;
    paintLinear(demo.answers);
    paintGradient(demo.answers);
    const { through } = demo.answers;
    if (!through) return;
    paintTokens(through);
    paintStack(through);
    chart.draw({ figures: through.chart, keep: through.text, change });
  };
  section.begin(paint);
};
