// One pair of tokens inside the head: q and k element by element, their products, the score, the weight; and the
// query's output, the sum of the values, each times its weight.

import { characters, fit, h, isolate, placeOn } from "../../../browser/lib/base.js";
import { cssOf, palette, signedAt, variable } from "../../../browser/lib/colour.js";
import { asList, say } from "../../../browser/lib/messages.js";
import { asFixed, asNumber } from "../../../browser/lib/numbers.js";
import { makePanel, onTheme, sized } from "../../../browser/lib/panel.js";
import { site } from "../../../browser/lib/site.js";
import { quote, tokenLabel } from "../lib/labels.js";
import { readingOf } from "../lib/legend.js";
import { afterMap, fetchedBy, pairOf, recompute, rowOf, shownNow } from "../lib/shown.js";
import { store } from "../lib/store.js";

const LINE = 49; // the base line of the bars for products
const TALL = 20; // largest height of a bar, up or down
const [LEFT, BESIDE] = [22, 96]; // pixels left of the numbers: for a letter; for a weight and a token
const ROW = 13; // pixels of a vector's height
const KEYS = 3; // number of keys whose values are shown separately
const most = (vectors) => vectors.flatMap((vector) => [...vector]).reduce((a, b) => Math.max(a, Math.abs(b)), 1e-9);

const label = (context, words, y) => {
  Object.assign(context, { font: `12px ${site.style.font}`, textBaseline: "middle", fillStyle: variable("quiet") });
  context.fillText(cut(context, words), 0, y);
};

/** Shortens words to the room left of the numbers. */
const cut = (context, words) => {
  const fits = (said) => context.measureText(said).width <= BESIDE - 4;
  if (fits(words)) return words;
  const letters = characters(words);
  while (letters.length && !fits(`${letters.join("")}…`)) letters.pop();
  return `${letters.join("")}…`;
};

/** The effect of the visitor's edits on this head: {uniform: whether all its weights are equal, set: whether weights of
 *  this query are set, replaced: whether any are, factor: of its output}. */
const changes = ({ layer, head }, query) => {
  const own = store.header.edits.filter(
    (edit) => (edit.map ?? store.map.name) === store.map.name && edit.layer === layer && (edit.head ?? head) === head,
  );
  const weights = own.filter((edit) => edit.do === "weight");
  const uniform = own.some((edit) => edit.do === "uniform");
  return {
    uniform,
    replaced: uniform || weights.length > 0,
    set: weights.some((edit) => edit.query === query),
    factor: own.reduce((factor, edit) => factor * (edit.factor ?? 1), 1),
  };
};

