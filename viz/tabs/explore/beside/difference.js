// The difference between a map of the pinned pass and one on screen. Python aligns the two texts and measures all
// heads; one head is subtracted here, from the cells that the page has.

import { answerTo, newest, whyNot } from "../../../browser/lib/ask.js";
import { viewOf } from "../../../browser/lib/python.js";
import { beside } from "../lib/pin.js";
import { store } from "../lib/store.js";

/**
 * Asks Python to compare two maps: {of(was, now), stop()}. of() returns {answer, failure} for them: the answer of
 * `compare_maps` in map/maps.py, null until it arrives, and why there is none, or "". onchange() is called when one of
 * the two has changed.
 */
export const makeComparison = (onchange) => {
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
  const of = (was, now) => {
    const name = [beside.header.key, was.name, store.header.key, now.name].join("/");
    if (name === current.name) return current;
    current = { ...none, name };
    questions.ask(name, (signal) => answerTo("/ask/beside/vs", viewOf.explore(), signal));
    return current;
  };
  const stop = () => {
    questions.stop();
    current = none;
  };
  return { of, stop };
};

/** The cells of one head in two maps, `after` less `before`, row by row of the aligned `rows` and `columns`, pairs of
 *  indices with null for a missing token: 0 in the row of a query that only one has, and in the other rows for a masked
 *  or a missing key. {values, size: the largest magnitude, at: its row and column, moved: the share of a row's
 *  attention that goes elsewhere, averaged over the rows that both have}. */
export const differenceOf = (mapBefore, before, mapAfter, after, { rows, columns }) => {
  const values = new Float32Array(rows.length * columns.length);
  const beyond = 2 ** 30; // the end of every row
  const [were, are] = [0, 1].map((side) => Int32Array.from(columns, (pair) => pair[side] ?? beyond));
  let [at, size, total, both] = [0, 0, 0, 0];
  rows.forEach(([one, other], row) => {
    if (one === null || other === null) return;
    both += 1;
    const [first, second] = [mapBefore.rowStart(one), mapAfter.rowStart(other)];
    const [long, own] = [mapBefore.rowLength(one), mapAfter.rowLength(other)];
    for (let column = 0; column < were.length; column++) {
      const [then, now] = [were[column], are[column]];
      const value = (now < own ? after[second + now] : 0) - (then < long ? before[first + then] : 0);
      const cell = row * were.length + column;
      values[cell] = value;
      total += Math.abs(value);
      if (Math.abs(value) > size) [size, at] = [Math.abs(value), cell];
    }
  });
  const largest = { row: Math.floor(at / were.length), column: at % were.length };
  return { values, size, at: largest, moved: total / 2 / both };
};

/** The index among aligned tokens of a token on screen. */
export const alignedAt = (pairs, index) => pairs.findIndex(([, now]) => now === index);
