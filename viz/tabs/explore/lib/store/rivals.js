// A rather than B: an answer and a rival among a model's predictions, whose logits are compared. Both are in the store;
// a choice works as the click of a token in a list, with Shift for the rival.

import { state } from "./state.js";
import { set } from "./view.js";

/** {answer, rival}: ids of tokens or classes; null where none is chosen. */
export const rivals = () => ({ answer: state.view.carry_answer, rival: state.view.carry_rival });

/**
 * Chooses a token as the answer or as the rival; the same again releases it. A token of the other side changes sides. A
 * rival without an answer is compared with `otherwise`.
 *
 * @param {number} id
 * @param {boolean} asRival
 * @param {number} otherwise
 */
export const chooseRival = (id, asRival, otherwise) => {
  const { answer, rival } = rivals();
  const against = answer === id ? rival : (answer ?? otherwise);
  const choose = (one, other) => set({ carry_answer: one, carry_rival: other });
  if (!asRival) answer === id ? choose(null, null) : choose(id, rival === id ? answer : rival);
  else if (rival === id) choose(answer, null);
  else if (against !== null && against !== id) choose(against, id);
};
