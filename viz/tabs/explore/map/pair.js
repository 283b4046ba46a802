// One pair of tokens inside the head: q and k element by element, their products, the score, the weight; and the
// query's output, the sum of the values, each times its weight.

import { h, placeOn } from "../../../browser/lib/base.js";
import { asList, say } from "../../../browser/lib/messages.js";
import { asFixed, asNumber } from "../../../browser/lib/numbers.js";
import { makePanel, onAppearance, watchSize } from "../../../browser/lib/panel.js";
import { quote } from "../lib/labels.js";
import { readingOf } from "../lib/legend.js";
import { editsOf } from "../lib/pass.js";
import { afterMap, fetchedBy, pairOf, recompute, rowOf, shownNow } from "../lib/selection.js";
import { store } from "../lib/store.js";
import { BESIDE, drawProducts, drawValues, KEYS } from "./pair_drawing.js";

/** The effect of the visitor's edits on this head: {uniform: whether all its weights are equal, set: whether weights of
 *  this query are set, replaced: whether any are, factor: of its output}. */
const changes = ({ map, layer, head }, query) => {
  const own = editsOf(store.header, map, layer, head);
  const weights = own.filter((edit) => edit.do === "weight");
  const uniform = own.some((edit) => edit.do === "uniform");
  return {
    uniform,
    replaced: uniform || weights.length > 0,
    set: weights.some((edit) => edit.query === query),
    factor: own.reduce((factor, edit) => factor * (edit.factor ?? 1), 1),
  };
};

/** The message about a pair's weight: why it has none, or that an edit set it or made it equal, or how its score gives
 *  it. */
const sumKey = (map, vectors, query, key, { set, uniform }) => {
  const why = map.without(query, key);
  if (why) return `pair_${why}`;
  if (set) return "pair_set";
  if (uniform) return "pair_edited";
  return vectors.given ? "pair_sum_distance" : "pair_sum";
};

/** The score and the weight of a pair, in words. */
const scoreOf = (shown, query, key, [q, k], edits) => {
  const { map, vectors } = shown;
  const { headSize: size } = map;
  const divisor = map.divisor(shown.layer);
  const dot = q.reduce((sum, value, i) => sum + value * k[i], 0);
  const masked = map.hidden(query, key);
  const given = vectors.given && !masked;
  const score = given ? vectors.given[map.starts[query] + key] : dot / (Math.sqrt(size) * divisor);
  return say(sumKey(map, vectors, query, key, edits), {
    dot: asNumber(dot),
    root: say("root", { size, divisor: `${divisor}` }),
    score: asNumber(score),
    keys: map.keysSeen(query),
    weight: masked ? "" : asNumber(rowOf(shown, query)[key]),
  });
};

/** One number of the output as a sum, in words. */
const totalOf = ({ keys, weights, vectors, rest, out }, i, query, map, factor) => {
  const terms = keys.map((key, part) => {
    const [weight, value] = [weights[key], vectors[part][i]].map((number) => asNumber(number));
    return say("pair_term", { weight, value, token: quote(key, map.keys) });
  });
  const others = map.keysSeen(query) - keys.length;
  if (others) terms.push(say("pair_rest", { sum: asNumber(rest[i]), count: others }));
  return say(factor === 1 ? "pair_total" : "pair_total_scaled", {
    at: i + 1,
    size: out.length,
    query: quote(query, map.queries),
    terms: asList(terms, true),
    total: asNumber(out[i]),
    factor: asFixed(factor, 1),
  });
};

const largestAt = (values) =>
  values.reduce((best, value, i) => (Math.abs(value) > Math.abs(values[best]) ? i : best), 0);

/** The query's output, of which one number is described: {node, paint(shown, query, factor) → its error}. */
const makeOutput = (width) => {
  const canvas = h("canvas.values", { "aria-hidden": "true" });
  const total = h("p.sum", { "aria-live": "polite" });
  let at = null; // the index of the described number; null for the largest
  let last = /** @type {any} */ (null); // what was painted
  const currentIndex = () => at ?? largestAt(last.fetched.out);
  const choose = (i) => {
    at = last && Math.max(0, Math.min(last.fetched.out.length - 1, i));
    draw();
  };
  const step = (name, sign, by) =>
    h(
      "button.f-link",
      { "aria-label": say(`pair_${name}`), onclick: () => choose((last ? currentIndex() : 0) + by) },
      sign,
    );
  const node = h("div.fetches", canvas, h("div.fetched", step("less", "‹", -1), total, step("more", "›", 1)));
  const draw = () => {
    if (!last || !width()) return;
    const { fetched, query, map, factor } = last;
    const i = currentIndex();
    drawValues(canvas, width(), fetched, map.keys, i);
    total.textContent = totalOf(fetched, i, query, map, factor);
    Object.assign(total.dataset, { at: i, total: fetched.out[i] });
  };
  const paint = (shown, query, factor) => {
    const { map } = shown;
    last = { fetched: fetchedBy(shown, query, KEYS, factor), query, map, factor };
    at = at === null ? null : Math.min(at, map.headSize - 1);
    draw();
    return last.fetched.error;
  };
  canvas.addEventListener("pointermove", (event) => {
    const { x } = placeOn(canvas, event);
    if (last && x >= BESIDE) choose(Math.floor(((x - BESIDE) / (width() - BESIDE)) * last.fetched.out.length));
  });
  canvas.addEventListener("pointerleave", () => {
    at = null;
    draw();
  });
  return { node, paint };
};

export const mount = ({ element }) => {
  const { body, foot } = makePanel(element, say("pair"));
  const heading = h("p.sentence");
  const products = h("canvas.products", { "aria-hidden": "true" });
  const sum = h("p.sum");
  const check = h("p.quiet");
  const left = h("div", heading, products, sum);
  const output = makeOutput(() => size.width);
  body.append(left, output.node);
  foot.append(check);

  const paintHead = (shown, query, key) => {
    const { map, vectors } = shown;
    const { headSize } = map;
    const edits = changes(shown, query);
    recompute(map, vectors);
    const part = (vector, i) => vector.subarray(i * headSize, (i + 1) * headSize);
    const [q, k] = [part(vectors.q, query), part(vectors.k, key)];
    drawProducts(products, size.width, q, k);
    sum.textContent = scoreOf(shown, query, key, [q, k], edits);
    const offOutput = output.paint(shown, query, edits.factor);
    const off = Math.max(edits.replaced ? 0 : vectors.error, offOutput);
    const kind = edits.replaced ? "_edited" : vectors.given ? "_distance" : "";
    check.textContent = say(`pair_check${kind}`, { error: asNumber(off, 2) });
    check.dataset.error = off;
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
    for (const part of [products, sum, output.node, check]) part.hidden = !vectors;
    if (store.view.of !== "head") {
      sum.hidden = false;
      sum.textContent = say("pair_no_head");
    }
    if (vectors) paintHead(shown, query, key);
  });
  const size = watchSize(left, paint);
  store.subscribe(element, paint);
  onAppearance(() => paint());
};
