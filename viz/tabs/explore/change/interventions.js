// The visitor's edits of heads (viz/passes/edits.py); and below, the effect of each head, measured by ablating it.

import { lines, newest, whyNot } from "../../../browser/lib/ask.js";
import { defer, h } from "../../../browser/lib/base.js";
import { makeHints } from "../../../browser/lib/hint.js";
import { say } from "../../../browser/lib/messages.js";
import { asFixed, asNumber } from "../../../browser/lib/numbers.js";
import { makePanel } from "../../../browser/lib/panel.js";
import { site } from "../../../browser/lib/site.js";
import { changeList, nameOf, sameHead, stack } from "../lib/changes.js";
import { quote } from "../lib/labels.js";
import { lockedPair, rowOf, shownNow } from "../lib/shown.js";
import { store } from "../lib/store.js";

const place = () => ({ ...stack(), layer: store.view.layer, head: store.view.head, ...lockedPair(shownNow()) });
const weightEdit = () => store.edits.find((edit) => sameHead(edit, place()));

export const mount = ({ element }) => {
  const LIMIT = site.limits.edits;
  const { tools, body, foot } = makePanel(element, say("edits"));

  const target = () => ({ ...stack(), layer: store.view.layer, head: whole.checked ? null : store.view.head });

  /** Replaces the edit of the same head or weight; without an edit, removes it. */
  const apply = (edit, /** @type {any} */ on = target()) => {
    if (!store.pass) return;
    const others = store.edits.filter((other) => !sameHead(other, on));
    const list = edit ? [...others, { ...on, ...edit }] : others;
    if (list.length > LIMIT) return void (status.textContent = say("edits_many", { limit: LIMIT }));
    store.edit(list);
  };

  const hints = []; // [a button's label, its effect]
  const button = (key, act) => {
    hints.push([say(key), say(`${key}_hint`)]);
    return h("button.f-button", { title: say(`${key}_hint`), onclick: act }, say(key));
  };
  const off = button("edit_off", () => apply({ do: "scale", factor: 0 }));
  const uniform = button("edit_uniform", () => apply({ do: "uniform" }));
  const undo = button("edit_undo", () => apply(null));
  const whole = h("input", { type: "checkbox", onchange: () => draw() });
  const scale = h("input", { type: "range", min: -2, max: 3, step: 0.1, value: 1, "aria-label": say("edit_scale") });
  const factor = h("output", "1");
  scale.addEventListener("input", () => (factor.textContent = `× ${scale.value}`.replace("-", "−")));
  scale.addEventListener("change", () =>
    apply(Number(scale.value) === 1 ? null : { do: "scale", factor: Number(scale.value) }),
  );

  // A weight of the head: of the locked pair, else of the last token and the key it attends to most.
  const weight = h("input", { type: "range", min: 0, max: 1, step: 0.01 });
  const weighs = h("output");
  const share = h("input", { type: "checkbox", checked: true, onchange: () => weightEdit() && setWeight() });
  const free = button("edit_weight_undo", () => apply(null, place()));
  const setWeight = () => {
    const on = place();
    store.set({ token: on.query, key: on.key }); // keeps the pair selected
    apply({ do: "weight", weight: Number(weight.value), renormalise: share.checked }, on);
  };
  weight.addEventListener("input", () => (weighs.textContent = asFixed(Number(weight.value), 2)));
  weight.addEventListener("change", setWeight);
  const weightName = h("span");
  const oneWeight = h(
    "div.edit-weight",
    h("label.edit-scale", weightName, weight, weighs),
    h("div.edit-row", h("label.edit-whole", share, say("edit_weight_share")), free),
  );

  const drawWeight = defer(() => {
    const shown = shownNow();
    oneWeight.hidden = !shown || shown.of !== "head";
    if (oneWeight.hidden) return;
    const { query, key } = place();
    const { map } = shown;
    const current = weightEdit();
    weightName.textContent = say("edit_weight_of", { query: quote(query, map.queries), key: quote(key, map.keys) });
    weight.disabled = share.disabled = key >= map.rowLength(query);
    weight.value = weight.disabled ? 0 : (current?.weight ?? rowOf(shown, query)[key]);
    weighs.textContent = weight.disabled ? say("masked_short") : asFixed(Number(weight.value), 2);
    if (current) share.checked = current.renormalise;
    free.disabled = !current;
  });

  const reset = button("edit_reset", () => store.edit([]));
  tools.append(makeHints(hints), reset);

  const heading = h("p.edit-target");
  const list = h("ul.edit-list");
  const status = h("p.quiet", { role: "status" });
  const slider = h("label.edit-scale", h("span", say("edit_scale")), scale, factor);
  const all = h("label.edit-whole", whole, say("edit_whole"));
  body.append(h("div.edit-head", heading, all), h("div.edit-row", off, uniform, undo), slider, oneWeight, list, status);

  const draw = () => {
    const active = store.edits;
    const current = active.find((edit) => sameHead(edit, target()));
    heading.textContent = nameOf(target());
    scale.value = current?.do === "scale" ? current.factor : 1;
    factor.textContent = `× ${scale.value}`.replace("-", "−");
    off.setAttribute("aria-pressed", current?.factor === 0);
    uniform.setAttribute("aria-pressed", current?.do === "uniform");
    undo.disabled = !current;
    reset.disabled = !active.length;
    status.textContent = active.length ? "" : say("edits_none");
    drawWeight();
    list.replaceChildren(...changeList());
  };

  // Ablates every head in turn.
  let running = false;
  const measure = button("effects_measure", () => {
    if (!running) return run();
    stop();
    tell(); // describes what has been measured so far
  });
  const progress = h("progress", { max: 1, value: 0, hidden: true, "aria-label": say("effects_measure") });
  const finding = h("p.finding", { role: "status" });
  foot.append(h("div.edit-row", measure, progress), finding);

  const stop = () => {
    questions.stop();
    running = false;
    progress.hidden = true;
    measure.textContent = say("effects_measure");
  };
  const questions = newest({
    take: () => {
      stop();
      tell();
    },
    fail: (error) => {
      if (!error.passing) stop();
      finding.textContent = whyNot(error);
    },
  });

  const run = () => {
    const { key, maps } = store.header;
    const rows = maps.reduce((sum, { layers }) => sum + layers, 0);
    running = true;
    measure.textContent = say("effects_stop");
    progress.hidden = false;
    progress.removeAttribute("value");
    const says = () => (finding.textContent = say("effects_running", { count: rows * maps[0].heads }));
    says();
    questions.ask({}, (signal) => {
      const effects = Object.fromEntries(
        maps.map(({ name, layers, heads }) => [name, Array.from({ length: layers }, () => Array(heads).fill(null))]),
      );
      let done = 0;
      return lines(`/attention/${key}/heads`, signal, (row) => {
        effects[row.map][row.layer] = row.effects;
        progress.value = (done += 1) / rows;
        says();
        store.measured({ ...effects });
      });
    });
  };

  const tell = () => {
    if (running) return;
    const { effects } = store;
    if (!effects || !store.pass) return void finding.replaceChildren();
    const of = (map, rows) => rows.flatMap((row, layer) => row.map((effect, head) => ({ map, layer, head, effect })));
    const all = Object.entries(effects)
      .flatMap(([map, rows]) => of(map, rows))
      .filter(({ effect }) => effect !== null);
    if (!all.length) return;
    const most = all.reduce((a, b) => (Math.abs(b.effect) > Math.abs(a.effect) ? b : a));
    const sizes = all.map(({ effect }) => Math.abs(effect)).sort((a, b) => a - b);
    const half = sizes.length / 2;
    const median = (sizes[Math.ceil(half) - 1] + sizes[Math.floor(half)]) / 2;
    const { maps, unit, effectOn } = store.header;
    const values = {
      name: nameOf({ ...most, map: null }).toLowerCase(),
      ...(maps.length > 1 ? { map: say(`map_${most.map}`) } : {}),
      size: asNumber(Math.abs(most.effect), 3),
      median: asNumber(median, 2),
      measured: all.length,
      unit,
    };
    const better = most.effect < 0 ? "_better" : "";
    const words = say(`effects_on_${effectOn}${better}`, values);
    const show = h(
      "button.f-link",
      {
        onclick: () =>
          store.set({
            map: maps.findIndex((map) => map.name === most.map),
            of: "head",
            layer: most.layer,
            head: most.head,
          }),
      },
      say("effects_show"),
    );
    finding.replaceChildren(words, " ", show);
  };

  const drawAfterMap = defer(draw);

  store.subscribe(element, (changed) => {
    measure.disabled = !store.pass;
    if (changed.has("pass")) stop();
    if (["pass", "map", "edits"].some((field) => changed.has(field))) draw();
    else if (changed.has("layer") || changed.has("head")) drawAfterMap();
    else if (["exact", "token", "key", "of"].some((field) => changed.has(field))) drawWeight();
    if (changed.has("effects") || changed.has("pass")) tell();
    if (store.pass) element.dataset.rev = store.rev;
  });
};
