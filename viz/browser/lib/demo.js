// The state that the parts of a demonstration share: the view, which a link stores, and Python's answers to it. Tabs
// Mask and Word order have one each.

import { followers, opened, tabOf } from "./address.js";
import { answerTo, newest, whyNot } from "./ask.js";
import { listeners } from "./base.js";
import { asText, inWords } from "./messages.js";
import { page } from "./page.js";
import { makeSettings } from "./settings.js";

const PATIENCE = 200; // ms from the last change to a request: while somebody types, only the newest text is requested

/** Stores the view of a demonstration that fills a tab. */
const ofTab = (tab) => ({
  keep: (link) => page.keep(tab, link),
  mine: (params) => tabOf(params) === tab,
  follow: (take) => (followers[tab] = take),
});

/** Asks the questions of a demonstration: {soon, answered}. */
const makeQuestions = (demo, questions, publish) => {
  const failed = {}; // question → the error of its last try, or null
  const pending = new Set(); // the questions that are asked

  const setBusy = () => {
    demo.busy = pending.size > 0;
    publish("busy");
  };
  const finish = (name, error = null) => {
    pending.delete(name);
    failed[name] = error;
    demo.complain(error && whyNot(error), "error", name);
  };
  const asking = Object.fromEntries(
    Object.keys(questions).map((name) => {
      const take = (answer) => {
        finish(name);
        demo.answers[name] = answer;
        demo.rev++;
        publish(name);
        setBusy();
      };
      const fail = (error) => {
        finish(name, error);
        setBusy();
      };
      return [name, newest({ take, fail })];
    }),
  );

  const soon = (name, delay) => {
    const { paths, needs } = questions[name];
    const get = async (signal) => {
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
  const answered = async (name) => {
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
 */
export const makeDemo = (owner, fields, questions) => {
  const { keep, mine, follow } = typeof owner === "string" ? ofTab(owner) : owner;
  const settings = makeSettings(fields);
  const demo = {
    fields,
    view: settings.values,
    initial: settings.initial,
    allowed: settings.allowed,
    /** @type {any} */ hover: null, // what the pointer is on; not part of a link
    /** @type {{ [question: string]: any }} */ answers: Object.fromEntries(
      Object.keys(questions).map((name) => [name, null]),
    ),
    /** @type {{ kind: string, text: string } | null} */ message: null,
    busy: false, // whether a request is pending
    /** @type {{ [question: string]: any }} */ early: {}, // answers that the page came with, and what was asked
    rev: 0, // counts answers; a part that has painted one sets data-rev to it
  };
  const topics = [...Object.keys(fields), ...Object.keys(questions), "hover", "message", "busy"];
  const { subscribe, publish } = listeners(topics);

  /** listen(changed) gets a Set of names of fields and questions, "hover", "message" and "busy"; it is first called
   *  with all of them. A question's name is published when its answer arrives; after a refusal the previous answer is
   *  kept. */
  demo.subscribe = subscribe;

  /** Changes the view: set({mask: "local"}), and requests the answers that depend on it. A value out of range is
   *  ignored. */
  demo.set = (partial) => {
    const changed = settings.change(partial);
    if (!changed.length) return;
    if (messages.link && !following) demo.complain(null, "error", "link");
    publish(...changed);
    writeLink();
    const typed = changed.some((name) => fields[name].longest && !fields[name].eager);
    for (const [name, { needs }] of Object.entries(questions))
      if (needs.some((field) => changed.includes(field))) soon(name, typed ? PATIENCE : 0);
  };

  /** Resets all fields to their initial values. */
  demo.reset = () => demo.set(settings.initial());

  demo.point = (hover) => {
    if (JSON.stringify(hover) === JSON.stringify(demo.hover)) return;
    demo.hover = hover;
    publish("hover");
  };

  const { soon, answered } = makeQuestions(demo, questions, publish);
  demo.answered = answered;

  const messages = {}; // source → message: an answer removes its own refusal only

  demo.complain = (text, kind = "error", from = "page") => {
    messages[from] = text ? { kind, text } : null;
    demo.message = Object.values(messages).find(Boolean) ?? null;
    publish("message");
  };

  // --- the link --------------------------------------------------------------------------------------------------

  let started = false;
  const writeLink = keep(() => (started ? settings.link() : null));

  /** Applies a link's view and resets all other fields; reports and ignores invalid values. */
  demo.read = (params) => {
    const { values, refused } = settings.read(params);
    Object.assign(demo.view, values);
    demo.complain(asText(refused.map(inWords)), "error", "link");
  };

  /** Applies a link while the page is open. */
  demo.follow = (params) => {
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
  demo.start = (early = {}) => {
    demo.early = early;
    if (mine(opened)) demo.read(opened);
    for (const name of Object.keys(questions)) soon(name, 0);
    started = true;
    writeLink();
    publish(...Object.keys(fields)); // parts that are already drawn do not know the link's view
  };

  follow(demo.follow);
  return demo;
};
