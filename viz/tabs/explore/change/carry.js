// Activation patching: how much of the difference each part of the pinned pass brings back when it is patched into the
// current pass: every head, or every token's vector, at each layer, as a grid; and the prediction with the selected
// part. Requested while the panel is in view.

import { answerTo, newest, whyNot } from "../../../browser/lib/ask.js";
import { h, tableHead, tableRow } from "../../../browser/lib/base.js";
import { ground, palette, signedAt } from "../../../browser/lib/colour.js";
import { makeHint } from "../../../browser/lib/hint.js";
import { asText, inQuotes, say } from "../../../browser/lib/messages.js";
import { asShare, asSigned } from "../../../browser/lib/numbers.js";
import { page } from "../../../browser/lib/page.js";
import { makePanel, onAppearance } from "../../../browser/lib/panel.js";
import { askInView, post, viewOfPair } from "../lib/asking.js";
import { answerCells } from "../lib/grid.js";
import { outcomeInWords, predictionLabels, quote, tokenLabel } from "../lib/labels.js";
import { comparison } from "../lib/outcome.js";
import { beside } from "../lib/pin.js";
import { applies } from "../lib/store/applies.js";
import { store } from "../lib/store.js";

const choice = (name, onchange, ...options) => h("select", { "data-field": name, onchange }, ...options);

const labelled = (key, field) => h("label.field-line.field-select", h("span.name", say(key)), field);

const MEASURED = ["map", "part", "answer", "rival"];

const isPair = () => Boolean(store.pass && beside.pass);

const open = (pinned, text) => {
  const { model } = store.header;
  const { open: folds } = store.view;
  page.follow(new URLSearchParams({ tab: "explore", model, text, pin: model, pin_text: pinned, open: folds }));
};

/** The part that a cell of the grid represents. */
const placeOf = ({ row, column }) => ({ layer: row, from: column });

const isHeads = ({ axes }) => axes[0] === "head";

/** The name of a part: a head, or a token's vector at a layer. */
const nameOf = (answer, { layer, from }) =>
  isHeads(answer)
    ? say("head_name", { layer, head: from })
    : say("carry_token", { layer, token: quote(from, answer.columns) });

/** The cell of a part, with the share that it brings back in percent. */
const cellOf = (share, layer, from) => {
  const text = share === null ? "–" : `${Math.round(100 * share)}`.replace("-", "−");
  const cell = h("td", { role: "gridcell", tabindex: -1, "data-layer": layer, "data-from": from }, text);
  ground(cell, palette().scores[signedAt(share ?? 0)]);
  return cell;
};

/** The cells that a part can affect, as a function of layer and column: those of deeper layers, at tokens that can
 *  attend to its own. */
const reach = (answer, { layer, from }) => {
  if (isHeads(answer) || !store.map.square) return (i) => i > layer;
  const reached = new Set([from]);
  for (let more = -1; more !== reached.size; ) {
    more = reached.size;
    for (let query = 0; query < answer.columns.length; query++)
      if ([...reached].some((key) => !store.map.without(query, key))) reached.add(query);
  }
  return (i, j) => i > layer && reached.has(j);
};

/** A sentence about the two passes if they are one of the example pairs, read by the model that was measured. */
const knownPair = ({ pairs, models }) => {
  const { model, examples, text } = store.header;
  const pair = Object.entries(pairs[examples]).find(([, [one, other]]) => one === beside.header.text && other === text);
  return pair && model === models[pair[0]] && !store.edits.length ? say("carry_found", { pair: pair[0] }) : "";
};

/** The sentence about what is measured, and its value in both passes. */
const measureOf = ({ answer, rival, names, choices, at, before, pinned }) => {
  const [first, second] = [answer, rival].map((id) => inQuotes(names[choices.indexOf(id)]));
  const { blanks, classes } = store.header.output;
  return say("carry_at", {
    says: blanks ? "blank" : classes ? "class" : "next",
    token: quote(blanks ? blanks[at].token : at, predictionLabels()),
    answer: first,
    rival: second,
    before: asSigned(before, 2),
    pinned: asSigned(pinned, 2),
  });
};

