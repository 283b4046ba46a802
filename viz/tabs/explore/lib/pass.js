// One forward pass in the browser: decodes the format of viz/passes/payload.py.

import { unanswered } from "../../../browser/lib/ask.js";

/** The attention of one stack of layers: rows are queries, columns are keys, each with its own labels. */
export class AttentionMap {
  // Described by Map.describe in viz/passes/maps.py.
  name;
  layers;
  heads;
  headSize;
  divisors;
  lengths;
  queries;
  keys;
  skipped;
  padded;
  pooled;
  places;
  scored;
  even;
  statistics;
  habits;
  first_head;

  constructor(described, scales, cells) {
    Object.assign(this, described);
    this.scales = scales;
    this.cells = cells;
    /** The start of each query's keys among the cells of a head; the mask hides the keys after its `lengths`. */
    this.starts = [0];
    this.perHead = 0;
    for (const length of this.lengths) this.starts.push((this.perHead += length));
    this.square = this.queries.length === this.keys.length && this.queries.every((label, i) => label === this.keys[i]);
    /** Whether a mask hides anything. */
    this.hides = this.padded || this.perHead < this.queries.length * this.keys.length;
    this.sentLengths = pooledLengths(this);
  }

  /** The divisor of a layer's scores besides √headSize. */
  divisor(layer) {
    return this.divisors?.[layer] ?? 1;
  }

  /** Why a pair has no weight: its key is after those that the query can attend to ("masked"), or is "padding", or the
   *  sparse pattern leaves the pair out ("skipped"). Null if it has one, in a rollout over several layers the `weight`
   *  given. */
  without(query, key, weight = 0) {
    const after = key >= this.lengths[query];
    if (weight > 0) return null;
    if (!after && !this.skips(query, key)) return null;
    return this.padded ? "padding" : after ? "masked" : "skipped";
  }

  /** Whether a pair is drawn as masked. */
  hidden(query, key) {
    return key >= this.lengths[query] || (this.padded && this.skips(query, key));
  }

  /** Whether a key is left out before others that the query can attend to. */
  skips(query, key) {
    const edges = this.skipped?.[query] ?? [];
    let inside = false; // the skipped keys begin at the first edge
    for (const edge of edges) {
      if (key < edge) return inside;
      inside = !inside;
    }
    return inside;
  }

  /** The number of keys with a score: those that the mask allows, less those left out. */
  keysSeen(query) {
    const edges = this.skipped?.[query] ?? []; // the skipped keys are from one to before the next, in pairs
    return edges.reduce((count, edge, i) => count + (i % 2 ? -edge : edge), this.lengths[query]);
  }

  /** A head's cells as they were sent, row by row of `sentLengths`: square roots of weight / scale, 0 to 255. */
  sent(layer, head) {
    const size = this.cells.length / (this.layers * this.heads);
    const first = (layer * this.heads + head) * size;
    return this.cells.subarray(first, first + size);
  }

  /** A head's weights, cell by cell, with an error of at most scale / 255. In a pooled map all cells sent as one have
   *  the largest of their weights. */
  approximate(layer, head) {
    const scale = this.scales[layer * this.heads + head] / 65025;
    const [sent, weights] = [this.sent(layer, head), new Float32Array(this.perHead)];
    let from = 0;
    this.lengths.forEach((length, query) => {
      const start = this.starts[query];
      for (let key = 0; key < length; key++) weights[start + key] = sent[from + ((key / this.pooled) | 0)] ** 2 * scale;
      if ((query + 1) % this.pooled === 0) from += this.sentLengths[(query / this.pooled) | 0];
    });
    return weights;
  }
}

/** The length of a text as the server counts it, in Unicode's characters. */
export const lengthOf = (text) => [...text].length;

