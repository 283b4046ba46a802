// A section of tab Learn: its idea, its panel, its words, its code and its question, and what its script is given to
// draw into the panel and to say what can be tried.

import { whyNot } from "../../../browser/lib/ask.js";
import { h, refill } from "../../../browser/lib/base.js";
import { makeDemo } from "../../../browser/lib/demo.js";
import { fields } from "../../../browser/lib/fields.js";
import { lessons } from "../../../browser/lib/lessons.js";
import { say } from "../../../browser/lib/messages.js";
import { page } from "../../../browser/lib/page.js";
import { makePanel, onAppearance } from "../../../browser/lib/panel.js";
import { makePlayer } from "../../../browser/lib/player.js";
import { learnCheck } from "./check.js";
import { learnCode } from "./code.js";
import { setEquation } from "./equations.js";
import { learn } from "./learn.js";
import { learnTries } from "./tries.js";

/** The links to other tabs, which open them as a copied link would. */
const links = (section, views) => {
  const nav = h("p.open-in");
  const link = ([tab, view]) => {
    const params = new URLSearchParams({ tab, ...view });
    const open = (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return; // a page of its own
      event.preventDefault();
      page.follow(params);
    };
    return h("a", { href: `?${params}`, onclick: open }, say(`tab_${tab}`));
  };
  section.live.subscribe(nav, () => refill(nav, [say("learn_open_in"), ...views().map(link)]));
  return nav;
};

const load = async (section) => {
  const { loading, picture } = section.panel;
  loading.textContent = say("learn_loading");
  try {
    const { mount: draw, props: given } = await learn.script(section.name);
    loading.hidden = true;
    draw(section, given);
    section.node.dataset.drawn = "yes";
  } catch (error) {
    picture.replaceChildren();
    loading.hidden = false;
    loading.replaceChildren(
      whyNot(error),
      " ",
      h("button.field-button", { onclick: () => load(section) }, say("learn_again")),
    );
  }
};

/** Some of the section's equations by number, or all, for the place beside what they compute. */
const equationsOf =
  ({ equations }) =>
  (...numbers) => {
    const shown = numbers.length ? numbers : equations.keys();
    const node = h("div.equation");
    Promise.all(Array.from(shown, (i) => setEquation(equations[i]))).then((set) => node.append(...set));
    return node;
  };

/** A puzzle that the running code checks, at the end of `text`: returns what to call with {words, solved}. */
const addPuzzle = (section, text) => {
  const [message, state] = [h("span"), h("b", { role: "status" })];
  const box = h("p.puzzle", h("b", say("learn_puzzle")), " ", message, " ", state);
  text.append(box);
  let before = false;
  return ({ words: task, solved }) => {
    if (solved && !before) learn.note("solved", section.name);
    before = solved;
    message.textContent = task;
    box.classList.toggle("solved", solved);
    state.textContent = solved ? say("learn_puzzle_solved") : "";
  };
};

/** A slider for a setting, with its value in words: {node, range, value, update}. */
const makeSlider = (demo, name, inWords, label) => {
  const { min, max, step = 1 } = demo.fields[name];
  const oninput = () => demo.set({ [name]: Number(range.value) });
  const range = h("input", { type: "range", min, max, step, "aria-label": label, oninput });
  const value = h("output");
  const update = () => {
    range.value = demo.view[name];
    value.textContent = inWords(demo.view[name]);
    range.setAttribute("aria-valuetext", value.textContent);
  };
  return { node: h("label.slider", h("span.quiet", label), range, value), range, value, update };
};

