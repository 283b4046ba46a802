// A titled panel that can fill the window; and handlers for changes of its size and of the theme.

import { eachFrame, h, isPresenting, must } from "./base.js";
import { say } from "./messages.js";
import { pythonButton } from "./python.js";

/** @typedef {{ section: any, title: any, tools: any, body: any, foot: any }} Panel the elements of one */
/** @typedef {{ width: number, height: number }} Size */

/** @type {{ restore: () => void, free: () => void } | null} */ let largest = null; // the panel that fills the window

/** A panel in `element` with a button that maximises it.
 *  @type {(element: HTMLElement, heading: string) => Panel} */
export const makePanel = (element, heading) => {
  const title = h("h2", heading);
  const [tools, body, foot] = ["tools", "body", "foot"].map((name) => h("div", { class: `panel-${name}` }));
  const button = h("button.panel-maximise", { onclick: () => maximise(!largest) });
  const own = [...element.classList].find((one) => one.startsWith("former-"));
  const name = must(own, "name of the panel").slice("former-".length);
  const python = pythonButton(name, heading);
  const section = h(
    "section.panel",
    { "data-panel": name },
    h("header", title, tools, python[0], button),
    body,
    foot,
    python[1],
  );
  const label = (/** @type {string} */ words, /** @type {string} */ sign) => {
    button.replaceChildren(sign);
    button.title = words;
    button.setAttribute("aria-label", say("labelled", { label: words, value: title.textContent }));
  };
  const maximise = (/** @type {boolean} */ on) => {
    largest?.restore();
    if (!on) return;
    section.classList.add("maximised");
    const free = makeOthersInert(section);
    const gone = new ResizeObserver(() => section.checkVisibility() || restore()); // its tab or section was left
    gone.observe(section);
    largest = { restore, free: () => (gone.disconnect(), free()) };
    label(say("restore"), "✕");
    button.focus({ preventScroll: true });
  };
  const restore = () => {
    section.classList.remove("maximised");
    largest?.free();
    largest = null;
    label(say("maximise"), "⤢");
    button.focus({ preventScroll: true });
  };
  label(say("maximise"), "⤢");
  element.replaceChildren(section);
  return { section, title, tools, body, foot };
};

/** Makes everything inert except an element and the room's messages; returns a function that undoes this. */
const makeOthersInert = (/** @type {any} */ element) => {
  /** @type {HTMLElement[]} */
  const others = [];
  for (let at = element; at !== document.body; at = at.parentElement) {
    const beside = [...at.parentElement.children].filter(
      (node) => node !== at && !node.inert && !node.matches(".room-bar, .hint-card"),
    );
    others.push(...beside);
  }
  for (const other of others) other.inert = true;
  return () => others.forEach((other) => (other.inert = false));
};

export const restoreLargest = () => largest?.restore();

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.defaultPrevented || isPresenting() || !largest) return;
  largest.restore();
  event.preventDefault();
});

/** Calls entered each time an element comes into view; returns a function that says whether it is.
 *  @type {(element: Element, entered: () => void) => () => boolean} */
export const whileInView = (element, entered) => {
  let inView = false;
  new IntersectionObserver((entries) => {
    inView = Boolean(entries.at(-1)?.isIntersecting);
    if (inView) entered();
  }).observe(element);
  return () => inView;
};

/** @type {(() => void)[]} */ const measures = []; // a function for each watched element

/** The size of the inside of an element, kept current; draw is called after changes. Never forces a layout.
 *  @type {(element: HTMLElement, draw: () => void) => Size} */
export const watchSize = (element, draw) => {
  const size = { width: 0, height: 0 };
  const take = (/** @type {Size} */ { width, height }) => {
    Object.assign(size, { width: Math.floor(width), height: Math.floor(height) });
    draw();
  };
  new ResizeObserver(([{ contentRect }]) => take(contentRect)).observe(element);
  measures.push(() => element.checkVisibility() && take(insideOf(element)));
  return size;
};

/** The size of an element without its padding.
 *  @type {(element: HTMLElement) => Size} */
const insideOf = (element) => {
  const style = getComputedStyle(element);
  const sides = [style.paddingLeft, style.paddingRight, style.paddingTop, style.paddingBottom];
  const [left, right, top, bottom] = sides.map(parseFloat);
  return { width: element.clientWidth - left - right, height: element.clientHeight - top - bottom };
};

/** Takes the sizes of all pictures at once, for a layout that no frame comes before: the printed one. */
export const measureNow = () => measures.forEach((measure) => measure());

/**
 * The picture in `container`: {what, size, draw}. After draw(what), and when the size changes, paint(what, size) is run
 * in the next frame, as soon as there is content and room.
 *
 * @param {HTMLElement} container
 * @param {(what: any, size: Size) => void} paint
 */
export const makeDrawing = (container, paint) => {
  const soon = eachFrame(() => {
    const { what, size } = drawing;
    if (what && size.width && size.height) paint(what, size);
  });
  const draw = (/** @type {any} */ what) => {
    drawing.what = what;
    soon();
  };
  const drawing = { /** @type {any} */ what: null, size: watchSize(container, soon), draw };
  return drawing;
};

/** Calls draw when the theme changes, or the resolution, as when the window moves to another screen.
 *  @type {(draw: () => void) => void} */
export const onAppearance = (draw) => {
  new MutationObserver(draw).observe(document.body, { attributes: true, attributeFilter: ["class"] });
  onResolution(draw);
};

const onResolution = (/** @type {() => void} */ draw) => {
  const changed = () => {
    draw();
    onResolution(draw);
  };
  matchMedia(`(resolution: ${window.devicePixelRatio}dppx)`).addEventListener("change", changed, { once: true });
};

/** Whether panels are stacked, as on a phone; page.css has the same width. */
export const isStacked = () => matchMedia("(max-width: 800px)").matches;
