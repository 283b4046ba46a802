// The difference between a map of the pinned pass and one on screen. Python aligns the two texts and computes every
// number; the cells that the page has are subtracted here for their colours.

import { answerTo, newest, whyNot } from "../../../browser/lib/ask.js";
import { viewOf } from "../../../browser/lib/python.js";

/**
 * Asks Python to compare two maps, by one question of the panel: {of(name), stop()}. of() returns {answer, failure} for
 * what is compared, named `name`: the answer, null until it arrives, and why there is none, or "". onchange() is called
 * when one of the two has changed.
 */
export const makeComparison = (question, onchange) => {
  const none = { name: "", /** @type {any} */ answer: null, failure: "" };
  let current = none;
  const change = (partial) => {
    Object.assign(current, partial);
    onchange();
  };
  const questions = newest({
    take: (answer) => change({ answer, failure: "" }),
    fail: (error) => change({ failure: whyNot(error) }),
  });
  const of = (name) => {
    if (name === current.name) return current;
    current = { ...none, name };
    questions.ask(name, (signal) => answerTo(`/ask/beside/${question}`, viewOf.explore(), signal));
    return current;
  };
  const stop = () => {
    questions.stop();
    current = none;
  };
  return { of, stop };
};

/** Calls take(row, column, value) for each cell of one head in two maps, `after` less `before`, row by row of the
 *  aligned `rows` and `columns`, pairs of indices with null for a missing token: no cell in the row of a query that
 *  only one has, and in the other rows 0 for a masked or a missing key. */
export const eachDifference = (mapBefore, before, mapAfter, after, { rows, columns }, take) => {
  const beyond = 2 ** 30; // the end of every row
  const [were, are] = [0, 1].map((side) => Int32Array.from(columns, (pair) => pair[side] ?? beyond));
  rows.forEach(([one, other], row) => {
    if (one === null || other === null) return;
    const [first, second] = [mapBefore.starts[one], mapAfter.starts[other]];
    const [long, own] = [mapBefore.lengths[one], mapAfter.lengths[other]];
    for (let column = 0; column < were.length; column++) {
      const [then, now] = [were[column], are[column]];
      take(row, column, (now < own ? after[second + now] : 0) - (then < long ? before[first + then] : 0));
    }
  });
};

/** The index among aligned tokens of a token of one side: 0 for the pinned text, 1 for the one on screen. */
export const alignedAt = (pairs, index, side = 1) => pairs.findIndex((pair) => pair[side] === index);
