// One forward pass in the browser: decodes what viz/passes/payload.py packed.

import { unanswered } from "../../../browser/lib/ask.js";

/** The attention of one stack of layers: rows are queries, columns keys, each with labels of their own. */
class AttentionMap {
  // Described by Map.describe in viz/passes/run.py.
  name;
  layers;
  heads;
  headSize;
  divisors;
  lengths;
  queries;
  keys;
  skipped;
  pooled;
  statistics;
  habits;
  opening;

  constructor(described, scales, cells) {
    Object.assign(this, described);
    this.scales = scales;
    this.cells = cells;
    this.starts = [0];
    for (const length of this.lengths) this.starts.push(this.starts.at(-1) + length);
    this.perHead = this.starts.at(-1);
    this.square = this.queries.length === this.keys.length && this.queries.every((label, i) => label === this.keys[i]);
    /** Whether a mask hides anything. */
    this.hides = this.perHead < this.queries.length * this.keys.length;
  }

  /** Where a query's keys begin among the cells of a head, and how many it has: the mask hides those after them. */
  rowStart(query) {
    return this.starts[query];
  }
  rowLength(query) {
    return this.lengths[query];
  }

  /** What a layer's scores are divided by besides √headSize. */
  divisor(layer) {
    return this.divisors?.[layer] ?? 1;
  }

  /** Whether the pattern leaves out a key that stands before others which the query sees: nothing was computed
   *  there. */
  skips(query, key) {
    const edges = this.skipped?.[query] ?? [];
    let inside = false; // the first edge is where the left-out begin
    for (const edge of edges) {
      if (key < edge) return inside;
      inside = !inside;
    }
    return inside;
  }

  /** With how many keys a query has a score: those that it sees, less those that the pattern leaves out. */
  keysSeen(query) {
    const [length, edges] = [this.rowLength(query), this.skipped?.[query] ?? []];
    let left = 0;
    for (let i = 0; i < edges.length; i += 2) left += (edges[i + 1] ?? length) - edges[i];
    return length - left;
  }

  /** A head's cells: square roots of weight / scale, 0 to 255. Of a pooled map all that were sent as one are alike. */
  quantised(layer, head) {
    const size = this.cells.length / (this.layers * this.heads);
    const first = (layer * this.heads + head) * size;
    const sent = this.cells.subarray(first, first + size);
    if (this.pooled === 1) return sent;
    const cells = new Uint8Array(this.perHead);
    const sizes = pooledLengths(this);
    let from = 0;
    this.lengths.forEach((length, query) => {
      const start = this.starts[query];
      for (let key = 0; key < length; key++) cells[start + key] = sent[from + ((key / this.pooled) | 0)];
      if ((query + 1) % this.pooled === 0) from += sizes[(query / this.pooled) | 0];
    });
    return cells;
  }

  /** A head's weights, cell by cell; off by at most scale / 255, or scale / 51 in a large pass. Of a pooled map they
   *  are the largest around each cell. */
  approximate(layer, head) {
    const scale = this.scales[layer * this.heads + head] / 65025;
    const levels = this.quantised(layer, head);
    const weights = new Float32Array(levels.length);
    for (let i = 0; i < levels.length; i++) weights[i] = levels[i] * levels[i] * scale;
    return weights;
  }
}

/** [the model's own name, the step where it is a snapshot of it]: as viz/passes/snapshots.py names them. */
export const snapshotOf = (name) => {
  const found = /^(.+)\/step-(\d{6,9})$/.exec(name);
  return found ? [found[1], Number(found[2])] : [name, null];
};
export const snapshotAt = (model, step) => (step === null ? model : `${model}/step-${`${step}`.padStart(6, "0")}`);

/** Edits as viz/passes/edits.py reads them in a link: 0.3.off,2.L.uniform,1.2.x-1.5,0.1.w5_2_0.8,cross.0.1.off. */
export const editsInLink = (edits) =>
  edits
    .map((edit) => [...(edit.map ? [edit.map] : []), edit.layer, edit.head ?? "L", doneInLink(edit)].join("."))
    .join(",");
const doneInLink = ({ do: what, factor, query, key, weight, renormalise }) => {
  if (what === "weight") return `${renormalise ? "w" : "W"}${query}_${key}_${weight}`;
  return what === "uniform" ? what : factor ? `x${factor}` : "off";
};

/** Of each row of pooled cells, how many there are. */
const pooledLengths = ({ lengths, pooled }) =>
  Array.from({ length: Math.ceil(lengths.length / pooled) }, (_, i) =>
    Math.ceil(Math.max(...lengths.slice(i * pooled, (i + 1) * pooled)) / pooled),
  );

/** {header, maps}: the header's fields are those of `run` in viz/passes/run.py. Throws Unanswered of anything else. */
export const decodePass = (buffer) => {
  const magic = new TextDecoder().decode(new Uint8Array(buffer, 0, 4));
  if (magic !== "FMR2") throw unanswered("offline"); // a proxy's page, say
  const length = new DataView(buffer).getUint32(4, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
  const heads = header.maps.map(({ layers, heads }) => layers * heads);
  let at = 8 + length;
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

/** What is shown exactly, weights in the cells' order: of a head q, k, v and out too, a row of headSize for each token,
 *  and as `given` its scores where q·k / √s is not all of them. */
export const decodeExact = ({ queries, keys, headSize, scored }, of, buffer) => {
  const all = new Float32Array(buffer);
  if (of !== "head") return { weights: all };
  let at = 0;
  const rows = ({ length }) => all.subarray(at, (at += length * headSize));
  const vectors = { q: rows(queries), k: rows(keys), v: rows(keys), out: rows(queries) };
  const end = scored ? (at + all.length) / 2 : all.length;
  return { ...vectors, weights: all.subarray(at, end), ...(scored ? { given: all.subarray(end) } : {}) };
};
