// The prompt and the sampling rules, and the buttons: start, pause, step, stop, back, forward.

import { copyText, whyNot } from "../../browser/lib/ask.js";
import { h } from "../../browser/lib/base.js";
import { fields as controls } from "../../browser/lib/fields.js";
import { makeHints } from "../../browser/lib/hint.js";
import { inWords, say } from "../../browser/lib/messages.js";
import { textOf } from "./lib/frames.js";
import { second, writing } from "./lib/writing.js";

const labelled = (name, ...inputs) =>
  h("label", { class: `field ${name}` }, h("span.name", say(`write_${name}`)), ...inputs);
const another = () => writing.set({ seed: Math.floor(Math.random() * 10000) });

export const mount = ({ element, props }) => {
  const { fields, settings } = writing;
  const updates = {}; // name: a function that shows a setting in its field

  const slider = (name, say_value = (/** @type {number} */ value) => `${value}`) => {
    const { min, max, step } = fields[name];
    const range = h("input", {
      type: "range",
      "aria-label": say(`write_${name}`),
      min,
      max,
      step,
      oninput: () => writing.set({ [name]: Number(range.value) }),
    });
    const value = h("output.value");
    updates[name] = () => {
      range.value = settings[name];
      value.textContent = say_value(settings[name]);
      range.setAttribute("aria-valuetext", value.textContent);
    };
    return labelled(name, value, range);
  };

  const numeric = (name) => {
    const read = () => {
      const number = input.value.trim() ? Number(input.value) : NaN;
      writing.set({ [name]: number });
      const wrong = settings[name] !== number;
      input.setAttribute("aria-invalid", wrong);
      input.title = hint.textContent = wrong ? say("write_range", { min, max: fields[name].max }) : "";
    };
    const { min, step } = fields[name];
    const input = h("input", {
      type: "number",
      inputmode: "numeric",
      min,
      step,
      oninput: read,
      onblur: () => updates[name](),
    });
    const hint = h("span.range", { role: "status" });
    updates[name] = () => {
      input.max = fields[name].max;
      if (Number(input.value) !== settings[name] || !input.value) input.value = settings[name];
      input.setAttribute("aria-invalid", false);
      input.title = hint.textContent = "";
    };
    return labelled(name, input, hint);
  };

  const model = h("select", { onchange: () => writing.set({ model: model.value }) });
  updates.model = () => (model.value = settings.model);
  const other = h("select", { onchange: () => writing.set({ second: other.value }) });
  updates.second = () => (other.value = settings.second);
  const text = h("textarea", {
    rows: 1,
    spellcheck: "false",
    placeholder: say("write_hint"),
    oninput: () => writing.set({ text: text.value }),
  });
  updates.text = () => {
    if (text.value !== settings.text) text.value = settings.text;
  };

  const hints = []; // [a button's label, its effect]
  const hinted = (name) => hints.push([say(`write_${name}`), say(`write_${name}_hint`)]);
  const button = (name, act) => {
    hinted(name);
    return h("button", { class: name, title: say(`write_${name}_hint`), onclick: act }, say(`write_${name}`));
  };
  /** The prompt and the text up to the current node. */
  const copy = async () => {
    try {
      const { model, text } = settings;
      const { text: whole, rest } = await textOf({ model, text, written: writing.written() });
      copied.value = whole;
      copied.hidden = false; // a hidden field cannot be selected
      copied.hidden = await copyText(copied);
      const done = say(copied.hidden ? "write_copied" : "write_copy_refused");
      status.textContent = rest ? `${done} ${say("write_half", { bytes: rest })}` : done;
    } catch (error) {
      status.textContent = whyNot(error);
    }
  };
  const copied = h("textarea.copied", {
    rows: 2,
    readonly: true,
    hidden: true,
    "aria-label": say("write_copy_hint"),
  });
  const buttons = {
    run: button("run", () => (writing.runs() ? writing.pause() : writing.run())),
    step: button("step", writing.step),
    stop: button("stop", writing.stop),
    back: button("back", writing.back),
    forward: button("forward", writing.forward),
    copy: button("copy", copy),
  };
  hinted("pause"); // the first button's other words
  ["penalty", "temperature", "top_k", "top_p", "min_p"].forEach(hinted); // in the order in which they are applied
  hints.push(["⚄", say("write_dice")]);
  const status = h("p.status", { role: "status" });
  const dice = h("button.dice", { title: say("write_dice"), "aria-label": say("write_dice"), onclick: another }, "⚄");

  element.classList.add("tab-controls"); // so that it is also visible while a panel is presented
  element.append(
    h("div.given", labelled("model", model), labelled("second", other), labelled("text", text)),
    h(
      "div.rules",
      slider("penalty", (value) => (value > 1 ? value.toFixed(2) : say("write_none"))),
      slider("temperature", (value) => (value ? value.toFixed(2) : say("write_greedy"))),
      slider("top_k", (value) => value || say("write_all")),
      slider("top_p", (value) => (value < 1 ? value.toFixed(2) : say("write_all"))),
      slider("min_p", (value) => (value ? value.toFixed(2) : say("write_all"))),
      slider("pace", (value) => say("write_per_second", { value })),
      h("div.with-dice", numeric("seed"), dice),
      numeric("length"),
    ),
    h(
      "div.transport",
      { role: "group", "aria-label": say("write_transport") },
      ...Object.values(buttons),
      makeHints(hints),
      status,
    ),
    copied,
  );

  const paint = (changed) => {
    if (changed.has("models")) model.replaceChildren(...controls.models(props.value.menu));
    if (changed.has("models") || changed.has("model"))
      other.replaceChildren(
        h("option", { value: "" }, say("write_alone")),
        ...Object.keys(writing.models)
          .filter((name) => name !== settings.model)
          .map((name) => h("option", { value: name }, name)),
      );
    if (changed.has("model")) updates.second();
    for (const [name, show] of Object.entries(updates)) if (changed.has(name)) show();
    if (!changed.has("status") && !changed.has("text")) return;
    const running = writing.runs();
    buttons.run.textContent = say(running ? "write_pause" : writing.cursor.depth ? "write_resume" : "write_run");
    buttons.run.title = say(running ? "write_pause_hint" : "write_run_hint");
    buttons.stop.disabled = !running && !writing.cursor.depth;
    buttons.back.disabled = !writing.cursor.parent;
    buttons.forward.disabled = !writing.cursor.onward;
    copied.hidden = true;
    if (running && !changed.has("status")) return;
    const { depth } = writing.cursor;
    const at = running ? say("write_running") : depth ? writing.count(depth) : "";
    const lacks = !running && writing.beyond()?.note;
    const remarks = writing.cursor.state?.remarks ?? [];
    status.textContent =
      writing.message?.text ?? [at, lacks && inWords(lacks), ...remarks.map(inWords)].filter(Boolean).join(" · ");
    status.className = `status ${writing.message?.kind ?? ""}`;
  };
  writing.subscribe(element, paint);
  second.subscribe(element, () => paint(new Set(["text"])));
  writing.start(props.value);
};
