// Converts numbers to pixels: the scales, thumbnails pooled so that no line is lost, and the cells of a map.

import { palette, signedAt } from "../../../browser/lib/colour.js";
import { recompute } from "./selection.js";
import { store } from "./store.js";

const index = {
  linear: (weight) => weight,
  row: (weight, most) => weight / most,
  root: (weight) => Math.sqrt(weight),
};

/** The level of a weight on the selected scale, 0 to 1; most is the largest weight of its row. */
export const levelOf = (weight, most) => Math.min(1, index[store.view.scale](weight, most));

/** Pools cells to width × height levels by the maximum. perRow: relative to the row's largest weight. */
export const pool = (map, layer, head, width, height, perRow) => {
  const cells = map.sent(layer, head);
  const [down, across] = [map.sentLengths.length, Math.ceil(map.keys.length / map.pooled)];
  const levels = new Uint8Array(width * height);
  const ends = Int32Array.from({ length: width }, (_, x) => Math.ceil(((x + 1) * across) / width));
  const starts = ends.map((end, x) => Math.min(end - 1, Math.ceil((x * across) / width))); // a key at least
  let start = 0;
  for (let query = 0; query < down; query++) {
    const length = map.sentLengths[query];
    const factor = perRow ? 255 / Math.max(1, largest(cells, start, start + length)) : 1;
    const y = Math.floor((query * height) / down);
    const yEnd = Math.max(y + 1, Math.floor(((query + 1) * height) / down));
    for (let x = 0; x < width && starts[x] < length; x++) {
      const level = largest(cells, start + starts[x], start + Math.min(ends[x], length)) * factor;
      if (levels[y * width + x] < level) levels[y * width + x] = level;
    }
    for (let below = y + 1; below < yEnd; below++) levels.copyWithin(below * width, y * width, (y + 1) * width);
    start += length;
  }
  return levels;
};

/** The largest of some cells. */
const largest = (cells, from, to) => {
  let most = 0;
  for (let i = from; i < to; i++) if (cells[i] > most) most = cells[i];
  return most;
};

/** Returns the pixel for a level of a pooled head, on the selected scale. */
export const pixelsOfLevels = (headScale) => {
  const { weights } = palette();
  const { scale } = store.view;
  return Uint32Array.from({ length: 256 }, (_, level) => {
    const part = (level / 255) ** 2; // a fraction of the head's largest weight; of the row's, on the row scale
    return weights[Math.round(255 * levelOf(scale === "row" ? part : part * headScale, 1))];
  });
};

/** The cells of the view: {values, size}; size is the largest score, 0 for weights. */
export const valuesOf = (shown) => {
  if (store.view.show !== "scores" || !shown.vectors) return { values: shown.weights, size: 0 };
  const { scores } = recompute(shown.map, shown.vectors);
  return {
    values: scores,
    size: scores.reduce((most, score) => (score === -Infinity ? most : Math.max(most, Math.abs(score))), 1e-9),
  };
};

/** Returns (query, key) → the pixel of a cell: of weights on the selected scale, or of scores relative to the
 *  largest. */
export const pixelOf = (map, values, size) => {
  const { weights, scores, masked, skipped } = palette();
  const { starts, lengths } = map;
  const perRow =
    store.view.scale === "row" &&
    lengths.map((length, query) =>
      values.subarray(starts[query], starts[query] + length).reduce((a, b) => Math.max(a, b), 1e-30),
    );
  const scaled = index[store.view.scale]; // looked up once for all 65,536 cells
  return (query, key) => {
    if (key >= lengths[query]) return masked;
    const value = values[starts[query] + key];
    if (map.skipped && !(value > 0) && map.skips(query, key)) return map.padded ? masked : skipped; // but in a rollout
    if (size) return scores[signedAt(value / size)];
    return weights[(Math.min(1, scaled(value, perRow[query])) * 255 + 0.5) | 0];
  };
};
