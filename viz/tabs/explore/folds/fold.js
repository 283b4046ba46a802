// The line that opens and closes a fold. props.value: its name. Its panels are the blocks after it, see fold.css.

import { h } from "../../../browser/lib/base.js";
import { say } from "../../../browser/lib/messages.js";
import { site } from "../../../browser/lib/site.js";
import { applies } from "../lib/store/applies.js";
import { isOpen, withFold } from "../lib/store/folds.js";
import { store } from "../lib/store.js";

export const mount = ({ element, props }) => {
  const name = props.value;
  const panels = site.limits.folds[name];
  const fold = element.closest(".explore-fold");
  const open = () => isOpen(store.view.open, name);
  const toggle = () => store.set({ open: withFold(store.view.open, name, !open()) });
  const about = h("span.quiet", say(`fold_${name}_about`));
  const button = h("button.fold", { onclick: toggle }, h("b", say(`fold_${name}`)), " ", about);
  element.append(button);

  /** Scrolls to the fold that a link names, once the content above it is drawn. */
  const reveal = async () => {
    while (document.querySelector("[data-coming]")) await new Promise(requestAnimationFrame);
    if (store.reveal !== name) return;
    store.reveal = null;
    element.scrollIntoView({ block: "start" });
  };

  store.subscribe(element, (changed) => {
    if (changed.has("open")) {
      fold.toggleAttribute("data-open", open());
      button.setAttribute("aria-expanded", `${open()}`);
    }
    if (!store.pass) return;
    if (changed.has("pass")) element.hidden = !panels.some(applies);
    if (store.reveal === name && open()) reveal();
  });
};
