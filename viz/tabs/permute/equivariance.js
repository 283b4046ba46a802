// The four errors, their verdicts, and the switches for positions and mask.

import { h, setText } from "../../browser/lib/base.js";
import { makeHint } from "../../browser/lib/hint.js";
import { lessons } from "../../browser/lib/lessons.js";
import { asList, say } from "../../browser/lib/messages.js";
import { asNumber } from "../../browser/lib/numbers.js";
import { makePanel } from "../../browser/lib/panel.js";
import { site } from "../../browser/lib/site.js";
import { permuting } from "./lib/permuting.js";

const row = (name) => {
  const [error, mark, more] = ["error", "mark", "more"].map((part) => h("span", { class: part }));
  const input = h("input", {
    type: "radio",
    name: "permute-shown",
    value: name,
    onchange: () => permuting.set({ output: name }),
  });
  const label = h("span.name", say(`permute_output_${name}`));
  const node = h(
    "label.output",
    { "data-output": name, title: say(`permute_output_${name}_hint`) },
    input,
    label,
    error,
    mark,
    more,
  );
  return { name, input, node, error, mark, more };
};

const write = (value) => (value ? asNumber(value, 3) : "0");

const paintRow = ({ error, mark, more, node }, measured, still) => {
  error.textContent = write(measured.error);
  mark.textContent = say(still ? "permute_still" : measured.equal ? "permute_equal" : "permute_differs");
  node.classList.toggle("equal", measured.equal);
  const was = measured.plain === null || still ? "no" : "yes";
  more.textContent = say("permute_size", {
    size: asNumber(measured.size, 3),
    limit: asNumber(measured.limit, 2),
    was,
    plain: write(measured.plain),
  });
};

/** The switches of the answer in words; empty if all are off. */
const switchesInWords = ({ positions, mask }) => {
  const on = [positions !== "none" && say(`permute_with_${positions}`), mask !== "none" && say("permute_with_mask")];
  return asList(on.filter(Boolean), true);
};

export const mount = ({ element }) => {
  const { body } = makePanel(element, say("permute_errors"));
  const OUTPUTS = permuting.fields.output.choices;
  const choices = ["positions", "mask"].map(permuting.choice);
  const sentence = h("p.sentence", { "aria-live": "polite" });
  const heading = makeHint(say("permute_errors_heading"), [
    [say("permute_equal"), say("permute_limit", { steps: site.limits.rounding })],
    ...OUTPUTS.map((name) => [say(`permute_output_${name}`), say(`permute_output_${name}_hint`)]),
  ]);

  const rows = OUTPUTS.map(row);
  body.append(
    h("div.switches", ...choices.map(({ node }) => node), permuting.bar()),
    h("p.quiet.heading", heading),
    h(
      "div.outputs",
      { role: "radiogroup", "aria-label": say("permute_errors_label") },
      ...rows.map(({ node }) => node),
    ),
    sentence,
  );

  /** The sentence under the numbers, and the tab's sentence. */
  const describe = (answer) => {
    const errors = answer.outputs.map(permuting.measured);
    const shown = permuting.measured(answer.output);
    if (answer.order.length < 2) {
      lessons.show("permute", say("permute_single"));
      return setText(sentence, say("permute_single"));
    }
    const still = permuting.isTyped(answer.order);
    const switches = switchesInWords(answer);
    const equal = errors.every((error) => error.equal);
    const what = say(`permute_subject_${shown.name}`);
    const values = {
      what,
      error: write(shown.error),
      plain: write(shown.plain ?? 0),
      switches,
      size: asNumber(shown.size, 3),
    };
    const kept = shown.name === "classifier" ? "stays" : "kept";
    const kind = still ? "still" : equal ? (switches ? "unmoved" : kept) : shown.equal ? "others" : "broken";
    const whole = kind === "broken" && shown.name === "classifier" ? "_verdict" : "";
    sentence.textContent = say(`permute_says_${kind}`, values);
    const invariance = permuting.measured("classifier");
    lessons.show("permute", say(`permute_lesson_${kind}${whole}`, { ...values, verdict: write(invariance.error) }));
  };

  permuting.subscribe(element, (changed) => {
    for (const choice of choices) choice.update();
    for (const { input, node, name } of rows) {
      input.checked = permuting.view.output === name;
      node.classList.toggle("shown", input.checked);
    }
    const answer = permuting.answers.permuted;
    if (!answer || !changed.has("permuted")) return;
    for (const one of rows) paintRow(one, permuting.measured(one.name), permuting.isTyped(answer.order));
    describe(answer);
    element.dataset.rev = permuting.rev;
  });
};
