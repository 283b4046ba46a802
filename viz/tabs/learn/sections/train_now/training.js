// The training that the server reports: the visitor's own, or another visitor's that is watched.

import { lines, newest, whyNot } from "../../../../browser/lib/ask.js";

const LOOK = 4000; // ms between two checks whether somebody is training, while this section is on the screen

/**
 * The reported training; paint() is called after each change. `tasks` has the example and the shape of a question for
 * each task.
 *
 * Returns {own, reading, progress, course, ended, live, state, watching, latest, choose, train, stop,
 * watch}.
 */
export const makeTraining = (section, tasks, paint) => {
  const { live: demo } = section;
  const training = {
    own: false, // whether it is the visitor's own
    reading: false, // whether lines are being read
    /** @type {any} */ progress: null, // the newest line
    /** @type {any[]} */ course: [], // of the reported run: [step, loss, share of correct answers]
    ended: "", // how the last one ended, shown until another one starts
    live: false, // whether the maps are the training's
  };
  const runs = {}; // task → the run last trained on this page
  let before = null; // the newest line when this reading started

  const take = (line) => {
    if (!line.run) return; // no training is running
    if (line.run.name !== training.progress?.run.name) training.course = [];
    Object.assign(training, { progress: line, live: Boolean(line.now.frame) });
    training.course.splice(line.from, Infinity, ...line.course);
    paint();
  };

  /** Reads the lines of the visitor's own training, or else of the running one, to their end. */
  const listen = (own) => {
    before = training.progress;
    Object.assign(training, { own, reading: true });
    if (own) Object.assign(training, { progress: null, course: [], ended: "", live: false });
    const { task, seed, text } = demo.view;
    const path = `/learn/train-now/${own ? "train" : "watch"}`;
    if (own) demo.complain(null, "error", "train");
    questions.ask({}, (signal) => lines(path, signal, take, own ? { task, seed, text } : {}));
  };
  const questions = newest({
    take: () => end(),
    fail: (error) => {
      questions.stop(); // an interrupted training does not continue: the same one is trained again from its first step
      if (training.own && training.progress && error.status === 0) return void listen(true);
      if (training.own) demo.complain(whyNot(error), "error", "train");
      end();
    },
  });

  /** After the last line: shows the model of a training that ended, ready for questions. */
  const end = () => {
    const { own, progress, live } = training;
    training.reading = false;
    if (!own && progress === before) return;
    const { run, end } = progress ?? {};
    const done = end === "done";
    if (run) training.ended = own ? end || "failed" : done ? "watched" : "";
    if (done) runs[run.task] = run.name;
    training.live = live && done; // until another text is requested
    if (done && own && demo.view.task === run.task) demo.set({ run: run.name });
    training.own = false;
    paint();
  };

  /** Leaves the queue, or ends the visitor's own training; its lines are removed. */
  const stop = () => {
    const { own, reading } = training;
    if (own) questions.stop();
    const ended = own ? "stopped" : "";
    Object.assign(training, { own: false, reading: reading && !own, progress: null, course: [], live: false, ended });
    paint();
  };

  /** Selects another task, with a question that suits it, and the model trained for it on this page. */
  const choose = (changes) => {
    const task = changes.task ?? demo.view.task;
    const fits = new RegExp(`^${tasks[task].shape}$`).test(demo.view.text);
    demo.set({ run: runs[task] ?? "", text: fits ? demo.view.text : tasks[task].example, ...changes });
  };
  const train = (changes = {}) => {
    stop();
    choose({ ...changes, run: "" });
    listen(true);
  };

  const watching = () => Boolean(!training.own && training.reading && training.progress && !training.progress.end);
  /** Its state, as messages name it. */
  const state = () => {
    const { own, progress, course, ended } = training;
    if (!own) return watching() ? "watching" : ended || "off";
    return progress?.ahead > 0 ? "waiting" : course.length ? "running" : "starting";
  };
  /** The step, the loss and the share of correct answers that were reported last. */
  const latest = () => training.course.at(-1) ?? [0, 0, 0];

  /** Watches whatever training runs, while the section is on the screen: a visitor with a model to try is not
   *  disturbed. */
  const watch = () => {
    const visible = section.shown() && document.visibilityState === "visible";
    if (visible && !training.reading && !demo.view.run) listen(false);
  };
  setInterval(watch, LOOK);
  return Object.assign(training, { state, watching, latest, choose, train, stop, watch });
};
