// Every layer × head as a thumbnail on one canvas, under a grid of cells for pointer and arrow keys. Choosing a head
// moves a mark and repaints nothing.

import { eachFrame, fit, h, isDark, pixelRatio, setText } from "../../../browser/lib/base.js";
import { cssOf, gradient, makeImage, palette, signedAt, variable } from "../../../browser/lib/colour.js";
import { maxAspect } from "../../../browser/lib/fill.js";
import { areaOf, hatch } from "../../../browser/lib/heat_map/cells.js";
import { say } from "../../../browser/lib/messages.js";
import { asSigned } from "../../../browser/lib/numbers.js";
import { isStacked, makePanel, onAppearance, watchSize } from "../../../browser/lib/panel.js";
import { site } from "../../../browser/lib/site.js";
import { cellBeside } from "../lib/grid.js";
import { habitOf } from "../lib/habit.js";
import { viewName } from "../lib/labels.js";
import { pixelsOfLevels, pool } from "../lib/paint.js";
import { isOff } from "../lib/pass.js";
import { store } from "../lib/store.js";

const GAP = 3;
const LEFT = 22; // room for the layers' numbers
const TOP = 16; // and for the heads'
const signed = (value) => asSigned(value, 3);

/** 1 if a thumbnail's pixel has masked cells only, 2 if it has skipped cells and no others (1 if they are padding). */
const maskOf = (map, w, h) => {
  const hidden = new Uint8Array(w * h);
  if (map.skipped) skippedOf(map, w, h, hidden);
  if (!map.hides) return hidden;
  const [down, across] = [map.queries.length, map.keys.length];
  for (let y = 0; y < h; y++) {
    const query = Math.max(Math.floor((y * down) / h), Math.ceil(((y + 1) * down) / h) - 1);
    for (let x = 0; x < w; x++) if (Math.floor((x * across) / w) >= map.lengths[query]) hidden[y * w + x] = 1;
  }
  return hidden;
};

/** Sets the 2s: a pixel with a computed cell loses its 2. */
const skippedOf = (map, w, h, hidden) => {
  const [down, across] = [map.queries.length, map.keys.length];
  hidden.fill(map.padded ? 1 : 2);
  for (let query = 0; query < down; query++)
    for (let key = 0; key < map.lengths[query]; key++) {
      if (map.skips(query, key)) continue;
      const [left, top] = [Math.floor((key * w) / across), Math.floor((query * h) / down)];
      for (let y = top; y < Math.max(top + 1, ((query + 1) * h) / down); y++)
        for (let x = left; x < Math.max(left + 1, ((key + 1) * w) / across); x++) hidden[y * w + x] = 0;
    }
};

/** The hatching over a thumbnail's masked cells as a canvas, drawn once for all. */
const veilOf = (map, tile, width, height) => {
  const veil = h("canvas", { width, height });
  const context = veil.getContext("2d");
  context.scale(width / tile.w, height / tile.h);
  const [rows, columns] = [map.queries.length, map.keys.length];
  const cells = { rows, columns, x: (key) => (key * tile.w) / columns, y: (query) => (query * tile.h) / rows };
  const area = areaOf(cells, (query, key) => map.hidden(query, key));
  hatch(context, area, { left: 0, top: 0, width: tile.w, height: tile.h });
  return veil;
};

/** The numbers of layers and heads as a canvas. A font that is set on a canvas of the page has the browser compute all
 *  changed styles first. */
const numbersOf = (tile, layers, heads, width, height, ratio) => {
  const numbers = h("canvas", { width: Math.round(width * ratio), height: Math.round(height * ratio) });
  const context = numbers.getContext("2d");
  context.scale(ratio, ratio);
  context.font = `11px ${site.style.font}`;
  context.fillStyle = variable("quiet");
  context.textBaseline = "middle";
  context.textAlign = "right";
  for (let layer = 0; layer < layers; layer++)
    context.fillText(layer, LEFT - 6, TOP + layer * (tile.h + GAP) + tile.h / 2);
  context.textAlign = "center";
  for (let head = 0; head < heads; head++)
    context.fillText(head, LEFT + head * (tile.w + GAP) + tile.w / 2, TOP / 2 - 1);
  return numbers;
};

/** The thumbnails' size in CSS pixels: as large as the room allows, and nearly square. */
const tileOf = ({ layers, heads }, { width: wide, height: high }, square) => {
  const width = Math.floor((wide - LEFT) / heads) - GAP;
  const height = square ? width : Math.floor((high - TOP - 2) / layers) - GAP;
  return {
    w: Math.max(8, Math.min(width, Math.round(height * maxAspect(1.5)))),
    h: Math.max(10, Math.min(height, Math.round(width * 1.25))),
  };
};

