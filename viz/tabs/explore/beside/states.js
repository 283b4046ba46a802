// The lens grids of the pinned and the current pass side by side. A cell of the pinned one, chosen or dragged onto the
// other, is carried: a third grid shows the current pass with this vector of the residual stream in its place.

import { answerTo, newest, whyNot } from "../../../browser/lib/ask.js";
import { h, must } from "../../../browser/lib/base.js";
import { say } from "../../../browser/lib/messages.js";
import { onTheme } from "../../../browser/lib/panel.js";
import { viewOf } from "../../../browser/lib/python.js";
import { depth, makeLensGrid, withLabels } from "../inside/lens_grid.js";
import { answerCells } from "../lib/grid.js";
import { quote, tokenLabel } from "../lib/labels.js";
import { comparison } from "../lib/outcome.js";
import { beside } from "../lib/pinned.js";
import { store } from "../lib/store.js";

const MOVED = 6; // px: a pointer that moves less has clicked

const cellOf = (place) => {
  if (!place) return null;
  const [row, column] = place.split(".").map(Number);
  return { row, column };
};
const linkOf = ({ row, column }) => `${row}.${column}`;

const labelsOf = ({ header }) => header.answer?.labels ?? header.labels;

const placeOf = ({ dataset }) => ({ row: Number(dataset.row), column: Number(dataset.column) });

/** Lets the cells of a table be dragged onto those of another: drop(from, onto). Returns a function that says whether a
 *  click ends a drag. */
const dragsCells = (table, target, drop) => {
  let dragged = false; // until the click that follows the pointer's release
  table.addEventListener("pointerdown", (event) => {
    const cell = event.target.closest("tbody td");
    // A finger scrolls the grid, unless it is on the state that is lifted.
    if (!cell || (event.pointerType === "touch" && !cell.classList.contains("lifted"))) return;
    const start = [event.clientX, event.clientY];
    dragged = false;
    let over = null; // the target's cell under the pointer
    const ghost = h("div.states-ghost", { "aria-hidden": "true" }, cell.textContent);
    const leave = () => over?.classList.remove("over");
    const move = ({ clientX, clientY }) => {
      if (!dragged && Math.hypot(clientX - start[0], clientY - start[1]) < MOVED) return;
      if (!dragged) table.closest(".lens-part").append(ghost);
      dragged = true;
      ghost.style.translate = `${clientX}px ${clientY}px`;
      leave();
      over = document.elementFromPoint(clientX, clientY)?.closest?.("td") ?? null;
      if (!target.contains(over)) over = null;
      over?.classList.add("over");
    };
    const source = placeOf(cell);
    const end = ({ type }) => {
      controller.abort();
      leave();
      ghost.remove();
      if (type === "pointerup" && over) drop(source, placeOf(over));
      setTimeout(() => (dragged = false)); // after the click
    };
    const controller = new AbortController();
    const { signal } = controller;
    document.addEventListener("pointermove", move, { signal });
    for (const type of ["pointerup", "pointercancel"]) document.addEventListener(type, end, { signal });
    if (event.pointerType !== "touch") event.preventDefault(); // no text is selected
  });
  return () => dragged;
};

/**
 * {pinned, third, update, takes, follow}: two elements; update() shows what there is for the passes; takes(cell) is
 * called with a chosen cell of the current pass's grid, and says whether a state was carried there; follow(column)
 * scrolls the pinned grid to a column. `now` is that grid,
 * `columns()` the tokens of its columns, or null before they are known.
 */
