// The attention store: the pass on screen and what of it is looked at. Every part of tab Explore reads this and no
// other; choosing a head, a layer, a token or a scale changes `view` here and never asks Python.

import { followers, opened, tabOf } from "../../../browser/lib/address.js";
import { answerTo, bytes, newest, unanswered, whyNot } from "../../../browser/lib/ask.js";
import { afterwards, isPresenting, listeners } from "../../../browser/lib/base.js";
import { page } from "../../../browser/lib/page.js";
import { badLink, makeSettings } from "../../../browser/lib/settings.js";
import { site } from "../../../browser/lib/site.js";
import { exactOf } from "./exact.js";
import { decodePass, editsInLink, snapshotAt, snapshotOf } from "./pass.js";

const { measures, parts, scales } = site.limits; // what Python can be asked for

// The view. What there is of layers, heads and tokens, a pass says; null: nothing chosen.
const FIELDS = {
  map: { initial: 0, min: 0, max: Infinity }, // which of the pass's maps
  layer: { initial: 0, min: 0, max: Infinity },
  head: { initial: 0, min: 0, max: Infinity },
  token: { initial: null, min: 0, max: Infinity, optional: true }, // the locked token
  key: { initial: null, min: 0, max: Infinity, optional: true }, // with it, the key of the locked pair
  of: { initial: "head", choices: ["head", "mean", "rollout"] },
  view: { initial: "map", choices: ["map", "lines"] },
  scale: { initial: "linear", choices: scales },
  show: { initial: "weights", choices: ["weights", "scores"] },
  carry: { initial: "heads", choices: parts }, // what is carried from the pinned pass
  carry_layer: { initial: null, min: 0, max: Infinity, optional: true }, // one of these parts: its layer
  carry_from: { initial: null, min: 0, max: Infinity, optional: true }, // and its head or token
  carry_answer: { initial: null, min: 0, max: Infinity, optional: true }, // the predictions that are weighed
  carry_rival: { initial: null, min: 0, max: Infinity, optional: true },
  scan_x: { initial: "previous", choices: measures }, // of all heads over a corpus: the measures of the two axes
  scan_y: { initial: "copying", choices: measures },
};
const SHOWS = ["map", "of", "layer", "head"]; // what of a pass is shown

const settings = makeSettings(FIELDS);

export const store = {
  pass: null, // a Pass (lib/pass.js)
  map: null, // the one of its maps that is looked at
  // {of, layer, head, weights} of what is shown, and of a head {q, k, v, out, scores, error}, once it is here
  exact: null,
  old: null, // why the pass on screen is not the one asked for: "asked", "refused" or "offline"
  fields: FIELDS,
  view: settings.values,
  allowed: settings.allowed,
  hover: null, // {token} or {query, key}: what is pointed at; not part of a link
  effects: null, // what switching off each head does, by map, [layer][head]: a number, null where not measured yet
  edits: [], // of the heads, as asked for or shown
  notes: { server: [], link: [] }, // {kind: "info" | "error", key, values}, see inWords, or {kind, text}
  /** @type {any} */ pinned: { read: () => {}, link: () => ({}) }, // what stands beside it in a link: lib/pinned.js
  rev: 0, // counts answers; a part that has painted one says so as data-rev
};

const PARTS = ["pass", "exact", "old", "hover", "effects", "edits", "notes", "rev"]; // what else a listener is told of
const { subscribe, publish } = listeners([...PARTS, ...Object.keys(FIELDS)]);
const exact = exactOf(store, publish);

/** listen(changed): changed is a Set of names in PARTS and FIELDS. Called at once, with all of them. */
store.subscribe = subscribe;

/** Changes the view: set({layer: 2, head: 1}). What the pass does not have is left as it was; what is chosen once more
 *  is asked for again where it never came. */
store.set = (partial) => {
  const changed = settings.change(partial);
  if (changed.includes("map")) {
    changed.push("hover", ...fitView());
    store.hover = null; // a place of the map before
  }
  if (changed.length) writeLinkSoon();
  if (SHOWS.some((name) => changed.includes(name) || (name in partial && !store.exact))) {
    exact.forget();
    changed.push("exact");
    exact.fetchSoon();
  }
  if (changed.length) publish(...changed);
};

/** What is pointed at: {token}, {query, key}, or null. */
store.point = (hover) => {
  if (JSON.stringify(hover) === JSON.stringify(store.hover)) return;
  store.hover = hover;
  publish("hover");
};

/** What was measured of the heads of the pass on screen: {name of a map: [layer][head]}, or null. */
store.measured = (effects) => {
  store.effects = effects;
  publish("effects");
};

/** The token whose attention is shown: the locked one, else the one pointed at, else null. */
store.token = () => store.view.token ?? store.hover?.token ?? store.hover?.query ?? null;

/** What a pass has is what may be chosen; without one, anything. */
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

const SOON = 300; // ms: an answer that comes within does not let what is on screen look old before
const PATIENCE = 8000; // ms without an answer, after which it is said that there is none
const LATEST = 30000; // ms, after which the question is asked anew

