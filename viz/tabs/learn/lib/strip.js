// Rows of numbers as coloured pixels, with a name for each row.

import { h } from "../../../browser/lib/base.js";
import { makeImage, palette, signedAt } from "../../../browser/lib/colour.js";

/** {node, canvas, draw(names, rows, most, height)}: `most` has the strongest colour; the height is in pixels. */
export const makeStrip = (attributes = {}) => {
  const [labels, canvas] = [h("div.labels"), h("canvas", attributes)];
  const draw = (names, rows, most, height) => {
    const { scores } = palette();
    makeImage(rows[0].length, rows.length, (x, y) => scores[signedAt(rows[y][x] / most)], canvas);
    canvas.style.height = labels.style.height = `${height}px`;
    labels.replaceChildren(...names.map((name) => h("span", name)));
  };
  return { node: h("div.rows", labels, canvas), canvas, draw };
};
