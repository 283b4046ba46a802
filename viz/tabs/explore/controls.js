// The controls of the view: fields of the store, which never call Python.

import { h } from "../../browser/lib/base.js";
import { fields } from "../../browser/lib/fields.js";
import { say } from "../../browser/lib/messages.js";
import { site } from "../../browser/lib/site.js";
import { sameHead, selectedHead, withEdit } from "./lib/changes.js";
import { isOff } from "./lib/pass.js";
import { beside } from "./lib/pin.js";
import { store } from "./lib/store.js";

const choice = (name) => {
  const words = (value) => say(`control_${name}_${value}`);
  const hint = (value) => say(`control_${name}_${value}_hint`);
  return fields.choice(store, name, say(`control_${name}`), store.fields[name].choices, words, hint);
};

export const mount = ({ element }) => {
  const [of, view, scale, show] = ["of", "view", "scale", "show"].map(choice);
  const [layer, head] = ["layer", "head"].map((name) => fields.stepper(store, name, say(name)));
  const maps = h("select", {
    "aria-label": say("control_map"),
    onchange: () => store.set({ map: Number(maps.value) }),
  });
  const field = h("label.field-line.field-select", { hidden: true }, h("span.name", say("control_map")), maps);
  const pin = h("button.f-button", { title: say("pin_hint"), onclick: beside.pin }, say("pin"));
  const isSwitchedOff = () => store.edits.some((edit) => edit.factor === 0 && sameHead(edit, selectedHead()));
  const toggle = () => store.edit(withEdit(isSwitchedOff() ? null : { do: "scale", factor: 0 }, selectedHead()));
  const hint = say("control_off_hint");
  const off = h("button.f-button", { "aria-label": hint, disabled: true, onclick: toggle }, say("control_off"));
  element.append(field, ...[of, layer, head, { node: off }, view, scale, show].map(({ node }) => node), pin);

  const ON = ["pass", "rev", "edits", ...Object.keys(store.fields)];
  store.subscribe(element, (changed) => {
    if (!ON.some((name) => changed.has(name))) return;
    const now = store.view;
    const noScores = now.of !== "head" || now.view === "lines"; // a mean has no scores, and lines show weights
    const scores = now.show === "scores" && !noScores;
    of.update();
    view.update();
    scale.update(now.scale, () => scores);
    show.update(scores ? "scores" : "weights", (value) => noScores && value === "scores");
    if (!store.pass) return;
    if (maps.length !== store.header.maps.length)
      maps.replaceChildren(...store.header.maps.map(({ name }, i) => h("option", { value: i }, say(`map_${name}`))));
    field.hidden = maps.length < 2;
    maps.value = now.map;
    layer.update(say(now.of === "rollout" ? "up_to_layer" : "layer"));
    head.update(say("head"), now.of !== "head");
    const isOffWithLayer = !isSwitchedOff() && isOff(store, store.map, now.layer, now.head);
    const { edits: limit } = site.limits;
    const isFull = withEdit({}, selectedHead()).length > limit;
    off.disabled = now.of !== "head" || isOffWithLayer || isFull;
    off.title = isFull ? say("edits_many", { limit }) : hint;
    off.ariaPressed = `${isSwitchedOff() || isOffWithLayer}`;
    element.dataset.rev = store.rev;
  });
};
