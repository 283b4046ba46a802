// The visitor's edits of heads (viz/passes/edits.py); and below, the effect of each head, measured by ablating it.

import { lines, newest, whyNot } from "../../../browser/lib/ask.js";
import { defer, h, refill, setText } from "../../../browser/lib/base.js";
import { disable } from "../../../browser/lib/fields.js";
import { makeHints } from "../../../browser/lib/hint.js";
import { keys } from "../../../browser/lib/keys.js";
import { say } from "../../../browser/lib/messages.js";
import { asFixed, asNumber } from "../../../browser/lib/numbers.js";
import { page } from "../../../browser/lib/page.js";
import { makePanel } from "../../../browser/lib/panel.js";
import { site } from "../../../browser/lib/site.js";
import { changeList, nameOf, sameHead, selectedHead, withEdit } from "../lib/changes.js";
import { quote } from "../lib/labels.js";
import { isOff, viewOfPass } from "../lib/pass.js";
import { lockedPair, rowOf, shownNow } from "../lib/selection.js";
import { isMeasurable } from "../lib/store/applies.js";
import { store } from "../lib/store.js";

const selectedCell = () => ({ ...selectedHead(), ...lockedPair(shownNow()) });
const weightEdit = () => store.edits.find((edit) => sameHead(edit, selectedCell()));

const target = (whole) => ({ ...selectedHead(), ...(whole && { head: null }) });
const asFactor = (value) => `× ${value}`.replace("-", "−");

/** Buttons that explain themselves, and all their explanations. */
const makeButtons = () => {
  const hints = []; // [a button's label, its effect]
  const button = (key, act) => {
    const [label, title] = [say(key), say(`${key}_hint`)];
    hints.push([label, title]);
    return h("button.f-button", { title, onclick: act }, label);
  };
  return { hints, button };
};

/** A weight of the head: of the locked pair, else of the last token and the key it attends to most. {node, draw}. */
const makeWeight = (button, apply) => {
  const range = h("input", { type: "range", min: 0, max: 1, step: 0.01 });
  const value = h("output");
  const share = h("input", { type: "checkbox", checked: true, onchange: () => weightEdit() && set() });
  const free = button("edit_weight_undo", () => apply(null, selectedCell()));
  const set = () => {
    const on = selectedCell();
    store.set({ token: on.query, key: on.key }); // keeps the pair selected
    apply({ do: "weight", weight: Number(range.value), renormalise: share.checked }, on);
  };
  range.addEventListener("input", () => (value.textContent = asFixed(Number(range.value), 2)));
  range.addEventListener("change", set);
  const name = h("span");
  const node = h(
    "div.edit-weight",
    { hidden: true }, // until there is a pair
    h("label.edit-scale", name, range, value),
    h("div.edit-row", h("label.edit-whole", share, say("edit_weight_share")), free),
  );
  const draw = defer(() => {
    const shown = shownNow();
    node.hidden = !shown || shown.of !== "head";
    if (node.hidden) return;
    const { query, key } = selectedCell();
    const { map } = shown;
    const current = weightEdit();
    const masked = Boolean(map.without(query, key));
    name.textContent = say("edit_weight_of", { query: quote(query, map.queries), key: quote(key, map.keys) });
    range.value = masked ? 0 : (current?.weight ?? rowOf(shown, query)[key]);
    value.textContent = masked ? say("masked_short") : asFixed(Number(range.value), 2);
    if (current) share.checked = current.renormalise;
    disable([free, !current], [range, masked], [share, masked]);
  });
  return { node, draw };
};

/** The edits of the selected head, or of its whole layer: {nodes, reset, draw, drawWeight}. */
const makeEdits = (button) => {
  const whole = h("input", { type: "checkbox", onchange: () => draw() });
  /** Replaces the edit of the same head or weight; without an edit, removes it. */
  const apply = (edit, /** @type {any} */ on = target(whole.checked)) => {
    if (!store.pass) return;
    const all = withEdit(edit, on);
    const limit = site.limits.edits;
    if (all.length > limit) return void (status.textContent = say("edits_many", { limit }));
    store.edit(all);
  };
  const off = button("edit_off", () => apply({ do: "scale", factor: 0 }));
  const uniform = button("edit_uniform", () => apply({ do: "uniform" }));
  const undo = button("edit_undo", () => apply(null));
  const scale = h("input", { type: "range", min: -2, max: 3, step: 0.1, value: 1, "aria-label": say("edit_scale") });
  const factor = h("output", "1");
  scale.addEventListener("input", () => (factor.textContent = asFactor(scale.value)));
  scale.addEventListener("change", () => {
    const value = Number(scale.value);
    apply(value === 1 ? null : { do: "scale", factor: value });
  });
  const weight = makeWeight(button, apply);
  const reset = button("edit_reset", () => store.edit([]));
  const heading = h("p.edit-target");
  const list = h("ul.edit-list");
  const status = h("p.quiet", { role: "status" });

  const draw = () => {
    const active = store.edits;
    const on = target(whole.checked);
    const current = active.find((edit) => sameHead(edit, on));
    heading.textContent = nameOf(on);
    scale.value = current?.do === "scale" ? current.factor : 1;
    factor.textContent = asFactor(scale.value);
    off.setAttribute("aria-pressed", current?.factor === 0);
    uniform.setAttribute("aria-pressed", current?.do === "uniform");
    disable([undo, !current], [reset, !active.length], [off, false]);
    status.textContent = active.length ? "" : say("edits_none");
    weight.draw();
    refill(list, changeList());
  };
  const nodes = [
    h("div.edit-head", heading, h("label.edit-whole", whole, say("edit_whole"))),
    h("div.edit-row", off, uniform, undo),
    h("label.edit-scale", h("span", say("edit_scale")), scale, factor),
    ...[weight.node, list, status],
  ];
  return { nodes, reset, draw, drawWeight: weight.draw };
};

