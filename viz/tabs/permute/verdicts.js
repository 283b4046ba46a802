// The trained classifiers on the text in both orders, side by side: one with positions, one without.

import { h } from "../../browser/lib/base.js";
import { makeBar } from "../../browser/lib/colour.js";
import { asText, say } from "../../browser/lib/messages.js";
import { asNumber, asShare } from "../../browser/lib/numbers.js";
import { makePanel } from "../../browser/lib/panel.js";
import { permuting } from "./lib/permuting.js";

const percent = (part) => say("number_share", { value: (100 * part).toFixed(4) });
const likeliest = (probs) => probs.indexOf(Math.max(...probs));

/** One order: the words, the verdict, and the probability of the last class as a bar. */
const order = (name, words, { classes }, probs) => {
  return h(
    "div",
    { class: `order order-${name}` },
    h("span.quiet", say(`permute_order_${name}`)),
    h("span.words", words),
    h("b.verdict", classes[likeliest(probs)]),
    h("span.bar", { "aria-hidden": "true" }, makeBar(probs.at(-1))),
    h("span.prob", say("permute_prob", { name: classes.at(-1), prob: percent(probs.at(-1)) })),
  );
};

const card = (verdict, texts) => {
  const { name, positions, before, after, moved, equal } = verdict;
  const said = !moved ? "permute_moved_nothing" : equal ? "permute_moved_not" : "permute_moved_by";
  return h(
    "article",
    { class: equal ? "card equal" : "card", "data-model": name },
    h(
      "header",
      h("h3", name, h("span.quiet", say(`permute_trained_${positions}`))),
      h("p.moved", say(said, { moved: asNumber(moved, 3), points: (100 * moved).toFixed(moved < 0.001 ? 4 : 1) })),
    ),
    order("typed", texts.before, verdict, before),
    order("moved", texts.after, verdict, after),
  );
};

/** Describes the result from the numbers. */
const describe = ({ name, positions, classes, before, after, equal, moved }) => {
  const [was, is] = [before.at(-1), after.at(-1)];
  const written = asShare(was) === asShare(is) && !equal ? percent : asShare; // as many digits as distinguish them
  const values = { name, before: written(was), after: written(is), class: classes.at(-1), moved: asNumber(moved, 2) };
  if (equal) return say(positions === "none" ? "permute_verdict_bag" : "permute_verdict_same", values);
  const verdicts = { from: classes[likeliest(before)], to: classes[likeliest(after)] };
  return say(likeliest(before) === likeliest(after) ? "permute_verdict_moves" : "permute_verdict_turns", {
    ...values,
    ...verdicts,
  });
};

export const mount = ({ element }) => {
  const { body, foot } = makePanel(element, say("permute_verdicts"));
  const cards = h("div.cards");
  const sentence = h("p.sentence", { "aria-live": "polite" });
  body.append(cards);
  foot.append(permuting.bar(), sentence, h("p.quiet", say("permute_two_words")));

  permuting.subscribe(element, (changed) => {
    const answer = permuting.answers.permuted;
    if (!answer || !changed.has("permuted")) return;
    const { labels } = answer;
    const verdicts = permuting.verdicts(answer);
    const texts = { before: labels.join(" "), after: answer.order.map((word) => labels[word]).join(" ") };
    cards.replaceChildren(...verdicts.map((verdict) => card(verdict, texts)));
    sentence.textContent = permuting.isTyped(answer.order)
      ? say("permute_verdict_still")
      : asText(verdicts.map(describe));
    element.dataset.rev = permuting.rev;
  });
};
