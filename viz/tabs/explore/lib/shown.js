// What is on screen, as numbers: one head, the mean of a layer's heads, or the rollout up to a layer; and which pair of
// tokens is looked at. Every view of the tab asks here.

import { afterwards, eachFrame } from "../../../browser/lib/base.js";
import { store } from "./store.js";

const derived = new WeakMap(); // map → {mean: [layer] cells, rollout: [layer] t × t}
let held = null;
const TOLD = 0.0005; // a key with less of the weight is told with all others: its share would read as 0.00

/**
 * {map, of, layer, head, weights, exact, vectors}: weights are cells of the map (see AttentionMap.rowStart), packed
 * ones until exact is here: those of the model. vectors is the same of a head, which has q, k, v and out too; null of a
 * mean and a rollout. Null before the first pass.
 */
export const shownNow = () => {
  const { map, exact, view } = store;
  if (!map) return null;
  const { layer, head, of } = view;
  const sure = exact?.of === of && exact.layer === layer && exact.head === head ? exact : null;
  const same = held?.map === map && held.of === of && held.layer === layer && held.head === head;
  if (same && held.exact === sure) return held;
  const weights = sure?.weights ?? (same ? held.weights : weightsOf(map, of, layer, head));
  return (held = { map, of, layer, head, weights, exact: sure, vectors: sure?.q ? sure : null });
};

/** The cells of a map's head, of a layer's mean or of a rollout, as exact as they were packed. */
export const weightsOf = (map, of, layer, head) => {
  if (of === "head") return map.approximate(layer, head);
  if (map.pooled > 1) return new Float32Array(map.perHead); // nothing, for the moment until it is here exactly
  if (!derived.has(map)) derived.set(map, { mean: [], rollout: [] });
  return of === "mean" ? meanOf(map, layer) : cellsOf(map, rolloutOf(map, layer));
};

/** The mean over the heads of a layer. */
const meanOf = (map, layer) => {
  const { mean } = derived.get(map);
  if (mean[layer]) return mean[layer];
  const sum = new Float32Array(map.perHead);
  for (let head = 0; head < map.heads; head++) {
    const cells = map.quantised(layer, head);
    const unit = map.scales[layer * map.heads + head] / 65025 / map.heads;
    for (let i = 0; i < sum.length; i++) sum[i] += cells[i] * cells[i] * unit;
  }
  return (mean[layer] = sum);
};

/** A_layer ··· A_0 with A = (mean + I) / 2, as former.analysis.rollout; t × t. */
const rolloutOf = (map, layer) => {
  const { rollout } = derived.get(map);
  if (rollout[layer]) return rollout[layer];
  const tokens = map.queries.length;
  const before = layer > 0 ? rolloutOf(map, layer - 1) : null;
  const mean = meanOf(map, layer);
  const result = new Float32Array(tokens * tokens);
  for (let query = 0; query < tokens; query++) {
    const [start, length, row] = [map.rowStart(query), map.rowLength(query), query * tokens];
    for (let through = 0; through < length; through++) {
      const share = (mean[start + through] + (through === query ? 1 : 0)) / 2;
      if (!before) result[row + through] += share;
      else if (share > 0) {
        const from = through * tokens;
        const last = map.hides ? map.rowLength(through) : tokens;
        for (let key = 0; key < last; key++) result[row + key] += share * before[from + key];
      }
    }
  }
  return (rollout[layer] = result);
};

/** t × t → cells, without those that the mask hides. */
const cellsOf = (map, square) => {
  const cells = new Float32Array(map.perHead);
  const across = map.keys.length;
  for (let query = 0; query < map.queries.length; query++)
    cells.set(square.subarray(query * across, query * across + map.rowLength(query)), map.rowStart(query));
  return cells;
};

/** A query's weights; the keys are 0 to its length. */
export const rowOf = (shown, query) => {
  const start = shown.map.rowStart(query);
  return shown.weights.subarray(start, start + shown.map.rowLength(query));
};

