// One token through a trained stack: what each half of a block adds, and the prediction at that point; and which
// outputs change with the token, with and without attention. Then the parts of a block that are not linear, and how the
// gradient at the start of training depends on where the norms are.

import { h } from "../../../../browser/lib/base.js";
import { makeChart } from "../../../../browser/lib/chart.js";
import { asNumber, asWhole } from "../../../../browser/lib/numbers.js";
import { makeLinear } from "./linear.js";
import { makeStack } from "./stack.js";

const fieldsOf = (props) => ({
  show: { initial: "stack", choices: ["stack", "linear", "gradient"] },
  text: { initial: props.text, longest: 1000 },
  at: { initial: props.at, min: 0, max: props.most - 1 },
  attention: { initial: "on", choices: ["on", "off"] },
  norms: { initial: "pre", choices: ["pre", "post"] },
  step: { initial: 6, min: 0, max: 6 * props.depth },
  depth: props.depths,
  seed: { initial: 0, min: 0, max: props.seeds - 1 },
});
const QUESTIONS = {
  through: ["text", "at", "attention", "norms"],
  linear: ["text"],
  gradient: ["text", "depth", "seed"],
};

/** The gradient at the start of training, by where the norms are: {node, paint}. */
const makeGradient = (section, { emb }) => {
  const { words, live: demo } = section;
  const container = h("div");
  const how = h("p.quiet", words("gradient_how", { emb }));
  const node = h("div.in-gradient", h("h3", words("gradient")), container, how);
  const curves = makeChart(container, { label: words("gradient") });
  const paint = () => {
    const { gradient } = demo.answers;
    if (!gradient) return;
    const { chart: figures, depth, post, pre } = gradient;
    curves.draw({
      ...{ figures, keep: `${depth}`, x: words("layer"), y: words("gradient_size") },
      names: ["post", "pre"].map((norm) => words(`norm_${norm}`)),
      change: (_, { yaxis }) => (yaxis.rangemode = "tozero"),
    });
    const ratio = ([first, ...rest]) => asNumber(rest.at(-1) / first, 2);
    section.showLesson(words("lesson_gradient", { depth, post: ratio(post), pre: ratio(pre) }));
  };
  return { node, paint };
};

const addCheck = (section) => {
  const { words, live: demo } = section;
  const answer = async () => {
    const { labels, at, movedOff } = await demo.answered("through");
    const most = (part) => Math.max(0, ...part);
    const [before, after] = [most(movedOff.slice(0, at)), most(movedOff.slice(at + 1))];
    const others = Math.max(before, after);
    const values = { own: asNumber(movedOff[at], 3), others: others ? asNumber(others, 2) : asWhole(0) };
    const right = before > 0 ? 2 : after > 0 ? 1 : 0;
    return { right, said: words("answer", { label: labels[at], ...values }) };
  };
  section.check({ shows: { show: "stack" }, names: ["own", "after", "all"], answer });
};

export const mount = (section, props) => {
  const { words, panel } = section;
  const demo = section.demo(fieldsOf(props), QUESTIONS);
  const text = section.line("text", words("field"));
  const show = section.choice("show");
  const [depth, seed] = ["depth", "seed"].map((name) => section.stepper(name));
  const parts = [makeStack(section, props), makeLinear(section, props), makeGradient(section, props)];
  const [stack, linear, gradient] = parts;
  panel.tools.append(show.node, text.node, depth.node, seed.node);
  panel.picture.append(...parts.map(({ node }) => node));

  section.tries({
    off: { show: "stack", attention: "off" },
    post: { show: "stack", norms: "post", step: 6 },
    linear: { show: "linear" },
  });

  addCheck(section);
  section.links(() =>
    ["explore", "generate", "mask"].map((tab) => [
      tab,
      { ...(tab !== "mask" && { model: props.model }), text: demo.view.text },
    ]),
  );

  const paint = section.parts({ stack: [stack], linear: [linear], gradient: [gradient, depth.node, seed.node] });
  section.needs({ stack: "through", linear: "linear", gradient: "gradient" });
  section.begin(paint);
};
