// Helpers for all scripts: elements without markup, canvases, notifying listeners, drawing once a frame.

/** @typedef {{ clientX: number, clientY: number }} Pointer */
/** @typedef {{ left: number, top: number, width: number, height: number }} Frame */
/** @typedef {{ row: number, column: number }} Cell */

/** Splits what an element is made of: [attributes, children]. The attributes, a plain object, may be left out.
 *
 * @param {any[]} parts */
const split = ([first, ...rest]) => (first?.constructor === Object ? [first, rest] : [{}, [first, ...rest]]);

/**
 * h("button.quiet", {onclick: f}, "text", child): an element with classes, attributes and children; each of them may be
 * left out. Text is always text, never markup. A button sends no form unless its type says so.
 *
 * @param {string} named
 * @param {...any} parts
 * @returns {any}
 */
export const h = (named, ...parts) => {
  const [tag, ...classes] = named.split(".");
  const [attributes, children] = split(parts);
  const node = document.createElement(tag);
  if (tag === "button") node.setAttribute("type", "button");
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value != null) node.setAttribute(name, value);
  }
  node.classList.add(...classes);
  node.append(...children.filter((/** @type {any} */ child) => child != null));
  return node;
};

/** The head of a table, with the names of its columns. Where a name is null, the cell is empty.
 *  @type {(...names: (string | null)[]) => HTMLElement} */
export const tableHead = (...names) =>
  h("thead", h("tr", ...names.map((name) => (name ? h("th", { scope: "col" }, name) : h("td")))));

/** A row of a table, with or without attributes: its name, and its cells.
 *  @type {(...parts: any[]) => HTMLElement} */
export const tableRow = (...parts) => {
  const [attributes, [name, ...cells]] = split(parts);
  return h("tr", attributes, h("th", { scope: "row" }, name), ...cells);
};

/** What scrolls sideways where it is wider than its place, by keyboard too, under a name of its own.
 *  @type {(kind: string, name: string, ...children: any[]) => HTMLElement} */
export const sideways = (kind, name, ...children) =>
  h(`div.${kind}.sideways`, { tabindex: 0, role: "region", "aria-label": name }, ...children);

/**
 * A value that is there by now. Throws if it is not.
 *
 * @template T
 * @param {T} value
 * @param {string} name what is missing, for the console
 * @returns {NonNullable<T>}
 */
export const must = (value, name) => {
  if (value == null) throw new Error(`there is no ${name}`);
  return value;
};

/** @type {(node: Element, attributes: { [name: string]: any }) => void} */
export const setAttributes = (node, attributes) => {
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
};

/** svg("path", {d: "M0 0H9"}, "text", child): an element of a drawing.
 *  @type {(tag: string, attributes?: { [name: string]: any }, ...children: (Node | string)[]) => any} */
export const svg = (tag, attributes = {}, ...children) => {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  setAttributes(node, attributes);
  node.append(...children);
  return node;
};

/** Sets an element's text, unless it is the same: then nothing is laid out again.
 *  @type {(node: Node, words: string) => void} */
export const setText = (node, words) => {
  if (node.textContent !== words) node.textContent = words;
};

// A right-to-left script; or an emoji's skin tone alone, which browsers would join to the quote before it.
const APART = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]|^[\u{1f3fb}-\u{1f3ff}]/u;

/** A label with its own direction if its script runs from right to left, so that its surroundings keep theirs.
 *  viz/style.py does the same.
 *  @type {(label: string) => string} */
export const isolate = (label) => (APART.test(label) && !label.includes("\u2068") ? `\u2068${label}\u2069` : label);

const segmenter = Intl.Segmenter && new Intl.Segmenter(); // Firefox has it from 125 on

/** The characters of a text as people see them: an emoji of several code points is one, and so is a letter with
 *  marks.
 *  @type {(text: string) => string[]} */
export const characters = (text) => (segmenter ? Array.from(segmenter.segment(text), (one) => one.segment) : [...text]);

/** Shortens a text to a number of characters.
 *  @type {(text: string, most: number) => string} */
export const shorten = (text, most) => {
  if (text.length <= most) return text;
  const all = characters(text);
  return all.length > most ? `${all.slice(0, most - 1).join("")}…` : text;
};

export const isDark = () => document.body.classList.contains("dark");

/** Whether one panel fills the window, see presenter.js. */
export const isPresenting = () => document.body.classList.contains("presenting");

export const reducedMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** The address of one of our routes, wherever the page is mounted. Of the root that Gradio gives only the path is
 *  reliable: behind a proxy that ends TLS or uses another port, its scheme, host and port may be the server's own.
 *  @type {(path: string) => string} */
export const url = (path) =>
  new URL(window.gradio_config?.root ?? "", location.href).pathname.replace(/\/$/, "") + path;

/** Pixels of the screen for one CSS pixel of an element. Only a presented panel is zoomed; otherwise the zoom is not
 *  read, as that would make the browser recompute all styles.
 *  @type {(element: any) => number} */
export const pixelRatio = (element) =>
  (window.devicePixelRatio || 1) * ((isPresenting() && element.currentCSSZoom) || 1);

/** The position of an event on a canvas or drawing, in its own CSS pixels, of which it is `width` wide: a presented
 *  panel is zoomed.
 *  @type {(element: any, event: Pointer, width?: number) => { x: number, y: number }} */
