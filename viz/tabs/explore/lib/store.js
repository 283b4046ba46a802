// The attention store: the current pass and the view of it. All parts of tab Explore read this; choosing a head, a
// layer, a token or a scale changes `view` here and never calls Python.

import { followers, opened, tabOf } from "../../../browser/lib/address.js";
import { answerTo, bytes, newest, unanswered, whyNot } from "../../../browser/lib/ask.js";
import { afterwards, isPresenting, listeners } from "../../../browser/lib/base.js";
import { page } from "../../../browser/lib/page.js";
import { badLink, makeSettings } from "../../../browser/lib/settings.js";
import { site } from "../../../browser/lib/site.js";
import { exactOf } from "./exact.js";
import { decodePass, editsInLink, snapshotAt, snapshotOf } from "./pass.js";

const { measures, parts, scales } = site.limits; // the values that Python accepts

// The view. A pass limits layers, heads and tokens; null: nothing chosen.
const FIELDS = {
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
  scan_x: { initial: "previous", choices: measures }, // heads over a corpus: the measures of the two axes
  scan_y: { initial: "copying", choices: measures },
};
const SHOWS = ["map", "of", "layer", "head"]; // the fields that select a part of a pass

const settings = makeSettings(FIELDS);

export const store = {
  pass: null, // a Pass (lib/pass.js)
  map: null, // its selected map
  // the exact {of, layer, head, weights} of the view, for a head also {q, k, v, out, scores, error}, once they arrive
  exact: null,
  old: null, // why the current pass is not the requested one: "asked", "refused" or "offline"
  fields: FIELDS,
  view: settings.values,
  allowed: settings.allowed,
  hover: null, // {token} or {query, key} under the pointer; not part of a link
  effects: null, // the effect of ablating each head, by map, [layer][head]: a number, null until it is measured
  edits: [], // of heads, as requested or shown
  notes: { server: [], link: [] }, // {kind: "info" | "error", key, values}, see inWords, or {kind, text}
  /** @type {any} */ pinned: { read: () => {}, link: () => ({}) }, // the pinned pass's part of a link: lib/pinned.js
  rev: 0, // counts answers; a part that has painted one sets data-rev to it
};

const PARTS = ["pass", "exact", "old", "hover", "effects", "edits", "notes", "rev"]; // further names for listeners
const { subscribe, publish } = listeners([...PARTS, ...Object.keys(FIELDS)]);
const exact = exactOf(store, publish);

/** listen(changed) gets a Set of names in PARTS and FIELDS; it is first called with all of them. */
store.subscribe = subscribe;

/** Changes the view: set({layer: 2, head: 1}). Values that the pass does not have are ignored; choosing the same again
 *  repeats a request that failed. */
store.set = (partial) => {
  const changed = settings.change(partial);
  if (changed.includes("map")) {
    changed.push("hover", ...fitView());
    store.hover = null; // it was a place of another map
  }
  if (changed.length) writeLinkSoon();
  if (SHOWS.some((name) => changed.includes(name) || (name in partial && !store.exact))) {
    exact.forget();
    changed.push("exact");
    exact.fetchSoon();
  }
  if (changed.length) publish(...changed);
};

/** Sets what the pointer is on: {token}, {query, key}, or null. */
store.point = (hover) => {
  if (JSON.stringify(hover) === JSON.stringify(store.hover)) return;
  store.hover = hover;
  publish("hover");
};

/** The measured effects of the current pass's heads: {name of a map: [layer][head]}, or null. */
store.measured = (effects) => {
  store.effects = effects;
  publish("effects");
};

/** The token whose attention is shown: the locked one, else the one under the pointer, else null. */
store.token = () => store.view.token ?? store.hover?.token ?? store.hover?.query ?? null;

/** Limits the choices to what the pass has; without a pass, anything goes. */
const limit = () => {
  const { layers = Infinity, heads = Infinity, queries, keys } = store.map ?? {};
  FIELDS.map.max = (store.map ? store.pass.maps.length : Infinity) - 1;
  FIELDS.layer.max = layers - 1;
  FIELDS.head.max = heads - 1;
  FIELDS.token.max = (queries?.length ?? Infinity) - 1;
  FIELDS.key.max = (keys?.length ?? Infinity) - 1;
  FIELDS.of.valid = (of) => of !== "rollout" || store.map?.square !== false;
};

// --- asking Python --------------------------------------------------------------------------------------------------

const SOON = 300; // ms: an answer that arrives earlier does not make the current one look outdated
const PATIENCE = 8000; // ms without an answer, after which the page says so
const LATEST = 30000; // ms, after which the request is repeated

let begun = null; // the initial state of the tab, see `settings` in viz/tabs/explore/page.py
let example = null; // the key of the worked example, as long as the server is known to have it
let fill = null; // makes the fields show what store.entered() returns
let filled = null; // the text that the fields were filled with, until a visitor changes it
/** {model, text, edits as a link has them}: what the fields and the address say.
 * @type {{ model?: string, text?: string, edits?: string }} */
