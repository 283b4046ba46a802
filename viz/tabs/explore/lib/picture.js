// The current view as one self-contained SVG, drawn from the store: a map or lines, with axes and a caption.

import { isolate, must, shorten, svg } from "../../../browser/lib/base.js";
import { cssOf, makeImage, variable } from "../../../browser/lib/colour.js";
import { areaOf } from "../../../browser/lib/heat_map/cells.js";
import { say } from "../../../browser/lib/messages.js";
import { asShare } from "../../../browser/lib/numbers.js";
import { site } from "../../../browser/lib/site.js";
import { pixelOf, valuesOf } from "./paint.js";
import { LINES, linksOf, shownNow } from "./selection.js";
import { store } from "./store.js";

const LONGEST = 18; // characters of a label

/** Characters that XML cannot hold become U+FFFD; everything else is escaped by the serialiser. */
const clean = (text) => text.replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/gu, "\ufffd");

const words = (text, x, y, more = {}) => svg("text", { x, y, ...more }, isolate(clean(text)));

/** Describes the picture in one line. */
const caption = ({ of, layer, head }) => {
  const what = say(`picture_${of}`, { layer, head });
  const values =
    store.view.show === "scores" && of === "head" ? say("picture_scores") : say(`picture_${store.view.scale}`);
  const { model, edits } = store.header;
  const drawn =
    store.view.view === "lines" ? [say("picture_lines", { mass: asShare(LINES.mass), most: LINES.most })] : [values];
  return [model, what, ...drawn, ...(edits.length ? [say("picture_edits", { count: edits.length })] : [])].join(" · ");
};

/** Every nth token, so that labels do not touch. */
const step = (pitch, size) => Math.max(1, Math.ceil((size + 2) / pitch));

const mapOf = (shown, ink) => {
  const [queries, keys] = [shown.map.queries, shown.map.keys].map((all) => all.map((label) => shorten(label, LONGEST)));
  const { values, size } = valuesOf(shown);
  const cell = Math.max(2.5, Math.min(26, 640 / Math.max(queries.length, keys.length)));
  const [wide, high] = [cell * keys.length, cell * queries.length];
  const font = Math.max(8, Math.min(12, cell * 0.8));
  pen.font = `${font}px ${site.style.font}`;
  const widest = (labels) => Math.max(...labels.map((label) => pen.measureText(label).width), 10);
  const upright = widest(keys) + 2 <= cell; // otherwise column labels are rotated
  const [left, top] = [34 + widest(queries), 34 + (upright ? font : widest(keys))];
  const group = svg("g", { transform: `translate(${left} ${top + 30})` });
  const pixel = pixelOf(shown.map, values, size);
  if (Math.max(queries.length, keys.length) > 64)
    group.append(
      svg("image", {
        href: makeImage(keys.length, queries.length, (key, query) => pixel(query, key)).toDataURL(),
        width: wide,
        height: high,
        style: "image-rendering:pixelated",
        preserveAspectRatio: "none",
      }),
    );
  else group.append(...squares(shown.map, pixel, cell));
  if (shown.map.hides) group.append(...hatch(shown.map, cell, ink));
  group.append(svg("rect", { width: wide, height: high, fill: "none", stroke: ink.line }));
  const style = { "font-size": font, fill: ink.text, "dominant-baseline": "central" };
  const middle = (i) => (i + 0.5) * cell;
  const every = step(cell, font);
  for (let i = 0; i < queries.length; i += every)
    group.append(words(queries[i], -5, middle(i), { ...style, "text-anchor": "end" }));
  const turn = upright ? { "text-anchor": "middle", "dominant-baseline": "auto" } : { transform: "rotate(-90)" };
  for (let i = 0; i < keys.length; i += every)
    group.append(svg("g", { transform: `translate(${middle(i)} -5)` }, words(keys[i], 0, 0, { ...style, ...turn })));
  const quiet = { "font-size": 11, fill: ink.quiet, "text-anchor": "middle" };
  group.append(words(say("key"), wide / 2, 10 - top, quiet));
  group.append(words(say("query"), 0, 0, { ...quiet, transform: `translate(${10 - left} ${high / 2}) rotate(-90)` }));
  return { group, width: left + wide + 24, height: top + 30 + high + 24, map: { x: left, y: top + 30, cell } };
};

