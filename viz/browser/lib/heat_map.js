// A picture of rows × columns with labels along two sides; cells respond to the pointer, and rows can be marked.

import { cellAt, fit, h, isDark, isolate, pixelRatio, shorten } from "./base.js";
import { laser, makeImage, variable } from "./colour.js";
import { maxAspect } from "./fill.js";
import { keys } from "./keys.js";
import { makeDrawing } from "./panel.js";
import { site } from "./site.js";

const [FONT, SMALLEST] = [12, 8]; // pixels of a label
const LABELLED = 50; // up to this many tokens all have a label, as in viz/figures/maps.py; with more, as many as fit
const LEVELS = 3; // labels use up to this many columns if one column has no room for all
const LONGEST = 14; // characters; the pointer shows the whole label
const SHORT = 36; // pixels of an upright label when only some labels have room
const SIGN = 11; // smallest cell, in pixels, that shows its sign
const WIDE = 1.4; // largest ratio of a cell's width to its height
const TITLE = 15; // pixels for the title of an axis
const HATCH = 6; // pixels between lines
// everything drawn except cells and marks
const AROUND = ["labels", "across", "words", "wordsAcross", "titles", "hidden", "fill"];

/** The next of 1, 2, 5, 10, 20, ...: the distance between labels when some are left out. */
const round = (count) => {
  const power = 10 ** Math.floor(Math.log10(count));
  return power * ([1, 2, 5].find((part) => part * power >= count) ?? 10);
};
const cut = (label) => isolate(shorten(`${label}`, LONGEST));
// Measures labels. A font that is set on a canvas of the page has the browser compute all changed styles first.
const pen = h("canvas").getContext("2d");
const fontOf = (size, weight = "") => `${weight} ${size}px ${site.style.font}`;

/** Hatches `area` (a Path2D) inside a frame, so that hidden cells cannot be taken for values. */
export const hatch = (context, area, { left, top, width, height }) => {
  context.save();
  context.clip(area);
  context.globalAlpha = 0.35;
  context.strokeStyle = variable("quiet");
  context.lineWidth = 1;
  context.beginPath();
  for (let x = left - height; x < left + width; x += HATCH) {
    context.moveTo(x, top + height);
    context.lineTo(x + height, top);
  }
  context.stroke();
  context.restore();
};

/**
 * A picture in `place`, which gives it its size.
 *
 * label: what it is, to those who do not see it. onpoint({row, column} or null), onpick({row, column}); onkey(event):
 * without it the arrow keys point at one cell after another, and Enter picks it.
 * Returns {canvas, draw}: draw({labels, across, words, wordsAcross, titles, fill, pixel(row, column), image,
 * hidden(row, column), sign(row, column), rows, columns, edge, at}) paints it: labels are those of the rows, and of the
 * columns too unless `across` has others; sides whose labels are all empty take no room; words, lists of {from, to,
 * name}, stand over several labels; titles, [of the rows, of the columns], say what the sides are; with `fill` cells
 * have any shape that fills the place. pixel gives a cell's colour (as in palette), or image has one pixel a cell;
 * hidden cells are hatched; sign is what is written in a cell; rows and columns are lists of {at, colour} to mark;
 * edge, {row, column}, either of them, is where something ends, and at is the cell pointed at. While labels, words,
 * titles and hidden stay the same objects, what stands around the cells is not drawn again.
 *
 * @param {HTMLElement} place
 * @param {{ label: string, onpoint: (at: any) => void, onpick: (at: any) => void, onkey?: (event: any) => void }} given
 */