export const mount = ({ element }) => {
  const { body, foot } = makePanel(element, say("pair"));
  const heading = h("p.sentence");
  const [products, values] = ["products", "values"].map((name) => h("canvas", { class: name, "aria-hidden": "true" }));
  const sum = h("p.sum");
  const total = h("p.sum", { "aria-live": "polite" });
  const check = h("p.quiet");
  const step = { less: -1, more: 1 };
  const [less, more] = Object.keys(step).map((name) =>
    h(
      "button.f-link",
      { "aria-label": say(`pair_${name}`), onclick: () => choose((at ?? 0) + step[name]) },
      name === "less" ? "‹" : "›",
    ),
  );
  const fetches = h("div.fetches", values, h("div.fetched", less, total, more));
  const left = h("div", heading, products, sum);
  body.append(left, fetches);
  foot.append(check);
  let at = null; // the index of the described number of the output; null for the largest
  let fetched = null; // see fetchedBy

  /** Draws a vector as a row of colours from `left` on, relative to `largest`; returns the width of one number. */
  const row = (context, vector, largest, left, top) => {
    const { scores } = palette();
    const pitch = (size.width - left) / vector.length;
    vector.forEach((value, i) => {
      context.fillStyle = cssOf(scores[signedAt(value / largest)]);
      context.fillRect(left + i * pitch, top, Math.max(1, pitch - 1), ROW - 1);
    });
    return pitch;
  };

  /** Draws q, k and their products: two rows of colours, and bars up and down from a line. */
  const drawProducts = (q, k) => {
    const on = fit(products, size.width, LINE + TALL + 1);
    const product = q.map((value, i) => value * k[i]);
    ["q", "k", "q·k"].forEach((name, i) => label(on, name, [6, 20, LINE][i]));
    const pitch = row(on, q, most([q]), LEFT, 0);
    row(on, k, most([k]), LEFT, 14);
    const { scores } = palette();
    const largest = most([product]);
    product.forEach((value, i) => {
      const tall = (TALL * value) / largest;
      on.fillStyle = cssOf(scores[value < 0 ? 55 : 205]);
      on.fillRect(LEFT + i * pitch, LINE - Math.max(tall, 0), Math.max(1, pitch - 1), Math.max(0.5, Math.abs(tall)));
    });
    on.fillStyle = variable("quiet");
    on.fillRect(LEFT, LINE, size.width - LEFT, 1);
  };

  /** Draws the values of the keys with the largest weights, times their weights; the sum of all others; and the
   *  output. */
  const drawValues = ({ keys, weights, parts, rest, out }, labels) => {
    const others = weights.length > keys.length ? [[say("pair_others"), rest]] : [];
    const rows = [
      ...keys.map((key, i) => [`${asFixed(weights[key], 2)} × ${isolate(tokenLabel(key, labels))}`, parts[i]]),
      ...others,
    ];
    const on = fit(values, size.width, (KEYS + 2) * ROW + 5); // equally tall for every query
    const largest = most([...parts, rest, out]);
    rows.forEach(([words, vector], i) => {
      label(on, words, i * ROW + 6);
      row(on, vector, largest, BESIDE, i * ROW);
    });
    const top = rows.length * ROW + 4;
    label(on, say("pair_out"), top + 6);
    const pitch = row(on, out, largest, BESIDE, top);
    on.fillStyle = variable("quiet");
    on.fillRect(BESIDE, top - 3, size.width - BESIDE, 1);
    on.strokeStyle = variable("text");
    on.strokeRect(BESIDE + chosen() * pitch - 1, 0, pitch, top + ROW - 1);
  };

  /** The index of the described number of the output: under the pointer or chosen by keys, else the largest. */
  const chosen = () =>
    at ?? fetched.out.reduce((best, value, i) => (Math.abs(value) > Math.abs(fetched.out[best]) ? i : best), 0);
  const choose = (i) => {
    at = fetched && Math.max(0, Math.min(fetched.out.length - 1, i));
    paint();
  };

  /** Describes one number of the output as a sum. */
  const tellTotal = (query, map, factor) => {
    const { keys, weights, vectors, rest, out } = fetched;
    const i = chosen();
    const terms = keys.map((key, part) =>
      say("pair_term", {
        weight: asNumber(weights[key]),
        value: asNumber(vectors[part][i]),
        token: quote(key, map.keys),
      }),
    );
    const others = map.keysSeen(query) - keys.length;
    if (others) terms.push(say("pair_rest", { sum: asNumber(rest[i]), count: others }));
    const values = {
      at: i + 1,
      size: out.length,
      query: quote(query, map.queries),
      terms: asList(terms, true),
      total: asNumber(out[i]),
      factor: asFixed(factor, 1),
    };
    total.textContent = say(factor === 1 ? "pair_total" : "pair_total_scaled", values);
    Object.assign(total.dataset, { at: i, total: out[i] });
  };

  const paint = afterMap(() => {
    const shown = shownNow();
    if (!shown || !size.width) return;
    const { query, key } = pairOf(shown);
    const { map, vectors } = shown;
    heading.replaceChildren(
      h("b", `${quote(query, map.queries)} → ${quote(key, map.keys)}`),
      vectors ? "" : ` ${readingOf(shown, query, key).words}`,
    );
    products.hidden = sum.hidden = fetches.hidden = check.hidden = !vectors;
    if (store.view.of !== "head") {
      sum.hidden = false;
      sum.textContent = say("pair_no_head");
    }
    element.dataset.rev = store.rev;
    if (!vectors) return;
    const { headSize } = map;
    const divisor = map.divisor(shown.layer);
    const { uniform, replaced, set, factor } = changes(shown, query);
    recompute(map, vectors);
    const [q, k] = [
      vectors.q.subarray(query * headSize, (query + 1) * headSize),
      vectors.k.subarray(key * headSize, (key + 1) * headSize),
    ];
    drawProducts(q, k);
    const dot = q.reduce((so, value, i) => so + value * k[i], 0);
    const masked = key >= map.rowLength(query);
    const score =
      vectors.given && !masked ? vectors.given[map.rowStart(query) + key] : dot / (Math.sqrt(headSize) * divisor);
    const root = say("root", { size: headSize, divisor: `${divisor}` });
    const said = {
      dot: asNumber(dot),
      root,
      score: asNumber(score),
      keys: map.keysSeen(query),
      weight: masked ? "" : asNumber(rowOf(shown, query)[key]),
    };
    const sums = vectors.given ? "pair_sum_distance" : "pair_sum";
    sum.textContent = say(
      masked
        ? "pair_masked"
        : map.skips(query, key)
          ? "pair_skipped"
          : set
            ? "pair_set"
            : uniform
              ? "pair_edited"
              : sums,
      said,
    );
    fetched = fetchedBy(shown, query, KEYS, factor);
    at = at === null ? null : Math.min(at, headSize - 1);
    drawValues(fetched, map.keys);
    tellTotal(query, map, factor);
    const error = Math.max(replaced ? 0 : vectors.error, fetched.error);
    check.textContent = say(replaced ? "pair_check_edited" : vectors.given ? "pair_check_distance" : "pair_check", {
      error: asNumber(error, 2),
    });
    check.dataset.error = error;
  });

  values.addEventListener("pointermove", (event) => {
    const { x } = placeOn(values, event);
    if (fetched && x >= BESIDE) choose(Math.floor(((x - BESIDE) / (size.width - BESIDE)) * fetched.out.length));
  });
  values.addEventListener("pointerleave", () => {
    at = null;
    paint();
  });
  const size = sized(left, paint);
  store.subscribe(element, paint);
  onTheme(() => paint());
};