const ASKED = ["pass", "map", "carry", "carry_answer", "carry_rival"];

/** The fields: what is patched, and the two outcomes whose difference is measured. {node, update, fill}: update() shows
 *  the view, fill(answer) the outcomes to choose. */
const makeFields = () => {
  let now = null; // the answer that is shown
  const part = choice(
    "carry",
    () => store.set({ carry_layer: null, carry_from: null, carry: part.value }), // other parts make another grid
    ...store.fields.carry.choices.map((value) => h("option", { value }, say("carry_parts", { part: value }))),
  );
  const pair = () => store.set({ carry_answer: Number(answer.value), carry_rival: Number(rival.value) });
  const answer = choice("carry_answer", () => {
    if (answer.value === rival.value) rival.value = `${now.answer}`; // they change sides
    pair();
  });
  const rival = choice("carry_rival", pair);
  const offer = (select, ids, chosen) =>
    select.replaceChildren(
      ...ids.map((id) => h("option", { value: id, selected: id === chosen }, now.names[now.choices.indexOf(id)])),
    );
  const update = () => (part.value = store.view.carry);
  const fill = (result) => {
    now = result;
    for (const select of [answer, rival]) /** @type {HTMLElement} */ (select.parentElement).hidden = !result;
    if (!result) return;
    offer(answer, result.choices, result.answer);
    const others = result.choices.filter((id) => id !== result.answer);
    offer(rival, others, result.rival);
  };
  const lines = Object.entries({ carry_part: part, carry_answer: answer, carry_rival: rival });
  return { node: h("div.carry-asks", ...lines.map(([key, field]) => labelled(key, field))), update, fill };
};

/** A button for each example pair, which opens both texts. */
const offers = (pairs) =>
  pairs.flatMap(([pinned, text]) => [
    h("button.f-link", { onclick: () => open(pinned, text) }, say("carry_pair", { pinned, text })),
    " ",
  ]);

/** The grid of shares: {node, draw(result), mark(result, at, chosen)}; cells are parts, {layer, from}, or null. mark
 *  highlights the chosen one, and those that the part `at` can affect. */
const makeGrid = ({ point, choose }) => {
  const table = h("table.coloured", { role: "grid", "aria-label": say("carry_label") });
  let cells = []; // [layer][column] elements
  const draw = (result) => {
    cells = result.shares.map((row, layer) => row.map((share, from) => cellOf(share, layer, from)));
    const columns = isHeads(result) ? result.columns : result.columns.map((_, i) => tokenLabel(i, result.columns));
    const rows = cells.map((row, layer) => tableRow(`${layer}`, ...row));
    table.replaceChildren(tableHead(say("carry_corner", { part: store.view.carry }), ...columns), h("tbody", ...rows));
  };
  const mark = (result, at, chosen) => {
    const reached = at && reach(result, at);
    cells.forEach((row, i) =>
      row.forEach((cell, j) => {
        cell.classList.toggle("at", chosen?.layer === i && chosen.from === j);
        cell.classList.toggle("reached", Boolean(reached?.(i, j)));
        cell.tabIndex = i === (chosen?.layer ?? 0) && j === (chosen?.from ?? 0) ? 0 : -1;
      }),
    );
  };
  answerCells(table, { point: (cell) => point(cell && placeOf(cell)), choose: (cell) => choose(placeOf(cell)) });
  return { node: h("div.carry-sheet", table), draw, mark };
};

/** The prediction with the selected part: {node, ask, clear}. */
const makePrediction = () => {
  const node = h("table.comparison");
  const questions = newest({
    take: (answer) => node.replaceChildren(...comparison(answer)),
    fail: (error) => node.replaceChildren(h("caption", whyNot(error))),
  });
  const ask = () => post(questions, "/ask/carry/said", viewOfPair(...MEASURED, "from_layer", "from"));
  const clear = () => {
    questions.stop();
    node.replaceChildren();
  };
  return { node, ask, clear };
};

