// A toy task, a transformer that learns it on the server while the visitor watches, and then the visitor's own question
// to it. The server reports the training in lines (viz/server/trainings.py); the model's output for a text is requested
// as in other sections.

import { answerTo, lines, newest, whyNot } from "../../../../browser/lib/ask.js";
import { eachFrame, h } from "../../../../browser/lib/base.js";
import { makeChart } from "../../../../browser/lib/chart.js";
import { makeImage, palette } from "../../../../browser/lib/colour.js";
import { makeHeatMap } from "../../../../browser/lib/heat_map.js";
import { asText } from "../../../../browser/lib/messages.js";
import { asNumber, asShare } from "../../../../browser/lib/numbers.js";
import { page } from "../../../../browser/lib/page.js";
import { learn } from "../../lib/learn.js";

const LOOK = 4000; // ms between two checks whether somebody is training, while this section is on the screen

export const mount = (section, props) => {
  const { words, panel } = section;
  const TASKS = Object.keys(props.tasks);
  const fits = (task, text) => new RegExp(`^${props.tasks[task].shape}$`).test(text);
  const demo = section.demo(
    {
      task: { initial: props.task, choices: TASKS },
      seed: { initial: 1, min: 0, max: props.seeds - 1 },
      text: { initial: props.tasks[props.task].example, longest: 40 },
      layer: { initial: 0, min: 0, max: props.layers - 1 },
      head: { initial: 0, min: 0, max: props.heads - 1 },
      run: { initial: "", longest: 32, eager: true }, // of the training whose model is shown
    },
    { read: ["task", "seed", "run", "text"] },
  );

  // --- training ------------------------------------------------------------------------------------------------------

  const runs = {}; // task → the run last trained on this page
  let reading = false; // whether lines are being read
  let own = false; // whether they report the visitor's own training
  let progress = null; // the newest line
  let before = null; // the newest one when this reading started
  let course = []; // of the reported run: [step, loss, share of correct answers]
  let ended = ""; // how the last one ended, shown until another one starts
  let live = false; // whether the maps are the training's

  const take = (line) => {
    if (!line.run) return; // nobody is training
    if (line.run?.name !== progress?.run?.name) course = [];
    progress = line;
    live = Boolean(line.now.frame);
    course.length = line.from;
    course.push(...line.course);
    paint();
  };

  /** Reads the lines of the visitor's own training, or else of the running one, to their end. */
  const listen = (mine) => {
    before = progress;
    [own, reading] = [mine, true];
    if (mine) [progress, course, ended, live] = [null, [], "", false];
    const { task, seed, text } = demo.view;
    const path = `/learn/train-now/${mine ? "train" : "watch"}`;
    demo.complain(null, "error", "train");
    questions.ask({}, (signal) => lines(path, signal, take, mine ? { task, seed, text } : {}));
  };
  const questions = newest({
    take: () => {
      reading = false;
      if (own || progress !== before) over();
    },
    fail: (error) => {
      questions.stop(); // an interrupted training does not continue
      if (own && progress && error.status === 0) return void listen(true); // the same one, from its first step
      if (own) demo.complain(whyNot(error), "error", "train");
      reading = false;
      if (own || progress !== before) over();
    },
  });

  /** After the end of a training: shows its model, ready for questions. */
  const over = () => {
    const { run, end } = progress ?? {};
    if (run) ended = own ? end || "failed" : end === "done" ? "watched" : "";
    if (end === "done") runs[run.task] = run.name;
    live = live && end === "done"; // until another text is requested
    if (end === "done" && own && demo.view.task === run.task) demo.set({ run: run.name });
    own = false;
    paint();
  };

  /** Leaves the queue, or ends the visitor's own training; its lines are removed. */
  const stop = () => {
    if (own) questions.stop();
    [reading, progress, course, live, ended] = [reading && !own, null, [], false, own ? "stopped" : ""];
    own = false;
    paint();
  };

  const look = () => {
    const shown = page.tab === "learn" && learn.open === section.name && document.visibilityState === "visible";
    if (shown && !reading && !demo.view.run) listen(false); // a visitor with a model to try is not disturbed
  };
  setInterval(look, LOOK);

  /** The number of steps of the reported training, or of the one that could start. */
  const steps = () => props.tasks[progress?.run?.task ?? demo.view.task].steps;
  const watching = () => Boolean(!own && reading && progress?.run && !progress.end);
  const state = () => (own ? (progress?.ahead > 0 ? "waiting" : "running") : "off");

  /** Selects another task, with a question that suits it, and the model trained for it on this page. */
  const choose = (changes) => {
    const task = changes.task ?? demo.view.task;
    const text = fits(task, demo.view.text) ? demo.view.text : props.tasks[task].example;
    demo.set({ run: runs[task] ?? "", text, ...changes });
  };
  const train = (changes = {}) => {
    stop();
    choose({ ...changes, run: "" });
    listen(true);
  };

  // --- what is shown -------------------------------------------------------------------------------------------------

  const task = section.choice("task", TASKS, undefined, { ...demo, set: choose });
  const seed = section.stepper("seed");
  panel.tools.append(task.node, seed.node);

  const button = h("button.field-button.go", {
    title: words("train_hint"),
    onclick: () => (own ? stop() : train()),
  });
  const bar = h("progress", { value: 0, "aria-label": words("progress") });
  const message = h("span", { role: "status" });
  const adopt = h(
    "button.field-button",
    { onclick: () => demo.set({ ...progress.run, run: progress.run.name }) },
    words("try_it"),
  );
  const place = h("div");
  const chart = makeChart(place, { label: words("loss") });
  const right = h("p.right-share");

  const small = Array.from({ length: props.layers * props.heads }, (_, i) => {
    const at = { layer: Math.floor(i / props.heads), head: i % props.heads };
    const canvas = h("canvas");
    const name = words("head", at);
    const node = h("button", { title: name, "aria-label": name, onclick: () => demo.set(at) }, canvas);
    return { ...at, node, canvas };
  });
  const heads = h("div.heads", { role: "group", "aria-label": words("heads") }, ...small.map(({ node }) => node));
  heads.style.setProperty("--heads", props.heads);
  const caption = h("p.caption");
  const mapPlace = h("div.map");
  const hint = h("p.quiet", { role: "status" });
  const point = (at) => (at === null ? demo.point(null) : demo.point(at));
  const map = makeHeatMap(mapPlace, { label: words("map"), onpoint: point, onpick: point });

  const text = h("input", {
    type: "text",
    spellcheck: "false",
    autocomplete: "off",
    autocapitalize: "off",
    maxlength: 40,
    oninput: () => demo.set({ text: text.value }),
  });
  const label = h("span.name");
  const output = h("output");
  const by = h("p.quiet");
  panel.picture.append(
    h("div.course", button, bar, message, adopt),
    h("div.both", h("div.curve", place, right, panel.equation()), h("div.attention", heads, caption, mapPlace, hint)),
    h("div.by-hand", h("label.field-line", label, text), output, by),
  );

  /** The source of the maps and of the answer: `frame` of viz/server/trainee.py, and its model; null before any
   *  arrives. */
  const shown = () => {
    if (live) return { ...progress.now.frame, by: progress.end ? "trained" : "training" };
    const { read } = demo.answers;
    return read && { ...read, by: read.trained ? "trained" : "new" };
  };
  const cells = {}; // of the newest weights
  const decode = (weights) => {
    if (cells.of !== weights)
      Object.assign(cells, { of: weights, bytes: Uint8Array.from(atob(weights), (char) => char.charCodeAt(0)) });
    return cells.bytes;
  };

  const paintMaps = ({ labels, weights }) => {
    const bytes = decode(weights);
    const t = labels.length;
    const { weights: colours, masked } = palette();
    const cell = (layer, head, row, column) => bytes[((layer * props.heads + head) * t + row) * t + column];
    for (const { layer, head, node, canvas } of small) {
      makeImage(t, t, (column, row) => (column > row ? masked : colours[cell(layer, head, row, column)]), canvas);
      node.setAttribute("aria-pressed", layer === demo.view.layer && head === demo.view.head);
    }
    const { layer, head } = demo.view;
    caption.textContent = words("head", { layer, head });
    const at = demo.hover && demo.hover.row < t && demo.hover.column <= demo.hover.row ? demo.hover : null;
    map.draw({
      labels,
      titles: [words("queries"), words("keys")],
      pixel: (row, column) => (column > row ? masked : colours[cell(layer, head, row, column)]),
      hidden: (row, column) => column > row,
      at,
    });
    hint.textContent = at
      ? words("cell", {
          query: labels[at.row],
          key: labels[at.column],
          from: at.row + 1,
          to: at.column + 1,
          share: asShare((cell(layer, head, at.row, at.column) / 255) ** 2),
        })
      : words("point");
  };

  const paintChart = () =>
    chart.draw({
      figures: props.figures,
      keep: "loss",
      change: (data, layout) => {
        Object.assign(data[0], {
          x: course.map(([step]) => step),
          y: course.map(([, loss]) => loss),
          name: words("line_loss"),
          mode: "lines",
        });
        Object.assign(layout.xaxis, { title: { text: words("axis_step") }, range: [0, steps()] });
        Object.assign(layout.yaxis, { title: { text: words("axis_loss") }, rangemode: "tozero" });
        layout.showlegend = false;
      },
    });

  const paintState = () => {
    const [step, , share] = course.at(-1) ?? [0, 0, 0];
    const name = own
      ? progress?.ahead > 0
        ? "waiting"
        : course.length
          ? "running"
          : "starting"
      : watching()
        ? "watching"
        : ended || "off";
    button.textContent = words("train", { state: state() });
    Object.assign(bar, { max: steps(), value: step });
    const values = {
      step,
      steps: steps(),
      seconds: Math.round(progress?.now.seconds ?? 0),
      ahead: progress?.ahead ?? 0,
      task: progress?.run ? words(`task_${progress.run.task}`) : "",
    };
    const others =
      (name === "running" || name === "watching") && progress.waiting
        ? words("waiting", { waiting: progress.waiting })
        : "";
    message.textContent = asText([words(`state_${name}`, values), others]);
    adopt.hidden = !(ended === "watched" && !own && progress?.end === "done" && demo.view.run !== progress.run.name);
    right.textContent = course.length
      ? words("right", { share: asShare(share), tested: props.tested })
      : words("right_none");
    Object.assign(section.node.dataset, { state: name, steps: step });
  };

  const paintAnswer = (result) => {
    const { answer, right: truth, question, by: who } = result;
    const step = course.at(-1)?.[0] ?? 0;
    output.replaceChildren(
      words("answer", { question, answer: answer || words("nothing") }),
      " ",
      h(
        "b",
        { class: answer === truth ? "right" : "wrong" },
        words("judged", { right: answer === truth ? "yes" : "no", truth }),
      ),
    );
    const backwards = props.tasks[live ? progress.run.task : demo.view.task].backwards;
    by.textContent = asText([words("by", { by: who, step }), backwards && words("backwards")]);
    const [, loss = 0, share = 0] = course.at(-1) ?? [];
    const kept = who === "trained" && !course.length ? "kept" : who;
    section.tell(words("lesson", { by: kept, step, loss: asNumber(loss, 3), share: asShare(share), question, answer }));
  };

  const paint = eachFrame(() => {
    label.textContent = words("field", {
      task: demo.view.task,
      most: props.most,
      digits: props.digits,
      last: props.last,
    });
    text.disabled = own || watching(); // the question is then the training's
    const question = text.disabled && live ? progress.run.text : demo.view.text;
    if (text.value !== question) text.value = question;
    paintState();
    paintChart();
    const result = shown();
    if (!result) return;
    paintMaps(result);
    paintAnswer(result);
  });

  // --- what can be tried ---------------------------------------------------------------------------------------------

  const tries = ["sort", "add", "reverse"];
  const trainOther =
    (task) =>
    ({ seed }) =>
      train({ task, text: props.tasks[task].example, seed: (seed + 1) % props.seeds });
  section.tries(
    Object.fromEntries(tries.map((task) => [task, trainOther(task)])),
    () => (stop(), (ended = ""), demo.reset()),
  );
  section.check({
    names: ["none", "alike", "half"],
    answer: async () => {
      const { task, seed } = demo.view;
      const { share, tokens } = await answerTo("/ask/learn-train-now/begun", { task, seed });
      const distances = [0, 1 / tokens, 0.5].map((guess) => Math.abs(guess - share));
      const message = words("answer_said", {
        tokens,
        share: asShare(share),
        alike: asShare(1 / tokens),
        loss: asNumber(Math.log(tokens), 3),
      });
      return { right: distances.indexOf(Math.min(...distances)), said: message };
    },
  });
  section.links(() => ["generate", "explore"].map((tab) => [tab, { text: demo.view.text }]));

  section.begin((changed) => {
    if (changed.has("read") && !reading) live = false;
    paint();
  });
  look();
};
