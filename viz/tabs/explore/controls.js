// What is shown and how: plain radio groups and steppers that read and write the store, and never call Python.
const { h, say, store } = former;
const GROUPS = { of: ["head", "mean", "rollout"], view: ["map", "lines"], scale: ["linear", "row", "root"], show: ["weights", "scores"] };
const radios = {}; // "scale row" → input

const group = (name) =>
  h("fieldset", { class: "choice", "data-field": name }, h("legend", {}, say(`control_${name}`)), ...GROUPS[name].map((value) => choice(name, value)));

const choice = (name, value) => {
  const input = h("input", { type: "radio", name: `former-${name}`, value, onchange: () => store.set({ [name]: value }) });
  radios[`${name} ${value}`] = input;
  return h("label", { title: say(`control_${name}_${value}_hint`) }, input, h("span", {}, say(`control_${name}_${value}`)));
};

/** ‹ 3 ›: a number of the store's view, from 0. */
const stepper = (name, limit) => {
  const input = h("input", { type: "number", min: 0, step: 1, inputmode: "numeric", "aria-label": say(name) });
  const go = (to) => store.set({ [name]: Math.max(0, Math.min(limit() - 1, to)) });
  const button = (sign, words, step) =>
    h("button", { type: "button", "aria-label": say(words, { name: say(name) }), onclick: () => go(store.view[name] + step) }, sign);
  const [less, more] = [button("‹", "step_less", -1), button("›", "step_more", 1)];
  const label = h("span", { class: "quiet", "aria-hidden": "true" });
  const show = former.typedInto(input, (typed) => /^\d+$/.test(typed) && go(Number(typed)), () => store.view[name]);
  const update = (words, idle) => {
    label.textContent = words;
    input.max = limit() - 1;
    show();
    for (const part of [input, less, more]) part.disabled = idle;
    less.disabled ||= store.view[name] === 0;
    more.disabled ||= store.view[name] === limit() - 1;
  };
  return { node: h("div", { class: "stepper", role: "group", "aria-label": say(name) }, label, less, input, more), update };
};

const layer = stepper("layer", () => store.pass.header.layers);
const head = stepper("head", () => store.pass.header.heads);
element.append(group("of"), layer.node, head.node, group("view"), group("scale"), group("show"));

store.subscribe(element, () => {
  const { view, pass } = store;
  for (const [name, values] of Object.entries(GROUPS))
    for (const value of values) radios[`${name} ${value}`].checked = view[name] === value;
  const noScores = view.of !== "head" || view.view === "lines"; // a mean has none, and lines are weights
  radios["show scores"].disabled = noScores;
  if (noScores) radios["show weights"].checked = true;
  for (const value of GROUPS.scale) radios[`scale ${value}`].disabled = view.show === "scores" && !noScores;
  if (!pass) return;
  layer.update(say(view.of === "rollout" ? "up_to_layer" : "layer"), false);
  head.update(say("head"), view.of !== "head");
  element.dataset.rev = store.rev;
});
