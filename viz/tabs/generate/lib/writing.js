// The state of tab Generate: the text, its branches and the current node. The tab's parts read it and act on it; Python
// computes the model's output for a text and stores nothing.

import { followers, opened, tabOf } from "../../../browser/lib/address.js";
import { newest, whyNot } from "../../../browser/lib/ask.js";
import { listeners } from "../../../browser/lib/base.js";
import { asText, inWords } from "../../../browser/lib/messages.js";
import { page } from "../../../browser/lib/page.js";
import { site } from "../../../browser/lib/site.js";
import { Branches } from "./branches.js";
import { addDraws } from "./draws.js";
import { fitModel, SAMPLING, samplingRules, writingFields, writingSettings } from "./fields.js";
import { write } from "./frames.js";
import { linkOf } from "./link.js";
import { makeSecond } from "./second.js";
import { addView } from "./view.js";

const SHAPING = ["model", "text"]; // a change of these starts another text
const TELL = 500; // ms between changes of the address while tokens arrive
// ms over which tokens that arrived together appear: less than between two requests of a room's view
const SPREAD = 1200;

const branches = new Branches(site.limits.written);

export const writing = {
  fields: writingFields,
  settings: writingSettings.values,
  models: {},
  branches,
  cursor: branches.root, // the current node, which is shown and continued
  /** @type {import("./branches.js").Node | null} */ hover: null, // the node under the pointer, shown instead
  status: "idle", // "reading" one state, "running", or neither
  searched: null, // the tokens from which beams were searched last
  /** @type {{ kind: "info" | "error", text: string } | null} */ message: null,
  rev: 0, // counts frames received; tests wait for it
};

const { subscribe, publish } = listeners(["text", "hover", "status", "models", ...Object.keys(writingFields)]);

/** listen(changed) gets a Set of "text" (tokens, states, cursor), "hover", "status" and the settings' names. */
writing.subscribe = subscribe;

export const second = makeSecond(writing);

/** The node that is shown. */
writing.shown = () => writing.hover ?? writing.cursor;

// --- asking the server -------------------------------------------------------------------------------------------

/** The tokens written so far. */
writing.tokens = () => writing.branches.path(writing.cursor).map((node) => node.token);

let later = 0;

const order = (length, given) => {
  const { model, text, penalty, temperature, top_k, top_p, min_p, seed, pace } = writing.settings;
  return {
    model,
    text,
    written: writing.tokens(),
    given,
    length,
    penalty,
    temperature,
    top_k: top_k || null,
    top_p: top_p < 1 ? top_p : null,
    min_p: min_p || null,
    seed,
    pace,
  };
};

const questions = newest({
  take: () => stopWriting(),
  fail: (error) => {
    writing.message = { kind: "error", text: whyNot(error) };
    stopWriting(); // the written text stays, and the visitor may continue
  },
});

const end = () => {
  clearTimeout(later);
  questions.stop();
};

/** Requests the current state, and `length` more tokens; or the `known` ones, one every `pause` ms. */
const ask = (length = 0, known = [], pause = 0) => {
  end();
  const drawnBy = samplingRules();
  writing.status = length || known.length ? "running" : "reading";
  writing.message = null;
  if (writing.status === "running") writing.point(null); // a pointer that rests on the text would hide what comes
  publish("status");
  let quiet = pause ? 0 : known.length; // tokens of a link, which are shown at intervals
  questions.ask({}, async (signal) => {
    for await (const frame of write(order, length, known, signal)) {
      if (pause && frame.token !== null) await new Promise((done) => setTimeout(done, pause));
      if (signal.aborted) return;
      if (frame.token !== null) {
        writing.cursor = writing.branches.write(writing.cursor, frame.token);
        quiet--;
      }
      writing.cursor.state = { ...frame, drawnBy };
      writing.rev++;
      if (writing.updateAddress() || quiet <= 0) publish("text");
    }
  });
};

/** Updates the address, at intervals while tokens arrive; returns whether it has. */
writing.updateAddress = () => {
  const due = performance.now() - lastUpdate >= TELL;
  if (due) lastUpdate = performance.now();
  if (due) writeLink();
  return due;
};
let lastUpdate = 0; // when the address was updated last

const stopWriting = () => {
  end();
  writing.status = "idle";
  writeLink();
  publish("status", "text");
};

/** After a move: requests a state that is unknown here, or was sampled by other rules. Another move within a moment
 *  cancels the request. */
const requestState = () => {
  clearTimeout(later);
  const { state } = writing.cursor;
  if (!state || state.drawnBy !== samplingRules()) later = setTimeout(ask, state ? 120 : 0);
};

// --- actions -----------------------------------------------------------------------------------------------------

/** Generates up to the length that is set; from there, as much again. */
writing.run = () => {
  const { length } = writing.settings;
  ask(length - (writing.cursor.depth % length));
  second.run(length);
};

writing.pause = () => {
  if (writing.status !== "idle") stopWriting();
  second.pause();
};

/** Whether tokens are arriving, for this model or the second. */
writing.runs = () => writing.status === "running" || second.running;

