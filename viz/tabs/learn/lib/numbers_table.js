// Small tables whose numbers change while something is dragged.

import { h, tableRow } from "../../../browser/lib/base.js";
import { ground, palette, signedAt } from "../../../browser/lib/colour.js";
import { asFixed } from "../../../browser/lib/numbers.js";

/** The largest absolute value, above 0. */
export const largestOf = (rows) => Math.max(...rows.flat().map(Math.abs), 1e-9);

/** A table of numbers with a word for each row and column: {node, draw({rows, columns, values, scale, most, chosen})};
 *  `scale` names the colours, of scores, of which `most` has the strongest, or weights; onrow(i) turns the rows' words
 *  into buttons, labelled by sayRow(i). */
export const numbersTable = (caption, { onrow, sayRow } = /** @type {any} */ ({})) => {
  const body = h("tbody");
  const top = h("tr");
  const node = h("table.numbers", h("caption", caption), h("thead", top), body);
  let size = "";

  const build = (rows, columns) => {
    top.replaceChildren(h("td"), ...columns.map(() => h("th", { scope: "col" })));
    body.replaceChildren(
      ...rows.map((_, i) => {
        const name = onrow ? h("button", { onclick: () => onrow(i) }) : h("span");
        return tableRow(name, ...columns.map(() => h("td")));
      }),
    );
  };

  const draw = ({ rows, columns = rows, values, scale, most = largestOf(values), chosen = -1, hue = [] }) => {
    if (size !== `${rows.length} ${columns.length}`) build(rows, columns);
    size = `${rows.length} ${columns.length}`;
    const colours = palette()[scale];
    const pixel = (value) => (scale === "weights" ? Math.round(255 * value) : signedAt(value / most));
    columns.forEach((word, j) => (top.children[j + 1].textContent = word));
    rows.forEach((word, i) => {
      const row = body.children[i];
      row.classList.toggle("chosen", i === chosen);
      const name = row.firstChild.firstChild;
      name.textContent = word;
      if (i in hue) name.className = `hue-${hue[i]}`;
      if (onrow) {
        name.setAttribute("aria-pressed", i === chosen);
        name.setAttribute("aria-label", sayRow(i));
      }
      values[i].forEach((value, j) => {
        const cell = row.children[j + 1];
        cell.textContent = asFixed(value, 2);
        ground(cell, colours[pixel(value)]);
      });
    });
  };
  return { node, draw };
};
