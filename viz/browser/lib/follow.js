// Numbers that can be followed: a vector as a row of cells, and one number as a sum of products.

import { h, tableHead, tableRow } from "./base.js";
import { ground, palette, signedAt } from "./colour.js";
import { say } from "./messages.js";
import { asFixed, asNumber } from "./numbers.js";

const TERMS = 8; // terms of a sum that are written out: the largest
// most numbers in a row with two digits after the point; on a phone, with any
const MANY = 20;

/** @typedef {{ chosen: number | null, onpick: (i: number) => void }} Pick */

/** A row of numbers, each a cell in its colour; with pick, each is a button.
 *  @type {(name: string, numbers: number[], pick?: Pick | null) => HTMLElement} */
export const numberRow = (name, numbers, pick = null) => {
  const colours = palette().scores;
  const most = Math.max(1e-9, ...numbers.map(Math.abs));
  const many = numbers.length > MANY;
  const cell = (/** @type {number} */ value, /** @type {number} */ i) => {
    const node = pick
      ? h(
          "button",
          {
            "aria-pressed": `${pick.chosen === i}`,
            "aria-label": `${name} ${i}: ${asNumber(value, 3)}`,
            onclick: () => pick.onpick(i),
          },
          asFixed(value, many ? 1 : 2),
        )
      : h("span", many ? "" : asFixed(value, 2));
    ground(node, colours[signedAt(value / most)]);
    node.title = `${i}: ${asNumber(value)}`;
    return node;
  };
  return h(
    "p",
    { class: `number-row${many ? " many" : ""}`, "data-row": name },
    h("b", name),
    h("span.numbers", { style: `--count: ${numbers.length}` }, ...numbers.map(cell)),
  );
};

/** @typedef {{ at: string, weight: number, input: number, product: number }} Term */

/**
 * One number as the sum of weight · input, where inputs are the vector named `of`, and the first weight is at `row` and
 * `column` of its tensor. Returns {table, sum}; the table has the largest products, and the rest as one.
 *
 * @param {{ weights: number[], inputs: number[], of: string, row: number, column: number }} sum
 */
export const productsTable = ({ weights, inputs, of, row, column }) => {
  const terms = weights.map((weight, i) => ({
    at: `[${row}, ${column + i}]`,
    weight,
    input: inputs[i],
    product: weight * inputs[i],
  }));
  const sum = terms.reduce((all, { product }) => all + product, 0);
  const largest = [...terms].sort((one, other) => Math.abs(other.product) - Math.abs(one.product)).slice(0, TERMS);
  const rest = sum - largest.reduce((all, { product }) => all + product, 0);
  const term = (/** @type {Term} */ { at, weight, input, product }) =>
    tableRow(at, ...[weight, input, product].map((value) => h("td", asFixed(value, 4))));
  const heads = [say("products_place"), say("products_weight"), say("products_input", { of }), say("products_product")];
  const table = h(
    "table.products",
    tableHead(...heads),
    h("tbody", ...largest.map(term)),
    h(
      "tfoot",
      h(
        "tr",
        h("th", { scope: "row", colspan: 3 }, say("products_rest", { count: terms.length - largest.length })),
        h("td", asFixed(rest, 4)),
      ),
    ),
  );
  return { table, sum };
};
