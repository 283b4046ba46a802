// The effect of positions: the verdicts on a text and on its words in another order; the score of a trained head as the
// sum of four terms of tokens and positions; and the loss at each position, within the trained length and beyond.

import { answerTo } from "../../../../browser/lib/ask.js";
import { eachFrame } from "../../../../browser/lib/base.js";
import { makeLength } from "./length.js";
import { makeOrder } from "./order.js";
import { makeScore } from "./score.js";

const isOrder = (text) => /^(typed|\d{1,2}(\.\d{1,2})*)$/.test(text);

const fieldsOf = (props) => ({
  show: { initial: "order", choices: ["order", "score", "length"] },
  text: { initial: props.text, longest: 1000 },
  order: { initial: props.order, longest: 80, valid: isOrder, eager: true },
  head: { initial: props.byPosition, min: 0, max: props.heads - 1 },
  at: { initial: props.most - 1, min: 0, max: props.most - 1 },
  key: { initial: null, min: 0, max: props.most - 1, optional: true },
});

const addCheck = (section, { model, byPosition: head }) => {
  const { words, live: demo } = section;
  const best = (values) => values.indexOf(Math.max(...values));
  const answer = async () => {
    const { text, at } = demo.view;
    const scored = await answerTo("/ask/learn-positions/scored", { text, at, head });
    const { labels } = scored;
    const [strongest, other] = [best(scored.scores), best(scored.token_token)];
    const values = {
      query: labels[scored.at],
      whole: labels[strongest],
      position: strongest,
      alone: labels[other],
      other,
    };
    return { right: strongest === other ? 0 : 1, said: words("answer", values) };
  };
  section.check({
    shows: { show: "score", head, key: null },
    question: words("question", { model, head }),
    names: ["same", "other"],
    answer,
  });
};

export const mount = (section, props) => {
  const { words, panel } = section;
  const demo = section.demo(fieldsOf(props), { verdicts: ["text", "order"], scored: ["text", "at", "head"] });
  const show = section.choice("show");
  const text = section.line("text", words("field"));
  text.node.addEventListener("input", () => demo.set({ order: "typed", key: null }));
  const parts = [makeOrder(section), makeScore(section, props), makeLength(section, props)];
  const [order, score, length] = parts;
  panel.tools.append(show.node, text.node);
  panel.picture.append(...parts.map(({ node }) => node));

  section.tries(
    {
      position: { show: "score", head: props.byPosition, key: null },
      token: { show: "score", head: props.byToken, key: null },
      beyond: { show: "length" },
    },
    () => (order.drop(), demo.reset()),
  );
  addCheck(section, props);
  section.links(() => [
    ["permute", { text: demo.view.text, order: demo.view.order }],
    ["explore", { model: props.model, text: demo.view.text, layer: 0, head: demo.view.head }],
  ]);

  const shown = { order: [order, text.node], score: [score, text.node], length: [length] };
  const paint = eachFrame(section.parts(shown));
  section.needs({ order: "verdicts", score: "scored" });
  section.begin((changed) => {
    if (changed.has("verdicts")) order.drop();
    paint();
  });
};