/** The settings of a section and its questions, and how it is painted: {demo, begin} and the fields. */
const settingsOf = (section, words, node, paintNote) => {
  const updates = []; // functions to call before each paint
  const updated = (field) => (updates.push(field.update), field);
  return {
    /** Its settings and its questions, as makeDemo takes them; a question's path is its name. */
    demo: (fields, questions = {}) => {
      const paths = Object.entries(questions).map(([name, needs]) => [
        name,
        { paths: [`/ask/learn-${section.name}/${name}`], needs },
      ]);
      section.live = makeDemo(learn.ownerOf(section), fields, Object.fromEntries(paths));
      section.live.subscribe(node, (changed) => changed.has("message") && paintNote());
      return section.live;
    },
    /** Once, at the end: paints answers and settings from now on, in either theme, reads the link and asks. */
    begin: (paint) => {
      section.paint = (changed = new Set()) => {
        for (const update of updates) update();
        paint(changed);
      };
      section.live.subscribe(node, section.paint);
      onAppearance(() => section.paint(new Set()));
      section.live.start();
    },
    /** Fields of settings, up to date at each paint: radio buttons with the messages `key(value)` and its hint, a line
     *  of text, a number with steps, a slider with its value in words. */
    choice: (name, key = (value) => `${name}_${value}`, demo = section.live) => {
      const [label, hint] = ["", "_hint"].map((end) => (value) => words(key(value) + end));
      return updated(fields.choice(demo, name, words(name), demo.fields[name].choices, label, hint));
    },
    line: (name, label, hint = say("text_hint")) => updated(fields.line(section.live, name, label, hint)),
    stepper: (name, label = words(name)) => updated(fields.stepper(section.live, name, label)),
    slider: (name, inWords, label = words(name)) => updated(makeSlider(section.live, name, inWords, label)),
    /** Plays the setting `step`; back to the start it stops. As makePlayer; nodes are its button, its slider, and the
     *  step inWords(). */
    player: (/** @type {any} */ { inWords, ...steps }) => {
      const player = makePlayer(section, section.live, { paint: () => section.paint?.(), ...steps });
      const { play, slider, stop, put } = player;
      const output = h("output");
      section.stop = stop;
      const update = () => {
        player.update();
        if (steps.ready && !steps.ready()) return;
        output.textContent = inWords();
        slider.setAttribute("aria-valuetext", output.textContent);
      };
      return updated({ nodes: [play, slider, output], put, update });
    },
    /** {value: [part, ...elements]}: the part {node, paint} that is shown for a value of the setting `show`, and what
     *  else there is for it. Returns a function that paints the part on the screen. */
    parts: (ofValue) => {
      const nodesOf = ([{ node }, ...others]) => [node, ...others];
      const shown = () => ofValue[section.live.view.show];
      updates.push(() => {
        for (const node of Object.values(ofValue).flatMap(nodesOf)) node.hidden = !nodesOf(shown()).includes(node);
      });
      return () => shown()[0].paint();
    },
    /** The question without whose answer there is nothing to see, or {value: question} for values of the setting
     *  `show`: until the first answer the section says that it is loading. */
    needs: (questions) =>
      updates.push(() => {
        const { view, answers, busy } = section.live;
        const question = questions[view.show] ?? questions;
        section.panel.loading.hidden = typeof question !== "string" || Boolean(answers[question]) || !busy;
      }),
  };
};

/** Where measured numbers come from: what is said of it, and the command that measures them again. */
const measured = (message, command) =>
  h("details.source", h("summary", say("how_measured")), h("p", message, " ", h("code", command)));

/** The texts above and below a section's panel: its sentence, things to try, its question and its links. */
const wordsOf = (section, below, text) => ({
  /** The sentence above, of what is on the screen. */
  showLesson: (sentence) => {
    section.sentence = sentence;
    if (learn.open === section.name) lessons.show("learn", sentence);
  },
  /** Prepared changes, as learnTries takes them, and how to put all back. */
  tries: (changes, reset = () => (section.stop?.(), section.live.reset())) =>
    below.replaceChildren(...learnTries(section, changes, reset)),
  measured,
  /** The same of a record with its date and machine: the message "measured" of these, and of further values. */
  recorded: (record, values) =>
    measured(section.words("measured", { ...record, ...record.machine, ...values }), record.command),
  puzzle: () => addPuzzle(section, text),
  check: (question) => text.append(learnCheck(section, question)),
  links: (views) => text.append(links(section, views)),
});

/** Puts a section into `stage` and loads its script; paintNote() when its message has changed. */
export const buildSection = (section, stage, paintNote) => {
  const words = (name, values) => say(`${section.key}_${name}`, values);
  const container = h("div", { class: `former former-learn-${section.name} stage` });
  const panel = makePanel(container, words("title"));
  const [idea, ...paragraphs] = words("text").split("\n\n");
  const [picture, below] = [h("div.picture"), h("div.tries")];
  const loading = h("p.quiet.loading", { role: "status" });
  panel.body.append(h("p.idea", idea), loading, picture);
  panel.foot.append(below);
  const text = h("div.words", ...paragraphs.map((paragraph) => h("p", paragraph)));
  const labels = { "data-section": section.name, "aria-label": words("title") };
  const node = h("article.section", labels, container, text, learnCode(section));
  stage.append(node);
  Object.assign(section, {
    node,
    words, // its messages, without the beginning that all of them share
    shown: () => page.tab === "learn" && learn.open === section.name,
    panel: { ...panel, picture, loading, equation: equationsOf(section) },
    ...settingsOf(section, words, node, paintNote),
    ...wordsOf(section, below, text),
  });
  section.drawing = load(section);
};
