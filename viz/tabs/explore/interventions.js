// What the visitor changes in the heads. props.value is {model, list}: edits belong to one model's heads (viz/passes/edits.py);
// trigger("edited") runs the text under them. Below, what every head is worth: measured by switching each one off.
const { h, say, store } = former;
const LIMIT = former.limits.edits;
const { tools, body, foot } = former.panel(element, say("edits"));

const edits = () => (props.value?.model === store.pass?.header.model ? props.value.list : []);
const target = () => ({ layer: store.view.layer, head: whole.checked ? null : store.view.head });
const same = (a, b) => a.layer === b.layer && a.head === b.head;
const name = ({ layer, head }) => say(head === null ? "edit_layer" : "edit_head", { layer, head });

/** Runs the text under other edits. */
former.setEdits = (list) => {
  props.value = { model: store.pass.header.model, list };
  draw();
  trigger("edited");
};

/** Puts one edit in the place of what was done to the same head; without "do" it only takes that back. */
const apply = (edit) => {
  if (!store.pass) return;
  const others = edits().filter((other) => !same(other, target()));
  const list = edit ? [...others, { ...target(), ...edit }] : others;
  if (list.length > LIMIT) return void (status.textContent = say("edits_many", { limit: LIMIT }));
  former.setEdits(list);
};

const hints = []; // [what a button says, what it does]
const button = (key, act) => {
  hints.push([say(key), say(`${key}_hint`)]);
  return h("button", { type: "button", class: "f-button", title: say(`${key}_hint`), onclick: act }, say(key));
};
const off = button("edit_off", () => apply({ do: "scale", factor: 0 }));
const uniform = button("edit_uniform", () => apply({ do: "uniform" }));
const undo = button("edit_undo", () => apply(null));
const whole = h("input", { type: "checkbox", onchange: () => draw() });
const scale = h("input", { type: "range", min: -2, max: 3, step: 0.1, value: 1, "aria-label": say("edit_scale") });
const factor = h("output", {}, "1");
scale.addEventListener("input", () => (factor.textContent = `× ${scale.value}`.replace("-", "−")));
scale.addEventListener("change", () => apply(Number(scale.value) === 1 ? null : { do: "scale", factor: Number(scale.value) }));
const reset = button("edit_reset", () => former.setEdits([]));
tools.append(former.hints(hints), reset);

const heading = h("p", { class: "edit-target" });
const list = h("ul", { class: "edit-list" });
const status = h("p", { class: "quiet", role: "status" });
const slider = h("label", { class: "edit-scale" }, h("span", {}, say("edit_scale")), scale, factor);
const all = h("label", { class: "edit-whole" }, whole, say("edit_whole"));
body.append(h("div", { class: "edit-head" }, heading, all), h("div", { class: "edit-row" }, off, uniform, undo), slider, list, status);

const described = (edit) => {
  if (edit.do === "uniform") return say("edited_uniform", { name: name(edit) });
  if (edit.factor === 0) return say("edited_off", { name: name(edit) });
  return say("edited_scale", { name: name(edit), factor: `${edit.factor}`.replace("-", "−") });
};

const draw = () => {
  const active = edits();
  const current = active.find((edit) => same(edit, target()));
  heading.textContent = name(target());
  scale.value = current?.do === "scale" ? current.factor : 1;
  factor.textContent = `× ${scale.value}`.replace("-", "−");
  off.setAttribute("aria-pressed", current?.factor === 0);
  uniform.setAttribute("aria-pressed", current?.do === "uniform");
  undo.disabled = !current;
  reset.disabled = !active.length;
  status.textContent = active.length ? "" : say("edits_none");
  list.replaceChildren(...active.map((edit) => {
    const words = described(edit);
    const remove = () => former.setEdits(edits().filter((other) => other !== edit));
    const show = () => store.set({ layer: edit.layer, ...(edit.head === null ? {} : { head: edit.head }) });
    return h("li", {},
      h("button", { type: "button", class: "edit-show", onclick: show }, words),
      h("button", { type: "button", class: "edit-remove", "aria-label": say("edit_remove", { words }), onclick: remove }, "✕"));
  }));
};

// Every head switched off in its turn.
let running = null;
const measure = button("effects_measure", () => {
  if (!running) return void run();
  stop();
  tell(); // of what was measured so far
});
const progress = h("progress", { max: 1, value: 0, hidden: true, "aria-label": say("effects_measure") });
const finding = h("p", { class: "finding", role: "status" });
foot.append(h("div", { class: "edit-row" }, measure, progress), finding);

const stop = () => {
  running?.abort();
  running = null;
  progress.hidden = true;
  measure.textContent = say("effects_measure");
};

const run = async () => {
  const { key, layers, heads } = store.pass.header;
  const mine = (running = new AbortController());
  measure.textContent = say("effects_stop");
  progress.hidden = false;
  progress.removeAttribute("value");
  finding.textContent = say("effects_running", { count: layers * heads });
  const effects = Array.from({ length: layers }, () => Array(heads).fill(null));
  try {
    await former.lines(`/attention/${key}/heads`, mine.signal, (row) => {
      if (running !== mine) return;
      effects[row.layer] = row.effects;
      progress.value = (row.layer + 1) / layers;
      store.measured(effects.slice());
    });
    if (running !== mine) return;
    stop();
    tell();
  } catch (error) {
    if (running !== mine) return; // it was stopped, and says so itself
    stop();
    finding.textContent = error.name === "TypeError" ? say("offline") : error.message;
  }
};

const tell = () => {
  if (running) return;
  const { effects, pass } = store;
  if (!effects) return void finding.replaceChildren();
  const all = effects.flatMap((row, layer) => row.map((effect, head) => ({ layer, head, effect }))).filter(({ effect }) => effect !== null);
  if (!all.length) return;
  const most = all.reduce((a, b) => (Math.abs(b.effect) > Math.abs(a.effect) ? b : a));
  const sizes = all.map(({ effect }) => Math.abs(effect)).sort((a, b) => b - a);
  const values = {
    name: name(most).toLowerCase(),
    size: former.number(Math.abs(most.effect), 3),
    median: former.number(sizes[Math.floor(sizes.length / 2)], 2),
    measured: all.length,
    unit: pass.header.unit,
  };
  const better = most.effect < 0 ? "_better" : "";
  const words = say(`effects_${pass.header.kind}${better}`, values);
  const show = h("button", { type: "button", class: "f-link", onclick: () => store.set({ of: "head", layer: most.layer, head: most.head }) }, say("effects_show"));
  finding.replaceChildren(words, " ", show);
};

watch("value", draw);
store.subscribe(element, (changed) => {
  element.hidden = store.pass?.header.kind === "translator"; // edits are of one stack's heads
  if (changed.has("pass")) stop();
  if (["pass", "layer", "head"].some((field) => changed.has(field))) draw();
  if (changed.has("effects") || changed.has("pass")) tell();
  if (store.pass) element.dataset.rev = store.rev;
});
