// The vectors of position tables, fetched once each, with their similarities and their pictures.

import { answerTo, bytes } from "../../../browser/lib/ask.js";
import { isDark } from "../../../browser/lib/base.js";
import { makeImage, palette, signedAt } from "../../../browser/lib/colour.js";
import { permuting } from "./permuting.js";

const FULL = 32767; // the largest level

/** The length of the axis: learned vectors end with the trained length, and the rest of the axis is empty. */
export const span = ({ trained }) => 2 * trained;

const dot = (levels, { emb }, a, b) => {
  let sum = 0;
  for (let i = 0, [from, to] = [a * emb, b * emb]; i < emb; i++) sum += levels[from + i] * levels[to + i];
  return sum;
};

const fetched = {}; // key → {levels, norms, maps: pictures by name, figures: of the curve}

/** The fetched part of a table, or undefined. */
export const vectorsOf = ({ key }) => fetched[key];

/** Fetches the vectors of a table, and the figures of its curve. */
export const fetchVectors = async ({ name, key, rows, emb, scale }, signal) => {
  const first = { table: name, at: 0, product: "cosine" };
  const [numbers, { chart }] = await Promise.all([
    bytes(`/positions/${key}`, signal),
    answerTo("/ask/position-maps/curve", first, signal),
  ]);
  const levels = new Int16Array(numbers);
  const norms = Float64Array.from({ length: rows }, (_, row) => Math.sqrt(dot(levels, { emb }, row, row)) * scale);
  fetched[key] = { levels, norms, maps: {}, figures: chart };
};

/** The similarity of two positions: the dot product of their vectors, or the cosine of the angle between them. */
export const alike = (table, a, b) => {
  const { levels, norms } = fetched[table.key];
  const product = dot(levels, table, a, b) * table.scale ** 2;
  return permuting.view.product === "dot" ? product : product / (norms[a] * norms[b] || 1);
};

/** The largest similarity of a table. */
export const mostAlike = ({ key }) => (permuting.view.product === "dot" ? Math.max(...fetched[key].norms) ** 2 : 1);

const vectorsImage = (table) => {
  const { levels } = fetched[table.key];
  const { scores, masked } = palette();
  return makeImage(table.emb, span(table), (x, y) =>
    y < table.rows ? scores[signedAt(levels[y * table.emb + x] / FULL)] : masked,
  );
};

const pairsImage = (table) => {
  const { rows } = table;
  const { scores } = palette();
  const [full, all] = [mostAlike(table), new Uint8Array(rows * rows)];
  for (let a = 0; a < rows; a++)
    for (let b = 0; b <= a; b++) all[a * rows + b] = all[b * rows + a] = signedAt(alike(table, a, b) / full);
  return makeImage(rows, rows, (x, y) => scores[all[y * rows + x]]);
};

/** The two pictures with one pixel per number, {vectors, pairs}; made once for each table, product and theme. */
export const picturesOf = (table) => {
  const { maps } = fetched[table.key];
  const theme = isDark();
  return {
    vectors: (maps[`vectors ${theme}`] ??= vectorsImage(table)),
    pairs: (maps[`pairs ${permuting.view.product} ${theme}`] ??= pairsImage(table)),
  };
};
