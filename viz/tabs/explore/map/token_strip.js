// The tokens of the map. Two stripes under each show, for the token under the pointer or locked, how much it attends
// there (upper) and how much it is attended to from there (lower). With two texts, the queries are above and have the
// lower stripes, and the keys have the upper ones.

import { h, refill } from "../../../browser/lib/base.js";
import { keys } from "../../../browser/lib/keys.js";
import { asList, say } from "../../../browser/lib/messages.js";
import { asShare } from "../../../browser/lib/numbers.js";
import { makePanel } from "../../../browser/lib/panel.js";
import { quote } from "../lib/labels.js";
import { levelOf } from "../lib/paint.js";
import { afterMap, isPending, rowOf, shownNow, strongestOf } from "../lib/selection.js";
import { store } from "../lib/store.js";
import { lockPair, pointsAtTokens } from "../lib/tokens.js";

const NAMED = 4; // most tokens in a sentence

const buttons = (labels, name) =>
  labels.map((label, i) =>
    h("button.token", { [`data-${name}`]: i, "aria-label": `${label}, ${i}` }, h("span", label)),
  );

/** The key whose column is shown: the token itself, if queries and keys are one text. */
const keyOf = (token) => (store.map.square ? token : (store.hover?.key ?? store.view.key));

/** How much a query looks at each key, and how much each query looks at a key; null where there is no such token.
 *  @returns {any[]} */
const both = (shown, token, key) => {
  const { queries, keys } = shown.map;
  const row = new Float32Array(keys.length);
  if (token !== null) row.set(rowOf(shown, token));
  const column = key === null ? null : Float32Array.from(queries, (_, query) => rowOf(shown, query)[key] ?? 0);
  return [token === null ? null : row, column];
};

// The pair for a key of another text: with the query that attends to it most, or with the locked one.
const pairAt = (event) => {
  const button = event.target.closest?.("[data-key]");
  const shown = button && shownNow();
  if (!shown) return null;
  const key = Number(button.dataset.key);
  const [, column] = both(shown, null, key);
  return { query: store.view.token ?? strongestOf(column, 1)[0], key };
};

/** The token above or below, in the text as it is wrapped. */
const nextLine = (tokens, from, step) => {
  const own = tokens[from].offsetTop;
  const others = tokens.map((button, i) => ({ i, top: button.offsetTop, left: button.offsetLeft }));
  const tops = [...new Set(others.map(({ top }) => top))];
  const top = tops[tops.indexOf(own) + step];
  if (top === undefined) return from;
  const away = ({ left }) => Math.abs(left - tokens[from].offsetLeft);
  return others.filter((other) => other.top === top).reduce((a, b) => (away(b) < away(a) ? b : a)).i;
};

/** Lets the pointer and the keyboard select the queries in `list`; tokens() are its buttons. */
const movesAmongQueries = (list, tokens) => {
  const at = pointsAtTokens(list);
  list.addEventListener("keydown", (event) => {
    const now = at(event);
    if (now === null) return;
    const all = tokens();
    const steps = {
      ArrowLeft: now - 1,
      ArrowRight: now + 1,
      ArrowUp: nextLine(all, now, -1),
      ArrowDown: nextLine(all, now, 1),
      Home: 0,
      End: all.length - 1,
    };
    if (!(event.key in steps) || keys.modified(event)) return;
    event.preventDefault();
    const next = keys.clamp(steps[event.key], all.length);
    if (store.view.token !== null) store.set({ token: next, key: null });
    all[next].focus();
  });
};

/** The same for the keys of another text in `other`; others() are its buttons. */
const movesAmongKeys = (other, others) => {
  const pointPair = (event) => store.point(pairAt(event));
  other.addEventListener("pointerover", pointPair);
  other.addEventListener("focusin", pointPair);
  other.addEventListener("pointerleave", () => store.point(null));
  other.addEventListener("focusout", () => store.point(null));
  other.addEventListener("click", (event) => lockPair(pairAt(event)));
  other.addEventListener("keydown", (event) => {
    const now = pairAt(event)?.key;
    const to = now === undefined ? undefined : keys.along(event, now, others().length);
    if (to === undefined) return;
    event.preventDefault();
    others()[to].focus();
  });
};

