// The current view as numbers: one head, the mean of a layer's heads, or the rollout up to a layer; and the selected
// pair of tokens. All views of the tab use this.

import { defer, eachFrame } from "../../../browser/lib/base.js";
import { site } from "../../../browser/lib/site.js";
import { store } from "./store.js";

/** @type {any} */ let held = null;
const TOLD = 0.0005; // keys with less weight are described together: each share would read 0.00

/**
 * Returns {map, of, layer, head, weights, exact, vectors}: weights are cells of the map (see AttentionMap.starts),
 * those of weightsOf until the exact ones arrive. vectors is the same object for a head, which also has q, k, v and
 * out; null for a mean and a rollout. Null before the first pass.
 */
export const shownNow = () => {
  if (!store.pass) return null;
  const { map, exact } = store;
  const { layer, head, of } = store.view;
  const sure = exact?.of === of && exact.layer === layer && exact.head === head ? exact : null;
  const same = held?.map === map && held.of === of && held.layer === layer && held.head === head;
  if (same && held.exact === sure) return held;
  const weights = sure?.weights ?? (same ? held.weights : weightsOf(map, of, layer, head));
  return (held = { map, of, layer, head, weights, exact: sure, vectors: sure?.q ? sure : null });
};

/** The cells of a view until the exact ones arrive: of a head at the precision at which they were packed; of a mean and
 *  a rollout, which Python computes, zeros. */
export const weightsOf = (map, of, layer, head) =>
  of === "head" ? map.approximate(layer, head) : new Float32Array(map.perHead);

/** Whether the cells of a view are still to arrive. */
export const isPending = ({ of, exact }) => of !== "head" && !exact;

/** A query's weights on keys 0 to its length. */
export const rowOf = (shown, query) => {
  const start = shown.map.starts[query];
  return shown.weights.subarray(start, start + shown.map.lengths[query]);
};

/** The positions of the largest weights, at most `count` of them, largest first. */
export const strongestOf = (weights, count) => {
  const items = [];
  for (let i = 0; i < weights.length; i++) {
    if (items.length === count && weights[i] <= weights[items[count - 1]]) continue;
    let at = Math.min(items.length, count - 1);
    for (; at > 0 && weights[items[at - 1]] < weights[i]; at--) items[at] = items[at - 1];
    items[at] = i;
  }
  return items;
};

export const { lines: LINES } = site.limits;

/** The lines of a map: {links: [{query, key, weight, most}], with most the largest weight of the query; mass: the share
 *  of all attention that they carry}. */
export const linksOf = (shown) => {
  const { queries } = shown.map;
  const links = [];
  let carried = 0;
  queries.forEach((_, query) => {
    const weights = rowOf(shown, query);
    const order = strongestOf(weights, LINES.most);
    let mass = 0;
    for (const key of order) {
      if (mass >= LINES.mass) break;
      links.push({ query, key, weight: weights[key], most: weights[order[0]] });
      mass += weights[key];
    }
    carried += mass / queries.length;
  });
  return { links, mass: carried };
};

/** The current {query, key}: under the pointer, else locked, else the locked or last token with the key it attends to
 *  most. */
export const pairOf = (shown, hover = store.hover) => {
  const { view } = store;
  if (hover?.query != null) return hover;
  const query = view.token ?? hover?.token ?? shown.map.queries.length - 1;
  if (shown.map.square && view.token !== null && hover?.token != null && hover.token !== query)
    return { query, key: hover.token };
  return { query, key: (view.token === null ? null : view.key) ?? strongestOf(rowOf(shown, query), 1)[0] };
};

/** The same, whatever the pointer is on. */
export const lockedPair = (shown) => pairOf(shown, null);

/** Whether the rows of the map are the tokens after which the model predicts; not so for a text that it only reads. */
export const rowsPredict = () => store.map.name !== "encoder";

/** The one of those tokens under the pointer or locked; null if there is none. */
export const predictedAt = () => {
  const { map, hover, view } = store;
  if (!rowsPredict()) return null;
  return hover?.token ?? (map.square ? hover?.key : hover?.query) ?? view.token;
};

/** Fills in an exact head's scores, q·k / √s unless it has others, and how much their softmax differs from the model's
 *  weights. */
export const recompute = (map, vectors) => {
  if (vectors.scores) return vectors;
  const { headSize } = map;
  const { q, k, weights, given } = vectors;
  const scores = given ?? new Float32Array(weights.length);
  const root = Math.sqrt(headSize) * map.divisor(vectors.layer);
  let error = 0;
  for (let query = 0; query < map.queries.length; query++) {
    const [start, length] = [map.starts[query], map.lengths[query]];
    let most = -Infinity;
    for (let key = 0; key < length; key++) {
      let sum = map.skipped && map.skips(query, key) ? -Infinity : 0;
      for (let i = 0; i < headSize && !given; i++) sum += q[query * headSize + i] * k[key * headSize + i];
      if (!given) scores[start + key] = sum / root;
      most = Math.max(most, scores[start + key]);
    }
    let total = 0;
    for (let key = 0; key < length; key++) total += Math.exp(scores[start + key] - most);
    for (let key = 0; key < length; key++) {
      const weight = Math.exp(scores[start + key] - most) / total;
      error = Math.max(error, Math.abs(weight - weights[start + key]));
    }
  }
  return Object.assign(vectors, { scores, error });
};

/** A query's weighted sum of a head's values: {keys, weights, vectors, parts, rest, out, error}. keys are those with
 *  the largest weights, vectors their values and parts each value times its weight, rest the sum of all others, out the
 *  head's output, each of headSize numbers; error is how much the sum of all, times `factor`, differs from the model's
 *  output. */
export const fetchedBy = ({ map, vectors }, query, count, factor) => {
  const { headSize } = map;
  const of = (rows, i) => rows.subarray(i * headSize, (i + 1) * headSize);
  const start = map.starts[query];
  const weights = vectors.weights.subarray(start, start + map.lengths[query]);
  const keys = strongestOf(weights, count).filter((key, i) => i === 0 || weights[key] >= TOLD);
  const values = keys.map((key) => of(vectors.v, key));
  const parts = values.map((vector, i) => vector.map((value) => value * weights[keys[i]]));
  const rest = new Float32Array(headSize);
  weights.forEach(
    (weight, key) => keys.includes(key) || of(vectors.v, key).forEach((value, i) => (rest[i] += weight * value)),
  );
  const out = of(vectors.out, query);
  const sums = rest.map((sum, i) => factor * parts.reduce((total, part) => total + part[i], sum));
  const error = sums.reduce((most, sum, i) => Math.max(most, Math.abs(sum - out[i])), 0);
  return { keys, weights, vectors: values, parts, rest, out, error };
};

/** For views next to the map: paint(changed) calls draw in the next frame or, after a choice of another head in the
 *  same pass, when that is on the screen, so that the map comes first. */
export const afterMap = (draw) => {
  const [now, later] = [eachFrame(draw), defer(draw)];
  const passes = (changed) =>
    !changed.has("pass") && !changed.has("map") && ["layer", "head", "of"].some((name) => changed.has(name));
  return (changed = new Set()) => (passes(changed) ? later() : now());
};
