// The requests for passes, and which one is current.

import { answerTo, bytes, newest, Unanswered, unanswered, whyNot } from "../../../../browser/lib/ask.js";
import { site } from "../../../../browser/lib/site.js";
import { decodePass, editsInLink, lengthOf, snapshotAt, snapshotOf } from "../pass.js";
import { exact } from "./exact.js";
import { PARTS, publish, settings, state } from "./state.js";
import { applyView, firstHead, fitView, writeLink } from "./view.js";

const SOON = 300; // ms: an answer that arrives earlier does not make the current one look outdated
const PATIENCE = 8000; // ms without an answer, after which the page says so
const LATEST = 30000; // ms, after which the request is repeated

const NONE = { carry_answer: null, carry_rival: null, reads_arc: "", lens_from: "", lens_to: "" }; // of another model

let first = null; // the worked example
let example = null; // the same, as long as the server is known to have it
let filled = null; // the text that the fields were filled with, until a visitor changes it
let view = null; // {values, named} of the link that requested it; named: whether it names a head
const left = {}; // model → its {model, edits} when it was left
let timers = [];

/** The model that this is, or is a snapshot of. */
export const own = (model) => snapshotOf(model)[0];

/** Whether that pass is on screen. */
export const isShown = (/** @type {typeof state.asked} */ { model, text, edits }) => {
  const { header } = state.pass ?? {};
  return header?.model === model && header.text === text && editsInLink(header.edits) === edits;
};
const setOutdated = (old) => {
  if (old === state.old) return;
  state.old = old;
  publish("old");
};
const showNotes = (notes) => {
  state.notes.server = notes;
  publish("notes");
};

/** Takes the worked example, and requests the first pass. */
export const begin = (worked, question, named) => {
  first = example = worked;
  askFor({ ...question, ...state.asked }, { values: {}, named });
};

/** Requests the pass of another {model, text, edits}, for a link with its view. The current pass stays, is soon marked
 *  as outdated, and a request without an answer is repeated. */
export const askFor = (partial, ofLink = state.pass ? null : view) => {
  if (!first) return void Object.assign(state.asked, partial); // the fields were ready before the link was read
  const { model, text, edits } = { ...state.asked, ...partial };
  const question = { model, text, edits };
  state.asked = question;
  if (!state.pass) publish("asked"); // which model the panels are for
  view = ofLink;
  if (state.old === "offline") questions.stop(); // requests at once, without the current pause
  const asks = (signal) => passOf(question, AbortSignal.any([signal, AbortSignal.timeout(LATEST)]));
  if (!questions.ask(JSON.stringify(question), asks)) return;
  state.open = true;
  clearTimers();
  if (!isShown(state.asked) && !state.old) timers.push(setTimeout(() => setOutdated("asked"), SOON));
  timers.push(setTimeout(late, PATIENCE));
  writeLink();
};
const clearTimers = () => {
  timers.forEach(clearTimeout);
  timers = [];
};

/** Repeats the request. */
export const askAgain = () => {
  example = null;
  questions.stop();
  askFor({}, view);
};
window.addEventListener("online", () => state.old === "offline" && askAgain());

/** Requests another model, with the edits it had when it was left. */
export const choose = (model) => {
  if (model === own(state.asked.model)) return;
  left[own(state.asked.model)] = state.asked;
  const { model: named = model, edits = "" } = left[model] ?? {};
  askFor({ model: named, edits });
};

/** Whether the current model is the requested one, at whatever step: of a model that is still to arrive, neither heads
 *  nor steps are known. */
const stays = () => state.pass && own(state.asked.model) === own(state.header.model);

/** Requests the model at a step of its training. */
export const stepTo = (step) => stays() && askFor({ model: snapshotAt(own(state.asked.model), step) });

/** Requests other edits of heads, {layer, head, do, …} each, see viz/passes/edits.py. */
export const edit = (edits) => {
  if (!stays()) return;
  state.edits = edits;
  publish("edits");
  askFor({ edits: editsInLink(edits) });
};

/** The text field has another text: a visitor's, or the one that it was filled with, which changes nothing. */
export const changeText = (text) => {
  if (text === filled) return;
  filled = null;
  askFor({ text });
};

/** The text for the field. */
export const textOfField = () => (filled = state.asked.text);

/** Fetches the requested {pass, notes}. Throws Unanswered. */
const passOf = async (question, signal) => {
  const given = lengthOf(question.text);
  const limit = site.limits.text;
  if (!question.text.trim()) throw unanswered("empty_text", {}, 422);
  if (given > limit) throw unanswered("long_text", { given, limit }, 422);
  const ready = example && ["model", "text", "edits"].every((name) => example[name] === question[name]);
  const { key, notes } = ready ? example : await answerTo("/attention", question, signal);
  if (state.pass?.header.key === key) return { pass: state.pass, notes };
  try {
    return { pass: decodePass(await bytes(`/attention/${key}`, signal)), notes };
  } catch (error) {
    if (!ready || !(error instanceof Unanswered) || error.status !== 404) throw error;
    example = null; // the server was restarted
    return passOf(question, signal);
  }
};

/** Says that no answer came, or not yet. */
const late = () => {
  showNotes([{ kind: "error", key: "asking_again" }]);
  setOutdated("offline");
};

/** The requested pass has arrived: another one, or the current one again. */
const take = ({ pass, notes }) => {
  clearTimers();
  state.open = false;
  state.rev++;
  state.edits = pass.header.edits;
  if (pass.header.text === state.asked.text) state.asked.edits = editsInLink(state.edits);
  showNotes(notes);
  setOutdated(null);
  if (pass !== state.pass) return show(pass);
  if (!state.exact) exact.load(); // the server had lost the pass, and has it again
  if (view) applyView(view);
  view = null;
  writeLink();
  publish("rev", "edits");
};

/** After a refusal the current pass stays; without one, the worked example is requested. */
const fail = (error) => {
  clearTimers();
  if (error.passing) return late();
  const notes = [{ kind: "error", text: whyNot(error) }];
  if (!state.pass)
    return void questions.ask("example", async (signal) => ({ ...(await passOf(first, signal)), notes }));
  state.open = false;
  view = null;
  state.rev++;
  showNotes(notes);
  setOutdated("refused");
  writeLink();
  publish("rev");
};
const questions = newest({ take, fail });

/** Shows a new pass, with the view of the link that requested it. A newly chosen model opens at the head most worth
 *  seeing, unless the link names one. */
const show = (pass) => {
  const opens = view ? !view.named : own(state.header.model) !== own(pass.header.model);
  const { values = {} } = view ?? {};
  const changedFields = Object.keys(values);
  state.pass = pass;
  state.hover = state.effects = null;
  Object.assign(state.view, values);
  if (!view && opens) changedFields.push(...settings.change(NONE));
  changedFields.push(...fitView(Boolean(view)));
  if (opens) changedFields.push(...settings.change(firstHead()));
  view = null;
  exact.load();
  writeLink();
  publish(...PARTS, ...changedFields);
};
exact.lost = askAgain;
