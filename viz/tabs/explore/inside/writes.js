// What the selected head writes at the selected token: what it attends to there, the next tokens whose logits it raises
// and lowers, the effect of removing it, and the logit of one next token as the sum of all parts. Requested while the
// panel is in view.

import { h, tableHead, tableRow } from "../../../browser/lib/base.js";
import { barLine, ground, makeBar, palette, signedAt } from "../../../browser/lib/colour.js";
import { makeHint } from "../../../browser/lib/hint.js";
import { asList, asText, quoted, say } from "../../../browser/lib/messages.js";
import { asFixed, asShare, asSigned } from "../../../browser/lib/numbers.js";
import { makePanel, onTheme } from "../../../browser/lib/panel.js";
import { ownView } from "../../../browser/lib/python.js";
import { askInView } from "../lib/asking.js";
import { quote, tokenLabel } from "../lib/labels.js";
import { rowOf, shownNow, strongestOf } from "../lib/shown.js";
import { applies } from "../lib/store/applies.js";
import { chooseRival, rivals } from "../lib/store/rivals.js";
import { store } from "../lib/store.js";

const LOOKS = 5; // number of keys in the sentence

const STRONGEST = -1; // as a position: where the head adds most to the logit of the token that follows

const looks = (at) => {
  const { map } = store;
  const weights = rowOf(shownNow(), at);
  const keys = strongestOf(weights, LOOKS);
  return h(
    "section",
    h("h3", say("writes_looks")),
    h(
      "ol",
      ...keys.map((key) =>
        h("li", ...barLine(tokenLabel(key, map.keys), makeBar(weights[key]), asShare(weights[key]))),
      ),
    ),
  );
};

const CHOICES = ["pass", "map", "layer", "head", "of", "token", "carry_answer", "carry_rival"];

