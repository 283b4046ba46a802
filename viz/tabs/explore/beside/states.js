// The lens grids of the pinned and the current pass side by side. A cell of the pinned one, chosen or dragged onto the
// other, is carried: a third grid shows the current pass with this vector of the residual stream in its place.

import { newest, whyNot } from "../../../browser/lib/ask.js";
import { h, must } from "../../../browser/lib/base.js";
import { say } from "../../../browser/lib/messages.js";
import { onAppearance } from "../../../browser/lib/panel.js";
import { depth, makeLensGrid, withLabels } from "../inside/lens_grid.js";
import { post, viewOfPair } from "../lib/asking.js";
import { answerCells } from "../lib/grid.js";
import { predictionLabels, quote, tokenLabel } from "../lib/labels.js";
import { comparison } from "../lib/outcome.js";
import { viewOfPass } from "../lib/pass.js";
import { beside } from "../lib/pin.js";
import { store } from "../lib/store.js";

const MOVED = 6; // px: a pointer that moves less has clicked

/** A cell from its place in a link, "row.column"; null without one. */
const cellOf = (name) => {
  if (!name) return null;
  const [row, column] = name.split(".").map(Number);
  return { row, column };
};
const linkOf = (cell) => (cell ? `${cell.row}.${cell.column}` : "");

/** The cell of the state that is lifted, and of the place where it is put; null without one. */
const lifted = () => cellOf(store.view.lens_from);
const put = () => cellOf(store.view.lens_to);
const carry = (from, to) => store.set({ lens_from: linkOf(from), lens_to: linkOf(to) });

/** Whether states can be carried between the two passes. */
const isPair = () => {
  const [one, other] = [beside.pass, store.pass];
  if (!one || !other || one === other || "classes" in other.header.output) return false;
  return (
    one.header.model === other.header.model &&
    predictionLabels(one.header).length === predictionLabels(other.header).length
  );
};

/** The labels of a pass at the tokens of the columns. */
const labelsAt = (columns, pass) => columns.map((i) => tokenLabel(i, predictionLabels(pass.header)));

/** The name of a cell of a pass: its depth and token. */
const nameOf = ({ row, column }, columns, pass) =>
  say("lens_at", { depth: depth(row), token: quote(columns[column], predictionLabels(pass.header)) });

const placeOf = ({ dataset }) => ({ row: Number(dataset.row), column: Number(dataset.column) });

/** Lets the cells of a table be dragged onto those of another: drop(from, onto). Returns a function that says whether a
 *  click ends a drag. */
