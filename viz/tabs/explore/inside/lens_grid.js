// A grid of the logit lens: a row for each depth, a column for each token, and in each cell the likeliest token.

import { h, tableRow } from "../../../browser/lib/base.js";
import { ground, palette } from "../../../browser/lib/colour.js";
import { say } from "../../../browser/lib/messages.js";
import { outcomeInWords } from "../lib/labels.js";

/** The name of a row. */
export const depth = (row) => (row === 0 ? say("lens_input") : say("lens_after", { layer: row - 1 }));

/** An answer with its labels, by id, in words. */
export const withLabels = (answer) => ({
  ...answer,
  labels: Object.fromEntries(Object.entries(answer.labels).map(([id, name]) => [id, outcomeInWords(name)])),
});

/**
 * {sheet, table, draw, paint, cellAt, reveal}: draw(read, tokens, isRight) shows {ids, probs, labels} under the tokens'
 * names, underlining where isRight(id, column); paint() colours it again; reveal(cell) scrolls the table, never the
 * page, to a cell.
 */
export const makeLensGrid = (label) => {
  const table = h("table.coloured", { role: "grid", "aria-label": label });
  const sheet = h("div.lens-sheet", table);
  let read = null;
  let cells = []; // [depth][column] elements

  const paint = () => {
    const { weights } = palette();
    cells.forEach((row, i) =>
      row.forEach((cell, column) => ground(cell, weights[Math.round(255 * read.probs[i][column][0])])),
    );
  };
  const draw = (lens, tokens, isRight = (_id, _column) => false) => {
    read = lens;
    cells = read.ids.map((row, i) =>
      row.map(([likeliest], column) => {
        const kind = isRight(likeliest, column) ? "right" : null;
        const attributes = { role: "gridcell", tabindex: -1, class: kind, "data-row": i, "data-column": column };
        return h("td", attributes, read.labels[likeliest]);
      }),
    );
    const head = h("tr", h("th"), ...tokens.map((token) => h("th", { scope: "col" }, token)));
    const rows = cells.map((row, i) => tableRow(i === 0 ? say("lens_input_short") : `${i - 1}`, ...row));
    table.replaceChildren(h("thead", head), h("tbody", ...rows));
    sheet.style.setProperty("--rows", `${cells.length + 1}`);
    paint();
  };
  let revealed = null;
  // A grid far from the screen is not laid out, and cannot be scrolled.
  sheet.addEventListener("contentvisibilityautostatechange", ({ skipped }) => {
    if (!skipped && revealed?.isConnected) reveal(revealed);
  });
  const reveal = (cell) => {
    revealed = cell;
    const { parentElement, offsetLeft, offsetWidth } = cell;
    const away = offsetLeft - sheet.scrollLeft;
    const isSeen = away >= parentElement.firstChild.offsetWidth && away + offsetWidth <= sheet.clientWidth;
    if (!isSeen) sheet.scrollLeft = offsetLeft - sheet.clientWidth / 2;
  };
  return { sheet, table, draw, paint, cellAt: (at) => at && cells[at.row]?.[at.column], reveal };
};
