// The prompt and the sampling rules, and the buttons: start, pause, step, stop, back, forward.

import { answerTo, copyText, whyNot } from "../../browser/lib/ask.js";
import { h } from "../../browser/lib/base.js";
import { fields as controls, disable } from "../../browser/lib/fields.js";
import { makeHints } from "../../browser/lib/hint.js";
import { inWords, say } from "../../browser/lib/messages.js";
import { second, writing } from "./lib/writing.js";

const labelled = (name, ...inputs) =>
  h("label", { class: `field ${name}` }, h("span.name", say(`write_${name}`)), ...inputs);
const another = () => writing.set({ seed: Math.floor(Math.random() * 10000) });

/** A slider, {name, node, update}: update() shows the setting. */
const makeSlider = (name, inWords) => {
  const { min, max, step } = writing.fields[name];
  const range = h("input", {
    type: "range",
    "aria-label": say(`write_${name}`),
    min,
    max,
    step,
    oninput: () => writing.set({ [name]: Number(range.value) }),
  });
  const value = h("output.value");
  const update = () => {
    range.value = writing.settings[name];
    value.textContent = inWords(writing.settings[name]);
    range.setAttribute("aria-valuetext", value.textContent);
  };
  return { name, node: labelled(name, value, range), update };
};

/** A field for a number, {name, node, update}, which says its range if the number is outside. */
const makeNumber = (name) => {
  const { settings, fields } = writing;
  const { min, step } = fields[name];
  const read = () => {
    const number = input.value.trim() ? Number(input.value) : NaN;
    writing.set({ [name]: number });
    const wrong = settings[name] !== number;
    input.setAttribute("aria-invalid", wrong);
    input.title = hint.textContent = wrong ? say("write_range", { min, max: fields[name].max }) : "";
  };
  const update = () => {
    input.max = fields[name].max;
    if (Number(input.value) !== settings[name] || !input.value) input.value = settings[name];
    input.setAttribute("aria-invalid", false);
    input.title = hint.textContent = "";
  };
  const input = h("input", { type: "number", inputmode: "numeric", min, step, oninput: read, onblur: update });
  const hint = h("span.range", { role: "status" });
  return { name, node: labelled(name, input, hint), update };
};

/** The sliders, in the order of the fields, and what each writes for a value. */
const SLIDERS = {
  penalty: (value) => (value > 1 ? value.toFixed(2) : say("write_none")),
  temperature: (value) => (value ? value.toFixed(2) : say("write_greedy")),
  top_k: (value) => value || say("write_all"),
  top_p: (value) => (value < 1 ? value.toFixed(2) : say("write_all")),
  min_p: (value) => (value ? value.toFixed(2) : say("write_all")),
  pace: (value) => say("write_per_second", { value }),
};

/** The button that shows the sampling rules where they are folded away, on a phone. */
const makeFold = () => {
  const toggle = () => button.setAttribute("aria-expanded", `${button.getAttribute("aria-expanded") === "false"}`);
  const button = h("button.unfold", { "aria-expanded": "false", onclick: toggle }, say("write_rules"));
  return button;
};

/** The message, else where the text is, what its link lacks, and the remarks on the prompt. */
const statusOf = () => {
  const { message, cursor } = writing;
  if (message) return message.text;
  const running = writing.runs();
  const at = running ? say("write_running") : cursor.depth ? say("write_count", { count: cursor.depth }) : "";
  const lacks = !running && writing.beyond()?.note;
  return [at, lacks && inWords(lacks), ...(cursor.state?.remarks ?? []).map(inWords)].filter(Boolean).join(" · ");
};

/** The fields of both models and the prompt: {nodes, updates}; updates[name]() shows a setting, updates.models() the
 *  models of the menu. */
const makeTexts = (menu) => {
  const { settings } = writing;
  const model = h("select", { onchange: () => writing.set({ model: model.value }) });
  const other = h("select", { onchange: () => writing.set({ second: other.value }) });
  const text = h("textarea", {
    rows: 1,
    spellcheck: "false",
    placeholder: say("write_hint"),
    oninput: () => writing.set({ text: text.value }),
  });
  const others = () => Object.keys(writing.models).filter((name) => name !== settings.model);
  const updates = {
    models: () => model.replaceChildren(...controls.models(menu)),
    model: () => {
      model.value = settings.model;
      const options = others().map((name) => h("option", { value: name }, name));
      other.replaceChildren(h("option", { value: "" }, say("write_alone")), ...options);
      updates.second();
    },
    second: () => (other.value = settings.second),
    text: () => {
      if (text.value !== settings.text) text.value = settings.text;
    },
  };
  return { nodes: [labelled("model", model), labelled("second", other), labelled("text", text)], updates };
};

