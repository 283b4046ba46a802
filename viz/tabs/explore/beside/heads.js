// The differences of all heads of two passes as one picture, and which head changed most.

import { h, isDark } from "../../../browser/lib/base.js";
import { makeImage } from "../../../browser/lib/colour.js";
import { say } from "../../../browser/lib/messages.js";
import { asShare } from "../../../browser/lib/numbers.js";
import { store } from "../lib/store.js";
import { eachDifference } from "./difference.js";
import { diverging, LEAST, makeFrame, SAME } from "./frames.js";

const TILE = 40; // most pixels of a head's side among all heads

/** The differences of all heads as one image, at the precision at which passes are packed: of each tile's cells the
 *  largest remains. `aligned` as in eachDifference. */
const imageOf = (was, now, aligned) => {
  const [rows, columns] = [aligned.rows.length, aligned.columns.length];
  const [high, w] = [rows, columns].map((count) => Math.min(TILE, count));
  const wide = now.heads * w;
  const pooled = new Float32Array(now.layers * high * wide);
  let size = LEAST;
  for (let layer = 0; layer < now.layers; layer++)
    for (let head = 0; head < now.heads; head++) {
      const [before, after] = [was, now].map((map) => map.approximate(layer, head));
      eachDifference(was, before, now, after, aligned, (row, column, value) => {
        const [x, y] = [head * w + Math.floor((column * w) / columns), layer * high + Math.floor((row * high) / rows)];
        if (Math.abs(value) > Math.abs(pooled[y * wide + x])) pooled[y * wide + x] = value;
        size = Math.max(size, Math.abs(value));
      });
    }
  const pixel = diverging(size);
  return makeImage(wide, now.layers * high, (x, y) => pixel(pooled[y * wide + x]));
};

const sameShape = (was, now) => was.layers === now.layers && was.heads === now.heads;

/** {paint(was, now, answer), describeAll(was, now), pointed()}: the answer is that of `compare_heads` in map/maps.py or
 *  null; pointed() describes the head under the pointer, or is ""; onpoint() is called when it has changed. */
export const makeHeads = (body, onpoint) => {
  let picture = null; // {of: what is compared, image}
  let compared = null; // the answer, if the heads can be compared
  let pointed = null; // {layer, head}
  const frame = makeFrame(body, "heads", {
    onpoint: (at) => {
      pointed = at && { layer: at.row, head: at.column };
      onpoint();
    },
    onpick: ({ row, column }) => store.set({ of: "head", layer: row, head: column }),
  });
  const paint = (was, now, answer) => {
    compared = answer?.moved ? answer : null;
    frame.figure.hidden = !compared;
    if (!compared) return;
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
    if (!compared) return [];
    const { most, moved } = compared;
    const count = moved.flat().length;
    if (most.share < SAME) return [say("beside_none", { count })];
    const mean = asShare(compared.mean);
    const onclick = () => store.set({ of: "head", layer: most.layer, head: most.head });
    const name = say("head_name", most).toLowerCase();
    const words = say("beside_most", { name, share: asShare(most.share), mean, count });
    return [words, " ", h("button.f-link", { onclick }, say("effects_show"))];
  };
  const describe = () =>
    pointed && compared
      ? say("beside_head", {
          name: say("head_name", pointed),
          share: asShare(compared.moved[pointed.layer][pointed.head]),
        })
      : "";
  return { paint, describeAll, pointed: describe };
};