export const placeOn = (element, event, width = parseFloat(element.style.width)) => {
  const box = element.getBoundingClientRect();
  const scale = width / box.width;
  return { x: (event.clientX - box.left) * scale, y: (event.clientY - box.top) * scale };
};

/** The {row, column} under an event, in a picture of rows × columns in a frame {left, top, width, height} on a canvas;
 *  null outside the frame.
 *  @type {(canvas: any, event: Pointer, frame: Frame, rows: number, columns: number) => Cell | null} */
export const cellAt = (canvas, event, frame, rows, columns) => {
  const { x, y } = placeOn(canvas, event);
  const column = Math.floor(((x - frame.left) / frame.width) * columns);
  const row = Math.floor(((y - frame.top) / frame.height) * rows);
  return row >= 0 && row < rows && column >= 0 && column < columns ? { row, column } : null;
};

/** The {row, column} under an event, in a picture that has a pixel for each number and fills its canvas.
 *  @type {(canvas: HTMLCanvasElement, event: Pointer) => Cell} */
export const numberAt = (canvas, event) => {
  const box = canvas.getBoundingClientRect();
  return {
    row: Math.floor(((event.clientY - box.top) / box.height) * canvas.height),
    column: Math.floor(((event.clientX - box.left) / box.width) * canvas.width),
  };
};

/** Sizes a canvas in CSS pixels, sharp on any screen; returns its 2d context, cleared.
 *  @type {(canvas: any, width: number, height: number) => any} */
export const fit = (canvas, width, height) => {
  const ratio = pixelRatio(canvas);
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== w || canvas.height !== h) Object.assign(canvas, { width: w, height: h });
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
};

/**
 * Listeners to changes: {subscribe, publish}. subscribe(element, listen) calls listen(Set of names) at once with all
 * `names`, then for each publish(...names) while the element is on the page; it returns a function to unsubscribe. An
 * error of one listener does not affect the others.
 *
 * @param {string[]} names
 */
export const listeners = (names) => {
  const entries = new Set();
  /** @type {(element: Element, listen: (changed: Set<string>) => void) => () => void} */
  const subscribe = (element, listen) => {
    const entry = { element, listen };
    entries.add(entry);
    listen(new Set(names));
    return () => void entries.delete(entry);
  };
  /** @type {(...changed: string[]) => void} */
  const publish = (...changed) => {
    const set = new Set(changed);
    for (const entry of entries) {
      if (entry.element.isConnected) attempt(() => entry.listen(set));
      else entries.delete(entry);
    }
  };
  return { subscribe, publish };
};

/**
 * Connects an input that people type into: take(text) gets the text when it is entered. Returns a function that shows
 * current() in the input, unless somebody is typing in it.
 *  @type {(input: any, take: (text: string) => void, current: () => string) => () => void} */
export const typedInto = (input, take, current) => {
  let typing = false;
  const show = () => {
    if (!typing) input.value = current();
  };
  input.addEventListener("input", () => (typing = true));
  input.addEventListener("change", () => take(input.value));
  for (const end of ["change", "blur"])
    input.addEventListener(end, () => {
      typing = false;
      show();
    });
  return show;
};

/** Calls act, and reports its error without throwing it.
 *  @type {(act: () => void) => void} */
const attempt = (act) => {
  try {
    act();
  } catch (error) {
    reportError(error);
  }
};

const due = new Set(); // draws for the next frame, or for the rest of the current one
let drawing = false;
const frame = () => {
  drawing = true;
  const drawn = new Set();
  for (const draw of due) {
    if (drawn.has(draw)) continue; // a draw that requests itself waits for the next frame
    due.delete(draw);
    drawn.add(draw);
    attempt(draw);
  }
  drawing = false;
  if (due.size) requestAnimationFrame(frame);
};

/** Calls draw at most once a frame, however often it is requested: in the current frame if that is being drawn.
 *  @type {(draw: () => void) => () => void} */
export const eachFrame = (draw) => () => {
  if (!due.size && !drawing) requestAnimationFrame(frame);
  due.add(draw);
};

/** Replaces the children of an element; the focus stays at the same of its buttons or links, or goes to the last.
 *  @type {(element: Element, children: (Node | string)[]) => void} */
export const refill = (element, children) => {
  const all = () => [...element.querySelectorAll("a, button")];
  const at = all().indexOf(/** @type {any} */ (document.activeElement));
  element.replaceChildren(...children);
  if (at >= 0) (all()[at] ?? all().at(-1))?.focus({ preventScroll: true });
};

/** Draws at once all that is due in the next frame: no frame comes before the page is printed. */
export const drawNow = () => due.size && frame();

const QUIET = 50; // ms after a frame in which nothing more was chosen
const deferred = new Set(); // draws to run later
let timer = 0;
let painting = false; // whether the frame that comes first is still to be painted

/** Defers draw until the next frame is on the screen and no other draw was deferred for a moment: for whatever is less
 *  urgent than the main picture. After several quick choices, only the last is drawn.
 *  @type {(draw: () => void) => () => void} */
export const defer = (draw) => () => {
  deferred.add(draw);
  clearTimeout(timer);
  if (painting) return;
  painting = true;
  requestAnimationFrame(() => {
    painting = false;
    timer = setTimeout(flushDeferred, QUIET);
  });
};

/** Runs all deferred draws now. */
export const flushDeferred = () => {
  clearTimeout(timer);
  const draws = [...deferred];
  deferred.clear();
  draws.forEach(attempt);
};

/** Whether a draw is deferred. */
export const hasDeferred = () => deferred.size > 0;