export const makeHeatMap = (place, given) => {
  const { label, onpoint, onpick, onkey } = given;
  const canvas = h("canvas.heat-map", {
    tabindex: 0,
    role: "application",
    "aria-label": label,
    "aria-keyshortcuts": onkey ? null : Object.keys(keys.arrows).join(" "),
  });
  place.classList.add("heat-map-place");
  place.append(canvas);
  let frame = null; // {left, top, width, height, rows, columns}
  let walked = null; // the cell chosen by the arrow keys

  /** Arranges the labels of a side with `pitch` pixels per cell: {names, font, upright, levels, every, depth, words,
   *  wordsUpright, whole, overhang}, with `depth` pixels for each level and `whole` for all. */
  const arrange = (labels, words, pitch, across) => {
    const all = labels.length <= LABELLED;
    const font = all ? Math.max(SMALLEST, Math.min(FONT, Math.floor(pitch))) : FONT;
    const widest = (names, size) => {
      pen.font = fontOf(size);
      return Math.max(0, ...names.map((name) => pen.measureText(name).width));
    };
    const names = (all || !words) && labels.some((label) => label !== "") ? labels.map((label) => cut(label)) : [];
    const width = widest(names, font);
    const upright = across && width <= (all ? 2 * pitch : SHORT); // otherwise column labels are rotated
    const wanted = Math.ceil((upright ? width + 1 : font - 1) / pitch);
    const levels = all ? Math.min(LEVELS, wanted) : 1;
    const depth = names.length ? Math.ceil(upright ? font + 1 : width + 4) : 0;
    const longest = words
      ? Math.ceil(
          widest(
            words.map(({ name }) => cut(name)),
            FONT,
          ),
        )
      : 0;
    const wordsUpright =
      across && words?.every(({ from, to, name }) => pen.measureText(cut(name)).width < (to - from + 2) * pitch);
    const over = words ? (wordsUpright ? FONT : longest) + 7 : 0;
    const last = upright && all && names.length ? widest(names.slice(-1), font) : 0;
    return {
      names,
      font,
      upright,
      levels,
      every: all ? Math.ceil(wanted / levels) : round(wanted),
      depth,
      words,
      wordsUpright,
      whole: levels * depth + over + 4,
      overhang: Math.max(0, Math.ceil((last - pitch) / 2)), // of the last label, which may be wider than its cell
    };
  };

  const layout = ({ labels, across = labels, words, wordsAcross = words, titles, fill }, size) => {
    const title = titles ? TITLE : 0;
    const [rows, columns] = [labels.length, across.length];
    let next = { left: 60, top: 40, width: size.width - 62, height: size.height - 42 };
    let down, over;
    for (let round = 0; round < 2; round++) {
      down = arrange(labels, words, next.height / rows, false);
      over = arrange(across, wordsAcross, next.width / columns, true);
      const [left, top] = [title + down.whole, title + over.whole];
      const height = Math.max(40, size.height - top - 2);
      const room = size.width - left - 2 - over.overhang;
      const width = Math.max(40, Math.min(room, fill ? Infinity : height * maxAspect(WIDE)));
      next = { left, top, width, height: fill ? height : Math.min(height, width * WIDE) };
    }
    return { ...next, rows, columns, down, over };
  };
  // Rounds to whole pixels of the screen: a line between two pixels is blurred, and a gap would show between cells.
  const whole = (place) => Math.round(place * frame.scale) / frame.scale;
  const x = (column) => whole(frame.left + (column * frame.width) / frame.columns);
  const y = (row) => whole(frame.top + (row * frame.height) / frame.rows);

  const cells = (context, { pixel, image }) => {
    const { left, top, width, height, rows, columns } = frame;
    context.imageSmoothingEnabled = Math.min(width / columns, height / rows) * pixelRatio(canvas) < 1;
    context.imageSmoothingQuality = "high";
    context.drawImage(image ?? makeImage(columns, rows, (column, row) => pixel(row, column)), left, top, width, height);
  };

  /** Draws everything around and over the cells, which is the same for other values of the same rows and columns. */
  const around = (context, shown) => {
    const { left, top, width, height, rows, columns } = frame;
    context.strokeStyle = variable("line");
    context.strokeRect(left - 0.5, top - 0.5, width + 1, height + 1);
    if (shown.hidden) hatch(context, areaOf(shown.hidden), frame);
    context.fillStyle = variable("panel");
    if (Math.min(width / columns, height / rows) >= 8) {
      const line = Math.max(1, Math.round(frame.scale)) / frame.scale;
      for (let row = 1; row < rows; row++) context.fillRect(left, y(row) - line, width, line);
      for (let column = 1; column < columns; column++) context.fillRect(x(column) - line, top, line, height);
    }
    if (shown.titles) titles(context, shown.titles);
    names(context, frame.down, false);
    names(context, frame.over, true);
  };

  const signs = (context, { sign }) => {
    const { width, height, rows, columns } = frame;
    const high = height / rows;
    if (!sign || Math.min(width / columns, high) < SIGN) return;
    Object.assign(context, {
      font: fontOf(Math.min(12, Math.round(high * 0.72))),
      textAlign: "center",
      textBaseline: "middle",
      fillStyle: variable("quiet"),
    });
    for (let row = 0; row < rows; row++)
      for (let column = 0; column < columns; column++) {
        const said = sign(row, column);
        if (said) context.fillText(said, x(column + 0.5), y(row + 0.5));
      }
  };

  /** The hidden cells as a path; neighbours in a row become one rectangle. */
  const areaOf = (hidden) => {
    const area = new Path2D();
    for (let row = 0; row < frame.rows; row++)
      for (let column = 0; column < frame.columns; column++) {
        if (!hidden(row, column)) continue;
        const first = column;
        while (column + 1 < frame.columns && hidden(row, column + 1)) column++;
        area.rect(x(first), y(row), x(column + 1) - x(first), y(row + 1) - y(row));
      }
    return area;
  };

  /** Draws at a distance in pixels from the frame, at a position along one of its sides. */
  const beside = (context, across, along, away, upright, draw) => {
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

  const names = (context, side, across) => {
    const at = across ? x : y;
    const { names, font, upright, levels, every, depth } = side;
    context.font = fontOf(font);
    const line = variable("line");
    // A label wider than its cell ends with the picture.
    const last = (i) =>
      across && upright && every > 1 ? frame.left + frame.width - context.measureText(names[i]).width / 2 : Infinity;
    for (let level = levels - 1; level >= 0; level--)
      for (let i = level * every; i < names.length; i += levels * every) {
        const away = 4 + level * depth;
        context.fillStyle = line;
        if (level)
          context.fillRect(
            across ? at(i + 0.5) : frame.left - away,
            across ? frame.top - away : at(i + 0.5),
            across ? 0.5 : away,
            across ? away : 0.5,
          );
        context.fillStyle = variable("text");
        beside(context, across, Math.min(at(i + 0.5), last(i)), away, upright, () => context.fillText(names[i], 0, 0));
      }
    if (side.words) words(context, side, across);
  };

  /** Draws the words over their labels, each with a line of its length; leaves out a word that would overlap
   *  another. */
  const words = (context, { words, wordsUpright, levels, depth }, across) => {
    const at = across ? x : y;
    const away = 5 + levels * depth;
    let free = -Infinity; // where the free room begins
    context.font = fontOf(FONT);
    for (const { from, to, name } of words) {
      const [start, end] = [at(from), at(to + 1)];
      const half = (wordsUpright ? context.measureText(name).width + 4 : FONT) / 2;
      context.fillStyle = variable("quiet");
      context.fillRect(
        across ? start + 1 : frame.left - away,
        across ? frame.top - away : start + 1,
        across ? end - start - 2 : 1,
        across ? 1 : end - start - 2,
      );
      if ((start + end) / 2 - half < free) continue;
      free = (start + end) / 2 + half;
      context.fillStyle = variable("text");
      beside(context, across, (start + end) / 2, away + 3, wordsUpright, () => context.fillText(cut(name), 0, 0));
    }
  };

  /** Draws the label of a marked row or column on a plate that covers its neighbours. */
  const marked = (context, { font, upright }, across, i, colour) => {
    const name = cut(across ? frame.across[i] : frame.labels[i]);
    if (!name) return;
    const size = Math.max(font, 11);
    context.font = fontOf(size, "600");
    const wide = context.measureText(name).width + 4;
    beside(context, across, (across ? x : y)(i + 0.5), 3, upright, () => {
      context.fillStyle = variable("panel");
      if (across && upright) context.fillRect(-wide / 2, -size, wide, size + 2);
      else context.fillRect(across ? -1 : -wide + 1, -size / 2 - 1, wide, size + 2);
      context.fillStyle = colour;
      context.fillText(name, 0, 0);
    });
  };

  const titles = (context, [ofRows, ofColumns]) => {
    Object.assign(context, { fillStyle: variable("quiet"), font: fontOf(11), textBaseline: "top", textAlign: "left" });
    context.fillText(ofColumns, frame.left, 1);
    context.save();
    context.translate(1, frame.top);
    context.rotate(-Math.PI / 2);
    context.textAlign = "right";
    context.fillText(ofRows, 0, 0);
    context.restore();
  };

  /** Draws a dashed line before a row and before a column. */
  const ends = (context, { row, column }) => {
    context.strokeStyle = variable("mark");
    context.lineWidth = 1.5;
    context.setLineDash([5, 3]);
    context.beginPath();
    for (const [x0, y0, x1, y1] of [
      ...(row == null ? [] : [[0, row, frame.columns, row]]),
      ...(column == null ? [] : [[column, 0, column, frame.rows]]),
    ]) {
      context.moveTo(x(x0), y(y0));
      context.lineTo(x(x1), y(y1));
    }
    context.stroke();
    context.setLineDash([]);
  };

  const marks = (context, { rows = [], columns = [], at }) => {
    const box = (colour, left, top, right, bottom) => {
      context.strokeStyle = colour;
      context.strokeRect(left - 1, top - 1, right - left + 1, bottom - top + 1);
    };
    for (const { at: row, colour, line = 2 } of rows) {
      context.lineWidth = line;
      box(colour, x(0), y(row), x(frame.columns), y(row + 1));
    }
    for (const { at: column, colour, line = 2 } of columns) {
      context.lineWidth = line;
      box(colour, x(column), y(0), x(column + 1), y(frame.rows));
    }
    if (!at || at.row >= frame.rows || at.column >= frame.columns) return;
    context.lineWidth = 2;
    const [left, top, right, bottom] = [x(at.column), y(at.row), x(at.column + 1), y(at.row + 1)];
    box(variable("text"), left, top, right, bottom);
    laser(context, left, top, right - left, bottom - top);
  };

  let sheet = null; // {of, canvas}: the surroundings of the cells, cached for the objects in `of`

  const layOut = (shown, size, of) => {
    frame = {
      ...layout(shown, size),
      labels: shown.labels,
      across: shown.across ?? shown.labels,
      scale: canvas.width / size.width,
    };
    canvas.dataset.frame = [frame.left, frame.top, frame.width, frame.height].map((side) => side.toFixed(2)).join(" ");
    sheet = { of, canvas: sheet?.canvas ?? h("canvas") };
    Object.assign(sheet.canvas, { width: canvas.width, height: canvas.height }); // this clears it
    const context = sheet.canvas.getContext("2d");
    context.scale(canvas.width / size.width, canvas.height / size.height);
    around(context, shown);
  };

  const drawing = makeDrawing(place, (shown, size) => {
    const context = fit(canvas, size.width, size.height);
    const of = [
      ...AROUND.map((name) => shown[name]),
      size.width,
      size.height,
      pixelRatio(canvas),
      maxAspect(WIDE),
      isDark(),
    ];
    if (!of.every((part, i) => part === sheet?.of[i])) layOut(shown, size, of);
    cells(context, shown);
    context.save();
    context.resetTransform();
    context.drawImage(sheet.canvas, 0, 0);
    context.restore();
    signs(context, shown);
    for (const { at, colour } of shown.rows ?? []) marked(context, frame.down, false, at, colour);
    for (const { at, colour } of shown.columns ?? []) marked(context, frame.over, true, at, colour);
    if (shown.edge) ends(context, shown.edge);
    marks(context, { ...shown, at: shown.at ?? walked });
  });

  const walk = (event) => {
    const { arrows, clamp } = keys;
    const step = arrows[event.key];
    if (!frame || keys.modified(event) || !(step || (walked && event.key === "Enter"))) return;
    event.preventDefault();
    if (!step) return void onpick(walked);
    walked = walked
      ? { row: clamp(walked.row + step[0], frame.rows), column: clamp(walked.column + step[1], frame.columns) }
      : { row: 0, column: 0 };
    onpoint(walked);
    drawing.draw(drawing.what);
  };
  const stand = () => {
    if (!walked) return;
    walked = null;
    drawing.draw(drawing.what);
  };

  const cellOf = (event) => frame && cellAt(canvas, event, frame, frame.rows, frame.columns);
  for (const type of ["pointermove", "pointerdown"])
    canvas.addEventListener(type, (event) => (stand(), onpoint(cellOf(event))));
  for (const type of ["pointerleave", "blur"]) canvas.addEventListener(type, () => (stand(), onpoint(null)));
  canvas.addEventListener("click", (event) => {
    const at = cellOf(event);
    if (at) onpick(at);
  });
  canvas.addEventListener("keydown", onkey ?? walk);
  return { canvas, draw: drawing.draw };
};