export const makeStates = ({ now, columns }) => {
  const before = makeLensGrid(say("states_pinned"));
  const after = makeLensGrid(say("states_carried"));
  const hint = h("p.quiet", { role: "status" });
  const pinned = h("div.lens-part", { hidden: true }, h("h3", say("states_pinned")), before.sheet, hint);
  const heading = h("h3", { role: "status" });
  const back = h("button.f-link", { onclick: () => set(null, null) }, say("states_back"));
  const said = h("table.states-said");
  const third = h("div.lens-third", { hidden: true }, heading, after.sheet, h("div", said, back));

  let read = null; // of the pinned pass, with {of: its key}
  let carried = null; // the answer of carry_state in predictions.py, with {of: its request}

  const set = (from, to) => store.set({ lens_from: from ? linkOf(from) : "", lens_to: to ? linkOf(to) : "" });
  const [from, to] = ["lens_from", "lens_to"].map((name) => () => cellOf(store.view[name]));

  /** Whether states can be carried between the two passes. */
  const isPair = () => {
    const [one, other] = [beside.pass, store.pass];
    if (!one || !other || one === other || "classes" in other.header.output) return false;
    return one.header.model === other.header.model && labelsOf(one).length === labelsOf(other).length;
  };

  const tokens = (pass) => columns().map((i) => tokenLabel(i, labelsOf(pass)));

  /** The name of a cell: its depth and token. */
  const name = ({ row, column }, pass) =>
    say("lens_at", { depth: depth(row), token: quote(columns()[column], labelsOf(pass)) });

  const lens = newest({
    take: (answer) => {
      read = withLabels(answer, Object.entries(answer.labels));
      if (!columns()) return; // the current pass's own lens calls update() when it arrives
      draw();
      ask();
    },
    fail: (error) => (hint.textContent = whyNot(error)),
  });
  const carrying = newest({
    take: (answer) => {
      const names = answer.names.flat(2);
      carried = withLabels(
        answer,
        answer.ids.flat(2).map((id, i) => [id, names[i]]),
      );
      if (columns()) drawThird(); // else the current pass has changed: its own lens asks anew
    },
    fail: (error) => {
      third.hidden = false;
      heading.textContent = whyNot(error);
    },
  });

  const draw = () => {
    before.draw(read, tokens(beside.pass));
    mark();
    const at = now.table.querySelector("td.at");
    if (!at) return;
    now.reveal(at); // both grids have half the width now
    follow(at.cellIndex - 1);
  };

  /** Scrolls the pinned grid to a column. */
  const follow = (column) => {
    const cell = read && before.cellAt({ row: 0, column });
    if (cell) before.reveal(cell);
  };

  const drawThird = () => {
    third.hidden = false;
    heading.textContent = say("states_heading", {
      from: name(must(from(), "state"), beside.pass),
      to: name(must(to(), "place"), store.pass),
    });
    after.draw(carried, tokens(store.pass));
    after.reveal(after.cellAt(to()));
    said.replaceChildren(...comparison(carried.likeliest));
    mark();
  };

  /** Marks the state that is lifted, and where it is put. */
  const mark = () => {
    const [lifted, put] = [from(), to()];
    for (const cell of before.table.querySelectorAll("td")) {
      const on = Boolean(lifted) && before.cellAt(lifted) === cell;
      cell.classList.toggle("lifted", on);
      cell.setAttribute("aria-selected", `${on}`);
      cell.tabIndex = on || (!lifted && cell === before.cellAt({ row: 0, column: 0 })) ? 0 : -1;
    }
    for (const grid of [now, after])
      for (const cell of grid.table.querySelectorAll("td"))
        cell.classList.toggle("put", Boolean(put) && grid.cellAt(put) === cell);
    hint.textContent = lifted ? say("states_drop", { state: name(lifted, beside.pass) }) : say("states_lift");
  };

  const ask = () => {
    const [lifted, put] = [from(), to()];
    const fits = lifted && put && before.cellAt(lifted) && now.cellAt(put);
    if (!isPair() || !fits) {
      carrying.stop();
      carried = null;
      third.hidden = true;
      return;
    }
    const view = viewOf.explore();
    const { model, text, edits, beside: other, lens_from, lens_to } = view;
    const request = JSON.stringify([model, text, edits, other.text, other.edits, lens_from, lens_to]);
    carrying.ask(request, (signal) => answerTo("/ask/lens/carried", view, signal));
  };

  const update = () => {
    const on = isPair();
    pinned.hidden = !on;
    if (!on) {
      read = null;
      lens.stop();
      return ask();
    }
    const path = `/attention/${beside.header.key}/lens`;
    lens.ask(path, (signal) => answerTo(path, null, signal));
    if (read) draw();
    ask();
  };

  // --- choosing and dragging -----------------------------------------------------------------------------------------

  const lift = (cell) => set(store.view.lens_from === linkOf(cell) ? null : cell, null);
  answerCells(before.table, { point: () => {}, choose: (cell) => dragged() || lift(cell) });

  const takes = (cell) => {
    if (!isPair() || !store.view.lens_from) return false;
    set(from(), cell);
    return true;
  };

  const dragged = dragsCells(before.table, now.table, set);

  onTheme(() => {
    if (read && isPair()) before.paint();
    if (carried) after.paint();
  });
  return { pinned, third, update, takes, follow };
};
