// A toy task, a transformer that learns it on the server while the visitor watches, and then the visitor's own question
// to it. The server reports the training in lines (viz/server/trainings.py); the model's output for a text is requested
// as in other sections.

import { answerTo } from "../../../../browser/lib/ask.js";
import { eachFrame, h } from "../../../../browser/lib/base.js";
import { makeChart } from "../../../../browser/lib/chart.js";
import { asText } from "../../../../browser/lib/messages.js";
import { asNumber, asShare } from "../../../../browser/lib/numbers.js";
import { makeHeads } from "./heads.js";
import { makeTraining } from "./training.js";

const LONGEST = 40; // characters of a question

const fieldsOf = (props) => ({
  task: { initial: props.task, choices: Object.keys(props.tasks) },
  seed: { initial: 1, min: 0, max: props.seeds - 1 },
  text: { initial: props.tasks[props.task].example, longest: LONGEST },
  layer: { initial: 0, min: 0, max: props.layers - 1 },
  head: { initial: 0, min: 0, max: props.heads - 1 },
  run: { initial: "", longest: 32, eager: true }, // of the training whose model is shown
});

/** The line that says how far the training is, with the buttons that start, stop and take it over: {node, paint}. */
const makeCourse = (section, training, steps) => {
  const { words, live: demo } = section;
  const button = h("button.field-button.go", {
    title: words("train_hint"),
    onclick: () => (training.own ? training.stop() : training.train()),
  });
  const bar = h("progress", { value: 0, "aria-label": words("progress") });
  const message = h("span", { role: "status" });
  const adopt = h(
    "button.field-button",
    { onclick: () => demo.set({ ...training.progress.run, run: training.progress.run.name }) },
    words("try_it"),
  );
  const paint = () => {
    const { own, progress, ended } = training;
    const [step] = training.latest();
    const state = training.state();
    const waiting = (state === "running" || state === "watching") && progress.waiting;
    const values = {
      step,
      steps: steps(),
      seconds: Math.round(progress?.now.seconds ?? 0),
      ahead: progress?.ahead ?? 0,
      task: progress ? words(`task_${progress.run.task}`) : "",
    };
    button.textContent = words("train", { state: own ? state : "off" });
    Object.assign(bar, { max: steps(), value: step });
    message.textContent = asText([words(`state_${state}`, values), waiting && words("waiting", { waiting })]);
    adopt.hidden = !(ended === "watched" && !own && progress?.end === "done" && demo.view.run !== progress.run.name);
    section.node.dataset.state = state;
  };
  return { node: h("div.course", button, bar, message, adopt), paint };
};

/** The chart of the loss, and the share of unseen questions answered right: {node, paint}. */
const makeCurve = (section, props, training, steps) => {
  const { words } = section;
  const container = h("div");
  const chart = makeChart(container, { label: words("loss") });
  const right = h("p.right-share");
  const change = (data, layout) => {
    const [x, y] = [0, 1].map((at) => training.course.map((values) => values[at]));
    Object.assign(data[0], { x, y, name: words("line_loss"), mode: "lines" });
    Object.assign(layout.xaxis, { title: { text: words("axis_step") }, range: [0, steps()] });
    Object.assign(layout.yaxis, { title: { text: words("axis_loss") }, rangemode: "tozero" });
    layout.showlegend = false;
  };
  const paint = () => {
    const [, , share] = training.latest();
    chart.draw({ figures: props.figures, keep: "loss", change });
    right.textContent = training.course.length
      ? words("right", { share: asShare(share), tested: props.tested })
      : words("right_none");
  };
  return { node: h("div.curve", container, right, section.panel.equation()), paint };
};

