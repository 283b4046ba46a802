// The page's messages: refusals, cuts, an invalid link. Marks the current pass as outdated until the requested one
// arrives.

import { h } from "../../browser/lib/base.js";
import { inWords, say } from "../../browser/lib/messages.js";
import { store } from "./lib/store.js";

export const mount = ({ element }) => {
  element.setAttribute("role", "status");
  store.subscribe(element, (changed) => {
    if (!changed.has("notes") && !changed.has("old")) return;
    const notes = [...store.notes.link, ...store.notes.server];
    const retry = store.old === "offline" && h("button.f-link", { onclick: () => store.askAgain() }, say("ask_again"));
    element.replaceChildren(
      ...notes.map((notice) => h("p", { class: `notice ${notice.kind}` }, notice.text ?? inWords(notice))),
    );
    if (retry) element.lastChild?.append(" ", retry);
    const tab = element.closest("[role=tabpanel]");
    tab?.classList.toggle("explore-old", Boolean(store.old));
    tab?.style.setProperty("--old", JSON.stringify(say("old", { state: store.old ?? "" })));
  });
};
