// Aligns the tokens of two texts of different length, so that their maps can be compared position by position.

/** The longest run that both have, the earliest of several, and before and after it such runs again: [[start in one,
 *  start in the other, length]]; none shorter than `least`. */
const blocks = (one, other, least, [a, b] = [0, one.length], [c, d] = [0, other.length]) => {
  let [from, to, length] = [0, 0, 0];
  let before = new Uint32Array(d - c + 1); // lengths of the runs that end at the label before, for each of the other
  for (let i = a; i < b; i++) {
    const ends = new Uint32Array(d - c + 1);
    for (let j = c; j < d; j++)
      if (one[i] === other[j]) {
        const run = before[j - c] + 1;
        ends[j - c + 1] = run;
        if (run > length) [from, to, length] = [i - run + 1, j - run + 1, run];
      }
    before = ends;
  }
  if (length < least) return [];
  return [
    ...blocks(one, other, least, [a, from], [c, to]),
    [from, to, length],
    ...blocks(one, other, least, [from + length, b], [to + length, d]),
  ];
};

/**
 * Pairs [index in one, index in the other] in order, with null for a label that only one has; null if the longest
 * common parts are less than half of the shorter. Lists of one length are paired by position, and so is what stands
 * between two common parts if it has one length. maps.py aligns in the same way.
 *
 * @param {string[]} one
 * @param {string[]} other
 * @param {number} least labels of a common part
 * @returns {(number | null)[][] | null}
 */
export const align = (one, other, least) => {
  if (one.length === other.length) return one.map((_, i) => [i, i]);
  const common = blocks(one, other, least);
  const shared = common.reduce((sum, [, , length]) => sum + length, 0);
  if (2 * shared < Math.min(one.length, other.length)) return null;
  const pairs = [];
  let [i, j] = [0, 0];
  for (const [from, to, length] of [...common, [one.length, other.length, 0]]) {
    const alike = from - i === to - j;
    while (i < from) pairs.push([i++, alike ? j++ : null]);
    while (j < to) pairs.push([null, j++]);
    while (i < from + length) pairs.push([i++, j++]);
  }
  return pairs;
};

/** The labels of aligned tokens: both where they differ, and a gap where only one pass has a token. */
export const joined = (was, now, pairs) =>
  pairs.map(([i, j]) => (was[i] === now[j] ? now[j] : `${was[i] ?? "–"}|${now[j] ?? "–"}`));

/** The index among aligned tokens of a token on screen. */
export const alignedAt = (pairs, index) => pairs.findIndex(([, now]) => now === index);
