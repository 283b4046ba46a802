// What is looked at: the text, the model, its layer and head; and what the page has to say of them.
const { h, say, masking } = former;
masking.begin(props.value);
const { fields, settings } = masking;
const text = former.fields.line(masking, "text", say("mask_text", { limit: settings.shown }), say("mask_text_hint"));
const layer = former.fields.stepper(masking, "layer", say("layer"));
const head = former.fields.stepper(masking, "head", say("head"));
const model = h("select", { "aria-label": say("mask_model"), onchange: () => masking.choose(model.value) }, ...fields.model.choices.map((name) => h("option", { value: name }, name)));
const note = h("p", { class: "note", role: "status" });
element.classList.add("tab-controls"); // beside a presented panel too
element.append(text.node, h("label", { class: "field-line field-select" }, h("span", { class: "name" }, say("mask_model")), model), layer.node, head.node, note);

masking.subscribe(element, (changed) => {
  if (changed.has("text")) text.update();
  if (changed.has("hover")) return;
  model.value = masking.view.model;
  layer.update();
  head.update();
  const { total, tokens, remarks = [] } = masking.answers.stages ?? {};
  const cut = total > tokens ? [say("mask_cut", { total, limit: tokens })] : [];
  const said = masking.message ?? { kind: "info", text: [...cut, ...remarks.map(former.told)].join(" ") };
  note.textContent = said.text;
  note.className = `note ${said.kind}`;
  element.dataset.rev = masking.rev;
});
