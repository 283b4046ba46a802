// Draws the labels along the sides of a heat map, the words over them, and the titles. A side is one of layout.js.

import { variable } from "../colour.js";
import { cut, FONT, fontOf } from "./layout.js";

/** @typedef {import("./layout.js").Layout} Layout */
/** @typedef {import("./layout.js").Side} Side */
/** @typedef {{ along: number, away: number, upright: boolean }} Position along a side */
/** @typedef {{ along: number, away: number, length: number, depth: number }} Line along a side */

/** Calls draw() at a distance in pixels from the frame, at a position along a side.
 *  @type {(context: any, frame: Layout, side: Side, position: Position, draw: () => void) => void} */
const beside = (context, frame, { across }, { along, away, upright }, draw) => {
  context.save();
  context.translate(across ? along : frame.left - away, across ? frame.top - away : along);
  if (across && !upright) context.rotate(-Math.PI / 2);
  Object.assign(context, {
    textAlign: across ? (upright ? "center" : "left") : "right",
    textBaseline: across && upright ? "alphabetic" : "middle",
  });
  draw();
  context.restore();
};

/** Draws a line at a distance from the frame: `length` pixels along a side, and `depth` towards it.
 *  @type {(context: any, frame: Layout, side: Side, line: Line, colour: string) => void} */
const line = (context, frame, { across }, { along, away, length, depth }, colour) => {
  context.fillStyle = colour;
  if (across) context.fillRect(along, frame.top - away, length, depth);
  else context.fillRect(frame.left - away, along, depth, length);
};

/** Draws the labels of a side, on several levels where one has no room for all, and the words over them.
 *  @type {(context: any, frame: Layout, side: Side) => void} */
export const drawLabels = (context, frame, side) => {
  const { across, at, names, font, upright, levels, every, depth } = side;
  context.font = fontOf(font);
  // A label wider than its cell ends with the picture.
  const last = (/** @type {number} */ i) =>
    across && upright && every > 1 ? frame.left + frame.width - context.measureText(names[i]).width / 2 : Infinity;
  for (let level = levels - 1; level >= 0; level--)
    for (let i = level * every; i < names.length; i += levels * every) {
      const middle = at(i + 0.5);
      const away = 4 + level * depth;
      if (level) line(context, frame, side, { along: middle, away, length: 0.5, depth: away }, variable("line"));
      context.fillStyle = variable("text");
      const position = { along: Math.min(middle, last(i)), away, upright };
      beside(context, frame, side, position, () => context.fillText(names[i], 0, 0));
    }
  drawWords(context, frame, side);
};

/** Draws the words over their labels, each with a line of its length; leaves out a word that would overlap another.
 *  @type {(context: any, frame: Layout, side: Side) => void} */
const drawWords = (context, frame, side) => {
  const { at, words, wordsUpright: upright, levels, depth } = side;
  const away = 5 + levels * depth;
  let free = -Infinity; // where the free room begins
  context.font = fontOf(FONT);
  for (const { from, to, name } of words ?? []) {
    const [start, end] = [at(from), at(to + 1)];
    const along = (start + end) / 2;
    const half = (upright ? context.measureText(name).width + 4 : FONT) / 2;
    line(context, frame, side, { along: start + 1, away, length: end - start - 2, depth: 1 }, variable("quiet"));
    if (along - half < free) continue;
    free = along + half;
    context.fillStyle = variable("text");
    beside(context, frame, side, { along, away: away + 3, upright }, () => context.fillText(cut(name), 0, 0));
  }
};

/** Draws the label of a marked row or column on a plate that covers its neighbours.
 *  @type {(context: any, frame: Layout, side: Side, i: number, colour: string) => void} */
export const drawMarkedLabel = (context, frame, side, i, colour) => {
  const { across, at, font, upright, labels } = side;
  const name = cut(labels[i]);
  if (!name) return;
  const size = Math.max(font, 11);
  context.font = fontOf(size, "600");
  const wide = context.measureText(name).width + 4;
  beside(context, frame, side, { along: at(i + 0.5), away: 3, upright }, () => {
    context.fillStyle = variable("panel");
    if (across && upright) context.fillRect(-wide / 2, -size, wide, size + 2);
    else context.fillRect(across ? -1 : -wide + 1, -size / 2 - 1, wide, size + 2);
    context.fillStyle = colour;
    context.fillText(name, 0, 0);
  });
};

/** @type {(context: any, frame: Layout, titles: [ofRows: string, ofColumns: string]) => void} */
export const drawTitles = (context, frame, [ofRows, ofColumns]) => {
  Object.assign(context, { fillStyle: variable("quiet"), font: fontOf(11), textBaseline: "top", textAlign: "left" });
  context.fillText(ofColumns, frame.left, 2.5); // Chinese brackets reach above their line
  context.save();
  context.translate(2.5, frame.top);
  context.rotate(-Math.PI / 2);
  context.textAlign = "right";
  context.fillText(ofRows, 0, 0);
  context.restore();
};
