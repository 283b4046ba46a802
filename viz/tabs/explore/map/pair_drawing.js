// Draws a pair's vectors: q, k and their products, and the values that make up the query's output.

import { characters, fit, isolate } from "../../../browser/lib/base.js";
import { cssOf, palette, signedAt, variable } from "../../../browser/lib/colour.js";
import { say } from "../../../browser/lib/messages.js";
import { asFixed } from "../../../browser/lib/numbers.js";
import { site } from "../../../browser/lib/site.js";
import { tokenLabel } from "../lib/labels.js";

const LINE = 49; // the base line of the bars for products
const TALL = 20; // largest height of a bar, up or down
const LEFT = 22; // pixels left of the numbers, for a letter
export const BESIDE = 96; // and for a weight and a token
const ROW = 13; // pixels of a vector's height
export const KEYS = 3; // number of keys whose values are shown separately
const most = (vectors) => vectors.flatMap((vector) => [...vector]).reduce((a, b) => Math.max(a, Math.abs(b)), 1e-9);

const label = (context, words, y) => {
  Object.assign(context, { font: `12px ${site.style.font}`, textBaseline: "middle", fillStyle: variable("quiet") });
  context.fillText(cut(context, words), 0, y);
};

/** Shortens words to the room left of the numbers. */
const cut = (context, words) => {
  const fits = (said) => context.measureText(said).width <= BESIDE - 4;
  if (fits(words)) return words;
  const letters = characters(words);
  while (letters.length && !fits(`${letters.join("")}…`)) letters.pop();
  return `${letters.join("")}…`;
};

/** Draws a vector as a row of colours from `left` on, relative to `largest`; returns the width of one number. */
const row = (context, vector, largest, left, top, width) => {
  const { scores } = palette();
  const pitch = (width - left) / vector.length;
  vector.forEach((value, i) => {
    context.fillStyle = cssOf(scores[signedAt(value / largest)]);
    context.fillRect(left + i * pitch, top, Math.max(1, pitch - 1), ROW - 1);
  });
  return pitch;
};

/** Draws q, k and their products: two rows of colours, and bars up and down from a line. */
export const drawProducts = (canvas, width, q, k) => {
  const on = fit(canvas, width, LINE + TALL + 1);
  const product = q.map((value, i) => value * k[i]);
  ["q", "k", "q·k"].forEach((name, i) => label(on, name, [6, 20, LINE][i]));
  const pitch = row(on, q, most([q]), LEFT, 0, width);
  row(on, k, most([k]), LEFT, 14, width);
  const { scores } = palette();
  const largest = most([product]);
  product.forEach((value, i) => {
    const tall = (TALL * value) / largest;
    on.fillStyle = cssOf(scores[value < 0 ? 55 : 205]);
    on.fillRect(LEFT + i * pitch, LINE - Math.max(tall, 0), Math.max(1, pitch - 1), Math.max(0.5, Math.abs(tall)));
  });
  on.fillStyle = variable("quiet");
  on.fillRect(LEFT, LINE, width - LEFT, 1);
};

/** Draws the values of the keys with the largest weights, times their weights; the sum of all others; and the output,
 *  with a frame around its number `chosen`. */
export const drawValues = (canvas, width, { keys, weights, parts, rest, out }, labels, chosen) => {
  const others = weights.length > keys.length ? [[say("pair_others"), rest]] : [];
  const rows = [
    ...keys.map((key, i) => [`${asFixed(weights[key], 2)} × ${isolate(tokenLabel(key, labels))}`, parts[i]]),
    ...others,
  ];
  const on = fit(canvas, width, (KEYS + 2) * ROW + 5); // equally tall for every query
  const largest = most([...parts, rest, out]);
  rows.forEach(([words, vector], i) => {
    label(on, words, i * ROW + 6);
    row(on, vector, largest, BESIDE, i * ROW, width);
  });
  const top = rows.length * ROW + 4;
  label(on, say("pair_out"), top + 6);
  const pitch = row(on, out, largest, BESIDE, top, width);
  on.fillStyle = variable("quiet");
  on.fillRect(BESIDE, top - 3, width - BESIDE, 1);
  on.strokeStyle = variable("text");
  on.strokeRect(BESIDE + chosen * pitch - 1, 0, pitch, top + ROW - 1);
};
