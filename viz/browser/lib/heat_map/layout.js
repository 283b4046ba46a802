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

export const cut = (label) => isolate(shorten(`${label}`, LONGEST));
export const fontOf = (size, weight = "") => `${weight} ${size}px ${site.style.font}`;

/** The largest ratio of the width of a map's cells to their height. */
export const aspect = () => maxAspect(WIDE);

/** The next of 1, 2, 5, 10, 20, ...: the distance between labels when some are left out. */
const round = (count) => {
  const power = 10 ** Math.floor(Math.log10(count));
  return power * ([1, 2, 5].find((part) => part * power >= count) ?? 10);
};

// Measures labels. A font that is set on a canvas of the page has the browser compute all changed styles first.
const pen = h("canvas").getContext("2d");
const widthOf = (names, size) => {
  pen.font = fontOf(size);
  return Math.max(0, ...names.map((name) => pen.measureText(name).width));
};

/** Arranges the words over a side's labels: {words, wordsUpright, over}, with `over` pixels for them. */
const arrangeWords = (words, pitch, across) => {
  if (!words) return { words, wordsUpright: false, over: 0 };
  const longest = Math.ceil(
    widthOf(
      words.map(({ name }) => cut(name)),
      FONT,
    ),
  );
  const fits = ({ from, to, name }) => pen.measureText(cut(name)).width < (to - from + 2) * pitch;
  const wordsUpright = across && words.every(fits);
  return { words, wordsUpright, over: (wordsUpright ? FONT : longest) + 7 };
};

/** Arranges the labels of a side with `pitch` pixels per cell: {across, labels, names, font, upright, levels, every,
 *  depth, words, wordsUpright, whole, overhang}, with `depth` pixels for each level and `whole` for all. */
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
 */
export const layOut = ({ labels, across = labels, words, wordsAcross = words, titles, fill }, size, scale) => {
  const title = titles ? TITLE : 0;
  const [rows, columns] = [labels.length, across.length];
  let box = { left: 60, top: 40, width: size.width - 62, height: size.height - 42 };
  let down, over;
  for (let time = 0; time < 2; time++) {
    down = arrange(labels, words, box.height / rows, false);
    over = arrange(across, wordsAcross, box.width / columns, true);
    const [left, top] = [title + down.whole, title + over.whole];
    const height = Math.max(40, size.height - top - 2);
    const room = size.width - left - 2 - over.overhang;
    const width = Math.max(40, Math.min(room, fill ? Infinity : height * aspect()));
    box = { left, top, width, height: fill ? height : Math.min(height, width * WIDE) };
  }
  // Rounds to whole pixels of the screen: a line between two pixels is blurred, and a gap would show between cells.
  const snap = (coordinate) => Math.round(coordinate * scale) / scale;
  const x = (column) => snap(box.left + (column * box.width) / columns);
  const y = (row) => snap(box.top + (row * box.height) / rows);
  return { ...box, rows, columns, scale, x, y, down: { ...down, at: y }, over: { ...over, at: x } };
};
