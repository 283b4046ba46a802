// mary gave roses to susan: what each head of "gave" attends to, and the part of y it writes; the same with swapped
// words. Below, how much y changes in every case, and the parameters of the three forms of multi-head attention.

import { h, sideways } from "../../../../browser/lib/base.js";
import { asShare, asWhole } from "../../../../browser/lib/numbers.js";
import { makeOrder } from "./order.js";
import { asChange, makeForms, makeMoves, makeTrained } from "./tables.js";

const NAMES = { 1: "one", 4: "four" };

const fieldsOf = (props) => ({
  show: { initial: "gave", choices: ["gave", "sizes"] },
  heads: { initial: "4", choices: Object.keys(props.heads) },
  positions: { initial: "on", choices: ["off", "on"] },
  emb: { initial: 256, min: 1, max: props.most.emb },
  count: { initial: 8, min: 1, max: props.most.count },
});

/** The sentence in both orders, and the table of moves: {node, paint}. */
const makeGave = (section, props) => {
  const { words, panel, live: demo } = section;
  const orders = { before: makeOrder(section, "before", props.heads), after: makeOrder(section, "after", props.heads) };
  const moves = makeMoves(section);
  const lesson = ({ before, after, positions }) => {
    const count = before.y.length;
    if (positions === "off") return words("lesson_same", { count });
    const [mary, susan] = ["mary", "susan"].map((name) => before.words.indexOf(name));
    const values = { first: asShare(before.y[0][mary]), second: asShare((count === 1 ? before : after).y[0][susan]) };
    return words(count === 1 ? "lesson_amounts" : "lesson_parts", values);
  };
  const paint = () => {
    const { swapped, moves: result } = demo.answers;
    if (!swapped) return;
    for (const name of ["before", "after"]) orders[name].draw(swapped[name], swapped.before.words);
    section.showLesson(lesson(swapped));
    if (result) moves.paint(result.table);
  };
  const node = h(
    "div.gave",
    orders.before.node,
    orders.after.node,
    h("div.with-equation", sideways("sizes-place", words("moves"), moves.node), panel.equation()),
  );
  return { node, paint };
};

/** The forms of multi-head attention: {node, paint}. */
const makeCosts = (section, props) => {
  const { words, panel, live: demo } = section;
  const [emb, count] = ["emb", "count"].map((name) => section.stepper(name));
  const forms = makeForms(section);
  const trained = makeTrained(section, props.trained);
  const lesson = ({ emb: k, count: heads, forms: result }) => {
    const counted = Object.fromEntries(
      result.map(({ variant, size, maps, unify }) => [variant, size === null ? null : asWhole(maps + unify)]),
    );
    return words("lesson_forms", { k, heads, divides: counted.narrow ? "yes" : "no", ...counted });
  };
  const paint = () => {
    const { forms: result } = demo.answers;
    if (!result) return;
    forms.paint(result);
    section.showLesson(lesson(result));
  };
  const node = h(
    "div.costs",
    sideways(
      "sizes-place",
      words("forms"),
      forms.node,
      h("div.inputs", emb.node, count.node),
      h("p.quiet", words("unify", { words: props.timed })),
      panel.equation(),
    ),
    sideways("sizes-place", words("trained"), trained.node, h("p.quiet.worth", trained.worth)),
  );
  return { node, paint };
};

const addCheck = (section) => {
  const { words, live: demo } = section;
  const answer = async () => {
    const { table } = await demo.answered("moves");
    const [without, known] = [false, true].map((positions) =>
      Math.max(...table.filter((one) => one.positions === positions).map((one) => one.moved)),
    );
    const values = { without: asChange(without), with: asChange(known) };
    return { right: without < 1e-4 ? 0 : 1, said: words("answer", values) };
  };
  const choices = ["never", "heads", "training"].map((name) => words(`answer_${name}`));
  section.check({ shows: { show: "gave" }, choices, answer });
};

export const mount = (section, props) => {
  const { panel } = section;
  section.demo(fieldsOf(props), { swapped: ["heads", "positions"], moves: [], forms: ["emb", "count"] });
  const show = section.choice("show");
  const heads = section.choice("heads", (value) => `heads_${NAMES[value]}`);
  const positions = section.choice("positions");
  const [gave, costs] = [makeGave(section, props), makeCosts(section, props)];
  panel.tools.append(show.node, heads.node, positions.node);
  panel.picture.append(gave.node, costs.node);

  section.tries({
    one: { show: "gave", heads: "1", positions: "on" },
    off: { show: "gave", heads: "4", positions: "off" },
    paper: { show: "sizes", emb: 512, count: 8 },
  });

  addCheck(section);
  section.links(() => [
    ["explore", { model: props.model, text: props.text }],
    ["permute", { text: props.text }],
  ]);

  const paint = section.parts({ gave: [gave, heads.node, positions.node], sizes: [costs] });
  section.needs({ gave: "swapped", sizes: "forms" });
  section.begin(paint);
};