/** [the model's own name, the step if it is a snapshot], from a name as in viz/passes/snapshots.py. */
export const snapshotOf = (name) => {
  const match = /^(.+)\/step-(\d{6,9})$/.exec(name);
  return match ? [match[1], Number(match[2])] : [name, null];
};
export const snapshotAt = (model, step) => (step === null ? model : `${model}/step-${`${step}`.padStart(6, "0")}`);

/** The visitor's edits of a head of a map, or of its layer, in the pass with this header. */
export const editsOf = (header, map, layer, head) =>
  header.edits.filter(
    (edit) => (edit.map ?? map.name) === map.name && edit.layer === layer && (edit.head ?? head) === head,
  );

/** Whether such an edit switches the head off. */
export const isOff = (header, map, layer, head) => editsOf(header, map, layer, head).some((edit) => edit.factor === 0);

/** The view of a question about a pass with this header. */
export const viewOfPass = ({ model, text, edits }) => ({ model, text, edits });

/** Writes edits as viz/passes/edits.py reads them in a link:
 *  0.3.off,2.L.uniform,1.2.x-1.5,0.1.w5_2_0.8,cross.0.1.off. */
export const editsInLink = (edits) =>
  edits
    .map((edit) => [...(edit.map ? [edit.map] : []), edit.layer, edit.head ?? "L", doneInLink(edit)].join("."))
    .join(",");
const doneInLink = ({ do: what, factor, query, key, weight, renormalise }) => {
  if (what === "weight") return `${renormalise ? "w" : "W"}${query}_${key}_${weight}`;
  return what === "uniform" ? what : factor ? `x${factor}` : "off";
};

/** The number of pooled cells in each row. */
const pooledLengths = ({ lengths, pooled }) =>
  Array.from({ length: Math.ceil(lengths.length / pooled) }, (_, i) =>
    Math.ceil(Math.max(...lengths.slice(i * pooled, (i + 1) * pooled)) / pooled),
  );

/** @typedef {{ header: any, maps: AttentionMap[] }} Pass */

/** Decodes {header, maps}: the header's fields are those of `describe` in viz/passes/run.py. Throws Unanswered for
 *  anything else. */
export const decodePass = (buffer) => {
  const content = new Uint8Array(buffer);
  const text = (from, to) => new TextDecoder().decode(content.subarray(from, to));
  if (text(0, 4) !== "FMR4") throw unanswered("offline"); // a proxy's page, say
  const end = buffer.byteLength - 4;
  const header = JSON.parse(text(end - new DataView(buffer).getUint32(end, true), end));
  const heads = header.maps.map(({ layers, heads }) => layers * heads);
  let at = 4;
  let cell = at + 4 * heads.reduce((sum, count) => sum + count, 0);
  const maps = header.maps.map((described, i) => {
    const size = heads[i] * pooledLengths(described).reduce((sum, count) => sum + count, 0);
    const map = new AttentionMap(described, new Float32Array(buffer, at, heads[i]), new Uint8Array(buffer, cell, size));
    at += 4 * heads[i];
    cell += size;
    return map;
  });
  return { header, maps };
};

/** Decodes the exact values of the view, weights in the cells' order: for a head also q, k, v and out, a row of
 *  headSize for each token, and as `given` its scores if they are more than q·k / √s; for a mean and a rollout also, as
 *  `described`, their statistics. */
export const decodeExact = ({ queries, keys, headSize, scored, perHead }, of, buffer) => {
  if (of !== "head") {
    const described = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4 * perHead)));
    return { weights: new Float32Array(buffer, 0, perHead), described };
  }
  const all = new Float32Array(buffer);
  let at = 0;
  const rows = ({ length }) => all.subarray(at, (at += length * headSize));
  const vectors = { q: rows(queries), k: rows(keys), v: rows(keys), out: rows(queries) };
  const end = scored ? (at + all.length) / 2 : all.length;
  return { ...vectors, weights: all.subarray(at, end), ...(scored ? { given: all.subarray(end) } : {}) };
};
