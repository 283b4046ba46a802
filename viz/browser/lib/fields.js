// Controls for settings, {fields, view, allowed, set}: a choice of a few values, a number with steps, a text, a model.

import { h, typedInto } from "./base.js";
import { makeHint } from "./hint.js";
import { say } from "./messages.js";

/** @typedef {Partial<import("./settings.js").Field>} Limits of a setting */
/** @typedef {{ fields: { [name: string]: Limits }, view: { [name: string]: any }, [name: string]: any }} Settings with
 *  allowed(name, value) and set(changes) */

/** Disables those of some controls, [control, off], that are off. The focus of one that goes off moves to the first
 *  that is on.
 *  @type {(...controls: any[][]) => void} */
export const disable = (...controls) => {
  const focused = controls.find(([control]) => control === document.activeElement);
  for (const [control, off] of controls) control.disabled = off;
  if (focused?.[1]) controls.find(([, off]) => !off)?.[0].focus({ preventScroll: true });
};

let groups = 0;

/** Radio buttons for `name`: words(value) and hint(value) label and explain each value; the legend opens all
 *  explanations. {node, update(shown, off)}: off(value) disables values beyond those that are not allowed.
 *
 * @param {Settings} demo
 * @param {string} name
 * @param {string} legend
 * @param {any[]} values
 * @param {(value: any) => string} words
 * @param {(value: any) => string} hint
 */
const choice = (demo, name, legend, values, words, hint) => {
  const group = `former-field-${groups++}`;
  const inputs = values.map((value) =>
    h("input", { type: "radio", name: group, value, onchange: () => demo.set({ [name]: value }) }),
  );
  const labels = values.map((value, i) => h("label", { title: hint(value) }, inputs[i], h("span", words(value))));
  const update = (shown = demo.view[name], off = (/** @type {any} */ _) => false) =>
    inputs.forEach((input, i) =>
      Object.assign(input, {
        checked: shown === values[i],
        disabled: off(values[i]) || !demo.allowed(name, values[i]),
      }),
    );
  return {
    node: h(
      "fieldset.field-choice",
      { "data-field": name },
      h(
        "legend",
        makeHint(
          legend,
          values.map((value) => [words(value), hint(value)]),
        ),
      ),
      ...labels,
    ),
    update,
  };
};

/** ‹ 3 ›: a whole number of the view, within the current limits of its field. {node, update(label, idle)}.
 *
 * @param {Settings} demo
 * @param {string} name
 * @param {string} label
 */
const stepper = (demo, name, label) => {
  const limits = () => {
    const { min = 0, max = 0 } = demo.fields[name];
    return { min, max };
  };
  const go = (/** @type {number} */ to) => {
    const { min, max } = limits();
    demo.set({ [name]: Math.max(min, Math.min(max, to)) });
  };
  const input = h("input", { type: "number", step: 1, inputmode: "numeric" });
  const button = (/** @type {string} */ sign, /** @type {number} */ by) =>
    h("button", { onclick: () => go(demo.view[name] + by) }, sign);
  const [less, more] = [button("‹", -1), button("›", 1)];
  const caption = h("span.name", { "aria-hidden": "true" });
  const node = h("div.field-stepper", { role: "group" }, caption, less, input, more);
  const show = typedInto(
    input,
    (typed) => /^\d+$/.test(typed) && go(Number(typed)),
    () => demo.view[name],
  );
  const update = (words = label, idle = false) => {
    const { min, max } = limits();
    if (caption.textContent !== words) {
      caption.textContent = words;
      for (const part of [node, input]) part.setAttribute("aria-label", words);
      less.setAttribute("aria-label", say("step_less", { name: words }));
      more.setAttribute("aria-label", say("step_more", { name: words }));
    }
    if (input.min !== `${min}` || input.max !== `${max}`) Object.assign(input, { min, max });
    show();
    disable([less, idle || demo.view[name] <= min], [more, idle || demo.view[name] >= max], [input, idle]);
  };
  return { node, update };
};

/** A line of text. {node, update}.
 *  @type {(demo: Settings, name: string, label: string, placeholder?: string) => { node: any, update: () => void }} */
const line = (demo, name, label, placeholder) => {
  const { longest } = demo.fields[name];
  const maxlength = Number.isFinite(longest) ? longest : null;
  const input = h("input", { type: "text", spellcheck: "false", autocomplete: "off", placeholder, maxlength });
  input.addEventListener("input", () => demo.set({ [name]: input.value }));
  const update = () => {
    if (input.value !== demo.view[name]) input.value = demo.view[name];
  };
  return { node: h("label.field-line", h("span.name", label), input), update };
};

/** The options of a menu of models in groups: `menu` of viz/tabs/base.py.
 *  @type {(groups: [string, { name: string, about: string }[]][]) => any[]} */
const models = (groups) =>
  groups.map(([group, members]) =>
    h(
      "optgroup",
      { label: say(`model_group_${group}`) },
      ...members.map(({ name, about }) => h("option", { value: name }, say("model_line", { name, about }))),
    ),
  );

export const fields = { choice, stepper, line, models };
