// What the parts of a demonstration share: the view, which stands in the link, and Python's answers to it. The tabs
// Mask and Permute each hold one.

import { followers, opened, tabOf } from "./address.js";
import { answerTo, whyNot } from "./ask.js";
import { listeners } from "./base.js";
import { asText, inWords } from "./messages.js";
import { page } from "./page.js";
import { makeSettings } from "./settings.js";

const PATIENCE = 200; // ms from the last change to a question: while one types, only the newest text is asked

/** Where the demonstration of a whole tab keeps its view. */
const ofTab = (tab) => ({
  keep: (link) => page.keep(tab, link),
  mine: (params) => tabOf(params) === tab,
  follow: (take) => (followers[tab] = take),
});

/**
 * A demonstration.
 *
 * place: the tab that it is, or, where it is a part of one, {keep, mine, follow}: keep(link) returns what to call when
 * the view that link() gives has changed; mine(params) says whether a link is for it; follow(take) is told how it takes
 * up a link while the page is open.
 * fields: as makeSettings takes them, plus `eager: true` for a text that is not typed: no waiting before it is asked.
 * questions: {name: {paths, needs}}: POSTed to each path as {name: value} of the fields it needs, whenever one changed;
 * what was asked and the answers of all paths make one.
 *
 * The demonstration: {view, hover, answers: {question: answer or null}, message, busy, rev, answered}.
 */
export const makeDemo = (place, fields, questions) => {
  const { keep, mine, follow } = typeof place === "string" ? ofTab(place) : place;
  const settings = makeSettings(fields);
  const demo = {
    fields,
    view: settings.values,
    initial: settings.initial,
    allowed: settings.allowed,
    hover: null, // what is pointed at; not part of a link
    answers: Object.fromEntries(Object.keys(questions).map((name) => [name, null])),
    message: null, // {kind: "info" | "error", text}
    busy: false, // whether an answer is under way
    rev: 0, // counts answers; a part that has painted one says so as data-rev
  };
  const told = [...Object.keys(fields), ...Object.keys(questions), "hover", "message", "busy"];
  const { subscribe, publish } = listeners(told);

  /** listen(changed): a Set of names of fields and questions, "hover", "message", "busy". Called at once with all.
   *  Of a question: as it is answered; where it is refused, the answer before stands. */
  demo.subscribe = subscribe;

  /** Changes the view: set({mask: "local"}); asks what depends on it. What is out of range is left as it was. */
  demo.set = (partial) => {
    const changed = settings.change(partial);
    if (!changed.length) return;
    if (said.link && !following) demo.complain(null, "error", "link");
    publish(...changed);
    writeLink();
    const typed = changed.some((name) => fields[name].longest && !fields[name].eager);
    for (const [name, { needs }] of Object.entries(questions))
      if (needs.some((field) => changed.includes(field))) askSoon(name, typed ? PATIENCE : 0);
  };

  /** All as in the beginning. */
  demo.reset = () => demo.set(settings.initial());

  demo.point = (hover) => {
    if (JSON.stringify(hover) === JSON.stringify(demo.hover)) return;
    demo.hover = hover;
    publish("hover");
  };

  const said = {}; // by whom → message: an answer takes back its own refusal, and no other's

  demo.complain = (text, kind = "error", from = "page") => {
    said[from] = text ? { kind, text } : null;
    demo.message = Object.values(said).find(Boolean) ?? null;
    publish("message");
  };

  // --- asking ----------------------------------------------------------------------------------------------------

  const asking = {}; // question → {timer, abort}
  const failed = {}; // question → the error of its last try, or null
  const waiting = []; // what to call when a question is answered or not

  const askSoon = (name, delay) => {
    clearTimeout(asking[name]?.timer);
    asking[name]?.abort?.abort();
    asking[name] = { timer: setTimeout(() => ask(name), delay) };
    busy();
  };

  const busy = () => {
    demo.busy = Object.values(asking).some(Boolean);
    publish("busy");
  };

  /** Waits for a question's answer, and asks again where it has none. Throws what the last try failed of. */
  demo.answered = async (name) => {
    if (!demo.answers[name] && !asking[name]) askSoon(name, 0);
    while (asking[name]) await new Promise((done) => waiting.push(done));
    if (!demo.answers[name]) throw failed[name];
    return demo.answers[name];
  };

  const ask = async (name) => {
    const own = (asking[name] = { abort: new AbortController() });
    const { paths, needs } = questions[name];
    const question = Object.fromEntries(needs.map((field) => [field, demo.view[field]]));
    let [answer, error] = [null, null];
    try {
      const answers = await Promise.all(paths.map((path) => answerTo(path, question, own.abort.signal)));
      answer = Object.assign({}, question, ...answers);
    } catch (raised) {
      error = raised;
    }
    if (own !== asking[name]) return; // a newer question overtook this one
    asking[name] = null;
    failed[name] = error;
    demo.complain(error && whyNot(error), "error", name);
    if (answer) {
      demo.answers[name] = answer;
      demo.rev++;
      publish(name);
    }
    busy();
    waiting.splice(0).forEach((done) => done());
  };

  // --- the link --------------------------------------------------------------------------------------------------

  let started = false;
  const writeLink = keep(() => (started ? settings.link() : null));

  /** Takes up a link's view, the rest going back to where it began; nonsense is named and left out. */
  demo.read = (params) => {
    const { values, refused } = settings.read(params);
    Object.assign(demo.view, values);
    demo.complain(asText(refused.map(inWords)), "error", "link");
  };

  /** Takes up a link while the page is open. */
  demo.follow = (params) => {
    const before = { ...demo.view };
    demo.read(params);
    const wanted = { ...demo.view };
    Object.assign(demo.view, before); // so that what is new is asked for
    following = true;
    demo.set(wanted);
    following = false;
  };
  let following = false;

  /** Once, when its tab is first opened: reads the link, asks everything. */
  demo.start = () => {
    if (mine(opened)) demo.read(opened);
    for (const name of Object.keys(questions)) askSoon(name, 0);
    started = true;
    writeLink();
    publish(...Object.keys(fields)); // parts that stand already have not seen the link's view
  };

  follow(demo.follow);
  return demo;
};