/** Copying the prompt and the text up to the current node: {node, copy}; `node` is a field to copy from where the
 *  clipboard cannot be used, and report(sentence) is called with the outcome. */
const makeCopy = (report) => {
  const node = h("textarea.copied", {
    rows: 2,
    readonly: true,
    hidden: true,
    "aria-label": say("write_copy_hint"),
  });
  const copy = async () => {
    try {
      const { model, text } = writing.settings;
      const { text: whole, rest } = await answerTo("/written", { model, text, written: writing.tokens() });
      node.value = whole;
      node.hidden = false; // a hidden field cannot be selected
      node.hidden = await copyText(node);
      const done = say(node.hidden ? "write_copied" : "write_copy_refused");
      report(rest ? `${done} ${say("write_half", { bytes: rest })}` : done);
    } catch (error) {
      report(whyNot(error));
    }
  };
  return { node, copy };
};

export const mount = ({ element, props }) => {
  const sliders = Object.entries(SLIDERS).map(([name, inWords]) => makeSlider(name, inWords));
  const [seed, length] = ["seed", "length"].map(makeNumber);
  const texts = makeTexts(props.value.menu);
  const numbers = [...sliders, seed, length].map(({ name, update }) => [name, update]);
  const updates = { ...texts.updates, ...Object.fromEntries(numbers) };
  const hints = []; // [a button's label, its effect]
  const hinted = (name) => hints.push([say(`write_${name}`), say(`write_${name}_hint`)]);
  const button = (name, act) => {
    hinted(name);
    return h("button", { class: name, title: say(`write_${name}_hint`), onclick: act }, say(`write_${name}`));
  };
  const buttons = {
    run: button("run", () => (writing.runs() ? writing.pause() : writing.run())),
    step: button("step", writing.step),
    stop: button("stop", writing.stop),
    back: button("back", writing.back),
    forward: button("forward", writing.forward),
    copy: button("copy", () => copied.copy()),
  };
  hinted("pause"); // the first button's other words
  ["penalty", "temperature", "top_k", "top_p", "min_p"].forEach(hinted); // in the order in which they are applied
  hints.push(["⚄", say("write_dice")]);
  const status = h("p.status", { role: "status" });
  const copied = makeCopy((sentence) => (status.textContent = sentence));
  const dice = h("button.dice", { title: say("write_dice"), "aria-label": say("write_dice"), onclick: another }, "⚄");

  element.classList.add("tab-controls"); // so that it is also visible while a panel is presented
  element.append(
    h("div.given", ...texts.nodes),
    makeFold(),
    h("div.rules", ...sliders.map(({ node }) => node), h("div.with-dice", seed.node, dice), length.node),
    h(
      "div.transport",
      { role: "group", "aria-label": say("write_transport") },
      ...Object.values(buttons),
      makeHints(hints),
      status,
    ),
    copied.node,
  );

  const paint = (changed) => {
    for (const [name, show] of Object.entries(updates)) if (changed.has(name)) show();
    if (!changed.has("status") && !changed.has("text")) return;
    const running = writing.runs();
    buttons.run.textContent = say(running ? "write_pause" : writing.cursor.depth ? "write_resume" : "write_run");
    buttons.run.title = say(running ? "write_pause_hint" : "write_run_hint");
    const { depth, parent, onward } = writing.cursor;
    disable(
      [buttons.run, false],
      [buttons.stop, !running && !depth],
      [buttons.back, !parent],
      [buttons.forward, !onward],
    );
    copied.node.hidden = true;
    if (running && !changed.has("status")) return;
    status.textContent = statusOf();
    status.className = `status ${writing.message?.kind ?? ""}`;
  };
  writing.subscribe(element, paint);
  second.subscribe(element, () => paint(new Set(["text"])));
  writing.start(props.value);
};