let asked = {};
let open = false; // whether that request is pending
let view = null; // {values, named} of the link that requested it; named: whether it names a head
const left = {}; // model → its {model, edits} when it was left
let timers = [];

const own = (model) => snapshotOf(model)[0]; // the model that it is a snapshot of
const isShown = (/** @type {typeof asked} */ { model, text, edits }) => {
  const { header } = store.pass ?? {};
  return header?.model === model && header.text === text && editsInLink(header.edits) === edits;
};
const become = (old) => {
  if (old === store.old) return;
  store.old = old;
  publish("old");
};
const tell = (notes) => {
  store.notes.server = notes;
  publish("notes");
};

/** Requests the pass of another {model, text, edits}, for a link with its view. The current pass stays, is soon marked
 *  as outdated, and a request without an answer is repeated. */
store.ask = (partial, ofLink = store.pass ? null : view) => {
  if (!begun) return void Object.assign(asked, partial); // the fields were ready before the link was read
  const { model, text, edits } = { ...asked, ...partial };
  const question = { model, text, edits };
  asked = question;
  view = ofLink;
  if (store.old === "offline") questions.stop(); // requests at once, without the current pause
  const asks = (signal) => passOf(question, AbortSignal.any([signal, AbortSignal.timeout(LATEST)]));
  if (!questions.ask(JSON.stringify(question), asks)) return;
  open = true;
  settle();
  if (!isShown(asked) && !store.old) timers.push(setTimeout(() => become("asked"), SOON));
  timers.push(setTimeout(late, PATIENCE));
  writeLink();
};
const settle = () => {
  timers.forEach(clearTimeout);
  timers = [];
};

/** Repeats the request. */
store.again = () => {
  example = null;
  questions.stop();
  store.ask({}, view);
};
window.addEventListener("online", () => store.old === "offline" && store.again());

/** Requests another model, with the edits it had when it was left. */
store.choose = (model) => {
  if (model === own(asked.model)) return;
  left[own(asked.model)] = asked;
  const { model: named = model, edits = "" } = left[model] ?? {};
  store.ask({ model: named, edits });
};

/** Whether the current model is the requested one, at whatever step: of a model that is still to arrive, neither heads
 *  nor steps are known. */
const stays = () => store.pass && own(asked.model) === own(store.pass.header.model);

/** Requests the model at a step of its training. */
store.stepTo = (step) => stays() && store.ask({ model: snapshotAt(own(asked.model), step) });

/** Requests other edits of heads, {layer, head, do, …} each, see viz/passes/edits.py. */
store.edit = (edits) => {
  if (!stays()) return;
  store.edits = edits;
  publish("edits");
  store.ask({ edits: editsInLink(edits) });
};

/** The text field has another text: a visitor's, or the one that it was filled with, which changes nothing. */
store.typed = (text) => {
  if (text === filled) return;
  filled = null;
  store.ask({ text });
};

/** The values for the fields: a model's own name, and a text. */
store.entered = () => [own(asked.model), (filled = asked.text)];

/** Fetches the requested {pass, notes}. Throws Unanswered. */
const passOf = async (question, signal) => {
  const given = [...question.text].length;
  const limit = site.limits.text;
  if (!question.text.trim()) throw unanswered("empty_text", {}, 422);
  if (given > limit) throw unanswered("long_text", { given, limit }, 422);
  const ready = example && ["model", "text", "edits"].every((name) => example[name] === question[name]);
  const { key, notes } = ready ? example : await answerTo("/attention", question, signal);
  if (store.pass?.header.key === key) return { pass: store.pass, notes };
  try {
    return { pass: decodePass(await bytes(`/attention/${key}`, signal)), notes };
  } catch (error) {
    if (error.status !== 404 || !ready) throw error;
    example = null; // the server was restarted
    return passOf(question, signal);
  }
};

/** Says that no answer came, or not yet. */
const late = () => {
  tell([{ kind: "error", key: "asking_again" }]);
  become("offline");
};

/** The requested pass has arrived: another one, or the current one again. */
const take = ({ pass, notes }) => {
  settle();
  open = false;
  store.rev++;
  store.edits = pass.header.edits;
  if (pass.header.text === asked.text) asked.edits = editsInLink(store.edits);
  tell(notes);
  become(null);
  if (pass !== store.pass) return show(pass);
  if (!store.exact) exact.load(); // the server had lost the pass, and has it again
  if (view) lookAs(view);
  view = null;
  writeLink();
  publish("rev", "edits");
};

/** After a refusal the current pass stays; without one, the worked example is requested. */
const fail = (error) => {
  settle();
  if (error.passing) return late();
  const notes = [{ kind: "error", text: whyNot(error) }];
  if (!store.pass)
    return void questions.ask("example", async (signal) => ({ ...(await passOf(begun.example, signal)), notes }));
  open = false;
  view = null;
  store.rev++;
  tell(notes);
  become("refused");
  writeLink();
  publish("rev");
};
const questions = newest({ take, fail });

