// One token through a trained stack: what each half of a block adds, and the prediction at that point; and which
// outputs change with the token, with and without attention. Then the parts of a block that are not linear, and how the
// gradient at the start of training depends on the place of the norms.

import { h, tableHead, tableRow } from "../../../../browser/lib/base.js";
import { makeChart } from "../../../../browser/lib/chart.js";
import { ground, palette } from "../../../../browser/lib/colour.js";
import { asFixed, asNumber, asShare, asWhole } from "../../../../browser/lib/numbers.js";
import { makeLinear } from "../../lib/block_linear.js";
import { blockPicture } from "../../lib/block_picture.js";

const SHOWS = ["stack", "linear", "gradient"];
const PACE = 350; // ms between two stages while it plays

export const mount = (section, props) => {
  const { words, panel } = section;
  const demo = section.demo(
    {
      show: { initial: "stack", choices: SHOWS },
      text: { initial: props.text, longest: 1000 },
      at: { initial: props.at, min: 0, max: props.most - 1 },
      attention: { initial: "on", choices: ["on", "off"] },
      norms: { initial: "pre", choices: ["pre", "post"] },
      step: { initial: 6, min: 0, max: 6 * props.depth },
      depth: props.depths,
      seed: { initial: 0, min: 0, max: props.seeds - 1 },
    },
    { through: ["text", "at", "attention", "norms"], linear: ["text"], gradient: ["text", "depth", "seed"] },
  );

  // --- what is shown -------------------------------------------------------------------------------------------------

  const text = section.line("text", words("field"));
  const show = section.choice("show", SHOWS);
  const attention = section.choice("attention", ["on", "off"]);
  const norms = section.choice("norms", ["pre", "post"]);
  const [depth, seed] = ["depth", "seed"].map((name) => section.stepper(name));
  panel.tools.append(show.node, text.node, depth.node, seed.node);

  const tokens = h("ol");
  const count = h("p.count", { "aria-live": "polite" });
  const caption = h("caption");
  const rows = h("tbody");
  const heads = ["point", "adds_attention", "adds_feed_forward", "top"].map((name) => words(name));
  const player = section.player({
    last: () => last(),
    now: () => nowAt(),
    pace: PACE,
    ready: () => Boolean(demo.answers.through),
    held: () => demo.busy,
  });
  const stage = h("output");
  const picture = blockPicture({
    words,
    pick: (i) => player.put({ step: 6 * placeOf(nowAt()).layer + i + 1 })(),
  });
  const place = h("div");
  const inStack = h(
    "div.in-stack",
    h("div.course", norms.node, attention.node, player.play, player.slider, stage),
    h("div.tokens", h("p.quiet", words("tokens", { most: props.most })), tokens, count),
    h("div.block-place", picture.node, panel.equation()),
    h("div.stack-place", h("table.stack", caption, tableHead(...heads), rows)),
    h("div.chart-column", h("h3", words("chart")), place),
  );
  const chart = makeChart(place, { label: words("chart") });

  const paintTokens = ({ labels, at, moved }) => {
    const most = Math.max(...moved, 1e-9);
    const colours = palette().weights;
    tokens.replaceChildren(
      ...labels.map((label, i) => {
        const message = words("token", { label, chosen: labels[at], moved: asNumber(moved[i], 2) });
        const mark = h("i");
        if (moved[i] > 0) ground(mark, colours[Math.round(255 * Math.max(0.12, moved[i] / most))]);
        return h(
          "li",
          h(
            "button",
            {
              "aria-pressed": `${i === at}`,
              title: message,
              "aria-label": message,
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
    const box = h("span.guess", { "data-prob": prob }, words("guess", { label, share: asShare(prob) }));
    ground(box, palette().weights[Math.round(255 * prob)]);
    return box;
  };
  const nowAt = () => Math.min(demo.view.step, last());
  const last = () => 6 * demo.answers.through.stages.length;
  /** The block that the token goes through, and the number of its stages that are done; 0 before the first. */
  const placeOf = (step) => ({ layer: Math.max(0, Math.ceil(step / 6) - 1), reached: step ? ((step - 1) % 6) + 1 : 0 });

  const paintStack = ({ labels, at, points, stages }) => {
    const model = props.models[demo.view.norms];
    caption.textContent = words("stack", { label: labels[at], model });
    const { layer, reached } = placeOf(nowAt());
    const row = (name, label, cells, kind = "") => tableRow({ "data-row": name, class: kind }, label, ...cells);
    const guesses = (point) => h("td", ...point.top.map(guess));
    const added = (point) => h("td", { "data-added": point.added }, asFixed(point.added, 1));
    const blocks = stages.flatMap((_, i) => {
      const [attention, feedForward] = points.slice(1 + 2 * i, 3 + 2 * i);
      const open = h(
        "button",
        { "aria-expanded": `${i === layer}`, onclick: () => player.put({ step: 6 * (i + 1) })() },
        words("block", { layer: i }),
      );
      const whole = row("block", open, [added(attention), added(feedForward), guesses(feedForward)], "");
      whole.dataset.layer = `${i}`;
      if (i !== layer) return [whole];
      whole.classList.add("chosen");
      const half = row("half", words("after_attention"), [h("td"), h("td"), guesses(attention)], "half");
      return [half, whole];
    });
    const focused = rows.contains(document.activeElement);
    rows.replaceChildren(row("embedding", words("embedding"), [h("td"), h("td"), guesses(points[0])]), ...blocks);
    if (focused) rows.querySelector(".chosen button")?.focus();
    picture.draw({
      norms: demo.view.norms,
      names: props.stages[demo.view.norms],
      lengths: stages[layer],
      reached,
      layer,
      mixes: demo.view.attention === "on" && at > 0,
    });
    const top = points.at(-1).top[0];
    const other = points.findLastIndex((point) => point.top[0].label !== top.label);
    const since = other === points.length - 2 ? "never" : "point";
    if (demo.view.show === "stack")
      section.tell(
        words("lesson", {
          label: labels[at],
          last: top.label,
          share: asShare(top.prob),
          since,
          point: nameOf(points[Math.min(other + 1, points.length - 1)]),
        }),
      );
  };

  const { node: inLinear, paint: paintLinear } = makeLinear({ section, demo, props });

  // --- the gradient at the start -------------------------------------------------------------------------------------

  const gradientPlace = h("div");
  const inGradient = h(
    "div.in-gradient",
    h("h3", words("gradient")),
    gradientPlace,
    h("p.quiet", words("gradient_how", { emb: props.emb })),
  );
  const curves = makeChart(gradientPlace, { label: words("gradient") });
  panel.picture.append(inStack, inLinear, inGradient);

  const paintGradient = ({ gradient }) => {
    if (!gradient) return;
    curves.draw({
      figures: gradient.chart,
      keep: `${gradient.depth}`,
      ...{ x: words("layer"), y: words("gradient_size") },
      names: ["post", "pre"].map((norm) => words(`norm_${norm}`)),
      change: (_, { yaxis }) => (yaxis.rangemode = "tozero"),
    });
    const ratio = ([first, ...rest]) => asNumber(rest.at(-1) / first, 2);
    if (demo.view.show === "gradient")
      section.tell(
        words("lesson_gradient", { depth: gradient.depth, post: ratio(gradient.post), pre: ratio(gradient.pre) }),
      );
  };

  // --- what can be tried ---------------------------------------------------------------------------------------------

  section.tries({
    off: { show: "stack", attention: "off" },
    post: { show: "stack", norms: "post", step: 6 },
    linear: { show: "linear" },
  });

  section.check({
    shows: { show: "stack" },
    names: ["own", "after", "all"],
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
    paintLinear(demo.answers);
    paintGradient(demo.answers);
    const { through } = demo.answers;
    if (!through) return;
    const { layer, reached } = placeOf(nowAt());
    stage.textContent = words("step_is", { layer, reached, count: 6 });
    player.slider.setAttribute("aria-valuetext", stage.textContent);
    paintTokens(through);
    paintStack(through);
    const names = ["attention", "feed_forward"].map((part) => words(`trace_${part}`));
    chart.draw({ figures: through.chart, keep: through.text, x: words("layer"), y: words("length"), names });
  };
  section.parts({ stack: [inStack], linear: [inLinear], gradient: [inGradient, depth.node, seed.node] });
  section.begin(paint);
};
