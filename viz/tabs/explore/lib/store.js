// The attention store: the current pass and the view of it. All parts of tab Explore read this. Its parts are in
// store/; this file applies links.

import { followers, opened, tabOf } from "../../../browser/lib/address.js";
import { must } from "../../../browser/lib/base.js";
import { snapshotAt, snapshotOf } from "./pass.js";
import { exactly } from "./store/exact.js";
import {
  askAgain,
  askFor,
  begin,
  changeText,
  choose,
  edit,
  isShown,
  own,
  stepTo,
  textOfField,
} from "./store/passes.js";
import { publish, state, subscribe } from "./store/state.js";
import { applyView, keepEffects, limit, point, readView, refuse, set, token, writeLink } from "./store/view.js";

let begun = null; // the initial state of the tab, see `settings` in viz/tabs/explore/page.py
let fill = null; // makes the field show what store.entered() returns

const namesHead = (params) => params.has("layer") || params.has("head");

/** Requests what a link asks for; an unknown model is reported and replaced by the first. */
const askOfLink = (params) => {
  const { texts, reads, steps, example } = begun;
  const first = example.model;
  const given = params.get("model") ?? first;
  const [named, step] = snapshotOf(given);
  const known = Object.hasOwn(reads, named) && (step === null || steps[named]?.includes(step));
  if (!known) refuse({ key: "unknown_model", values: { given: given.slice(0, 40), used: first } });
  const model = known ? snapshotAt(named, step) : first;
  return { model, text: params.get("text") ?? texts[reads[own(model)]][0], edits: params.get("edits") ?? "" };
};

/** Called once, when the tab is first opened: requests what the link asks for, or the example. */
const start = (given, show) => {
  begun = given;
  Object.assign(state, { steps: begun.steps, only: begun.only });
  fill = show;
  const link = tabOf(opened) === "explore" ? opened : new URLSearchParams();
  begin(begun.example, askOfLink(link), namesHead(link));
  publish("notes");
  fill();
  followers.explore = follow;
};

/** @type {() => any} */
const field = () => document.querySelector(".explore-top textarea");

/** The field may have another text. Gradio says so two frames after the browser, and then with an old text if somebody
 *  types quickly: so the field is read. */
const typed = () => changeText(must(field(), "text field").value);
document.addEventListener("input", ({ target }) => begun && target === field() && typed());

/** Applies a link while the page is open. */
const follow = (params) => {
  state.pinned.read(params);
  state.notes.link = [];
  const question = params.has("model") ? askOfLink(params) : state.asked;
  const shown = !params.has("model") || (isShown(question) && isShown(state.asked) && !state.open);
  const here = shown ? state.pass : null; // a follower's page may not have its first pass yet
  limit(here && (here.maps[Number(params.get("map") ?? 0)] ?? state.map)); // those of another pass are not known yet
  const { values, refused } = readView(params);
  limit();
  refused.forEach(refuse);
  publish("notes");
  const link = { values, named: namesHead(params) };
  if (here) return applyView(link);
  askFor(question, link);
  fill();
};

export const store = Object.assign(state, {
  ...{ start, subscribe, set, point, measured: keepEffects, token, writeLink, exactly },
  ...{ ask: askFor, askAgain, own, choose, edit, entered: textOfField, stepTo, typed },
});
