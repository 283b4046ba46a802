// The state of tab Explore: the current pass, the view of it, and its listeners.

import { listeners, must } from "../../../../browser/lib/base.js";
import { makeSettings } from "../../../../browser/lib/settings.js";
import { site } from "../../../../browser/lib/site.js";
import { isListOfFolds } from "./folds.js";

const { arcs, measures, parts, reads, scales } = site.limits; // the values that Python accepts

const isCell = (text) => /^(\d{1,4}\.\d{1,4})?$/.test(text);
const isArc = (text) => /^(\d{1,4}\.\d{1,4}-\d{1,4}\.\d{1,4})?$/.test(text);

// The view. A pass limits layers, heads and tokens; null: nothing chosen.
export const FIELDS = {
  map: { initial: 0, min: 0, max: Infinity }, // the index of the map in the pass
  layer: { initial: 0, min: 0, max: Infinity },
  head: { initial: 0, min: 0, max: Infinity },
  token: { initial: null, min: 0, max: Infinity, optional: true }, // the locked token
  key: { initial: null, min: 0, max: Infinity, optional: true }, // with it, the locked pair's key
  of: { initial: "head", choices: ["head", "mean", "rollout"] },
  view: { initial: "map", choices: ["map", "lines"] },
  scale: { initial: "linear", choices: scales },
  show: { initial: "weights", choices: ["weights", "scores"] },
  carry: { initial: "heads", choices: parts }, // which parts of the pinned pass to patch
  carry_layer: { initial: null, min: 0, max: Infinity, optional: true }, // one of them: its layer
  carry_from: { initial: null, min: 0, max: Infinity, optional: true }, // and its head or token
  carry_answer: { initial: null, min: 0, max: Infinity, optional: true }, // the predictions to compare
  carry_rival: { initial: null, min: 0, max: Infinity, optional: true },
  lens_from: { initial: "", longest: 9, valid: isCell }, // of the pinned lens: "4.2"
  lens_to: { initial: "", longest: 9, valid: isCell }, // of the current: row.column
  reads: { initial: "k", choices: reads }, // who reads whom: the input of the later head
  reads_count: { initial: 30, min: 1, max: arcs },
  reads_arc: { initial: "", longest: 19, valid: isArc }, // "4.5-3.7": 4.5 reads 3.7
  scan_x: { initial: "previous", choices: measures }, // heads over a corpus: the measures of the two axes
  scan_y: { initial: "copying", choices: measures },
  open: { initial: "", longest: 60, valid: isListOfFolds }, // the open folds, see folds.js
};

export const settings = makeSettings(FIELDS);

export const state = {
  /** The pass on the screen; `header` and `map` throw while there is none.
   * @type {import("../pass.js").Pass | null} */ pass: null,
  /** @returns {any} */
  get header() {
    return must(state.pass, "pass").header;
  },
  /** The selected map. @returns {import("../pass.js").AttentionMap} */
  get map() {
    const { maps } = must(state.pass, "pass");
    return maps[state.view.map] ?? maps[0];
  },
  /** The exact {of, layer, head, weights} of the view, once they arrive; for a head also {q, k, v, out, scores, error},
   *  for a mean and a rollout {described}.
   * @type {any} */ exact: null,
  /** Why the current pass is not the requested one: "asked", "refused" or "offline".
   * @type {string | null} */ old: null,
  fields: FIELDS,
  view: settings.values,
  allowed: settings.allowed,
  /** {token} or {query, key} under the pointer; not part of a link. @type {any} */ hover: null,
  /** The effect of ablating each head, by map, [layer][head]: a number, null until it is measured.
   * @type {{ [map: string]: (number | null)[][] } | null} */ effects: null,
  /** The edits of heads, as requested or shown. @type {any[]} */ edits: [],
  /** {kind: "info" | "error", key, values}, see inWords, or {kind, text}.
   * @type {{ server: any[], link: any[] }} */ notes: { server: [], link: [] },
  /** @type {any} */ pinned: { read: () => {}, link: () => ({}) }, // the pinned pass's part of a link: lib/pin.js
  /** Model → the steps of its snapshots. @type {{ [model: string]: number[] }} */ steps: {},
  /** Panel → the models that it applies to. @type {{ [panel: string]: string[] }} */ only: {},
  /** The fold that a link is about, until the page has scrolled to it. @type {string | null} */ reveal: null,
  /** {model, text, edits as a link has them}: what the fields and the address say; empty before the link is read.
   * @type {any} */ asked: {},
  open: false, // whether that waits for its answer
  rev: 0, // counts answers; a part that has painted one may set data-rev to it
};

/** Further names for listeners. */
export const PARTS = ["asked", "pass", "exact", "old", "hover", "effects", "edits", "notes", "rev"];

/** subscribe: listen(changed) gets a Set of names in PARTS and FIELDS; it is first called with all of them. */
export const { subscribe, publish } = listeners([...PARTS, ...Object.keys(FIELDS)]);
