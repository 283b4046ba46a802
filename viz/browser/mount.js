// Draws the parts of the page, each as soon as its script and the script's imports are loaded.

import { opened } from "./lib/address.js";
import { asking, importScript, whyNot } from "./lib/ask.js";
import { h } from "./lib/base.js";
import { say } from "./lib/messages.js";
import { page } from "./lib/page.js";
import { site } from "./lib/site.js";

const LATEST = 2000; // ms after which a part does not wait any longer

/** Whether a script draws the first view; for a panel that fills the window, all parts of its tab do. */
const comesFirst = (path) => {
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
let first = null; // a promise of that

/** Draws a part, {element, trigger, props: {value}}, by the script at a path below viz; data-coming marks it until
 *  then. */
const mount = async (path, part) => {
  part.element.dataset.coming = "";
  if (!comesFirst(path)) {
    await (first ??= drawn());
    await spare();
  }
  try {
    const script = await importScript(new URL(`../${path}`, import.meta.url).href);
    script.mount(part);
  } catch (error) {
    const retry = h("button.field-button", { onclick: () => mount(path, part) }, say("learn_again"));
    part.element.replaceChildren(h("p.note.error", { role: "alert" }, whyNot(error), " ", retry));
  }
  delete part.element.dataset.coming;
};

/** Puts parts, rows and columns of them (`Part` in __init__.py), on the page before a component of Gradio's, {element,
 *  trigger, props}, which stays empty. Each has elements such as that component has. */
export const layOut = ({ element, trigger, props }) => {
  const within = element.parentElement;
  const block = within.parentElement;
  const copy = (node, name, child) => {
    const made = node.cloneNode(false);
    made.removeAttribute("id");
    if (name) made.classList.add(name);
    made.append(...child);
    return made;
  };
  const build = ({ parts, classes, style, script, name, value }) => {
    if (parts) return h(`div.laid.${classes.trim().replaceAll(" ", ".")}`, { style }, ...parts.map(build));
    const inner = copy(element, name, []);
    mount(script, { element: inner, trigger, props: { value } });
    return copy(block, name, [copy(within, "", [inner])]);
  };
  block.before(...props.value.map(build));
};
