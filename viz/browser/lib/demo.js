// The state that the parts of a demonstration share: the view, which a link stores, and Python's answers to it. Tabs
// Mask and Word order have one each.

import { followers, opened, tabOf } from "./address.js";
import { answerTo, newest, whyNot } from "./ask.js";
import { defer, listeners } from "./base.js";
import { asText, inWords } from "./messages.js";
import { page } from "./page.js";
import { makeSettings } from "./settings.js";

const PATIENCE = 200; // ms from the last change to a request: while somebody types, only the newest text is requested

/** @typedef {{ [question: string]: { paths: string[], needs: string[] } }} Questions */
/** @typedef {{
 *   keep: (link: () => import("./address.js").View | null) => () => void,
 *   mine: (params: URLSearchParams) => boolean,
 *   follow: (take: (params: URLSearchParams) => void) => void,
 * }} Owner */

/** Stores the view of a demonstration that fills a tab.
 *  @type {(tab: string) => Owner} */
const ofTab = (tab) => ({
  keep: (link) => page.keep(tab, link),
  mine: (params) => tabOf(params) === tab,
  follow: (take) => (followers[tab] = take),
});

/** Asks the questions of a demonstration: {soon, answered}.
 *  @type {(demo: any, questions: Questions, publish: (...changed: string[]) => void) =>
 *    { soon: (name: string, delay: number) => void, answered: (name: string) => Promise<any> }} */
const makeQuestions = (demo, questions, publish) => {
  /** @type {{ [question: string]: any }} */ const failed = {}; // the error of its last try, or null
  const pending = new Set(); // the questions that are asked

  const setBusy = () => {
    demo.busy = pending.size > 0;
    publish("busy");
  };
  const finish = (/** @type {string} */ name, error = null) => {
    pending.delete(name);
    failed[name] = error;
    demo.complain(error && whyNot(error), "error", name);
  };
  const asking = Object.fromEntries(
    Object.keys(questions).map((name) => {
      const take = (/** @type {any} */ answer) => {
        finish(name);
        demo.answers[name] = answer;
        demo.rev++;
        publish(name);
        setBusy();
      };
      const fail = (/** @type {any} */ error) => {
        finish(name, error);
        setBusy();
      };
      return [name, newest({ take, fail })];
    }),
  );

  /** @type {(name: string, delay: number) => void} */
  const soon = (name, delay) => {
    const { paths, needs } = questions[name];
    const get = async (/** @type {AbortSignal} */ signal) => {
      const question = Object.fromEntries(needs.map((field) => [field, demo.view[field]]));
      const early = demo.early[name];
      if (early && needs.every((field) => early[field] === question[field])) return early;
      const answers = await Promise.all(paths.map((path) => answerTo(path, question, signal)));
      return Object.assign({}, question, ...answers);
    };
    asking[name].ask({}, get, delay);
    pending.add(name);
    setBusy();
  };

  /** Waits for a question's answer, and requests it again if there is none. Throws the error of the last attempt. */
  const answered = async (/** @type {string} */ name) => {
    if (!demo.answers[name] && !pending.has(name)) soon(name, 0);
    while (pending.has(name)) await asking[name].settled();
    if (!demo.answers[name]) throw failed[name];
    return demo.answers[name];
  };
  return { soon, answered };
};

/**
 * A demonstration.
 *
 * owner: its tab, or, for a part of a tab, {keep, mine, follow}: keep(link) returns a function to call when the view
 * that link() gives has changed; mine(params) says whether a link is for it; follow(take) registers how it applies a
 * link while the page is open. fields: as in makeSettings, plus `eager: true` for a text that is requested without
 * waiting for further typing. questions: {name: {paths, needs}}: POSTed to each path with {name: value} of the fields
 * it needs whenever one changes; the request and the answers of all paths are merged into one answer.
 *
 * Returns {view, hover, answers: {question: answer or null}, message, busy, rev, answered}.
 *
 * @template {import("./settings.js").Fields} F
 * @param {string | Owner} owner
 * @param {F} fields
 * @param {Questions} questions
 */
