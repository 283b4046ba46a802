// What every script shares: elements without markup, canvases, who is told of changes.

/** h("button", {class: "x", onclick: f}, "text", child): an element. Text is always text, never markup. */
export const h = (tag, attributes = {}, ...children) => {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value != null) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child != null));
  return node;
};

/** svg("path", {d: "M0 0H9"}, "text", child): an element of a drawing. */
export const svg = (tag, attributes = {}, ...children) => {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
};

/** Puts a text in an element; one that has it is left as it is, and laid out no second time. */
export const setText = (node, words) => {
  if (node.textContent !== words) node.textContent = words;
};

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/** A label with its own direction if its script runs from right to left, as else it would turn the signs, numbers and
 *  labels around it too. viz/text/form.py does the same. */
export const isolate = (label) =>
  RIGHT_TO_LEFT.test(label) && !label.includes("\u2068") ? `\u2068${label}\u2069` : label;

const segmenter = Intl.Segmenter && new Intl.Segmenter(); // Firefox has it from 125 on

/** The characters of a text as people see them: an emoji of several code points is one, as is a letter with marks. */
export const characters = (text) => (segmenter ? Array.from(segmenter.segment(text), (one) => one.segment) : [...text]);

/** A text of at most so many characters. */
export const shorten = (text, most) => {
  if (text.length <= most) return text;
  const all = characters(text);
  return all.length > most ? `${all.slice(0, most - 1).join("")}…` : text;
};

export const isDark = () => document.body.classList.contains("dark");

/** Whether one panel fills the window, see presenter.js. */
export const isPresenting = () => document.body.classList.contains("presenting");

export const reducedMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** The address of a plain route of ours, wherever the page is mounted. Of what Gradio says only the path is sure:
 *  behind a proxy that ends TLS, or has another port, its scheme, host and port may be those of the server itself. */
export const url = (path) =>
  new URL(window.gradio_config?.root ?? "", location.href).pathname.replace(/\/$/, "") + path;

/** Pixels of the screen to one of an element's own: only a panel that is presented is zoomed, and to ask for it has the
 *  browser work out all styles anew. */
export const pixelRatio = (element) =>
  (window.devicePixelRatio || 1) * ((isPresenting() && element.currentCSSZoom) || 1);

/** Where an event is on a canvas, in the canvas's own CSS pixels. */
export const placeOn = (canvas, event) => {
  const box = canvas.getBoundingClientRect();
  const scale = parseFloat(canvas.style.width) / box.width;
  return { x: (event.clientX - box.left) * scale, y: (event.clientY - box.top) * scale };
};

/** The {row, column} of a picture on a canvas where an event is, of rows × columns in a frame {left, top, width,
 *  height}; null beside it. */
export const cellAt = (canvas, event, frame, rows, columns) => {
  const { x, y } = placeOn(canvas, event);
  const column = Math.floor(((x - frame.left) / frame.width) * columns);
  const row = Math.floor(((y - frame.top) / frame.height) * rows);
  return row >= 0 && row < rows && column >= 0 && column < columns ? { row, column } : null;
};

/** A canvas sized in CSS pixels and sharp on any screen; returns its 2d context, cleared. */
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
 * Who is told of changes: {subscribe, publish}. subscribe(element, listen) calls listen(Set of names) at once with all
 * `names`, then with what publish(...names) tells, while the element is on the page; it returns how to end that. An
 * error of one listener keeps nothing from the others.
 */
export const listeners = (names) => {
  const entries = new Set();
  const subscribe = (element, listen) => {
    const entry = { element, listen };
    entries.add(entry);
    listen(new Set(names));
    return () => entries.delete(entry);
  };
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
 * An input that people type into: take(text) gets what was typed once it is entered. Returns how to show current() in
 * it again, which leaves alone what is being typed.
 */
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

/** Calls act; its error keeps nothing else from being done. */
const attempt = (act) => {
  try {
    act();
  } catch (error) {
    reportError(error);
  }
};

const due = new Set(); // what is drawn in the next frame, or later in the one that is being drawn
let drawing = false;
const frame = () => {
  drawing = true;
  const drawn = new Set();
  for (const draw of due) {
    if (drawn.has(draw)) continue; // what asks for itself waits for the next frame
    due.delete(draw);
    drawn.add(draw);
    attempt(draw);
  }
  drawing = false;
  if (due.size) requestAnimationFrame(frame);
};

/** Calls draw at most once a frame, however often it is asked for: in this frame, where something else is being
 *  drawn. */
export const eachFrame = (draw) => () => {
  if (!due.size && !drawing) requestAnimationFrame(frame);
  due.add(draw);
};

/** Draws at once all that is due in the next frame: before the page is printed there is none. */
export const drawNow = () => due.size && frame();

const QUIET = 50; // ms after a frame in which nothing more was chosen
const rest = new Set(); // what is put off
let timer = 0;
let painting = false; // whether the frame is still to come that is painted before

/** Calls draw once the next frame is on the screen and nothing more has been put off for a moment: for what is beside
 *  the thing that was chosen. However fast one chooses, it is drawn for what was chosen last. */
export const afterwards = (draw) => () => {
  rest.add(draw);
  clearTimeout(timer);
  if (painting) return;
  painting = true;
  requestAnimationFrame(() => {
    painting = false;
    timer = setTimeout(catchUp, QUIET);
  });
};

/** Draws at once all that was put off. */
export const catchUp = () => {
  clearTimeout(timer);
  const draws = [...rest];
  rest.clear();
  draws.forEach(attempt);
};

/** Whether anything is put off. */
export const behind = () => rest.size > 0;
