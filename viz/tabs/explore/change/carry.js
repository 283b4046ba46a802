// Activation patching: how much of the difference each part of the pinned pass brings back when it is patched into the
// current pass: every head, or every token's vector, at each layer, as a grid; and the prediction with the selected
// part. Requested while the panel is in view.

import { answerTo, newest, whyNot } from "../../../browser/lib/ask.js";
import { h, tableRow } from "../../../browser/lib/base.js";
import { ground, makeBar, palette, signedAt } from "../../../browser/lib/colour.js";
import { makeHint } from "../../../browser/lib/hint.js";
import { asText, quoted, say } from "../../../browser/lib/messages.js";
import { asShare, asSigned } from "../../../browser/lib/numbers.js";
import { page } from "../../../browser/lib/page.js";
import { makePanel, onTheme } from "../../../browser/lib/panel.js";
import { viewOf } from "../../../browser/lib/python.js";
import { askInView } from "../lib/asking.js";
import { answerCells } from "../lib/grid.js";
import { outcomeInWords, predicted, quote, tokenLabel } from "../lib/labels.js";
import { beside } from "../lib/pinned.js";
import { applies } from "../lib/store/applies.js";
import { store } from "../lib/store.js";

const choice = (name, onchange, ...options) => h("select", { "data-field": name, onchange }, ...options);

const labelled = (key, field) => h("label.field-line.field-select", h("span.name", say(key)), field);

/** The part of a view that an answer depends on. */
const nameOf = ({ model, text, edits, map, part, answer, rival, beside: pinned }, ...more) =>
  JSON.stringify([model, text, edits, map, part, answer, rival, pinned?.model, pinned?.text, pinned?.edits, ...more]);

const isPair = () => Boolean(store.pass && beside.pass);

const open = (pinned, text) => {
  const { model } = store.header;
  const { open: folds } = store.view;
  page.follow(new URLSearchParams({ tab: "explore", model, text, pin: model, pin_text: pinned, open: folds }));
};

/** The part that a cell of the grid represents. */
const placeOf = ({ row, column }) => ({ layer: row, from: column });

const ASKED = ["pass", "map", "carry", "carry_answer", "carry_rival"];