let begun = null; // what the tab begins with, see `settings` in viz/tabs/explore/page.py
let example = null; // its worked example, as long as the server is known to hold that
let fill = null; // has the fields show what store.entered() says
let filled = null; // the text that they were filled with, until a visitor changes it
/** {model, text, edits as a link has them}: what the fields and the address say.
 * @type {{ model?: string, text?: string, edits?: string }} */
let asked = {};
let open = false; // whether that waits for its answer
let view = null; // {values, named} of the link that asked it; named: whether it names a head
const left = {}; // model → its {model, edits} when another was chosen
let timers = [];

const own = (model) => snapshotOf(model)[0]; // of which it is a snapshot
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

/** Asks for the pass of another {model, text, edits}, for a link with its view. What is on screen stays, is soon said
 *  to be old, and without an answer it is asked again. */
store.ask = (partial, ofLink = store.pass ? null : view) => {
  if (!begun) return void Object.assign(asked, partial); // the fields were there before
  const { model, text, edits } = { ...asked, ...partial };
  const question = { model, text, edits };
  asked = question;
  view = ofLink;
  if (store.old === "offline") questions.stop(); // is asked at once, whatever time was to pass before
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

/** Asks once more. */
store.again = () => {
  example = null;
  questions.stop();
  store.ask({}, view);
};
window.addEventListener("online", () => store.old === "offline" && store.again());

/** Asks for another model, with its heads as they were left. */
store.choose = (model) => {
  if (model === own(asked.model)) return;
  left[own(asked.model)] = asked;
  const { model: named = model, edits = "" } = left[model] ?? {};
  store.ask({ model: named, edits });
};

/** Whether the model on screen is the one that was asked for, whatever its step: of another that is still to come,
 *  neither heads nor steps are known. */
const stays = () => store.pass && own(asked.model) === own(store.pass.header.model);

/** Asks for the model as it was at a step of its training. */
store.stepTo = (step) => stays() && store.ask({ model: snapshotAt(own(asked.model), step) });

/** Asks for other edits of the heads, {layer, head, do, …} each, see viz/passes/edits.py. */
store.edit = (edits) => {
  if (!stays()) return;
  store.edits = edits;
  publish("edits");
  store.ask({ edits: editsInLink(edits) });
};

/** The text field has another text: a visitor's, or the one that it was filled with, which is no news. */
store.typed = (text) => {
  if (text === filled) return;
  filled = null;
  store.ask({ text });
};

/** What the fields are filled with: a model's own name, and a text. */
store.entered = () => [own(asked.model), (filled = asked.text)];

/** What was asked for: {pass, notes}. Throws Unanswered. */
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
    example = null; // the server was started anew
    return passOf(question, signal);
  }
};

/** Says that no answer came, or not yet. */
const late = () => {
  tell([{ kind: "error", key: "asking_again" }]);
  become("offline");
};

/** What was asked is here: another pass, or the one on screen. */
const take = ({ pass, notes }) => {
  settle();
  open = false;
  store.rev++;
  store.edits = pass.header.edits;
  if (pass.header.text === asked.text) asked.edits = editsInLink(store.edits);
  tell(notes);
  become(null);
  if (pass !== store.pass) return show(pass);
  if (!store.exact) exact.load(); // the server held the pass no longer, and holds it again
  if (view) lookAs(view);
  view = null;
  writeLink();
  publish("rev", "edits");
};

/** A refusal leaves what is on screen; where nothing is, the worked example comes. */
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

/** A new pass comes on the screen, with the view of the link that asked for it. A model that comes anew opens on the
 *  head that is worth seeing, unless the link names one. */
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

/** Shows the pass on screen as a link does. */
const lookAs = ({ values, named }) => store.set({ ...values, ...(named || !store.map ? {} : opening()) });

// --- links ----------------------------------------------------------------------------------------------------------

/** What a link asks for; a model that there is not is named, and the first takes its place. */
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

/** Once, when the tab is first opened: asks for what the link wants, or the example. */
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

/** Takes up a link while the page is open. */
const follow = (params) => {
  store.pinned.read(params);
  store.notes.link = [];
  const question = params.has("model") ? wanted(params) : asked;
  const same = !params.has("model") || (isShown(question) && isShown(asked) && !open);
  const { map } = store;
  if (!same) store.map = null; // what the other pass has is not known yet
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

/** After a new pass: whatever it does not have goes back to its default; a link that asked for it is told so. */
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

/** The view as it stands in the address bar, with the model, text and edits that are asked for: a page that is loaded
 *  again before the answer loses nothing. */
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

/** The view of the link that the page was opened with; nonsense is named and left as in the beginning. */
const readLink = () => {
  const tab = opened.get("tab");
  if (tab !== null && !site.tabs.includes(tab)) refuse(badLink("tab", tab, site.tabs[0]));
  if (tabOf(opened) !== "explore") return;
  const { values, refused } = settings.read(opened);
  Object.assign(store.view, values);
  refused.forEach(refuse);
};

// Escape steps back once: out of what fills the window (panel.js, which hears it first), else out of a lock.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.defaultPrevented || isPresenting()) return;
  if (!event.target.closest?.("input, textarea, select")) store.set({ token: null, key: null });
});

readLink();