/** A sentence about a token: what it attends to and what attends to it, as nodes. */
const sentenceOf = ({ map }, token, key, stripes) => {
  const [looks, looked] = stripes;
  const named = (weights, labels) => {
    const strong = strongestOf(weights, NAMED).filter((i) => weights[i] >= 0.01);
    return asList(strong.map((i) => `${quote(i, labels)} ${asShare(weights[i])}`)) || say("strip_faint");
  };
  const from = map.square || !looked ? "" : `${quote(key, map.keys)} `;
  return [
    h("b", `${quote(token, map.queries)}${store.view.token !== null ? ` · ${say("locked")}` : ""}`),
    ` ${say("strip_to")} `,
    h("span.to", named(looks, map.keys)),
    ...(looked ? [`${say("list_apart")}${from}${say("strip_from")} `, h("span.from", named(looked, map.queries))] : []),
  ];
};

const ON = ["pass", "map", "exact", "hover", "token", "key", "layer", "head", "of", "scale", "rev"];

export const mount = ({ element }) => {
  const { tools, body, foot } = makePanel(element, say("strip"));
  const list = h("div.tokens", { role: "group", "aria-label": say("strip_label") });
  const other = h("div.tokens", { role: "group", "aria-label": say("strip_other_label") });
  const names = ["query", "key"].map((name) => h("p.quiet", say(name)));
  const sentence = h("p.readout", { "aria-live": "polite" });
  tools.append(h("span.key.looks", h("i"), say("strip_looks")), h("span.key.looked", h("i"), say("strip_looked")));
  body.append(names[0], list, names[1], other);
  foot.append(sentence);
  let tokens = []; // the buttons of the queries
  let others = []; // the buttons of the keys, if they are another text's
  let built = null; // the map they are of
  let last = null; // the token shown last
  let looks = new Map(); // button → how it is painted

  const build = () => {
    built = store.map;
    const { square, queries, keys } = built;
    tokens = buttons(queries, "token");
    others = square ? [] : buttons(keys, "key");
    looks = new Map();
    refill(list, tokens);
    refill(other, others);
    for (const part of [other, ...names]) part.hidden = square;
    const words = ["word", "piece"].includes(store.header.unit);
    for (const part of [list, other]) part.classList.toggle("words", words);
  };

  const show = (button, levels, marks) => {
    const now = [...levels, ...Object.values(marks)].join();
    if (now === looks.get(button)) return; // so for most tokens after most choices
    looks.set(button, now);
    button.style.setProperty("--looks", levels[0]);
    button.style.setProperty("--looked", levels[1]);
    button.setAttribute("aria-pressed", `${marks.locked}`);
    button.classList.toggle("at", marks.at);
    button.tabIndex = marks.stop ? 0 : -1;
  };

  const paint = afterMap(() => {
    if (built !== store.map) build(); // in the frame that paints them: their styles are computed once
    const shown = shownNow();
    element.classList.toggle("late", isPending(shown));
    if (isPending(shown)) return; // it shows another map
    const { square } = shown.map;
    const token = store.token();
    const key = keyOf(token);
    const stripes = both(shown, token, key);
    const most = stripes.map((weights) => (weights ?? []).reduce((a, b) => Math.max(a, b), 1e-9));
    const level = (which, i) => (stripes[which] ? levelOf(stripes[which][i], most[which]).toFixed(2) : "0");
    tokens.forEach((button, i) =>
      show(button, [square ? level(0, i) : "0", level(1, i)], {
        at: i === token,
        locked: i === store.view.token,
        stop: i === (token ?? 0),
      }),
    );
    others.forEach((button, i) =>
      show(button, [level(0, i), "0"], { at: i === key, locked: i === store.view.key, stop: i === (key ?? 0) }),
    );
    if (token !== null && token !== last && !body.matches(":hover")) reveal(tokens[token]);
    last = token;
    sentence.dataset.token = token ?? "";
    sentence.replaceChildren(...(token === null ? [say("strip_hint")] : sentenceOf(shown, token, key, stripes)));
    element.dataset.rev = store.rev;
  });

  /** Scrolls the strip, never the page, to a token that was selected elsewhere. */
  const reveal = ({ offsetTop, offsetHeight }) => {
    const away = offsetTop - body.scrollTop;
    if (away < 0 || away + offsetHeight > body.clientHeight) body.scrollTop = offsetTop - body.clientHeight / 2;
  };

  movesAmongQueries(list, () => tokens);
  movesAmongKeys(other, () => others);

  store.subscribe(element, (changed) => {
    if (!store.pass) return;
    if (ON.some((name) => changed.has(name))) paint(changed);
  });
};