export const makeDemo = (owner, fields, questions) => {
  const { keep, mine, follow } = typeof owner === "string" ? ofTab(owner) : owner;
  const settings = makeSettings(fields);
  const topics = [...Object.keys(fields), ...Object.keys(questions), "hover", "message", "busy"];
  const { subscribe, publish } = listeners(topics);

  /** Changes the view: set({mask: "local"}), and requests the answers that depend on it. A value out of range is
   *  ignored.
   *  @type {(partial: { [field: string]: any }) => void} */
  const set = (partial) => {
    const changed = settings.change(partial);
    if (!changed.length) return;
    if (messages.link && !following) complain(null, "error", "link");
    publish(...changed);
    writeLink();
    const typed = changed.some((name) => fields[name].longest && !fields[name].eager);
    for (const [name, { needs }] of Object.entries(questions))
      if (needs.some((field) => changed.includes(field))) soon(name, typed ? PATIENCE : 0);
  };

  /** Resets all fields to their initial values. */
  const reset = () => void demo.set(settings.initial());

  const point = (/** @type {any} */ hover) => {
    if (JSON.stringify(hover) === JSON.stringify(demo.hover)) return;
    demo.hover = hover;
    publish("hover");
  };

  /** @type {{ [source: string]: { kind: string, text: string } | null }} */
  const messages = {}; // an answer removes its own refusal only

  /** @type {(text: string | null, kind?: string, from?: string) => void} */
  const complain = (text, kind = "error", from = "page") => {
    messages[from] = text ? { kind, text } : null;
    demo.message = Object.values(messages).find(Boolean) ?? null;
    publish("message");
  };

  // --- the link --------------------------------------------------------------------------------------------------

  let started = false;
  const writeLink = defer(keep(() => (started ? settings.link() : null))); // browsers take some 10 changes a second

  /** Applies a link's view and resets all other fields; reports and ignores invalid values. */
  const read = (/** @type {URLSearchParams} */ params) => {
    const { values, refused } = settings.read(params);
    Object.assign(demo.view, values);
    complain(asText(refused.map(inWords)), "error", "link");
  };

  /** Applies a link while the page is open. */
  const followLink = (/** @type {URLSearchParams} */ params) => {
    const before = { ...demo.view };
    demo.read(params);
    const wanted = { ...demo.view };
    Object.assign(demo.view, before); // so that changed values are requested
    following = true;
    demo.set(wanted);
    following = false;
  };
  let following = false;

  /** Called once, when the tab is first opened: reads the link, requests all answers but those in `early`. */
  const start = (/** @type {{ [question: string]: any }} */ early = {}) => {
    demo.early = early;
    if (mine(opened)) demo.read(opened);
    for (const name of Object.keys(questions)) soon(name, 0);
    started = true;
    writeLink();
    publish(...Object.keys(fields)); // parts that are already drawn do not know the link's view
  };

  const demo = {
    fields,
    view: settings.values,
    allowed: settings.allowed,
    /** @type {any} */ hover: null, // what the pointer is on; not part of a link
    /** @type {{ [question: string]: any }} */ answers: Object.fromEntries(
      Object.keys(questions).map((name) => [name, null]),
    ),
    /** @type {{ kind: string, text: string } | null} */ message: null,
    busy: false, // whether a request is pending
    /** @type {{ [question: string]: any }} */ early: {}, // answers that the page came with, and what was asked
    rev: 0, // counts answers; a part that has painted one sets data-rev to it
    /** listen(changed) gets a Set of names of fields and questions, "hover", "message" and "busy"; it is first called
     *  with all of them. A question's name is published when its answer arrives; after a refusal the previous answer is
     *  kept. */
    subscribe,
    set,
    reset,
    point,
    complain,
    read,
    follow: followLink,
    start,
    /** @type {(name: string) => Promise<any>} */ answered: (name) => answered(name),
  };
  const { soon, answered } = makeQuestions(demo, questions, publish);
  follow(demo.follow);
  return demo;
};