const thumbnail = document.createElement("canvas"); // one at a time, never on the page

/** Draws the thumbnails of all heads, of w × h pixels of the screen each. */
const drawThumbnails = (context, map, tile, { w, h }) => {
  const hidden = maskOf(map, w, h);
  const { masked, skipped } = palette();
  const grounds = [null, masked, skipped];
  const veil = map.hides && veilOf(map, tile, w, h);
  context.imageSmoothingEnabled = false;
  for (let layer = 0; layer < map.layers; layer++)
    for (let head = 0; head < map.heads; head++) {
      const levels = pool(map, layer, head, w, h, store.view.scale === "row");
      const table = pixelsOfLevels(map.scales[layer * map.heads + head]);
      makeImage(w, h, (x, y) => grounds[hidden[y * w + x]] ?? table[levels[y * w + x]], thumbnail);
      const [left, top] = [LEFT + head * (tile.w + GAP), TOP + layer * (tile.h + GAP)];
      context.drawImage(thumbnail, left, top, tile.w, tile.h);
      if (veil) context.drawImage(veil, left, top, tile.w, tile.h);
    }
};

/** The canvas of the thumbnails under `grid`: {node, paint(size, square)}. */
const makeSheet = (grid) => {
  const canvas = h("canvas", { "aria-hidden": "true" });
  const node = h("div.sheet", canvas, grid);
  let painted = ""; // what the canvas shows
  const paint = (size, square) => {
    const { header, map, view } = store;
    const { layers, heads } = map;
    const tile = tileOf(map, size, square);
    const ratio = pixelRatio(canvas);
    const now = [header.key, map.name, tile.w, tile.h, view.scale, isDark(), ratio].join();
    if (now === painted) return;
    painted = now;
    const [width, height] = [LEFT + heads * (tile.w + GAP), TOP + layers * (tile.h + GAP)];
    const context = fit(canvas, width, height);
    grid.style.cssText = `left:${LEFT}px;top:${TOP}px;--tile-w:${tile.w}px;--tile-h:${tile.h}px;--gap:${GAP}px`;
    node.style.cssText = `width:${width}px;height:${height}px`;
    drawThumbnails(context, map, tile, { w: Math.round(tile.w * ratio), h: Math.round(tile.h * ratio) });
    context.drawImage(numbersOf(tile, layers, heads, width, height, ratio), 0, 0, width, height);
  };
  return { node, paint };
};

const choose = (layer, head) => store.set({ layer, head, of: "head" });

const cellAt = (event) => {
  const cell = event.target.closest?.("[data-layer]");
  return cell ? { layer: Number(cell.dataset.layer), head: Number(cell.dataset.head) } : null;
};

/** The legend of measured effects, from −most to most. */
const legendOf = (most) => [
  h("span", say("effect_legend")),
  h("span", signed(-most)),
  h("i", { style: `background:${gradient(palette().scores, 1, 0)}` }),
  h("span", signed(most)),
];

/** Whether a head is part of the selection: a head, or the layers of a mean or a rollout. */
const isTaken = (at) => {
  const { layer, head, of } = store.view;
  if (of === "head") return at.layer === layer && at.head === head;
  return of === "mean" ? at.layer === layer : at.layer <= layer;
};

/** The cells over the thumbnails, one for each head: {node, every, build, mark}; pointed({layer, head} or null). */
const makeCells = (pointed) => {
  const node = h("div.cells", { role: "grid", "aria-label": say("overview_label") });
  let cells = []; // [layer][head] elements
  const every = () => cells.flatMap((row, layer) => row.map((cell, head) => ({ cell, at: { layer, head } })));
  const build = ({ layers, heads }) => {
    if (cells.length === layers && cells[0].length === heads) return;
    pointed(null); // its cell is about to be replaced
    const cell = (layer, head) => h("div", { role: "gridcell", tabindex: -1, "data-layer": layer, "data-head": head });
    cells = list(layers, (layer) => list(heads, (head) => cell(layer, head)));
    node.replaceChildren(...cells.map((row) => h("div", { role: "row" }, ...row)));
  };
  const mark = () => {
    const { layer, head } = store.view;
    for (const { cell, at } of every()) {
      const chosen = `${isTaken(at)}`;
      if (cell.ariaSelected !== chosen) cell.ariaSelected = chosen;
      const stop = at.layer === layer && at.head === head ? 0 : -1; // for the Tab key
      if (cell.tabIndex !== stop) cell.tabIndex = stop;
    }
  };
  node.addEventListener("click", (event) => {
    const at = cellAt(event);
    if (at) choose(at.layer, at.head);
  });
  node.addEventListener("pointermove", (event) => pointed(event.pointerType === "touch" ? null : cellAt(event)));
  node.addEventListener("pointerleave", () => pointed(null));
  node.addEventListener("keydown", (event) => {
    const { layer, head } = store.view;
    const { layers, heads } = store.map;
    const now = { row: layer, column: head };
    const to = cellBeside(event, now, layers, heads) ?? (["Enter", " "].includes(event.key) ? now : null);
    if (!to) return;
    event.preventDefault();
    choose(to.row, to.column);
    cells[store.view.layer][store.view.head].focus({ preventScroll: true });
  });
  return { node, every, build, mark };
};