/** Hatches the masked cells, as in heat_map/cells.js. */
const hatch = (map, cell, ink) => {
  const lines = svg(
    "pattern",
    { id: "hatch", width: 6, height: 6, patternUnits: "userSpaceOnUse" },
    svg("path", { d: "M0 6L6 0", stroke: ink.quiet, "stroke-opacity": 0.35 }),
  );
  const at = (i) => i * cell;
  const cells = { rows: map.queries.length, columns: map.keys.length, x: at, y: at };
  const area = areaOf(cells, (query, key) => map.hidden(query, key));
  return [svg("defs", {}, lines), svg("path", { d: area, fill: "url(#hatch)" })];
};

const squares = ({ queries, keys }, pixel, cell) => {
  const side = { width: cell + 0.3, height: cell + 0.3 };
  const square = (query, key) =>
    svg("rect", { x: key * cell, y: query * cell, ...side, fill: cssOf(pixel(query, key)) });
  return queries.flatMap((_, query) => keys.map((_, key) => square(query, key)));
};

const linesOf = (shown, ink) => {
  const { queries, keys } = shown.map;
  const longest = Math.max(queries.length, keys.length);
  const pitch = longest > 64 ? 12 : 18;
  const [left, right] = [200, 460];
  const group = svg("g", { transform: "translate(0 76)" });
  const style = {
    "font-size": pitch - 5,
    fill: ink.text,
    "dominant-baseline": "central",
  };
  const y = (i) => (i + 0.5) * pitch;
  for (const { query, key, weight } of linksOf(shown).links) {
    const curve = `M${left} ${y(query)}C${left + 100} ${y(query)} ${right - 100} ${y(key)} ${right} ${y(key)}`;
    group.append(
      svg("path", {
        d: curve,
        fill: "none",
        stroke: ink.accent,
        "stroke-opacity": weight.toFixed(3),
        "stroke-width": (0.6 + 2.4 * weight).toFixed(2),
      }),
    );
  }
  queries.forEach((label, i) => group.append(words(label, left - 6, y(i), { ...style, "text-anchor": "end" })));
  keys.forEach((label, i) => group.append(words(label, right + 6, y(i), style)));
  const quiet = { "font-size": 11, fill: ink.quiet };
  group.append(
    words(say("query"), left, -10, { ...quiet, "text-anchor": "end" }),
    words(say("key"), right, -10, quiet),
  );
  return { group, width: 660, height: 76 + longest * pitch + 24, map: null };
};

const pen = must(document.createElement("canvas").getContext("2d"), "canvas");

/** The width of the title in pixels. */
const widthOf = (text) => {
  pen.font = `600 14px ${site.style.font}`;
  return pen.measureText(text).width;
};

/** Draws the view once it is exact: {svg, width, height, map: {x, y, cell} or null for lines, caption}. */
export const makePicture = async () => {
  await store.exactly();
  const shown = shownNow();
  const ink = Object.fromEntries(["panel", "text", "quiet", "line", "accent"].map((name) => [name, variable(name)]));
  const { group, width, height, map } = (store.view.view === "lines" ? linesOf : mapOf)(shown, ink);
  const title = caption(shown);
  const full = Math.max(width, Math.ceil(32 + widthOf(title)));
  const root = svg(
    "svg",
    {
      xmlns: "http://www.w3.org/2000/svg",
      width: full,
      height,
      viewBox: `0 0 ${full} ${height}`,
      "font-family": site.style.font.replaceAll('"', "'"),
    },
    svg("title", {}, clean(title)),
    svg("rect", { width: "100%", height: "100%", fill: ink.panel }),
    words(title, 16, 24, { "font-size": 14, "font-weight": 600, fill: ink.text }),
    group,
  );
  return { svg: root, width: full, height, map, caption: title };
};