export const mount = ({ element, props }) => {
  const PARTS = store.fields.carry.choices;
  const { section, tools, body, foot } = makePanel(element, say("carry"));
  tools.append(makeHint("?", say("carry_hint"), say("carry_means")));

  const part = choice(
    "carry",
    () => store.set({ carry_layer: null, carry_from: null, carry: part.value }), // other parts make another grid
    ...PARTS.map((value) => h("option", { value }, say("carry_parts", { part: value }))),
  );
  const pair = () => store.set({ carry_answer: Number(answer.value), carry_rival: Number(rival.value) });
  const answer = choice("carry_answer", () => {
    if (answer.value === rival.value) rival.value = `${found.answer}`; // they change sides
    pair();
  });
  const rival = choice("carry_rival", pair);
  const asks = h(
    "div.carry-asks",
    labelled("carry_part", part),
    labelled("carry_answer", answer),
    labelled("carry_rival", rival),
  );

  const table = h("table", { role: "grid", "aria-label": say("carry_label") });
  const sheet = h("div.carry-sheet", table);
  const heading = h("p.carry-at", { role: "status" });
  const said = h("table.carry-said");
  const grid = h("div.carry-grid", sheet, h("div.carry-side", heading, said));
  body.append(asks, grid);
  const needs = h("p.quiet", { role: "status" });
  const about = h("p.finding", { role: "status" });
  const pairs = h("p.carry-pairs");
  foot.append(needs, about, pairs);

  let found = null; // the answer of carry_parts in carry.py, with {of: its request}
  let cells = []; // [layer][column] elements
  let pointed = null; // {layer, from}

  const isHeads = () => found.axes[0] === "head";

  const name = ({ layer, from }) =>
    isHeads()
      ? say("carry_head", { layer, head: from })
      : say("carry_token", { layer, token: quote(from, found.columns) });

  const draw = () => {
    const { scores } = palette();
    const options = (ids, chosen) =>
      ids.map((id) => h("option", { value: id, selected: id === chosen }, found.names[found.choices.indexOf(id)]));
    answer.replaceChildren(...options(found.choices, found.answer));
    rival.replaceChildren(
      ...options(
        found.choices.filter((id) => id !== found.answer),
        found.rival,
      ),
    );
    cells = found.shares.map((row, layer) =>
      row.map((value, from) => {
        const cell = h(
          "td",
          { role: "gridcell", tabindex: -1, "data-layer": layer, "data-from": from },
          value === null ? "–" : `${Math.round(100 * value)}`.replace("-", "−"),
        );
        ground(cell, scores[signedAt(value ?? 0)]);
        return cell;
      }),
    );
    const columns = isHeads() ? found.columns : found.columns.map((_, i) => tokenLabel(i, found.columns));
    const corner = say("carry_corner", { part: store.view.carry });
    const head = h("tr", h("th", corner), ...columns.map((column) => h("th", { scope: "col" }, column)));
    const rows = cells.map((row, layer) => tableRow(`${layer}`, ...row));
    table.replaceChildren(h("thead", head), h("tbody", ...rows));
    tellAll();
    mark();
  };

  /** Describes the measure, and the part that brings back most. */
  const tellAll = () => {
    const [first, second] = [found.answer, found.rival].map((id) => quoted(found.names[found.choices.indexOf(id)]));
    const { blanks } = store.header.output ?? {};
    const token = quote(blanks ? blanks[found.at].token : found.at, predicted());
    const values = {
      says: blanks ? "blank" : store.header.output?.classes ? "class" : "next",
      token,
      answer: first,
      rival: second,
      before: asSigned(found.before, 2),
      pinned: asSigned(found.pinned, 2),
    };
    const each = found.shares.flatMap((row, layer) => row.map((value, from) => ({ layer, from, value: value ?? 0 })));
    const most = each.reduce((a, b) => (b.value > a.value ? b : a));
    const show = h("button.f-link", { onclick: () => take(most) }, say("effects_show"));
    const { model, examples, text } = store.header;
    const pair = Object.entries(props.value.pairs[examples] ?? {}).find(
      ([, [one, other]]) => one === beside.header.text && other === text,
    );
    const known =
      pair && model === props.value.found[pair[0]] && !store.edits.length ? say("carry_found", { pair: pair[0] }) : "";
    about.replaceChildren(
      asText([known, say("carry_at", values), say("carry_most", { name: name(most), share: asShare(most.value) })]),
      " ",
      show,
    );
  };

  /** Highlights the cell under the pointer, else the selected one, and the cells that it can affect: deeper layers, at
   *  tokens that can attend to its own. */
  const mark = () => {
    if (!found) return;
    const { carry_layer: layer, carry_from: from } = store.view;
    const chosen = layer === null || from === null || !cells[layer]?.[from] ? null : { layer, from };
    const at = pointed ?? chosen;
    const reached = at && reach(at);
    cells.forEach((row, i) =>
      row.forEach((cell, j) => {
        cell.classList.toggle("at", chosen?.layer === i && chosen.from === j);
        cell.classList.toggle("reached", Boolean(reached?.(i, j)));
        cell.tabIndex = i === (chosen?.layer ?? 0) && j === (chosen?.from ?? 0) ? 0 : -1;
      }),
    );
    heading.textContent = at
      ? say("carry_cell", { name: name(at), share: asShare(found.shares[at.layer][at.from] ?? 0) })
      : say("carry_choose");
    askSaid(chosen);
  };

  const reach = ({ layer, from }) => {
    if (isHeads() || !store.map.square) return (i) => i > layer;
    const { length } = found.columns;
    const reached = new Set([from]);
    for (let more = -1; more !== reached.size; ) {
      more = reached.size;
      for (let query = 0; query < length; query++)
        if ([...reached].some((key) => key < store.map.rowLength(query) && !store.map.skips(query, key)))
          reached.add(query);
    }
    return (i, j) => i > layer && reached.has(j);
  };

  // --- what is predicted with the chosen part ------------------------------------------------------------------------

  const one = newest({
    take: (answer) => {
      const { probs, before, pinned } = answer;
      const names = answer.names.map(outcomeInWords);
      const number = (value, kind = "") => h("td", h("span.number", asShare(value)), makeBar(value, kind));
      const heads = ["carry_without", "carry_carried", "carry_pinned"].map((key) =>
        h("th", { scope: "col" }, say(key)),
      );
      const rows = names.map((label, i) =>
        h(
          "tr",
          h("th", { scope: "row", title: label }, label),
          number(before[i], "before"),
          number(probs[i]),
          number(pinned[i], "before"),
        ),
      );
      said.replaceChildren(h("thead", h("tr", h("td"), ...heads)), h("tbody", ...rows));
      said.dataset.rev = store.rev;
    },
    fail: (error) => said.replaceChildren(h("caption", whyNot(error))),
  });
  const askSaid = (chosen) => {
    if (!chosen) {
      one.stop();
      return void said.replaceChildren();
    }
    const view = viewOf.explore();
    one.ask(nameOf(view, view.from_layer, view.from), (signal) => answerTo("/ask/carry/said", view, signal));
  };

  // --- the grid ------------------------------------------------------------------------------------------------------

  const show = (answer) => {
    found = answer && { ...answer, names: answer.names.map(outcomeInWords) };
    const { examples } = store.header;
    grid.hidden = asks.hidden = about.hidden = !found;
    const offered = Object.values(props.value.pairs[examples] ?? {});
    pairs.hidden = Boolean(found) || !offered.length;
    const begin = ([pinned, text]) =>
      h("button.f-link", { onclick: () => open(pinned, text) }, say("carry_pair", { pinned, text }));
    pairs.replaceChildren(say("carry_pairs"), " ", ...offered.flatMap((pair) => [begin(pair), " "]));
    if (found) draw();
  };

  const update = askInView(
    { element, section, body, status: needs },
    {
      question: () => (isPair() ? nameOf(viewOf.explore()) : null),
      get: (signal) => answerTo("/ask/carry/carried", viewOf.explore(), signal),
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

  const take = ({ layer, from }) => {
    store.set({
      carry_layer: layer,
      carry_from: from,
      ...(isHeads() ? { of: "head", layer, head: from } : { layer, token: from, key: null }),
    });
  };
  const point = (cell) => {
    pointed = cell;
    mark();
  };
  answerCells(table, {
    point: (cell) => point(cell && placeOf(cell)),
    choose: (cell) => take(placeOf(cell)),
  });

  beside.subscribe(element, (changed) => changed.has("pinned") && load());
  store.subscribe(element, (changed) => {
    if (!store.pass) return;
    element.hidden = !applies("carry");
    part.value = store.view.carry;
    if (ASKED.some((field) => changed.has(field))) load();
    else if (["carry_layer", "carry_from"].some((field) => changed.has(field))) mark();
  });
  onTheme(() => found && draw());
};