/** All heads of the pass as {map, layer, head, off}. */
const allHeads = () =>
  store.header.maps.flatMap((map) =>
    Array.from({ length: map.layers * map.heads }, (_, i) => {
      const [layer, head] = [Math.floor(i / map.heads), i % map.heads];
      return { map: map.name, layer, head, off: isOff(store.header, map, layer, head) };
    }),
  );

/** "2 heads are off and are not measured", if any are. */
const offInWords = () => {
  const off = allHeads().filter((each) => each.off).length;
  return off ? say("effects_off", { off }) : "";
};

/** The head with the largest effect, beside the median, with a button that selects it: children of an element. */
const findingOf = (effects) => {
  const all = allHeads()
    .map((each) => ({ ...each, effect: effects[each.map][each.layer][each.head] }))
    .filter(({ off, effect }) => !off && effect !== null);
  if (!all.length) return [offInWords()];
  const most = all.reduce((a, b) => (Math.abs(b.effect) > Math.abs(a.effect) ? b : a));
  const sizes = all.map(({ effect }) => Math.abs(effect)).sort((a, b) => a - b);
  const half = sizes.length / 2;
  const median = (sizes[Math.ceil(half) - 1] + sizes[Math.floor(half)]) / 2;
  const { maps, unit, effectOn } = store.header;
  const numbers = { size: asNumber(Math.abs(most.effect), 3), median: asNumber(median, 2), measured: all.length, unit };
  const name = say("head_name", most).toLowerCase();
  const map = maps.length > 1 ? { map: say(`map_${most.map}`) } : {};
  const words = say(`effects_on_${effectOn}${most.effect < 0 ? "_better" : ""}`, { name, ...map, ...numbers });
  const { layer, head } = most;
  const at = maps.findIndex((each) => each.name === most.map);
  const onclick = () => store.set({ map: at, of: "head", layer, head });
  return [words, " ", h("button.f-link", { onclick }, say("effects_show")), " ", offInWords()];
};

/** Ablates every head in turn: {nodes, measure, stop, describe}. */
const makeEffects = (button) => {
  let running = false;
  const measure = button("effects_measure", () => {
    if (!running) return run();
    stop();
    describeEffects(); // describes what has been measured so far
  });
  const progress = h("progress", { max: 1, value: 0, hidden: true, "aria-label": say("effects_measure") });
  const finding = h("p.finding", { role: "status" });

  const stop = () => {
    questions.stop();
    running = false;
    progress.hidden = true;
    measure.textContent = say("effects_measure");
  };
  const questions = newest({
    take: () => {
      stop();
      describeEffects();
    },
    fail: (error) => {
      if (!error.passing) stop();
      finding.textContent = whyNot(error);
    },
  });

  const run = () => {
    const { maps } = store.header;
    const rows = maps.reduce((sum, { layers }) => sum + layers, 0);
    running = true;
    measure.textContent = say("effects_stop");
    progress.hidden = false;
    progress.removeAttribute("value");
    const count = allHeads().filter(({ off }) => !off).length;
    const says = () => setText(finding, say("effects_running", { count })); // read out once
    says();
    questions.ask({}, (signal) => {
      const effects = Object.fromEntries(
        maps.map(({ name, layers, heads }) => [name, Array.from({ length: layers }, () => Array(heads).fill(null))]),
      );
      let done = 0;
      const take = (row) => {
        effects[row.map][row.layer] = row.effects;
        progress.value = (done += 1) / rows;
        says();
        store.measured({ ...effects });
      };
      return lines("/ask/interventions/removed", signal, take, viewOfPass(store.header));
    });
  };

  const describeEffects = () => {
    if (running) return;
    const { effects } = store;
    finding.replaceChildren(...(effects ? findingOf(effects) : []));
  };
  return { nodes: [h("div.edit-row", measure, progress), finding], measure, stop, describe: describeEffects };
};

// Ctrl+Z takes back the last change of a head. The browser would take back what was last typed, wherever that is.
document.addEventListener("keydown", (event) => {
  const isUndo = event.key === "z" && (event.ctrlKey || event.metaKey);
  if (!isUndo || page.tab !== "explore" || keys.writes(event.target) || !store.edits.length) return;
  event.preventDefault();
  store.edit(store.edits.slice(0, -1));
});

export const mount = ({ element }) => {
  const { tools, body, foot } = makePanel(element, say("edits"));
  const { hints, button } = makeButtons();
  const edits = makeEdits(button);
  tools.append(makeHints(hints), edits.reset);
  body.append(...edits.nodes);
  const effects = makeEffects(button);
  foot.append(...effects.nodes);
  const drawAfterMap = defer(edits.draw);

  store.subscribe(element, (changed) => {
    effects.measure.disabled = !store.pass;
    foot.hidden = Boolean(store.pass) && !isMeasurable();
    if (changed.has("pass")) effects.stop();
    if (["pass", "map", "edits"].some((field) => changed.has(field))) edits.draw();
    else if (changed.has("layer") || changed.has("head")) drawAfterMap();
    else if (["exact", "token", "key", "of"].some((field) => changed.has(field))) edits.drawWeight();
    if (changed.has("effects") || changed.has("pass")) effects.describe();
  });
};
