// The differences of all heads of two passes as one picture, and which head changed most.

import { h, isDark } from "../../../browser/lib/base.js";
import { makeImage } from "../../../browser/lib/colour.js";
import { say } from "../../../browser/lib/messages.js";
import { asShare } from "../../../browser/lib/numbers.js";
import { store } from "../lib/store.js";
import { differenceOf } from "./difference.js";
import { diverging, headName, LEAST, makeFrame, SAME } from "./frames.js";

const TILE = 40; // most pixels of a head's side among all heads

/** Pools the differences of a head into a tile of w × high cells at `left`, `top` of an image `wide` cells wide, so
 *  that no cell is lost: the largest remains. */
const poolInto = (pooled, wide, { left, top, w, high }, values, sizes) => {
  const [rows, columns] = sizes;
  for (let query = 0; query < rows; query++)
    for (let key = 0; key < columns; key++) {
      const value = values[query * columns + key];
      const [x, y] = [left + Math.floor((key * w) / columns), top + Math.floor((query * high) / rows)];
      if (Math.abs(value) > Math.abs(pooled[y * wide + x])) pooled[y * wide + x] = value;
    }
};

/** The differences of all heads as one image, at the precision at which passes are packed; `aligned` as in
 *  differenceOf. */
const imageOf = (was, now, aligned) => {
  const sizes = [aligned.rows.length, aligned.columns.length];
  const [high, w] = sizes.map((count) => Math.min(TILE, count));
  const wide = now.heads * w;
  const pooled = new Float32Array(now.layers * high * wide);
  let size = LEAST;
  for (let layer = 0; layer < now.layers; layer++)
    for (let head = 0; head < now.heads; head++) {
      const maps = [was, was.approximate(layer, head), now, now.approximate(layer, head)];
      const { values, size: largest } = differenceOf(maps[0], maps[1], maps[2], maps[3], aligned);
      size = Math.max(size, largest);
      poolInto(pooled, wide, { left: head * w, top: layer * high, w, high }, values, sizes);
    }
  const pixel = diverging(size);
  return makeImage(wide, now.layers * high, (x, y) => pixel(pooled[y * wide + x]));
};

const sameShape = (was, now) => was.layers === now.layers && was.heads === now.heads;

/** {paint(was, now, answer), describeAll(was, now), pointed()}: the answer is that of makeComparison or null; pointed()
 *  describes the head under the pointer, or is ""; onpoint() is called when it has changed. */
export const makeHeads = (body, onpoint) => {
  let picture = null; // {of: what is compared, image}
  let moved = null; // [layer][head]: the share of its attention, measured by Python
  let pointed = null; // {layer, head}
  const frame = makeFrame(body, "heads", {
    onpoint: (at) => {
      pointed = at && { layer: at.row, head: at.column };
      onpoint();
    },
    onpick: ({ row, column }) => store.set({ of: "head", layer: row, head: column }),
  });
  const paint = (was, now, answer) => {
    moved = answer?.moved;
    frame.figure.hidden = !moved;
    if (!moved) return;
    const of = [was, now, answer, isDark()];
    if (!picture?.of.every((each, i) => each === of[i])) picture = { of, image: imageOf(was, now, answer) };
    const { layer, head, of: shown } = store.view;
    const numbers = (count) => Array.from({ length: count }, (_, i) => `${i}`);
    frame.about.textContent = say("overview_axes");
    frame.draw({
      labels: numbers(now.layers),
      across: numbers(now.heads),
      image: picture.image,
      at: shown === "head" ? { row: layer, column: head } : null,
    });
  };

  /** Which head changed most, with a button that selects it, as children of an element. */
  const describeAll = (was, now) => {
    if (!sameShape(was, now)) {
      const [before, after] = [was, now].map(({ layers, heads }) => say("beside_shape", { layers, heads }));
      return [say("beside_heads_differ", { before, after })];
    }
    if (!moved) return [];
    const each = moved.flatMap((row, layer) => row.map((part, head) => ({ layer, head, part })));
    const count = each.length;
    const most = each.reduce((a, b) => (b.part > a.part ? b : a));
    if (most.part < SAME) return [say("beside_none", { count })];
    const mean = asShare(each.reduce((sum, { part }) => sum + part, 0) / count);
    const onclick = () => store.set({ of: "head", layer: most.layer, head: most.head });
    const name = headName(most).toLowerCase();
    const words = say("beside_most", { name, share: asShare(most.part), mean, count });
    return [words, " ", h("button.f-link", { onclick }, say("effects_show"))];
  };
  const describe = () =>
    pointed && moved
      ? say("beside_head", { name: headName(pointed), share: asShare(moved[pointed.layer][pointed.head]) })
      : "";
  return { paint, describeAll, pointed: describe };
};