/** Stops and returns to the prompt. The text stays on its branch. */
writing.stop = () => {
  stopWriting();
  writing.go(writing.branches.root);
  second.begin();
};

/** Generates one token: the sampled one. */
writing.step = () => {
  writing.pause();
  const { state } = writing.cursor;
  if (state && state.drawnBy === samplingRules()) writing.take(state.drawn);
  else ask(1);
  second.step();
};

/** Continues with this token, whatever was sampled. */
writing.take = (token) => {
  writing.pause();
  const label = writing.cursor.state?.candidates.find(([id]) => id === token)?.[1] ?? "";
  writing.go(writing.branches.write(writing.cursor, token, label));
};

/** Makes a node the current one. */
writing.go = (node) => {
  if (writing.status !== "idle") stopWriting();
  writing.branches.visit(node);
  writing.cursor = node;
  writing.hover = null;
  writeLink();
  publish("text", "hover");
  requestState();
};

writing.back = () => writing.cursor.parent && writing.go(writing.cursor.parent);
writing.forward = () => writing.cursor.onward && writing.go(writing.cursor.onward);

/** Shows the model's output for the text up to a node, while the pointer is on it. */
writing.point = (node) => {
  const hover = writing.status === "running" || !node?.state || node === writing.cursor ? null : node;
  if (hover === writing.hover) return;
  writing.hover = hover;
  publish("hover");
};

/** Removes the text. */
const begin = () => {
  end();
  writing.searched = null;
  writing.branches = new Branches(site.limits.written);
  writing.cursor = writing.branches.root;
  writing.hover = null;
  writing.status = "idle";
  second.forget();
  publish("text", "hover", "status");
};

/** Asks for what the prompt alone gives. */
const start = () => {
  ask();
  second.begin();
};

/** Removes the text, and starts again from the prompt. */
writing.clear = () => (begin(), start());

/** Changes settings: set({temperature: 1}). A value out of range is ignored. */
writing.set = (partial) => {
  const changed = writingSettings.change(partial);
  if (!changed.length) return;
  if (changed.includes("model")) changed.push(...fitModel(writing.models[writing.settings.model]));
  publish(...changed);
  if (changed.includes("second")) second.begin();
  if (changed.includes("model") || changed.includes("text")) {
    begin();
    later = setTimeout(start, changed.includes("text") ? 300 : 0);
  } else if (
    writing.status === "running" &&
    changed.some((name) => SAMPLING.includes(name) || name === "pace" || name === "length")
  ) {
    clearTimeout(later);
    later = setTimeout(writing.run, 120); // the pending request continues until then
  } else if (changed.some((name) => SAMPLING.includes(name))) requestState();
  writeLink();
};

// --- the link ----------------------------------------------------------------------------------------------------

const { params: link, beyond, read } = linkOf(writing, second);
const writeLink = page.keep("generate", link, beyond);

/** The last known node on the path of these tokens, and the tokens after it. */
const asFarAsHere = (wanted) => {
  let node = writing.branches.root;
  let held = 0;
  for (; held < wanted.length; held++) {
    const next = node.children.find(({ token, state }) => token === wanted[held] && state);
    if (!next) break;
    node = next;
  }
  return { node, given: wanted.slice(held) };
};

/** Reports what could not be applied from a link, unless there is another message. */
const complain = (refused) => {
  if (refused.length) writing.message ??= { kind: "error", text: asText(refused.map(inWords)) };
  publish("status");
};

/** Applies a link's view while the page is open. */
writing.follow = (params) => {
  writing.message = null;
  const before = SHAPING.map((name) => writing.settings[name]).join("\n");
  const { given: wanted, other, refused } = read(params);
  publish(...Object.keys(writingFields));
  if (before !== SHAPING.map((name) => writing.settings[name]).join("\n")) begin();
  second.follow(other);
  const { node, given } = asFarAsHere(wanted);
  writing.branches.visit(node);
  writing.cursor = node;
  const few = given.length <= site.limits.shared; // a follower who joins late gets many tokens at once
  const pause = few ? Math.min(SPREAD / given.length, 1000 / writing.settings.pace) : 0;
  if (given.length || !node.state || node.state.drawnBy !== samplingRules()) ask(0, given, pause);
  else stopWriting();
  complain(refused);
};

/** Called once, when the tab is on the page: sets its models, then applies the link. */
writing.start = ({ models, text }) => {
  writing.models = models;
  writingFields.model.choices = Object.keys(models);
  writingFields.second.choices = ["", ...writingFields.model.choices];
  const [first] = writingFields.model.choices;
  writingFields.model.initial = writing.settings.model = first;
  writingFields.text.initial = writing.settings.text = text;
  const asked = tabOf(opened) === "generate" ? opened : new URLSearchParams();
  const { given, other, refused } = read(asked);
  publish("models", ...Object.keys(writingFields));
  followers.generate = writing.follow;
  second.follow(other);
  ask(0, given);
  complain(refused);
};

Object.assign(writing, { order, writeLink, beyond, publish });
addDraws(writing);
addView(writing, second);
