// Draws the cells of a heat map, and the lines, hatches and marks over them. A frame is one of layout.js.

import { pixelRatio } from "../base.js";
import { laser, makeImage, variable } from "../colour.js";
import { fontOf } from "./layout.js";

const SIGN = 11; // smallest cell, in pixels, that shows its sign
const LINED = 8; // smallest cell, in pixels, with lines around it
const HATCH = 6; // pixels between lines

/** @typedef {import("./layout.js").Content} Content */
/** @typedef {import("./layout.js").Grid} Grid */

const smallestSide = (/** @type {Grid} */ { width, height, rows, columns }) => Math.min(width / columns, height / rows);

/** Draws the cells' colours: pixel(row, column), or an image with a pixel for each.
 *  @type {(context: any, frame: Grid, content: Content) => void} */
export const drawCells = (context, frame, { pixel, image }) => {
  const { left, top, width, height, rows, columns } = frame;
  context.imageSmoothingEnabled = smallestSide(frame) * pixelRatio(context.canvas) < 1;
  context.imageSmoothingQuality = "high";
  context.drawImage(
    image ?? makeImage(columns, rows, (column, row) => pixel?.(row, column) ?? 0),
    left,
    top,
    width,
    height,
  );
};

/** Hatches an area inside a frame, so that hidden cells cannot be taken for values.
 *  @type {(context: any, area: string, frame: import("../base.js").Frame) => void} */
export const hatch = (context, area, { left, top, width, height }) => {
  context.save();
  context.clip(new Path2D(area));
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

/** The hidden cells as a path, as SVG writes it; neighbours in a row become one rectangle.
 *  @type {(frame: Pick<Grid, "rows" | "columns" | "x" | "y">, hidden: NonNullable<Content["hidden"]>) => string} */
export const areaOf = ({ rows, columns, x, y }, hidden) => {
  let area = "";
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      if (!hidden(row, column)) continue;
      const first = column;
      while (column + 1 < columns && hidden(row, column + 1)) column++;
      area += `M${x(first)} ${y(row)}H${x(column + 1)}V${y(row + 1)}H${x(first)}z`;
    }
  return area;
};

/** Draws the frame, the lines between cells, and the hatches over hidden ones.
 *  @type {(context: any, frame: Grid, hidden: Content["hidden"]) => void} */
export const drawGrid = (context, frame, hidden) => {
  const { left, top, width, height, rows, columns, scale, x, y } = frame;
  context.strokeStyle = variable("line");
  context.strokeRect(left - 0.5, top - 0.5, width + 1, height + 1);
  if (hidden) hatch(context, areaOf(frame, hidden), frame);
  if (smallestSide(frame) < LINED) return;
  context.fillStyle = variable("panel");
  const line = Math.max(1, Math.round(scale)) / scale;
  for (let row = 1; row < rows; row++) context.fillRect(left, y(row) - line, width, line);
  for (let column = 1; column < columns; column++) context.fillRect(x(column) - line, top, line, height);
};

/** Writes sign(row, column) into each cell, where they are large enough.
 *  @type {(context: any, frame: Grid, sign: NonNullable<Content["sign"]>) => void} */
export const drawSigns = (context, frame, sign) => {
  const { rows, columns, x, y } = frame;
  if (smallestSide(frame) < SIGN) return;
  Object.assign(context, {
    font: fontOf(Math.min(12, Math.round((frame.height / rows) * 0.72))),
    textAlign: "center",
    textBaseline: "middle",
    fillStyle: variable("quiet"),
  });
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      const words = sign(row, column);
      if (words) context.fillText(words, x(column + 0.5), y(row + 0.5));
    }
};

/** Draws a dashed line before a row and before a column.
 *  @type {(context: any, frame: Grid, edge: NonNullable<Content["edge"]>) => void} */
export const drawEdge = (context, { x, y, rows, columns }, { row, column }) => {
  Object.assign(context, { strokeStyle: variable("mark"), lineWidth: 1.5 });
  context.setLineDash([5, 3]);
  context.beginPath();
  /** @type {(left: number, top: number, right: number, bottom: number) => void} */
  const line = (left, top, right, bottom) => {
    context.moveTo(x(left), y(top));
    context.lineTo(x(right), y(bottom));
  };
  if (row != null) line(0, row, columns, row);
  if (column != null) line(column, 0, column, rows);
  context.stroke();
  context.setLineDash([]);
};

/** Draws the frames of marked rows and columns, and of the cell at `at`.
 *  @type {(context: any, frame: Grid, content: Content) => void} */
export const drawMarks = (context, frame, { rows = [], columns = [], at }) => {
  const { x, y } = frame;
  /** @type {(colour: string, line: number, sides: number[]) => void} */
  const box = (colour, line, [left, top, right, bottom]) => {
    Object.assign(context, { strokeStyle: colour, lineWidth: line });
    context.strokeRect(left - 1, top - 1, right - left + 1, bottom - top + 1);
  };
  for (const { at: row, colour, line = 2 } of rows) box(colour, line, [x(0), y(row), x(frame.columns), y(row + 1)]);
  for (const { at: column, colour, line = 2 } of columns)
    box(colour, line, [x(column), y(0), x(column + 1), y(frame.rows)]);
  if (!at || at.row >= frame.rows || at.column >= frame.columns) return;
  const [left, top, right, bottom] = [x(at.column), y(at.row), x(at.column + 1), y(at.row + 1)];
  box(variable("text"), 2, [left, top, right, bottom]);
  laser(context, left, top, right - left, bottom - top);
};
