// The line under the text that lists the visitor's changes of heads; hidden while there are none.

import { h, refill } from "../../../browser/lib/base.js";
import { say } from "../../../browser/lib/messages.js";
import { changeList } from "../lib/changes.js";
import { store } from "../lib/store.js";

export const mount = ({ element }) => {
  element.hidden = true;
  const count = h("span", { role: "status" });
  const list = h("ul.edit-list");
  element.append(count, list);
  store.subscribe(element, (changed) => {
    if (!store.pass || !(changed.has("pass") || changed.has("edits"))) return;
    element.hidden = !store.edits.length;
    element.closest(".explore-top").toggleAttribute("data-changed", !element.hidden);
    count.textContent = say("edits_count", { count: store.edits.length });
    refill(list, changeList());
  });
};
