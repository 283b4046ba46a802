// The tokens of a text as buttons, of which one is selected.

import { h, refill } from "../../../browser/lib/base.js";

/** Fills a list with a button for each label: that of index `at` is pressed, and pick(i) is called when another one is.
 *  attributesOf(i) has further attributes of a button; markOf(i) is an element below its label. */
export const fillTokens = (list, labels, at, pick, attributesOf, markOf = (/** @type {number} */ _) => null) => {
  const button = (label, i) => {
    const attributes = { "aria-pressed": `${i === at}`, "data-token": i, onclick: () => pick(i), ...attributesOf(i) };
    return h("li", h("button", attributes, label, markOf(i)));
  };
  refill(list, labels.map(button));
};