/** The part that brings back most, with its share as `value`. */
const largestOf = ({ shares }) =>
  shares
    .flatMap((row, layer) => row.map((value, from) => ({ layer, from, value: value ?? 0 })))
    .reduce((a, b) => (b.value > a.value ? b : a));

/** The selected part; null without one, or if the grid has no such part. */
const chosenIn = ({ shares }) => {
  const { carry_layer: layer, carry_from: from } = store.view;
  return layer === null || from === null || shares[layer]?.[from] === undefined ? null : { layer, from };
};

/** Selects a part, and shows it in the other views. */
const select = (result, { layer, from }) =>
  store.set({
    carry_layer: layer,
    carry_from: from,
    ...(isHeads(result) ? { of: "head", layer, head: from } : { layer, token: from, key: null }),
  });

export const mount = ({ element, props }) => {
  const { section, tools, body, foot } = makePanel(element, say("carry"));
  tools.append(makeHint("?", say("carry_hint"), say("carry_means")));

  let result = null; // the answer of carry_parts in carry.py
  let pointed = null; // the part under the pointer, {layer, from}

  const fields = makeFields();
  const grid = makeGrid({
    point: (part) => {
      pointed = part;
      mark();
    },
    choose: (part) => select(result, part),
  });
  const heading = h("p.carry-at", { role: "status" });
  const prediction = makePrediction();
  const main = h("div.carry-grid", grid.node, h("div.carry-side", heading, prediction.node));
  body.append(fields.node, main);
  const needs = h("p.quiet", { role: "status" });
  const about = h("p.finding", { role: "status" });
  const pairs = h("p.carry-pairs");
  foot.append(needs, about, pairs);

  const draw = () => {
    grid.draw(result);
    const most = largestOf(result);
    const show = h("button.f-link", { onclick: () => select(result, most) }, say("effects_show"));
    const largest = say("carry_most", { name: nameOf(result, most), share: asShare(most.value) });
    about.replaceChildren(asText([knownPair(props.value), measureOf(result), largest]), " ", show);
    mark();
  };

  /** Highlights and describes the part under the pointer, else the selected one. */
  const mark = () => {
    if (!result) return;
    const chosen = chosenIn(result);
    const at = pointed ?? chosen;
    grid.mark(result, at, chosen);
    heading.textContent = at
      ? say("carry_cell", { name: nameOf(result, at), share: asShare(result.shares[at.layer][at.from] ?? 0) })
      : say("carry_choose");
    if (chosen) prediction.ask();
    else prediction.clear();
  };

  const show = (answer) => {
    result = answer && { ...answer, names: answer.names.map(outcomeInWords) };
    const { examples } = store.header;
    main.hidden = about.hidden = !result;
    fields.node.hidden = !isPair(); // other parts may take fewer passes
    pairs.hidden = Boolean(result);
    pairs.replaceChildren(say("carry_pairs"), " ", ...offers(Object.values(props.value.pairs[examples])));
    fields.fill(result);
    if (result) draw();
  };

  const update = askInView(
    { element, section, body: main, status: needs },
    {
      question: () => (isPair() ? viewOfPair(...MEASURED) : null),
      get: (view, signal) => {
        needs.textContent = say("carry_running");
        return answerTo("/ask/carry/carried", view, signal);
      },
      take: show,
      refused: () => show(null),
    },
  );
  const load = () => {
    if (!store.pass) return;
    if (!isPair()) {
      show(null);
      needs.textContent = beside.asked ? "" : say("carry_needs");
    }
    update();
  };

  beside.subscribe(element, (changed) => changed.has("pinned") && load());
  store.subscribe(element, (changed) => {
    if (!store.pass) return;
    element.hidden = !applies("carry");
    fields.update();
    if (ASKED.some((field) => changed.has(field))) load();
    else if (["carry_layer", "carry_from"].some((field) => changed.has(field))) mark();
  });
  onAppearance(() => result && draw());
};