/** The visitor's question, and the model's answer: {node, paint, answer(result)}. */
const makeTrial = (section, props, training) => {
  const { words, live: demo } = section;
  const text = h("input", {
    type: "text",
    spellcheck: "false",
    autocomplete: "off",
    autocapitalize: "off",
    maxlength: LONGEST,
    oninput: () => demo.set({ text: text.value }),
  });
  const label = h("span.name");
  const output = h("output");
  const by = h("p.quiet");
  const paint = () => {
    const { most, digits, last } = props;
    label.textContent = words("field", { task: demo.view.task, most, digits, last });
    text.disabled = training.own || training.watching(); // the question is then the training's
    const question = text.disabled && training.live ? training.progress.run.text : demo.view.text;
    if (text.value !== question) text.value = question;
  };
  const answer = ({ answer, right: truth, question, by: who, run }) => {
    const [step, loss, share] = training.latest();
    const right = answer === truth;
    output.replaceChildren(
      words("answer", { question, answer: answer || words("nothing") }),
      " ",
      h("b", { class: right ? "right" : "wrong" }, words("judged", { right: right ? "yes" : "no", truth })),
    );
    const { backwards } = props.tasks[training.live ? training.progress.run.task : demo.view.task];
    by.textContent = asText([words("by", { by: who, step }), backwards && words("backwards")]);
    const values = { step, loss: asNumber(loss, 3), share: asShare(share), question, answer };
    const isReported = training.live || run === training.progress?.run.name;
    section.showLesson(words("lesson", { by: who === "trained" && !isReported ? "kept" : who, ...values }));
  };
  return { node: h("div.by-hand", h("label.field-line", label, text), output, by), paint, answer };
};

const addTries = (section, { tasks, seeds }, training) => {
  const other =
    (task) =>
    ({ seed }) =>
      training.train({ task, text: tasks[task].example, seed: (seed + 1) % seeds });
  const reset = () => {
    training.stop();
    training.ended = "";
    section.live.reset();
  };
  section.tries(Object.fromEntries(["sort", "add", "reverse"].map((task) => [task, other(task)])), reset);
};

const addCheck = (section) => {
  const answer = async () => {
    const { task, seed } = section.live.view;
    const { share, tokens } = await answerTo("/ask/learn-train-now/begun", { task, seed });
    const distances = [0, 1 / tokens, 0.5].map((guess) => Math.abs(guess - share));
    const loss = asNumber(Math.log(tokens), 3);
    const message = section.words("answer_said", { tokens, share: asShare(share), alike: asShare(1 / tokens), loss });
    return { right: distances.indexOf(Math.min(...distances)), said: message };
  };
  section.check({ names: ["none", "alike", "half"], answer });
};

export const mount = (section, props) => {
  const demo = section.demo(fieldsOf(props), { read: ["task", "seed", "run", "text"] });
  const training = makeTraining(section, props.tasks, () => paint());
  /** The number of steps of the reported training, or of the one that could start. */
  const steps = () => props.tasks[training.progress?.run.task ?? demo.view.task].steps;
  const task = section.choice("task", undefined, { ...demo, set: training.choose });
  const seed = section.stepper("seed");
  const course = makeCourse(section, training, steps);
  const curve = makeCurve(section, props, training, steps);
  const heads = makeHeads(section, props);
  const trial = makeTrial(section, props, training);
  section.panel.tools.append(task.node, seed.node);
  section.panel.picture.append(course.node, h("div.both", curve.node, heads.node), trial.node);

  /** The source of the maps and of the answer: `frame` of viz/server/trainee.py, and its model; null before any
   *  arrives. */
  const result = () => {
    const { live, progress } = training;
    if (live) return { ...progress.now.frame, by: progress.end ? "trained" : "training" };
    const { read } = demo.answers;
    return read && { ...read, by: read.trained ? "trained" : "new" };
  };
  const paint = eachFrame(() => {
    for (const part of [trial, course, curve]) part.paint();
    const now = result();
    if (!now) return;
    heads.paint(now);
    trial.answer(now);
  });

  addTries(section, props, training);
  addCheck(section);
  section.links(() => ["generate", "explore"].map((tab) => [tab, { text: demo.view.text }]));
  section.begin((changed) => {
    if (changed.has("read") && !training.reading) training.live = false;
    paint();
  });
  training.watch();
};