export const mount = ({ element }) => {
  const { section, tools, body, foot } = makePanel(element, say("writes"));
  const heading = h("p.writes-at");
  const lists = h("div.writes-lists");
  const table = h("table.writes-parts");
  const told = h("div.writes-told", { "aria-live": "polite" });
  const sum = h(
    "div.writes-sum",
    h("div.writes-sheet", { tabindex: 0, role: "group", "aria-label": say("writes_parts") }, table),
    told,
  );
  body.append(heading, lists, sum);
  tools.append(makeHint("?", say("writes_means"), say("writes_hint")));
  const status = h("p.quiet", { role: "status" });
  const every = h("input", { type: "checkbox", onchange: () => draw() });
  const rare = h("span");
  const strongest = h("button.f-button", { hidden: true, onclick: () => found && store.set(best()) });
  foot.append(status, h("p.writes-more", h("label", { hidden: true }, every, rare), strongest));

  let found = null; // see viz/passes/writes.py
  let opened = null; // the position that was shown before a visitor chose one or an answer
  const position = () =>
    store.view.token ?? (rivals().answer === null ? STRONGEST : (opened ?? store.map.queries.length - 1));
  const best = () => {
    const [layer, head, token] = found.strongest;
    return { layer, head, token };
  };
  ownView.writes = () => ({
    query: (element.classList.contains("late") ? null : found?.at) ?? store.view.token ?? store.map.queries.length - 1,
    every: every.checked,
  });
  const path = () => {
    const { layer, head, of } = store.view;
    if (of !== "head") return null;
    const { answer, rival } = rivals();
    const asked = [answer !== null && `token=${answer}`, rival !== null && `rival=${rival}`].filter(Boolean);
    const query = asked.length ? `?${asked.join("&")}` : "";
    return `/attention/${store.header.key}/writes/${store.map.name}/${layer}/${head}/${position()}${query}`;
  };
  const label = (id) => found.labels[id];

  /** A list of [id, value], each a button that selects the token; `write` formats the value. */
  const list = (words, entries, part, write, kind = "") =>
    h(
      "section",
      h("h3", words),
      h(
        "ol",
        ...entries.map(([id, value]) =>
          h(
            "li",
            ...barLine(
              h(
                "button",
                {
                  class: id === found.rival ? "label rival" : "label",
                  title: say("writes_choose", { token: quoted(label(id)) }),
                  "aria-pressed": `${id === found.token || id === found.rival}`,
                  "data-id": id,
                  onclick: ({ shiftKey }) => chooseRival(id, shiftKey, found.token),
                },
                label(id),
              ),
              makeBar(part(value), kind),
              write(value),
            ),
          ),
        ),
      ),
    );

  const draw = () => {
    const { at, likeliest, parts, without, logit, prob } = found;
    const { raised, lowered } = (every.checked && found.every) || found;
    const { layer, head } = store.view;
    const { activeElement } = document;
    const focused = lists.contains(activeElement) ? activeElement?.dataset.id : null;
    const most = Math.max(1e-9, ...[...raised, ...lowered].map(([, value]) => Math.abs(value)));
    const part = (value) => Math.abs(value) / most;
    const silent = most <= 1e-9; // it is ablated
    heading.textContent = say("writes_heading", {
      name: say("head_name", { layer, head }),
      token: quote(at, store.map.queries),
    });
    lists.replaceChildren(
      looks(at),
      ...(silent
        ? [h("p", say("writes_nothing"))]
        : [
            list(say("writes_raises"), raised, part, (value) => asSigned(value, 2)),
            list(say("writes_lowers"), lowered, part, (value) => asSigned(value, 2), "down"),
          ]),
      list(say("writes_likeliest"), likeliest, (value) => value, asShare),
    );
    if (focused) lists.querySelector(`[data-id="${focused}"]`)?.focus();
    paint();
    const total = (values) => [values].flat(2).reduce((all, value) => all + value, 0);
    const order = ["input", "heads", "cross", "feed_forwards", "constant", "common"].filter((name) => name in parts);
    const named = {
      input: "writes_input",
      heads: "writes_heads",
      cross: "writes_cross_heads",
      feed_forwards: "writes_feed_forwards",
      constant: "writes_constant",
      common: "writes_common",
    };
    const terms = order.map((name) => say(named[name], { value: asSigned(total(parts[name]), 3) }));
    const all = order.reduce((so, name) => so + total(parts[name]), 0);
    const direct = parts[store.map.name === "cross" ? "cross" : "heads"][layer][head];
    const of = found.rival === null ? "token" : "pair";
    told.replaceChildren(
      h("p", say("writes_total", { of, terms: asList(terms, true), sum: asFixed(all, 3), logit: asFixed(logit, 3) })),
      silent
        ? ""
        : h(
            "p",
            say("writes_without", {
              of,
              direct: asSigned(direct, 3),
              logit: asFixed(without.logit, 3),
              before: asFixed(logit, 3),
              after: asShare(without.prob),
              prob: asShare(prob),
            }),
          ),
    );
    status.textContent = asText([
      found.follows !== null && say("writes_follows", { token: quoted(label(found.follows)) }),
      position() === STRONGEST && say("writes_opened"),
    ]);
    rare.parentElement.hidden = !found.rare;
    rare.textContent = say("writes_rare", { count: found.rare });
    strongest.hidden = !found.strongest || Object.entries(best()).every(([name, value]) => store.view[name] === value);
    if (found.strongest)
      strongest.textContent = say("writes_strongest", {
        name: say("head_name", best()),
        token: quote(found.strongest[2], store.map.queries),
        value: asSigned(found.strongest[3], 2),
      });
    Object.assign(section.dataset, { token: found.token, sum: all, logit });
  };

  /** The parts of the logit as a table: a row for each layer, a column for each head and for the feed-forward. */
  const paint = () => {
    const { parts } = found;
    const { layer, head } = store.view;
    const [token, rival] = [found.token, found.rival].map((id) => id !== null && quoted(label(id)));
    const kinds = [
      ["heads", parts.cross ? "writes_self" : "writes_head", "decoder"],
      ["cross", "writes_cross", "cross"],
    ].filter(([name]) => parts[name]);
    const columns = kinds.flatMap(([name, words, map]) =>
      parts[name][0].map((_, i) => ({
        words: say(words, { head: i }),
        value: (row) => parts[name][row][i],
        on: (row) => row === layer && i === head && (!parts.cross || store.map.name === map),
      })),
    );
    columns.push({ words: say("writes_feed_forward"), value: (row) => parts.feed_forwards[row], on: () => false });
    const rows = parts.feed_forwards.map((_, row) => columns.map(({ value }) => value(row)));
    const most = Math.max(1e-9, ...rows.flat().map(Math.abs));
    const { scores } = palette();
    const cell = (value, row, column) => {
      const node = h(
        "td",
        {
          class: columns[column].on(row) ? "at" : null,
          title: say("writes_cell", { layer: row, column: columns[column].words, value: asSigned(value, 4) }),
        },
        asSigned(value, 2),
      );
      ground(node, scores[signedAt(value / most)]);
      return node;
    };
    table.replaceChildren(
      h(
        "caption",
        found.rival === null ? say("writes_sum_of", { token }) : say("writes_sum_of_pair", { token, rival }),
      ),
      tableHead("", ...columns.map(({ words }) => words)),
      h(
        "tbody",
        ...rows.map((values, row) =>
          tableRow(say("writes_layer", { layer: row }), ...values.map((value, column) => cell(value, row, column))),
        ),
      ),
    );
  };

  const ask = askInView(
    { element, section, body, status },
    {
      question: path,
      take: (answer) => {
        found = answer;
        opened = found.at;
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
  onTheme(() => found && !body.hidden && paint());
};
