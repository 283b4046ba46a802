// A picture of rows × columns with labels along two sides; cells respond to the pointer, and rows can be marked. Its
// parts are in heat_map/.

import { cellAt, fit, h, isDark, pixelRatio } from "./base.js";
import { drawCells, drawEdge, drawGrid, drawMarks, drawSigns } from "./heat_map/cells.js";
import { drawLabels, drawMarkedLabel, drawTitles } from "./heat_map/labels.js";
import { aspect, layOut } from "./heat_map/layout.js";
import { keys } from "./keys.js";
import { makeDrawing } from "./panel.js";

/** @typedef {import("./heat_map/layout.js").Content} Content */
/** @typedef {import("./base.js").Cell} Cell */

/** Everything drawn except cells and marks.
 *  @type {(keyof Content)[]} */
const AROUND = ["labels", "across", "words", "wordsAcross", "titles", "hidden", "fill"];

/** Draws on a canvas, {draw(content, size), frame()}. What is around the cells, which is the same for other values of
 *  the same rows and columns, is drawn once, on a sheet of its own. */
const makePainter = (/** @type {any} */ canvas) => {
  const sheet = h("canvas");
  let around = /** @type {any[]} */ ([]); // what the sheet shows
  let frame = /** @type {any} */ (null);

  /** @typedef {import("./panel.js").Size} Size */
  /** @type {(content: Content, size: Size) => void} */
  const drawSheet = (content, size) => {
    frame = layOut(content, size, canvas.width / size.width);
    canvas.dataset.frame = [frame.left, frame.top, frame.width, frame.height].map((side) => side.toFixed(2)).join(" ");
    Object.assign(sheet, { width: canvas.width, height: canvas.height }); // this clears it
    const context = sheet.getContext("2d");
    context.scale(canvas.width / size.width, canvas.height / size.height);
    drawGrid(context, frame, content.hidden);
    if (content.titles) drawTitles(context, frame, content.titles);
    for (const side of [frame.down, frame.over]) drawLabels(context, frame, side);
  };
  /** @type {(content: Content, size: Size) => void} */
  const draw = (content, { width, height }) => {
    const context = fit(canvas, width, height);
    const parts = [...AROUND.map((name) => content[name]), width, height, pixelRatio(canvas), aspect(), isDark()];
    if (!frame || !parts.every((part, i) => part === around[i])) drawSheet(content, { width, height });
    around = parts;
    drawCells(context, frame, content);
    context.save();
    context.resetTransform();
    context.drawImage(sheet, 0, 0);
    context.restore();
    if (content.sign) drawSigns(context, frame, content.sign);
    for (const { at, colour } of content.rows ?? []) drawMarkedLabel(context, frame, frame.down, at, colour);
    for (const { at, colour } of content.columns ?? []) drawMarkedLabel(context, frame, frame.over, at, colour);
    if (content.edge) drawEdge(context, frame, content.edge);
    drawMarks(context, frame, content);
  };
  return { draw, frame: () => frame };
};

/**
 * A picture in `container`, which gives it its size.
 *
 * label: what it is, to those who do not see it. onpoint({row, column} or null), onpick({row, column}); onkey(event):
 * without it the arrow keys point at one cell after another, and Enter picks it.
 * Returns {canvas, draw}: draw({labels, across, words, wordsAcross, titles, fill, pixel(row, column), image,
 * hidden(row, column), sign(row, column), rows, columns, edge, at}) paints it: labels are those of the rows, and of the
 * columns too unless `across` has others; sides whose labels are all empty take no room; words, lists of {from, to,
 * name}, stand over several labels; titles, [of the rows, of the columns], say what the sides are; with `fill` cells
 * have any shape that fills the container. pixel gives a cell's colour (as in palette), or image has one pixel a cell;
 * hidden cells are hatched; sign is what is written in a cell; rows and columns are lists of {at, colour} to mark;
 * edge, {row, column}, either of them, is where something ends, and at is the cell pointed at. While labels, words,
 * titles and hidden stay the same objects, what stands around the cells is not drawn again.
 *
 * @param {HTMLElement} container
 * @param {{ label: string, onpoint: (at: any) => void, onpick: (at: any) => void, onkey?: (event: any) => void }} given
 * @returns {{ canvas: any, draw: (content: any) => void }}
 */
export const makeHeatMap = (container, given) => {
  const { label, onpoint, onpick, onkey } = given;
  const canvas = h("canvas.heat-map", {
    tabindex: 0,
    role: "application",
    "aria-label": label,
    "aria-keyshortcuts": onkey ? null : Object.keys(keys.arrows).join(" "),
  });
  container.classList.add("heat-map-place");
  container.append(canvas);
  const painter = makePainter(canvas);
  /** @type {Cell | null} */ let walked = null; // the cell chosen by the arrow keys
  const drawing = makeDrawing(container, (content, size) =>
    painter.draw({ ...content, at: walked ?? content.at }, size),
  );

  const walk = (/** @type {KeyboardEvent} */ event) => {
    const { arrows, clamp } = keys;
    const [step, frame] = [arrows[event.key], painter.frame()];
    if (!frame || keys.modified(event) || !(step || (walked && event.key === "Enter"))) return;
    event.preventDefault();
    if (!step) return void onpick(walked);
    walked = walked
      ? { row: clamp(walked.row + step[0], frame.rows), column: clamp(walked.column + step[1], frame.columns) }
      : { row: 0, column: 0 };
    onpoint(walked);
    drawing.draw(drawing.what);
  };
  const endWalk = () => {
    if (!walked) return;
    walked = null;
    drawing.draw(drawing.what);
  };

  const cellOf = (/** @type {PointerEvent} */ event) => {
    const frame = painter.frame();
    return frame && cellAt(canvas, event, frame, frame.rows, frame.columns);
  };
  for (const type of ["pointermove", "pointerdown"])
    canvas.addEventListener(type, (/** @type {PointerEvent} */ event) => (endWalk(), onpoint(cellOf(event))));
  // a finger that is lifted leaves the canvas too: what it points at stays until the next tap
  canvas.addEventListener(
    "pointerleave",
    (/** @type {PointerEvent} */ { pointerType }) => pointerType === "touch" || (endWalk(), onpoint(null)),
  );
  canvas.addEventListener("blur", () => (endWalk(), onpoint(null)));
  canvas.addEventListener("click", (/** @type {PointerEvent} */ event) => {
    const at = cellOf(event);
    if (at) onpick(at);
  });
  canvas.addEventListener("keydown", onkey ?? walk);
  return { canvas, draw: drawing.draw };
};
