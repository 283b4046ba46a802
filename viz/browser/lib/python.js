// Copy as Python: a program that reproduces a panel's numbers and picture.

import { answerTo, copyText, unanswered, whyNot } from "./ask.js";
import { h } from "./base.js";
import { say } from "./messages.js";
import { site } from "./site.js";

/** tab → a function that returns what its panels show, as plain values for viz/panels, or null if there is nothing yet;
 *  each tab adds its own.
 *  @type {{ [tab: string]: () => any }} */
export const viewOf = {};

/** panel → a function that returns what it shows besides the view of its tab; a panel adds its own.
 *  @type {{ [panel: string]: () => { [name: string]: any } }} */
export const ownView = {};

/** A panel's button and its dialog. The program is also displayed, because the clipboard may refuse it.
 *  @type {(panel: string, title: string) => [HTMLElement, HTMLElement]} */
export const pythonButton = (panel, title) => {
  const words = say("python_copy");
  const label = say("labelled", { label: words, value: title });
  const status = h("p", { role: "status" });
  const code = h("textarea", { readonly: true, rows: 18, spellcheck: "false", "aria-label": words });
  const close = h("button.f-button", { onclick: () => dialog.close() }, say("python_close"));
  const dialog = h("dialog.python", { "aria-label": label }, status, code, close);
  // not the page's keys
  for (const type of ["keydown", "pointermove"])
    dialog.addEventListener(type, (/** @type {Event} */ event) => event.stopPropagation());
  const ask = async () => {
    const shown = viewOf[site.panels[panel]]();
    if (!shown) throw unanswered("python_early");
    return (await answerTo(`/python/${panel}`, { ...shown, ...ownView[panel]?.() })).code;
  };
  let asked = 0; // counts openings
  // Opens before the answer arrives: a dialog that opens later could cover something else.
  const open = async () => {
    code.hidden = true;
    status.textContent = say("python_writing");
    dialog.showModal();
    const own = ++asked;
    const lines = await ask().catch((error) => error);
    if (own !== asked) return; // opened again, perhaps for another view
    const failed = lines instanceof Error;
    code.value = failed ? "" : lines;
    code.hidden = failed;
    status.textContent = failed ? whyNot(lines) : say("python_lines");
    if (!failed && dialog.open && (await copyText(code))) status.textContent = say("python_copied");
  };
  const button = h("button.panel-python", { title: words, "aria-label": label, onclick: open }, "py");
  return [button, dialog];
};
