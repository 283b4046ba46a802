// Where the parts of a heat map are: the frame of its cells, and the labels of its two sides.

import { h, isolate, shorten } from "../base.js";
import { maxAspect } from "../fill.js";
import { site } from "../site.js";

export const FONT = 12; // pixels of a label
const SMALLEST = 8; // pixels of a label where cells are small
const LABELLED = 50; // up to this many tokens all have a label, as in viz/figures/maps.py; with more, as many as fit
const LEVELS = 3; // labels use up to this many columns if one column has no room for all
const LONGEST = 14; // characters; the pointer shows the whole label
const SHORT = 36; // pixels of an upright label when only some labels have room
const TITLE = 15; // pixels for the title of an axis
const WIDE = 1.4; // largest ratio of a cell's width to its height

/** @typedef {{ from: number, to: number, name: string }} Word over several labels */
/** @typedef {{ at: number, colour: string, line?: number }} Mark of a row or column */
/**
 * @typedef {{
 *   labels: any[], across?: any[], words?: Word[] | null, wordsAcross?: Word[] | null,
 *   titles?: [ofRows: string, ofColumns: string] | null, fill?: boolean,
 *   pixel?: (row: number, column: number) => number, image?: any,
 *   hidden?: ((row: number, column: number) => boolean) | null, sign?: (row: number, column: number) => string | null,
 *   rows?: Mark[], columns?: Mark[], edge?: { row?: number, column?: number } | null,
 *   at?: import("../base.js").Cell | null,
 * }} Content what a heat map shows, see makeHeatMap
 */
/** @typedef {(index: number) => number} Place of a row or column, in pixels */
/** @typedef {ReturnType<typeof arrange>} Arranged */
/** @typedef {Arranged & { at: Place }} Side */
/** @typedef {import("../base.js").Frame & { rows: number, columns: number, scale: number, x: Place, y: Place }} Grid */
/** @typedef {Grid & { down: Side, over: Side }} Layout */

export const cut = (/** @type {any} */ label) => isolate(shorten(`${label}`, LONGEST));
export const fontOf = (/** @type {number} */ size, weight = "") => `${weight} ${size}px ${site.style.font}`;

/** The largest ratio of the width of a map's cells to their height. */
export const aspect = () => maxAspect(WIDE);

/** The next of 1, 2, 5, 10, 20, ...: the distance between labels when some are left out. */
const round = (/** @type {number} */ count) => {
  const power = 10 ** Math.floor(Math.log10(count));
  return power * ([1, 2, 5].find((part) => part * power >= count) ?? 10);
};

// Measures labels. A font that is set on a canvas of the page has the browser compute all changed styles first.
const pen = h("canvas").getContext("2d");
/** @type {(names: string[], size: number) => number} */
const widthOf = (names, size) => {
  pen.font = fontOf(size);
  return Math.max(0, ...names.map((name) => pen.measureText(name).width));
};

/** Arranges the words over a side's labels: {words, wordsUpright, over}, with `over` pixels for them.
 *  @type {(words: Word[] | null | undefined, pitch: number, across: boolean) =>
 *    { words: Word[] | null | undefined, wordsUpright: boolean, over: number }} */
const arrangeWords = (words, pitch, across) => {
  if (!words) return { words, wordsUpright: false, over: 0 };
  const longest = Math.ceil(
    widthOf(
      words.map(({ name }) => cut(name)),
      FONT,
    ),
  );
  const fits = (/** @type {Word} */ { from, to, name }) => pen.measureText(cut(name)).width < (to - from + 2) * pitch;
  const wordsUpright = across && words.every(fits);
  return { words, wordsUpright, over: (wordsUpright ? FONT : longest) + 7 };
};

/** Arranges the labels of a side with `pitch` pixels per cell: {across, labels, names, font, upright, levels, every,
 *  depth, words, wordsUpright, whole, overhang}, with `depth` pixels for each level and `whole` for all.
 *
 * @param {any[]} labels
 * @param {Word[] | null | undefined} words
 * @param {number} pitch
 * @param {boolean} across */
const arrange = (labels, words, pitch, across) => {
  const all = labels.length <= LABELLED;
  const font = all ? Math.max(SMALLEST, Math.min(FONT, Math.floor(pitch))) : FONT;
  const names = (all || !words) && labels.some((label) => label !== "") ? labels.map(cut) : [];
  const width = widthOf(names, font);
  const upright = across && width <= (all ? 2 * pitch : SHORT); // otherwise column labels are rotated
  const cells = Math.ceil((upright ? width + 1 : font - 1) / pitch); // that a label takes
  const levels = all ? Math.min(LEVELS, cells) : 1;
  const every = all ? Math.ceil(cells / levels) : round(cells);
  const depth = names.length ? Math.ceil(upright ? font + 1 : width + 4) : 0;
  const last = upright && all ? widthOf(names.slice(-1), font) : 0;
  const overhang = Math.max(0, Math.ceil((last - pitch) / 2)); // of the last label, which may be wider than its cell
  const { over, ...arranged } = arrangeWords(words, pitch, across);
  const whole = levels * depth + over + 4;
  return { across, labels, names, font, upright, levels, every, depth, ...arranged, whole, overhang };
};

/**
 * The frame of a map's cells on a canvas of `size` with `scale` pixels of the screen for each of its own: {left, top,
 * width, height, rows, columns, scale, x(column), y(row), down, over}: the last two are its sides, as in arrange, and
 * each side's at(i) is where its label i begins.
 *
 * @type {(content: Content, size: import("../panel.js").Size, scale: number) => Layout}
 */
export const layOut = ({ labels, across = labels, words, wordsAcross = words, titles, fill }, size, scale) => {
  const title = titles ? TITLE : 0;
  const [rows, columns] = [labels.length, across.length];
  let box = { left: 60, top: 40, width: size.width - 62, height: size.height - 42 };
  const sides = () => [
    arrange(labels, words, box.height / rows, false),
    arrange(across, wordsAcross, box.width / columns, true),
  ];
  let [down, over] = sides();
  for (let time = 0; time < 2; time++) {
    if (time > 0) [down, over] = sides();
    const [left, top] = [title + down.whole, title + over.whole];
    const height = Math.max(40, size.height - top - 2);
    const room = size.width - left - 2 - over.overhang;
    const width = Math.max(40, Math.min(room, fill ? Infinity : height * aspect()));
    box = { left, top, width, height: fill ? height : Math.min(height, width * WIDE) };
  }
  // Rounds to whole pixels of the screen: a line between two pixels is blurred, and a gap would show between cells.
  const snap = (/** @type {number} */ coordinate) => Math.round(coordinate * scale) / scale;
  const x = (/** @type {number} */ column) => snap(box.left + (column * box.width) / columns);
  const y = (/** @type {number} */ row) => snap(box.top + (row * box.height) / rows);
  return { ...box, rows, columns, scale, x, y, down: { ...down, at: y }, over: { ...over, at: x } };
};
