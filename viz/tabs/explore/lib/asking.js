// Requests of a panel for the current pass: only while the panel is in view, and only for the latest choice.

import { answerTo, newest, whyNot } from "../../../browser/lib/ask.js";
import { defer } from "../../../browser/lib/base.js";
import { whileInView } from "../../../browser/lib/panel.js";
import { viewOf } from "../../../browser/lib/python.js";
import { viewOfPass } from "./pass.js";
import { store } from "./store.js";

/** @typedef {{ question: () => object | null, path?: string, get?: (view: any, signal: AbortSignal) => Promise<any>,
 *              take: (answer: any) => void, refused?: () => void }} Asked */

/** The view of a question about the selected head. */
export const viewOfHead = () => {
  const { layer, head } = store.view;
  return { ...viewOfPass(store.header), map: store.map.name, layer, head };
};

/** The view of a question about the current and the pinned pass, with some fields of `viewOf.explore`. */
export const viewOfPair = (...fields) => {
  const view = viewOf.explore();
  const chosen = Object.fromEntries(fields.map((name) => [name, view[name]]));
  return { ...viewOfPass(view), beside: view.beside && viewOfPass(view.beside), ...chosen };
};

/** Posts a view to a path, unless that is the newest of the `questions`. */
export const post = (questions, path, view) =>
  questions.ask(JSON.stringify(view), (signal) => answerTo(path, view, signal));

/**
 * Requests what a panel shows: {element, section, body, status: the element for error messages}. Returns a function to
 * call when the view may have changed.
 *
 * question() returns the view to post to the path, or to call get(view, signal) with; null for none. The element has
 * class "late" until the answer arrives, which take(answer) shows. A refusal hides the body and calls refused(). An
 * unreachable server is asked again.
 *
 * @param {any} panel
 * @param {Asked} asked
 */
export const askInView = (
  { element, section, body, status },
  { question, path = "", get = (view, signal) => answerTo(path, view, signal), take, refused = () => {} },
) => {
  let on = null; // the question that is answered or pending, as JSON
  const done = () => {
    element.classList.remove("late");
    element.dataset.rev = store.rev;
  };
  const questions = newest({
    take: (answer) => {
      body.hidden = false;
      status.textContent = "";
      take(answer);
      done();
    },
    fail: (error) => {
      status.textContent = whyNot(error);
      if (error.passing) return;
      body.hidden = true;
      refused();
      done();
    },
  });
  const ask = () => inView() && on !== null && questions.ask(on, (signal) => get(JSON.parse(on), signal));
  const soon = defer(ask); // choices that are only passed over are not requested
  const inView = whileInView(section, ask);
  return () => {
    const asked = element.hidden ? null : question();
    const name = asked && JSON.stringify(asked);
    if (name !== on) {
      on = name;
      questions.stop(); // its answer would be for the previous choice
      element.classList.toggle("late", on !== null);
      soon();
    }
    if (!element.classList.contains("late")) element.dataset.rev = store.rev;
  };
};