/** Shows a new pass, with the view of the link that requested it. A newly chosen model opens at the head most worth
 *  seeing, unless the link names one. */
const show = (pass) => {
  const opens = view ? !view.named : own(store.pass.header.model) !== own(pass.header.model);
  const { values = {} } = view ?? {};
  const moved = Object.keys(values);
  store.pass = pass;
  store.hover = store.effects = null;
  Object.assign(store.view, values);
  moved.push(...fitView(Boolean(view)));
  if (opens) moved.push(...settings.change(opening()));
  view = null;
  exact.load();
  writeLink();
  publish(...PARTS, ...moved);
};
const namesHead = (params) => params.has("layer") || params.has("head");
const opening = () => {
  const [layer, head] = store.map.opening ?? [0, 0];
  return { layer, head };
};

/** Shows the current pass with the view of a link. */
const lookAs = ({ values, named }) => store.set({ ...values, ...(named || !store.map ? {} : opening()) });

// --- links ----------------------------------------------------------------------------------------------------------

/** Requests what a link asks for; an unknown model is reported and replaced by the first. */
const wanted = (params) => {
  const {
    texts,
    reads,
    steps,
    example: { model: first },
  } = begun;
  const given = params.get("model") ?? first;
  const [named, step] = snapshotOf(given);
  const known = Object.hasOwn(reads, named) && (step === null || steps[named]?.includes(step));
  if (!known) refuse({ key: "unknown_model", values: { given: given.slice(0, 40), used: first } });
  const model = known ? snapshotAt(named, step) : first;
  return { model, text: params.get("text") ?? texts[reads[own(model)]][0], edits: params.get("edits") ?? "" };
};

/** Called once, when the tab is first opened: requests what the link asks for, or the example. */
store.start = (settings, show) => {
  begun = settings;
  store.steps = settings.steps;
  example = settings.example;
  fill = show;
  const link = tabOf(opened) === "explore" ? opened : new URLSearchParams();
  const named = namesHead(link);
  store.ask({ ...wanted(link), ...asked }, { values: {}, named });
  publish("notes");
  fill();
  followers.explore = follow;
};

/** Applies a link while the page is open. */
const follow = (params) => {
  store.pinned.read(params);
  store.notes.link = [];
  const question = params.has("model") ? wanted(params) : asked;
  const same = !params.has("model") || (isShown(question) && isShown(asked) && !open);
  const { map } = store;
  if (!same) store.map = null; // the limits of the other pass are not known yet
  limit();
  const { values, refused } = settings.read(params);
  store.map = map;
  limit();
  refused.forEach(refuse);
  publish("notes");
  const link = { values, named: namesHead(params) };
  if (same) return lookAs(link);
  store.ask(question, link);
  fill();
};

/** After a new pass: resets whatever it does not have to the default, and reports it if a link asked for it. */
const fitView = (ofLink = false) => {
  store.map = store.pass.maps[store.view.map] ?? store.pass.maps[0];
  limit();
  const moved = Object.keys(FIELDS).filter((name) => !settings.allowed(name, store.view[name]));
  for (const name of moved) {
    if (ofLink) refuse(badLink(name, store.view[name], FIELDS[name].initial));
    store.view[name] = FIELDS[name].initial;
  }
  return moved;
};

// --- the link -----------------------------------------------------------------------------------------------------

/** The view for the address bar, with the requested model, text and edits, so that a reload before the answer loses
 *  nothing. */
const writeLink = page.keep("explore", () => {
  if (!store.pass) return null;
  const { model, text, edits } = store.pass.header;
  const held = open && asked.text.trim() && asked.text.length <= site.limits.text;
  const link = held ? asked : { model, text, edits: editsInLink(edits) };
  const { layer, head } = store.view;
  const chosen = link.model === model ? { ...settings.link(), layer, head } : {};
  return { ...link, ...chosen, ...store.pinned.link(link.text) };
});
const writeLinkSoon = afterwards(writeLink);
store.writeLink = writeLink;

const refuse = (note) => store.notes.link.push({ kind: "error", ...note });

/** Reads the view of the link that the page was opened with; reports invalid values, which keep their initial value. */
const readLink = () => {
  const tab = opened.get("tab");
  if (tab !== null && !site.tabs.includes(tab)) refuse(badLink("tab", tab, site.tabs[0]));
  if (tabOf(opened) !== "explore") return;
  const { values, refused } = settings.read(opened);
  Object.assign(store.view, values);
  refused.forEach(refuse);
};

// Escape steps back once: out of a panel that fills the window (panel.js, which handles it first), else out of a lock.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.defaultPrevented || isPresenting()) return;
  if (!event.target.closest?.("input, textarea, select")) store.set({ token: null, key: null });
});

readLink();
