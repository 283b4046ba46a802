// A table whose cells respond to pointer, click and arrow keys.

import { keys } from "../../../browser/lib/keys.js";

/** The {row, column} that a key leads to from a cell among rows × columns; undefined: it leads nowhere. */
export const cellBeside = (event, { row, column }, rows, columns) => {
  if (keys.modified(event)) return undefined;
  const to = {
    ArrowUp: [row - 1, column],
    ArrowDown: [row + 1, column],
    ArrowLeft: [row, column - 1],
    ArrowRight: [row, column + 1],
    Home: [row, 0],
    End: [row, Infinity],
    PageUp: [0, column],
    PageDown: [Infinity, column],
  }[event.key];
  return to && { row: keys.clamp(to[0], rows), column: keys.clamp(to[1], columns) };
};

/**
 * Makes the cells of a table's body, each a td after its row's th, respond to pointer, focus and keys: calls
 * point({row, column}) for the cell under the pointer, or point(null), and choose({row, column}) at a click, Enter or
 * Space.
 *
 * @param {HTMLTableElement} table
 */
export const answerCells = (table, { point, choose }) => {
  const cellOf = (event) => {
    const cell = event.target.closest?.("tbody td");
    return cell ? { row: cell.parentElement.sectionRowIndex, column: cell.cellIndex - 1 } : null;
  };
  table.addEventListener("pointerover", (event) => event.pointerType !== "touch" && point(cellOf(event)));
  table.addEventListener("pointerleave", () => point(null));
  table.addEventListener("focusin", (event) => point(cellOf(event)));
  table.addEventListener("focusout", () => point(null));
  table.addEventListener("click", (event) => cellOf(event) && choose(cellOf(event)));
  table.addEventListener("keydown", (event) => {
    const now = cellOf(event);
    if (!now) return;
    const { rows } = table.tBodies[0];
    const to = cellBeside(event, now, rows.length, rows[0].cells.length - 1);
    if (to) rows[to.row].cells[1 + to.column].focus();
    else if (event.key === "Enter" || event.key === " ") choose(now);
    else return;
    event.preventDefault();
  });
};
