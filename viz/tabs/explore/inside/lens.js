// The logit lens: the model's prediction at each depth, for every token of the text. Requested when the panel comes
// into view. Pointing at a cell lists the most probable tokens there; a click selects its layer and token.

import { h } from "../../../browser/lib/base.js";
import { barLine, makeBar } from "../../../browser/lib/colour.js";
import { makeHint } from "../../../browser/lib/hint.js";
import { say } from "../../../browser/lib/messages.js";
import { asShare } from "../../../browser/lib/numbers.js";
import { makePanel, onAppearance } from "../../../browser/lib/panel.js";
import { makeStates } from "../beside/states.js";
import { askInView } from "../lib/asking.js";
import { answerCells } from "../lib/grid.js";
import { predictionLabels, quote, tokenLabel } from "../lib/labels.js";
import { viewOfPass } from "../lib/pass.js";
import { beside } from "../lib/pin.js";
import { predictedAt, rowsPredict } from "../lib/selection.js";
import { applies } from "../lib/store/applies.js";
import { store } from "../lib/store.js";
import { depth, makeLensGrid, withLabels } from "./lens_grid.js";

/** Whether a column belongs to a row of the current map. */
const isToken = () => !isVerdict() && rowsPredict();

const isVerdict = () => "classes" in store.header.output;

/** The tokens of the columns; a model that fills in words has columns only for the hidden ones. */
const columnsNow = () => blanksNow()?.map(({ token }) => token) ?? predictionLabels().map((_, i) => i);

const blanksNow = () => store.header.output.blanks;

/** Draws the grid, with a mark on each cell that predicts the token that follows, or is hidden. */
const drawGrid = (grid, read) => {
  const { header } = store;
  const { ids } = header.answer ?? header;
  const blanks = blanksNow();
  const labels = predictionLabels();
  const tokens = isVerdict() ? [say("prediction_verdict")] : columnsNow().map((i) => tokenLabel(i, labels));
  const next = (column) => !isVerdict() && (blanks ? blanks[column].truth?.id : ids[column + 1]);
  grid.draw(read, tokens, (likeliest, column) => likeliest === next(column));
};

/** The sentence under the grid. */
const legend = () => (isVerdict() ? "" : say(blanksNow() ? "lens_right_blanks" : "lens_right"));

/** The description of one cell: {node, show(read, cell)}. */
const makeDescription = () => {
  const heading = h("p.lens-at", { role: "status" });
  const best = h("ol.bar-lines.lens-best");
  const show = (read, { row, column }) => {
    const where = isVerdict() ? "" : quote(columnsNow()[column], predictionLabels());
    heading.textContent = say(isVerdict() ? "lens_at_verdict" : "lens_at", { depth: depth(row), token: where });
    const probs = read.probs[row][column];
    best.replaceChildren(
      ...read.ids[row][column].map((id, i) =>
        h("li", ...barLine(read.labels[id], makeBar(probs[i]), asShare(probs[i]))),
      ),
    );
    Object.assign(best.dataset, { row, column });
  };
  return { node: h("div.lens-side", heading, best), show };
};

/** Marks one cell at a time as the described one: mark(cell) returns whether it is another than before. */
const makeMark = () => {
  let marked = null;
  return (cell) => {
    if (marked === cell) return false;
    marked?.classList.remove("at");
    if (marked) marked.tabIndex = -1;
    cell?.classList.add("at");
    if (cell) cell.tabIndex = 0;
    marked = cell;
    return true;
  };
};

export const mount = ({ element }) => {
  const { section, tools, body, foot } = makePanel(element, say("lens"));
  const grid = makeLensGrid(say("lens_label"));
  const { sheet, table } = grid;
  const description = makeDescription();
  const markCell = makeMark();
  const states = makeStates({ now: grid, columns: () => read && columnsNow() });
  const part = h("div.lens-part", h("h3", say("states_now")), sheet);
  body.append(states.pinned, part, description.node, states.third);
  tools.append(makeHint("?", say("lens_means"), say("lens_hint")));
  const status = h("p.quiet", { role: "status" });
  foot.append(status);

  let read = null; // {ids, probs, labels} of the current pass, see viz/passes/lens.py
  let pointed = null; // {row, column}
  let input = false; // whether the row before the first layer is selected

  /** The cell to describe: the one under the pointer, else that of the selected layer and token; a verdict has only one
   *  column. */
  const at = () => {
    if (pointed) return pointed;
    const last = read.ids[0].length - 1;
    const row = input && store.view.layer === 0 ? 0 : store.view.layer + 1;
    const token = predictedAt() ?? Infinity;
    const index = blanksNow() ? columnsNow().indexOf(token) : Math.min(token, last);
    return { row, column: index < 0 ? last : index };
  };

  const draw = () => {
    drawGrid(grid, read);
    status.textContent = legend();
    pointed = null;
    mark();
    states.update();
  };

  const mark = () => {
    if (!read) return;
    const position = at();
    const cell = grid.cellAt(position);
    if (!cell) return;
    if (markCell(cell) && !pointed && (predictedAt() !== null || beside.pass)) {
      grid.reveal(cell); // of a token selected elsewhere; in a comparison also the last, whose prediction is compared
      states.follow(position.column);
    }
    description.show(read, position);
  };

  const ask = askInView(
    { element, section, body, status },
    {
      question: () => viewOfPass(store.header),
      path: "/ask/lens/depths",
      take: (answer) => {
        read = withLabels(answer);
        draw();
      },
    },
  );

  const point = (cell) => {
    if (!read) return;
    pointed = cell;
    store.point(cell && isToken() ? { token: columnsNow()[cell.column] } : null);
    mark();
  };
  const choose = ({ row, column }) => {
    if (!read || states.takes({ row, column })) return;
    input = row === 0;
    const token = isToken() ? { token: columnsNow()[column], key: null } : {};
    store.set({ layer: Math.max(0, row - 1), of: "head", ...token });
    mark();
  };
  answerCells(table, { point, choose });

  store.subscribe(element, (changed) => {
    if (!store.pass) return;
    if (changed.has("pass")) {
      read = pointed = null;
      markCell(null);
      sheet.style.setProperty("--rows", store.map.layers + 2); // the rows: tokens, input, each layer
    }
    element.hidden = !applies("lens");
    ask();
    if (changed.has("layer")) input &&= store.view.layer === 0;
    if (read && ["lens_from", "lens_to"].some((name) => changed.has(name))) states.update();
    if (["layer", "token", "hover"].some((name) => changed.has(name))) mark();
  });
  beside.subscribe(element, (changed) => changed.has("pinned") && read && states.update());
  onAppearance(() => read && grid.paint());
};
