// The text, the model, its layer and head; and the page's messages about them.

import { h } from "../../browser/lib/base.js";
import { fields } from "../../browser/lib/fields.js";
import { asText, inWords, say } from "../../browser/lib/messages.js";
import { masking } from "./lib/masking.js";

export const mount = ({ element, props }) => {
  masking.begin(props.value);
  const { fields: ranges, settings } = masking;
  const text = fields.line(masking, "text", say("mask_text", { limit: settings.shown }), say("mask_text_hint"));
  const layer = fields.stepper(masking, "layer", say("layer"));
  const head = fields.stepper(masking, "head", say("head"));
  const model = h(
    "select",
    { "aria-label": say("mask_model"), onchange: () => masking.choose(model.value) },
    ...ranges.model.choices.map((name) => h("option", { value: name }, name)),
  );
  const note = h("p.note", { role: "status" });
  element.classList.add("tab-controls"); // so that it is also visible while a panel is presented
  element.append(
    text.node,
    h("label.field-line.field-select", h("span.name", say("mask_model")), model),
    layer.node,
    head.node,
    note,
  );

  masking.subscribe(element, (changed) => {
    if (changed.has("text")) text.update();
    if (changed.size === 1 && changed.has("hover")) return;
    model.value = masking.view.model;
    layer.update();
    head.update();
    const { total, tokens, remarks = [] } = masking.answers.stages ?? {};
    const cut = total > tokens ? [say("mask_cut", { total, limit: tokens })] : [];
    const said = masking.message ?? { kind: "info", text: asText([...cut, ...remarks.map(inWords)]) };
    note.textContent = said.text;
    note.className = `note ${said.kind}`;
    element.dataset.rev = masking.rev;
  });
};
