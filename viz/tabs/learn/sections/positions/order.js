// The verdicts on a text and on its words in another order, which clicks and a shuffle change.

import { h, refill } from "../../../../browser/lib/base.js";
import { makeBar } from "../../../../browser/lib/colour.js";
import { say } from "../../../../browser/lib/messages.js";
import { asNumber } from "../../../../browser/lib/numbers.js";

const percent = (part) => say("number_share", { value: (100 * part).toFixed(2) });

const bar = (words, name, share) =>
  h(
    "p",
    { "data-order": name, "data-share": share },
    h("span.quiet", words(name)),
    h("span.bar", makeBar(share)),
    h("b", words("positive", { share: percent(share) })),
  );

/** A classifier's predictions for both orders. */
const card = (words, { name, positions, before, after, moved, equal }) =>
  h(
    "article",
    { "data-model": name, class: equal ? "card equal" : "card" },
    h("h3", words("classifier", { name, positions })),
    bar(words, "typed", before.at(-1)),
    bar(words, "other", after.at(-1)),
    h("p", words("moved", { kind: equal ? "equal" : "moved", by: asNumber(100 * moved, 2) })),
  );

const shuffled = (order) =>
  order
    .map((position) => [Math.random(), position])
    .sort(([one], [two]) => one - two)
    .map(([, position]) => position);

/** The sentence about the verdicts of a classifier with positions and of one without. */
const lesson = (words, order, verdicts) => {
  const still = order.every((word, position) => word === position);
  const first = verdicts.find(({ positions }) => positions !== "none");
  const bag = verdicts.find(({ positions }) => positions === "none");
  if (still || !first || !bag) return words("lesson_still");
  const [before, after] = [first.before, first.after].map((shares) => percent(shares.at(-1)));
  return words("lesson_order", { before, after, name: first.name, bag: bag.name });
};

/** {node, paint(), drop()}: drop() puts down the word that the next click would swap. */
export const makeOrder = (section) => {
  const { words, panel, live: demo } = section;
  const [typed, other] = ["typed", "other"].map((name) =>
    h("p.chips-of", { role: "group", "aria-label": words(name) }),
  );
  const cards = h("div.cards");
  let lifted = null; // the position of the word that the next click swaps
  const shuffle = () => demo.set({ order: shuffled(demo.answers.verdicts.order).join(".") });
  const shuffleButton = h("button.field-button", { disabled: true, onclick: shuffle }, words("shuffle"));
  const node = h(
    "div.in-order",
    h("h3", words("typed")),
    typed,
    h("h3", words("other")),
    other,
    h("p.quiet", words("swap"), " ", shuffleButton),
    cards,
    panel.equation(),
  );

  const lift = (position) => {
    const { order } = demo.answers.verdicts;
    if (lifted === null || lifted === position) {
      lifted = lifted === position ? null : position;
      return paint();
    }
    const swapped = [...order];
    [swapped[lifted], swapped[position]] = [order[position], order[lifted]];
    lifted = null;
    demo.set({ order: swapped.join(".") });
  };

  const button = (label, word, position) =>
    h(
      "button",
      {
        "data-place": position,
        "aria-pressed": `${position === lifted}`,
        class: word === position ? null : "moved",
        onclick: () => lift(position),
      },
      label,
    );
  const paint = () => {
    shuffleButton.disabled = !demo.answers.verdicts;
    if (!demo.answers.verdicts) return;
    const { labels, order, names, trained: positions, probs, changed, same } = demo.answers.verdicts;
    const verdicts = names.map((name, i) => {
      const [before, after] = probs[i];
      return { name, positions: positions[i], before, after, moved: changed[i], equal: same[i] };
    });
    typed.replaceChildren(...labels.map((label) => h("span", label)));
    refill(
      other,
      order.map((word, position) => button(labels[word], word, position)),
    );
    cards.replaceChildren(...verdicts.map((verdict) => card(words, verdict)));
    section.showLesson(lesson(words, order, verdicts));
  };
  return { node, paint, drop: () => (lifted = null) };
};