const dragsCells = (table, target, drop) => {
  let dragged = false; // until the click that follows the pointer's release
  table.addEventListener("pointerdown", (event) => {
    const cell = event.target.closest("tbody td");
    if (event.button) return;
    // A finger scrolls the grid, unless it is on the state that is lifted.
    if (!cell || (event.pointerType === "touch" && !cell.classList.contains("lifted"))) return;
    const start = [event.clientX, event.clientY];
    dragged = false;
    let over = null; // the target's cell under the pointer
    const ghost = h("div.states-ghost", { "aria-hidden": "true" }, cell.textContent);
    const leave = () => over?.classList.remove("over");
    const move = ({ clientX, clientY }) => {
      if (!dragged && Math.hypot(clientX - start[0], clientY - start[1]) < MOVED) return;
      if (!dragged) document.body.append(ghost); // in a panel it would stand where that does
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

/** The lens grid of the pinned pass: {node, grid, isRead, update, draw, mark, follow}. update(on) requests it, or hides
 *  it; isRead() is whether it has arrived, when arrived() is called; follow(column) scrolls it to a column. */
const makePinnedLens = (columns, arrived) => {
  const grid = makeLensGrid(say("states_pinned"));
  const hint = h("p.quiet", { role: "status" });
  const node = h("div.lens-part", { hidden: true }, h("h3", say("states_pinned")), grid.sheet, hint);
  let read = null; // the answer
  const questions = newest({
    take: (answer) => {
      read = withLabels(answer);
      arrived();
    },
    fail: (error) => (hint.textContent = whyNot(error)),
  });
  const update = (on) => {
    node.hidden = !on;
    if (on) return void post(questions, "/ask/lens/depths", viewOfPass(beside.header));
    read = null;
    questions.stop();
  };
  const draw = () => grid.draw(read, labelsAt(columns(), beside.pass));
  const follow = (column) => {
    const cell = read && grid.cellAt({ row: 0, column });
    if (cell) grid.reveal(cell);
  };
  /** Marks the state that is lifted, and says what can be done. */
  const mark = () => {
    const from = lifted();
    for (const cell of grid.table.querySelectorAll("td")) {
      const on = grid.cellAt(from) === cell;
      cell.classList.toggle("lifted", on);
      cell.setAttribute("aria-selected", `${on}`);
      cell.tabIndex = on || (!from && cell === grid.cellAt({ row: 0, column: 0 })) ? 0 : -1;
    }
    hint.textContent = from ? say("states_drop", { state: nameOf(from, columns(), beside.pass) }) : say("states_lift");
  };
  return { node, grid, isRead: () => Boolean(read), update, draw, follow, mark };
};

/** The lens grid of the current pass with the carried state: {node, grid, ask, stop, paint}. ask() requests it; drawn()
 *  is called when it is on the page. */
const makeCarried = (columns, drawn) => {
  const grid = makeLensGrid(say("states_carried"));
  const heading = h("h3", { role: "status" });
  const back = h("button.f-link", { onclick: () => carry(null, null) }, say("states_back"));
  const said = h("table.comparison");
  const node = h("div.lens-third", { hidden: true }, heading, grid.sheet, h("div", said, back));
  let answer = null; // of carry_state in predictions.py
  const questions = newest({
    take: (result) => {
      answer = withLabels(result);
      if (columns()) draw(); // else the current pass has changed: its own lens asks anew
    },
    fail: (error) => {
      node.hidden = false;
      heading.textContent = whyNot(error);
      grid.table.replaceChildren();
      said.replaceChildren();
    },
  });
  const draw = () => {
    node.hidden = false;
    heading.textContent = say("states_heading", {
      from: nameOf(must(lifted(), "state"), columns(), beside.pass),
      to: nameOf(must(put(), "place"), columns(), store.pass),
    });
    grid.draw(answer, labelsAt(columns(), store.pass));
    grid.reveal(grid.cellAt(put()));
    said.replaceChildren(...comparison(answer.likeliest));
    drawn();
  };
  const ask = () => post(questions, "/ask/lens/carried", viewOfPair("lens_from", "lens_to"));
  const stop = () => {
    questions.stop();
    answer = null;
    node.hidden = true;
  };
  return { node, grid, ask, stop, paint: () => answer && grid.paint() };
};

/**
 * {pinned, third, update, takes, follow}: two elements; update() shows what there is for the passes; takes(cell) is
 * called with a chosen cell of the current pass's grid, and says whether a state was carried there; follow(column)
 * scrolls the pinned grid to a column. `now` is that grid, `columns()` the tokens of its columns, or null before they
 * are known.
 */
export const makeStates = ({ now, columns }) => {
  const pinned = makePinnedLens(columns, () => {
    if (!columns()) return; // the current pass's own lens calls update() when it arrives
    draw();
    ask();
  });
  const carried = makeCarried(columns, () => mark());

  const draw = () => {
    pinned.draw();
    mark();
    const at = now.table.querySelector("td.at");
    if (!at) return;
    now.reveal(at); // both grids have half the width now
    pinned.follow(at.cellIndex - 1);
  };

  /** Marks the state that is lifted, and where it is put. */
  const mark = () => {
    pinned.mark();
    const to = put();
    for (const grid of [now, carried.grid])
      for (const cell of grid.table.querySelectorAll("td")) cell.classList.toggle("put", grid.cellAt(to) === cell);
  };

  const ask = () => {
    const [from, to] = [lifted(), put()];
    const fits = from && to && pinned.grid.cellAt(from) && now.cellAt(to);
    if (isPair() && fits) carried.ask();
    else carried.stop();
  };

  const update = () => {
    pinned.update(isPair());
    if (pinned.isRead()) draw();
    ask();
  };

  const takes = (cell) => {
    if (!isPair() || !store.view.lens_from) return false;
    carry(lifted(), cell);
    return true;
  };

  const lift = (cell) => carry(store.view.lens_from === linkOf(cell) ? null : cell, null);
  answerCells(pinned.grid.table, { point: () => {}, choose: (cell) => dragged() || lift(cell) });
  const dragged = dragsCells(pinned.grid.table, now.table, carry);

  onAppearance(() => {
    if (pinned.isRead() && isPair()) pinned.grid.paint();
    carried.paint();
  });
  return { pinned: pinned.node, third: carried.node, update, takes, follow: pinned.follow };
};
