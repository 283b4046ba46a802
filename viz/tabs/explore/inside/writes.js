// The output of the selected head at the selected token: the tokens it attends to, the next tokens whose logits it
// raises and lowers, the effect of removing it, and the logit of one next token as the sum of all parts. Requested
// while the panel is in view.

import { h, tableHead, tableRow } from "../../../browser/lib/base.js";
import { barLine, ground, makeBar, palette, signedAt } from "../../../browser/lib/colour.js";
import { makeHint } from "../../../browser/lib/hint.js";
import { asList, asText, inQuotes, say } from "../../../browser/lib/messages.js";
import { asFixed, asShare, asShares, asSigned } from "../../../browser/lib/numbers.js";
import { makePanel, onAppearance } from "../../../browser/lib/panel.js";
import { ownView } from "../../../browser/lib/python.js";
import { askInView, viewOfHead } from "../lib/asking.js";
import { quote, tokenLabel } from "../lib/labels.js";
import { rowOf, shownNow, strongestOf } from "../lib/selection.js";
import { applies } from "../lib/store/applies.js";
import { chooseRival, rivals } from "../lib/store/rivals.js";
import { store } from "../lib/store.js";

const LOOKS = 5; // number of keys in the sentence

const SILENT = 1e-9; // the largest change of a logit by a head that is ablated

const looks = (at) => {
  const { map } = store;
  const weights = rowOf(shownNow(), at);
  const keys = strongestOf(weights, LOOKS);
  return h(
    "section",
    h("h3", say("writes_looks")),
    h(
      "ol.bar-lines",
      ...keys.map((key) =>
        h("li", ...barLine(tokenLabel(key, map.keys), makeBar(weights[key]), asShare(weights[key]))),
      ),
    ),
  );
};

const CHOICES = ["pass", "map", "layer", "head", "of", "token", "carry_answer", "carry_rival"];

/** A list of [id, value], each a button that selects the token; `part` is the length of a value's bar, `write` its
 *  words. */
const list = (result, words, entries, part, write, kind = "") => {
  const button = (id) =>
    h(
      "button",
      {
        class: id === result.rival ? "label rival" : "label",
        title: say("writes_choose", { token: inQuotes(result.labels[id]) }),
        "aria-pressed": `${id === result.token || id === result.rival}`,
        "data-id": id,
        onclick: ({ shiftKey }) => chooseRival(id, shiftKey, result.token),
      },
      result.labels[id],
    );
  const entry = ([id, value]) => h("li", ...barLine(button(id), makeBar(part(value), kind), write(value)));
  return h("section", h("h3", words), h("ol.bar-lines", ...entries.map(entry)));
};

/** The tokens that the head attends to, and the next tokens whose logits it raises and lowers. */
const listsOf = (result) => {
  const { raised, lowered, most } = result;
  const part = (value) => Math.abs(value) / most;
  const write = (value) => asSigned(value, 2);
  return [
    looks(result.at),
    ...(most <= SILENT
      ? [h("p", say("writes_nothing"))]
      : [
          list(result, say("writes_raises"), raised, part, write),
          list(result, say("writes_lowers"), lowered, part, write, "down"),
        ]),
    list(result, say("writes_likeliest"), result.likeliest, (value) => value, asShare),
  ];
};

/** The parts of a logit in the order of the sentence, with their messages. */
const TERMS = {
  input: "writes_input",
  heads: "writes_heads",
  cross: "writes_cross_heads",
  feed_forwards: "writes_feed_forwards",
  constant: "writes_constant",
  common: "writes_common",
};

/** The logit as a sum, and the effect of removing the head, in words. */
const sentencesOf = (result) => {
  const { parts, logit, prob } = result;
  const [logitWithout, probWithout] = result.without;
  const { layer, head } = store.view;
  const of = result.rival === null ? "token" : "pair";
  const terms = Object.entries(TERMS)
    .filter(([name]) => name in result.terms)
    .map(([name, message]) => say(message, { value: asSigned(result.terms[name], 3) }));
  const sum = { terms: asList(terms, true), sum: asFixed(result.sum, 3), logit: asFixed(logit, 3) };
  const direct = parts[store.map.name === "cross" ? "cross" : "heads"][layer][head];
  const [after, was] = asShares(probWithout, prob);
  const removed = {
    direct: asSigned(direct, 3),
    logit: asFixed(logitWithout, 3),
    before: asFixed(logit, 3),
    after,
    prob: was,
    same: after === was ? "yes" : "no",
  };
  const without = result.most <= SILENT ? null : h("p", say("writes_without", { of, ...removed }));
  return [h("p", say("writes_total", { of, ...sum })), without].filter(Boolean);
};

/** The columns of the table, {words, value(layer), on(layer)}: a head each, and the feed-forward. */
const columnsOf = ({ parts }) => {
  const { layer, head } = store.view;
  const kinds = [
    ["heads", parts.cross ? "writes_self" : "writes_head", "decoder"],
    ["cross", "writes_cross", "cross"],
  ].filter(([name]) => parts[name]);
  const heads = kinds.flatMap(([name, words, map]) =>
    parts[name][0].map((_, i) => ({
      words: say(words, { head: i }),
      value: (row) => parts[name][row][i],
      on: (row) => row === layer && i === head && (!parts.cross || store.map.name === map),
    })),
  );
  return [...heads, { words: say("writes_feed_forward"), value: (row) => parts.feed_forwards[row], on: () => false }];
};

