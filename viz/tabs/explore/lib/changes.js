// The visitor's changes of heads (viz/passes/edits.py), in words and as a list.

import { h } from "../../../browser/lib/base.js";
import { say } from "../../../browser/lib/messages.js";
import { store } from "./store.js";

/** The selected head as in an edit: with its stack, in a model with several. */
export const selectedHead = () => {
  const { layer, head } = store.view;
  return { ...(store.pass && store.header.maps.length > 1 && { map: store.map.name }), layer, head };
};

/** Whether two changes are of the same head or weight. */
export const sameHead = (/** @type {any} */ a, /** @type {any} */ b) =>
  ["map", "layer", "head", "query", "key"].every((name) => a[name] === b[name]);

/** All changes with `edit` in place of that of the same head or weight, which null removes. */
export const withEdit = (/** @type {any} */ edit, /** @type {any} */ on) => [
  ...store.edits.filter((other) => !sameHead(other, on)),
  ...(edit ? [{ ...on, ...edit }] : []),
];

/** "Layer 5, head 3", or a whole layer. */
export const nameOf = (/** @type {any} */ { map, layer, head }) => {
  const named = say(head === null ? "edit_layer" : "head_name", { layer, head });
  return map ? say("edit_of", { map: say(`map_${map}`), name: named }) : named;
};

/** "Layer 5, head 3: off". */
const editInWords = (edit) => {
  const name = nameOf(edit);
  const { query, key, weight, factor } = edit;
  if (edit.do === "uniform") return say("edited_uniform", { name });
  if (edit.do === "weight")
    return say("edited_weight", { name, query, key, weight, row: edit.renormalise ? "shared" : "kept" });
  if (factor === 0) return say("edited_off", { name });
  return say("edited_scale", { name, factor: `${factor}`.replace("-", "−") });
};

/** The items of a list of all changes: one button shows the head, the other undoes the change. */
export const changeList = () =>
  store.edits.map((edit) => {
    const words = editInWords(edit);
    const remove = () => store.edit(store.edits.filter((other) => other !== edit));
    const map = edit.map ? { map: store.header.maps.findIndex((each) => each.name === edit.map) } : {};
    const pair = edit.do === "weight" ? { token: edit.query, key: edit.key } : {};
    const head = edit.head === null ? {} : { of: "head", head: edit.head };
    const show = () => store.set({ ...map, layer: edit.layer, ...head, ...pair });
    return h(
      "li",
      h("button.edit-show", { onclick: show }, words),
      h("button.edit-remove", { "aria-label": say("edit_remove", { words }), onclick: remove }, "✕"),
    );
  });
