// The model: a menu of all, in groups.

import { h } from "../../../browser/lib/base.js";
import { fields } from "../../../browser/lib/fields.js";
import { say } from "../../../browser/lib/messages.js";
import { store } from "../lib/store.js";

export const mount = ({ element, props }) => {
  const select = h("select", { onchange: () => store.choose(select.value) }, ...fields.models(props.value));
  element.append(h("label.field-select", h("span.name", say("model")), select));
  store.subscribe(element, () => store.asked.model && (select.value = store.own(store.asked.model)));
};
