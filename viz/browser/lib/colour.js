// Colour scales as lookup tables of 256 pixels for the current theme, and the things painted with them: images, bars
// and coloured tokens.

import { h, isDark, isPresenting, must } from "./base.js";
import { site } from "./site.js";

/** @type {(hex: string) => number[]} */
const channels = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

/** Stops → 256 pixels as one Uint32 each (ABGR, the order of ImageData).
 *  @type {(stops: string[]) => Uint32Array} */
const table = (stops) => {
  const rgb = stops.map(channels);
  return Uint32Array.from({ length: 256 }, (_, i) => {
    const at = (i / 255) * (rgb.length - 1);
    const low = Math.min(Math.floor(at), rgb.length - 2);
    const [r, g, b] = rgb[low].map((from, c) => Math.round(from + (rgb[low + 1][c] - from) * (at - low)));
    return (255 << 24) | (b << 16) | (g << 8) | r;
  });
};

/** @typedef {{ weights: Uint32Array, scores: Uint32Array, masked: number, skipped: number }} Palette */

/** @type {{ [mode: string]: any }} */
const tables = {};
for (const [mode, scales] of Object.entries(site.style.scales))
  tables[mode] = Object.fromEntries(Object.entries(scales).map(([name, stops]) => [name, table(stops)]));

/** {weights, scores: Uint32Array(256), masked, skipped: pixels} of the current theme.
 *  @type {() => Palette} */
export const palette = () => {
  const own = tables[isDark() ? "dark" : "light"];
  return { ...own, masked: pixel("masked"), skipped: pixel("skipped") };
};

/** The value of the style sheets' variable --f-text: variable("text"). Reading it from the page would force a
 *  layout.
 *  @type {(name: string) => string} */
export const variable = (name) => site.style.colours[isDark() ? "dark" : "light"][name];

/** The same as a pixel.
 *  @type {(name: string) => number} */
export const pixel = (name) => {
  const [r, g, b] = channels(variable(name));
  return (255 << 24) | (b << 16) | (g << 8) | r;
};

/** Black or white, whichever reads better on a pixel, by WCAG's relative luminance: at least 4.58 to 1.
 *  @type {(pixel: number) => string} */
export const inkOn = (pixel) => {
  const linear = (/** @type {number} */ channel) =>
    channel <= 10 ? channel / 3294.6 : ((channel / 255 + 0.055) / 1.055) ** 2.4;
  const [red, green, blue] = [pixel, pixel >> 8, pixel >> 16].map((shifted) => linear(shifted & 255));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#000000" : "#ffffff";
};

/** The index of a number from −1 to 1 in a table whose middle is 0; numbers beyond get the table's end.
 *  @type {(part: number) => number} */
export const signedAt = (part) => Math.round(127.5 + 127.5 * Math.max(-1, Math.min(1, part)));

/** A pixel of a table as a CSS colour.
 *  @type {(pixel: number) => string} */
export const cssOf = (pixel) => `rgb(${pixel & 255},${(pixel >> 8) & 255},${(pixel >> 16) & 255})`;

/** A table's colours as a CSS gradient, from one part of it (0 to 1) to another.
 *  @type {(table: Uint32Array, from?: number, to?: number) => string} */
export const gradient = (table, from = 0, to = 1) => {
  const stops = Array.from({ length: 9 }, (_, i) => cssOf(table[Math.round(255 * (from + ((to - from) * i) / 8))]));
  return `linear-gradient(90deg,${stops.join()})`;
};

/** A canvas off the page with one pixel for each number: pixelAt(x, y), as in palette.
 *  @type {(w: number, h: number, pixelAt: (x: number, y: number) => number, canvas?: any) => HTMLCanvasElement} */
export const makeImage = (width, height, pixelAt, canvas = document.createElement("canvas")) => {
  Object.assign(canvas, { width, height });
  const context = must(canvas.getContext("2d"), "context to draw");
  const image = context.createImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) pixels[y * width + x] = pixelAt(x, y);
  context.putImageData(image, 0, 0);
  return canvas;
};

/** A bar element, a fraction of its place long.
 *  @type {(part: number, kind?: string) => any} */
export const makeBar = (part, kind = "") => {
  const filled = h("i", { class: kind });
  filled.style.width = `${(100 * Math.max(0, Math.min(1, part))).toFixed(2)}%`;
  return filled;
};

/** The parts of a line: its label, its bars, one or a list of them, and their number.
 *  @type {(label: Node | string, bars: any, number: Node | string) => any[]} */
export const barLine = (label, bars, number) => [
  label instanceof Node ? label : h("span.label", { title: label }, label),
  h("span.bars", { "aria-hidden": "true" }, ...[bars].flat()),
  h("span.number", number),
];

/** A text's labels as coloured elements: spanOf(i) gives {pixel, title, kind}, all optional.
 *  @type {(labels: string[], spanOf: (i: number) => { pixel?: number, title?: string, kind?: string }) => any[]} */
export const tokenSpans = (labels, spanOf) =>
  labels.map((label, i) => {
    const { pixel, title, kind = "token" } = spanOf(i);
    const span = h("span", { class: kind, title, "data-token": i }, label);
    ground(span, pixel);
    return span;
  });

/** Sets an element's background, and a text colour that is legible on it; undefined removes both.
 *  @type {(element: any, pixel: number | undefined) => void} */
export const ground = (element, pixel) =>
  Object.assign(
    element.style,
    pixel === undefined ? { background: "", color: "" } : { background: cssOf(pixel), color: inkOn(pixel) },
  );

/** Draws the light of a laser pointer around a cell of a canvas, while presenting.
 *  @type {(context: any, x: number, y: number, width: number, height: number) => void} */
export const laser = (context, x, y, width, height) => {
  if (!isPresenting()) return;
  context.save();
  context.strokeStyle = context.shadowColor = variable("laser");
  Object.assign(context, { lineWidth: 3, shadowBlur: 14 });
  context.strokeRect(x - 2, y - 2, Math.max(width, 4) + 4, Math.max(height, 4) + 4);
  context.restore();
};
