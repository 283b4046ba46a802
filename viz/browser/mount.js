// Draws the parts of the page, each as soon as its script and the script's imports are loaded.

import { opened } from "./lib/address.js";
import { asking, importScript, whyNot } from "./lib/ask.js";
import { h, must } from "./lib/base.js";
import { say } from "./lib/messages.js";
import { page } from "./lib/page.js";
import { site } from "./lib/site.js";

/** @typedef {{ element: HTMLElement, trigger: (event: string) => void, props: { value: any } }} Mounted a part, as its
 *  script's mount(part) gets it */
/** @typedef {{ parts?: Part[], classes: string, style: string, script: string, name: string, value: any }} Part as
 *  Python describes it (__init__.py) */

const LATEST = 2000; // ms after which a part does not wait any longer

/** Whether a script draws the first view; for a panel that fills the window, all parts of its tab do. */
const comesFirst = (/** @type {string} */ path) => {
  const [, tab = page.tab] = path.match(/^tabs\/(\w+)/) ?? [];
  return tab === page.tab && (site.first.includes(path) || opened.has("present") || opened.has("embed"));
};

/** Resolves when the page is idle. */
const spare = () =>
  new Promise((done) =>
    "requestIdleCallback" in window ? requestIdleCallback(done, { timeout: LATEST }) : setTimeout(done),
  );

/** Resolves when the first view is drawn: what it asked for is here, and a frame later. */
const drawn = async () => {
  const limit = performance.now() + LATEST;
  do await spare();
  while (asking() && performance.now() < limit);
  await Promise.race([new Promise(requestAnimationFrame), new Promise((done) => setTimeout(done, LATEST))]);
};
/** @type {Promise<void> | null} */ let first = null; // a promise of that

/** Draws a part by the script at a path below viz; data-coming marks it until then.
 *  @type {(path: string, part: Mounted) => Promise<void>} */
const mount = async (path, part) => {
  part.element.dataset.coming = "";
  if (!comesFirst(path)) {
    await (first ??= drawn());
    await spare();
  }
  try {
    const script = await importScript(new URL(`../${path}`, import.meta.url).href);
    part.element.replaceChildren(); // an error, before another attempt
    script.mount(part);
  } catch (error) {
    const retry = h("button.field-button", { onclick: () => mount(path, part) }, say("learn_again"));
    part.element.replaceChildren(h("p.note.error", { role: "alert" }, whyNot(error), " ", retry));
  }
  delete part.element.dataset.coming;
};

/** Puts parts, rows and columns of them, on the page before a component of Gradio's, which stays empty. Each has
 *  elements such as that component has. */
export const layOut = (/** @type {Mounted} */ { element, trigger, props }) => {
  const within = must(element.parentElement, "element around the component");
  const block = must(within.parentElement, "block of the component");
  /** @type {(node: HTMLElement, name: string, child: HTMLElement[]) => HTMLElement} */
  const copy = (node, name, child) => {
    const made = /** @type {HTMLElement} */ (node.cloneNode(false));
    made.removeAttribute("id");
    if (name) made.classList.add(name);
    made.append(...child);
    return made;
  };
  /** @type {(part: Part) => HTMLElement} */
  const build = ({ parts, classes, style, script, name, value }) => {
    if (parts) return h(`div.laid.${classes.trim().replaceAll(" ", ".")}`, { style }, ...parts.map(build));
    const inner = copy(element, name, []);
    mount(script, { element: inner, trigger, props: { value } });
    return copy(block, name, [copy(within, "", [inner])]);
  };
  block.before(...props.value.map(build));
};
