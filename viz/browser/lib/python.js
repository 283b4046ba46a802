// Copy as Python: a few lines that give a panel's numbers and its picture again.

import { answerTo, copyText, unanswered, whyNot } from "./ask.js";
import { h } from "./base.js";
import { say } from "./messages.js";
import { site } from "./site.js";

/** tab → what its panels show now, as plain values for viz/panels, or null where there is nothing yet; each tab adds
 *  its own. */
export const viewOf = {};

/** A button for a panel, and what it opens. The lines are shown too: a clipboard may be refused. */
export const pythonButton = (panel, title) => {
  const words = say("python_copy");
  const label = say("labelled", { label: words, value: title });
  const status = h("p", { role: "status" });
  const code = h("textarea", { readonly: true, rows: 18, spellcheck: "false", "aria-label": words });
  const close = h("button", { type: "button", class: "f-button", onclick: () => dialog.close() }, say("python_close"));
  const dialog = h("dialog", { class: "python", "aria-label": label }, status, code, close);
  // not the page's
  for (const type of ["keydown", "pointermove"]) dialog.addEventListener(type, (event) => event.stopPropagation());
  const ask = async () => {
    const shown = viewOf[site.panels[panel]]();
    if (!shown) throw unanswered("python_early");
    return (await answerTo(`/python/${panel}`, shown)).code;
  };
  // It opens before the answer is here: a dialog that opens later would cover whatever is shown by then.
  const open = async () => {
    code.hidden = true;
    status.textContent = say("python_writing");
    dialog.showModal();
    const lines = await ask().catch((error) => error);
    const failed = lines instanceof Error;
    code.value = failed ? "" : lines;
    code.hidden = failed;
    status.textContent = failed ? whyNot(lines) : say("python_lines");
    if (!failed && dialog.open && (await copyText(code))) status.textContent = say("python_copied");
  };
  const button = h(
    "button",
    { type: "button", class: "panel-python", title: words, "aria-label": label, onclick: open },
    "py",
  );
  return [button, dialog];
};