/** Where the largest weights are, at most `count` of them, largest first. */
export const strongestOf = (weights, count) => {
  const found = [];
  for (let i = 0; i < weights.length; i++) {
    if (found.length === count && weights[i] <= weights[found[count - 1]]) continue;
    let at = Math.min(found.length, count - 1);
    for (; at > 0 && weights[found[at - 1]] < weights[i]; at--) found[at] = found[at - 1];
    found[at] = i;
  }
  return found;
};

/** Of each query as lines: the strongest keys, until they carry so much of its attention, and no more than so many. */
export const LINES = { mass: 0.9, most: 8 };

/** A map's lines: {links: [{query, key, weight, most}], most the largest weight of the query; mass: the part of all
 *  attention that they carry}. */
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

/** The key a query looks at most. */
export const strongest = (shown, query) => strongestOf(rowOf(shown, query), 1)[0];

/** The {query, key} looked at: pointed at, else locked, else that of the last token with the key it looks at most. */
export const pairOf = (shown) => {
  const { hover, view } = store;
  if (hover?.query != null) return hover;
  const query = view.token ?? hover?.token ?? shown.map.queries.length - 1;
  if (shown.map.square && view.token !== null && hover?.token != null && hover.token !== query)
    return { query, key: hover.token };
  return { query, key: (view.token === null ? null : view.key) ?? strongest(shown, query) };
};

/** The {query, key} that is chosen, whatever is pointed at: the locked pair, else that of the locked or the last token
 *  with the key it looks at most. */
export const lockedPair = (shown) => {
  const { view } = store;
  const query = view.token ?? shown.map.queries.length - 1;
  return { query, key: (view.token === null ? null : view.key) ?? strongest(shown, query) };
};

/** Whether the rows of the map are the tokens that the model says something after (predicted): those of a text
 *  that is only read are not. */
export const rowsPredict = () => store.map.name !== "encoder";

/** The one of those tokens that is pointed at or locked; null for none. */
export const predictedAt = () => {
  const { map, hover, view } = store;
  if (!rowsPredict()) return null;
  return hover?.token ?? (map.square ? hover?.key : hover?.query) ?? view.token;
};

/** Fills in an exact head's scores, q·k / √s unless it has others, and by how much their softmax differs from the
 *  model's weights. */
export const recompute = (map, vectors) => {
  if (vectors.scores) return vectors;
  const { headSize } = map;
  const { q, k, weights, given } = vectors;
  const scores = given ?? new Float32Array(weights.length);
  const root = Math.sqrt(headSize) * map.divisor(vectors.layer);
  let error = 0;
  for (let query = 0; query < map.queries.length; query++) {
    const [start, length] = [map.rowStart(query), map.rowLength(query)];
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

/** What a query fetches with its weights, of a head's vectors: {keys, weights, vectors, parts, rest, out, error}. keys
 *  are those it looks at most, vectors their values and parts each value times its weight, rest what all others add,
 *  out the head's output, all of headSize numbers; error is by how much the sum of all, times `factor`, differs from
 *  the output in the model. */
export const fetchedBy = ({ map, vectors }, query, count, factor) => {
  const { headSize } = map;
  const of = (rows, i) => rows.subarray(i * headSize, (i + 1) * headSize);
  const start = map.rowStart(query);
  const weights = vectors.weights.subarray(start, start + map.rowLength(query));
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

/** For what stands beside the map: paint(changed) calls draw in the next frame; where another head was chosen in the
 *  same pass, once that is on the screen, so that the map comes first. */
export const afterMap = (draw) => {
  const [now, later] = [eachFrame(draw), afterwards(draw)];
  const passes = (changed) =>
    !changed.has("pass") && !changed.has("map") && ["layer", "head", "of"].some((name) => changed.has(name));
  return (changed = new Set()) => (passes(changed) ? later() : now());
};