/** The parts of the logit as a table: a row for each layer, a column for each head and for the feed-forward. */
const paintTable = (table, result) => {
  const columns = columnsOf(result);
  const rows = result.parts.feed_forwards.map((_, row) => columns.map(({ value }) => value(row)));
  const most = Math.max(1e-9, ...rows.flat().map(Math.abs));
  const { scores } = palette();
  const cell = (value, row, { words, on }) => {
    const title = say("writes_cell", { layer: row, column: words, value: asSigned(value, 4) });
    const node = h("td", { class: on(row) ? "at" : null, title }, asSigned(value, 2));
    ground(node, scores[signedAt(value / most)]);
    return node;
  };
  const line = (values, row) =>
    tableRow(say("writes_layer", { layer: row }), ...values.map((value, i) => cell(value, row, columns[i])));
  const [token, rival] = [result.token, result.rival].map((id) => id !== null && inQuotes(result.labels[id]));
  table.replaceChildren(
    h("caption", rival ? say("writes_sum_of_pair", { token, rival }) : say("writes_sum_of", { token })),
    tableHead(say("carry_corner", { part: "heads" }), ...columns.map(({ words }) => words)),
    h("tbody", ...rows.map(line)),
  );
};

const pairs = (ids, values) => ids.map((id, i) => [id, values[i]]);

const strongestOfAll = ({ strongest: [layer, head, token] }) => ({ layer, head, token });

export const mount = ({ element }) => {
  const { section, tools, body, foot } = makePanel(element, say("writes"));
  const heading = h("p.writes-at");
  const lists = h("div.writes-lists");
  const table = h("table.coloured");
  const sentences = h("div.writes-told", { "aria-live": "polite" });
  const sheet = h(
    "div.writes-sheet.sideways",
    { tabindex: 0, role: "group", "aria-label": say("writes_parts") },
    table,
  );
  const sum = h("div.writes-sum", sheet, sentences);
  body.append(heading, lists, sum);
  tools.append(makeHint("?", say("writes_means"), say("writes_hint")));
  const status = h("p.quiet", { role: "status" });
  const every = h("input", { type: "checkbox", onchange: () => ask() });
  const rare = h("span");
  const strongest = h("button.f-button", {
    hidden: true,
    onclick: () => result && store.set(strongestOfAll(result)),
  });
  foot.append(status, h("p.writes-more", h("label", { hidden: true }, every, rare), strongest));

  let result = null; // see write_logits in predictions.py, with its ids and values in pairs
  let opened = null; // the position that was shown before a visitor chose one or an answer
  const position = () =>
    // null: the one where the head adds most to the logit of the token that follows
    store.view.token ?? (rivals().answer === null ? null : (opened ?? store.map.queries.length - 1));
  ownView.writes = () => ({
    query: (element.classList.contains("late") ? null : result?.at) ?? store.view.token ?? store.map.queries.length - 1,
    every: every.checked,
  });

  const drawFoot = () => {
    const { follows, rare: count, strongest: best } = result;
    status.textContent = asText([
      follows !== null && say("writes_follows", { token: inQuotes(result.labels[follows]) }),
      position() === null && say("writes_opened"),
    ]);
    rare.parentElement.hidden = !count;
    rare.textContent = say("writes_rare", { count });
    const strongestHead = best && strongestOfAll(result);
    strongest.hidden =
      !strongestHead || Object.entries(strongestHead).every(([name, value]) => store.view[name] === value);
    if (!strongestHead) return;
    const token = quote(strongestHead.token, store.map.queries);
    strongest.textContent = say("writes_strongest", {
      name: say("head_name", strongestHead),
      token,
      value: asSigned(best[3], 2),
    });
  };
  const draw = () => {
    const { layer, head } = store.view;
    const { activeElement } = document;
    const focused = lists.contains(activeElement) ? activeElement?.dataset.id : null;
    const name = say("head_name", { layer, head });
    heading.textContent = say("writes_heading", { name, token: quote(result.at, store.map.queries) });
    lists.replaceChildren(...listsOf(result));
    if (focused) lists.querySelector(`[data-id="${focused}"]`)?.focus();
    paintTable(table, result);
    sentences.replaceChildren(...sentencesOf(result));
    drawFoot();
    Object.assign(section.dataset, { token: result.token, sum: result.sum, logit: result.logit });
  };

  const ask = askInView(
    { element, section, body, status },
    {
      question: () => {
        const { of, carry_answer: answer, carry_rival: rival } = store.view;
        return of === "head" ? { ...viewOfHead(), query: position(), answer, rival, every: every.checked } : null;
      },
      path: "/ask/writes/written",
      take: (answer) => {
        const raised = pairs(answer.ids, answer.raised);
        const lowered = pairs(answer.lowered_ids, answer.lowered);
        const likeliest = pairs(answer.likeliest_ids, answer.likeliest);
        const most = Math.max(0, ...[...answer.raised, ...answer.lowered].map(Math.abs));
        result = { ...answer, raised, lowered, likeliest, most, rival: store.view.carry_rival };
        opened = result.at;
        draw();
      },
    },
  );

  store.subscribe(element, (changed) => {
    if (!store.pass || !CHOICES.some((name) => changed.has(name))) return;
    if (["pass", "map", "layer", "head", "token"].some((name) => changed.has(name))) opened = null;
    element.hidden = !applies("writes");
    const writes = store.header.writes.includes(store.map.name);
    body.hidden = store.view.of !== "head" || !writes; // otherwise keeps its room
    sum.style.setProperty("--rows", store.map.layers + 1);
    ask();
    if (store.view.of !== "head") status.textContent = say("writes_choose_head");
  });
  onAppearance(() => result && !body.hidden && paintTable(table, result));
};