const list = (size, make) => Array.from({ length: size }, (_, i) => make(i));
const MARKS = ["layer", "head", "of"];

export const mount = ({ element }) => {
  const { tools, body, foot } = makePanel(element, say("overview"));
  let pointed = null; // {layer, head}
  const cells = makeCells((at) => {
    pointed = at;
    if (store.pass) read();
  });
  const sheet = makeSheet(cells.node);
  const legend = h("p.effect-legend", { hidden: true });
  const readout = h("p.readout");
  tools.append(h("span.quiet", say("overview_axes")));
  body.append(sheet.node);
  foot.append(legend, readout);
  let habits = []; // [layer][head], in a few words

  /** Shows a new pass: its cells, and the description of each head. */
  const build = () => {
    const { map } = store;
    habits = list(map.layers, (layer) => list(map.heads, (head) => habitOf({ map, of: "head", layer, head }).short));
    cells.build(map);
  };

  /** "Layer 3, head 5: previous token 83 %", with the measured effect if there is one. */
  const describe = ({ layer, head }) => {
    const effect = store.effects?.[store.map.name]?.[layer]?.[head];
    const worth = effect == null ? "" : say(`effect_on_${store.header.effectOn}`, { effect: signed(effect) });
    const state = isOff(store.header, store.map, layer, head) ? say("effect_off") : worth;
    const measured = state && `${state} · `;
    return say("labelled", { label: say("head_name", { layer, head }), value: `${measured}${habits[layer][head]}` });
  };

  const read = () => {
    const { view } = store;
    const at = pointed ?? view;
    const named = pointed || view.of === "head" ? describe(at) : viewName(view);
    setText(readout, named);
    readout.title = named;
    readout.dataset.layer = at.layer;
    readout.dataset.head = at.head;
  };

  /** Shows each head's measured effect as a border: one colour if the prediction is worse without it, another if
   *  better. */
  const paintEffects = () => {
    const effects = store.effects?.[store.map.name];
    legend.hidden = !effects;
    cells.node.classList.toggle("measured", Boolean(effects));
    const most = Math.max(1e-9, ...(effects ?? []).flat().map((effect) => Math.abs(effect ?? 0)));
    const { scores } = palette();
    for (const { cell, at } of cells.every()) {
      const off = isOff(store.header, store.map, at.layer, at.head);
      cell.classList.toggle("off", off);
      const effect = off ? null : effects?.[at.layer]?.[at.head];
      const colour = effect == null ? null : cssOf(scores[signedAt(-effect / most)]);
      if (colour) cell.style.setProperty("--effect", colour);
      else cell.style.removeProperty("--effect"); // if it has none, its style is not computed again
      cell.ariaLabel = describe(at);
    }
    if (!effects) return;
    legend.replaceChildren(...legendOf(most));
  };

  const paint = eachFrame(() => {
    if (!store.pass || !size.width) return;
    sheet.paint(size, isStacked() && !element.querySelector(".maximised"));
    element.dataset.rev = store.rev;
  });
  const size = watchSize(body, paint);
  store.subscribe(element, (changed) => {
    if (!store.pass) return;
    const other = changed.has("pass") || changed.has("map");
    if (other) build();
    if (other || changed.has("effects")) paintEffects();
    if (other || changed.has("effects") || MARKS.some((name) => changed.has(name))) {
      cells.mark();
      read();
    }
    if (["pass", "map", "scale", "rev"].some((name) => changed.has(name))) paint();
  });
  onAppearance(() => {
    paint();
    paintEffects();
  });
};
