// This page's answers to the questions of a room, in its session, so that they can be sent again to a server that did
// not count them or, restarted, has lost them.

import { storage } from "../storage.js";

const LESSON = 2 * 60 * 60 * 1000; // ms after which an answer is not sent again

/** @typedef {{ choice: number, right: boolean }} Answer */
/** @typedef {{ [question: string]: Answer & { at: number, counted: string | null } }} Answers
 *  at: ms; counted: the run of the server that counted the answer, or null */

/** The answers in the room of this name. */
export const answersIn = (/** @type {string} */ room) => {
  const name = `former-answers-${room}`;
  /** @type {() => Answers} */
  const all = () => JSON.parse(storage.session.get(name) ?? "{}");
  const store = (/** @type {Answers} */ answers) => storage.session.set(name, JSON.stringify(answers));
  const is =
    (/** @type {string | null} */ run) =>
    (/** @type {[string, Answers[string]]} */ [, { counted }]) =>
      counted === run;
  return {
    /** Adds an answer; one to the same question that is still to be sent stays.
     *  @type {(question: string, answer: Answer) => void} */
    add: (question, answer) => {
      const answers = all();
      if (answers[question]?.counted === null) return;
      store({ ...answers, [question]: { ...answer, at: Date.now(), counted: null } });
    },
    /** The answers that this run of the server has not counted, as [question, answer].
     *  @type {(run: string | null) => [string, Answer][]} */
    owed: (run) => Object.entries(all()).filter((each) => !is(run)(each) && Date.now() - each[1].at < LESSON),
    /** Notes that a run of the server counts this answer.
     *  @type {(question: string, answer: Answer, run: string | null) => void} */
    count: (question, { choice, right }, run) => {
      const answers = all();
      store({ ...answers, [question]: { ...answers[question], choice, right, counted: run } });
    },
    /** Forgets the answers that this run of the server counted, as their room has ended.
     *  @type {(run: string | null) => void} */
    forget: (run) => {
      const entries = Object.entries(all());
      if (entries.some(is(run))) store(Object.fromEntries(entries.filter((each) => !is(run)(each))));
    },
  };
};
