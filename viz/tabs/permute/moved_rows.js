// One output as four pictures: f(x), P f(x), f(Px) and the difference of the last two; rows are words, columns numbers.

import { eachFrame, h, svg } from "../../browser/lib/base.js";
import { palette, signedAt, variable } from "../../browser/lib/colour.js";
import { disable } from "../../browser/lib/fields.js";
import { makeHeatMap } from "../../browser/lib/heat_map.js";
import { keys } from "../../browser/lib/keys.js";
import { asList, classInWords, say } from "../../browser/lib/messages.js";
import { asFixed, asNumber } from "../../browser/lib/numbers.js";
import { makePanel, onAppearance } from "../../browser/lib/panel.js";
import { permuting } from "./lib/permuting.js";

const MAPS = ["f", "moved", "after", "difference"];
const NAMED = ["f", "after"]; // the maps whose rows have labels; the others are next to them
const go = (step) => permuting.set({ part: permuting.view.part + step });

/** The word of a map's row; undefined for the average. */
const wordAt = (name, row) => (name === "f" ? [...permuting.picture().order.keys()] : permuting.picture().order)[row];

const rowOf = (name, word) => (name === "f" ? word : permuting.picture().order.indexOf(word));

const byKey = (event) => {
  const { arrows, clamp } = keys;
  const step = arrows[event.key];
  const shown = permuting.picture();
  if (!step || !shown || keys.modified(event)) return;
  event.preventDefault();
  const { word, column = 0 } = permuting.hover ?? {};
  const at = word === undefined ? 0 : clamp(shown.order.indexOf(word) + step[0], shown.words);
  permuting.point({
    word: shown.order[at],
    column: word === undefined ? 0 : clamp(column + step[1], columns(shown).count),
  });
};

const makeMap = (name) => {
  const [heading, container] = [h("h3"), h("div")];
  const point = (at) => {
    const word = at && wordAt(name, at.row);
    permuting.point(word == null ? null : { word, column: at.column });
  };
  const picture = makeHeatMap(container, {
    label: say("permute_rows_label"),
    onpoint: point,
    onpick: point,
    onkey: byKey,
  });
  return { name, heading, picture, node: h("div.map", { "data-map": name }, heading, container) };
};

const columns = (shown) => {
  const first = permuting.view.part * permuting.SHOWN;
  return { first, count: Math.max(0, Math.min(permuting.SHOWN, shown.emb - first)) };
};

/** The pixel of a number: outputs by sign and size; the difference on the same scale, or on a logarithmic one. */
const painter = (most) => {
  const { scores, weights } = palette();
  const log = permuting.view.scale === "log";
  const level = (value) => (log ? (value ? 1 + Math.log10(value / most) / 9 : 0) : value / most);
  const output = (value) => scores[signedAt(value / most)];
  const difference = (value) => weights[Math.max(0, Math.min(255, Math.round(255 * level(value))))];
  return { f: output, moved: output, after: output, difference };
};

const paintMap = ({ name, heading, picture }, shown, { first, count }, pixel) => {
  const { words, emb, order, pooled } = shown;
  const { word, column } = permuting.hover ?? {};
  const row = word in order ? rowOf(name, word) : -1;
  const named = NAMED.includes(name);
  const names = named ? permuting.names(order.map((_, at) => wordAt(name, at))) : order.map(() => "");
  heading.textContent = say(pooled || name === "difference" ? `permute_map_${name}_rows` : `permute_map_${name}`);
  picture.draw({
    labels: pooled ? [...names, named ? say("permute_average") : ""] : names,
    across: Array(count).fill(""),
    fill: true,
    pixel: (y, x) => pixel(y < words ? shown[name][y * emb + first + x] : pooled[name][first + x]),
    rows: row < 0 ? [] : [{ at: row, colour: variable("text") }],
    at: row < 0 || column == null ? null : { row, column },
  });
};

/** The position of the largest difference among all numbers of all words. */
const whole = (shown, measured) => {
  if (shown.values) {
    const written = (value) => asFixed(value, 6);
    const { classes } = permuting.answers.permuted;
    const [before, after] = shown.values;
    const values = classes
      .map(classInWords)
      .map((name, i) => say("permute_value", { name, before: written(before[i]), after: written(after[i]) }));
    return say("permute_values", { values: asList(values), error: measured.error ? asNumber(measured.error, 3) : "0" });
  }
  const top = shown.difference.reduce((best, value, i) => (value > shown.difference[best] ? i : best), 0);
  if (!shown.difference[top]) return say("permute_none_apart");
  const word = shown.order[Math.floor(top / shown.emb)];
  return say("permute_apart", {
    error: asNumber(shown.difference[top], 3),
    word: permuting.labels()[word],
    nth: word + 1,
    column: (top % shown.emb) + 1,
  });
};

export const mount = ({ element }) => {
  const { title, tools, body, foot } = makePanel(element, say("permute_rows"));
  const readout = h("p.readout", { "aria-live": "polite" });
  const legend = h("p.quiet.legend-line");
  const scale = permuting.choice("scale");
  const button = (sign, step, words) =>
    h("button", { "aria-label": say(words, { count: permuting.SHOWN }), onclick: () => go(step) }, sign);
  const [less, more] = [button("‹", -1, "permute_part_less"), button("›", 1, "permute_part_more")];
  const part = h("span");
  tools.append(h("span.stepper", less, part, more), scale.node);
  const choices = ["positions", "mask", "output"].map(permuting.choice);
  foot.append(permuting.bar(...choices.map(({ node }) => node)), readout, legend);

  // --- the pictures --------------------------------------------------------------------------------------------------

  const maps = MAPS.map(makeMap);
  const curves = svg("svg", { class: "curves", preserveAspectRatio: "none", "aria-hidden": "true" });
  const [first, ...others] = maps.map(({ node }) => node);
  body.append(h("div.maps", first, curves, ...others));

  const paint = eachFrame(() => {
    const shown = permuting.picture();
    scale.update();
    if (!shown) return;
    const range = columns(shown);
    // Two in 100 outputs may exceed the scale: a few are many times larger, and would make all others pale.
    const most = Math.max(1e-30, Float64Array.from(shown.f, Math.abs).sort()[Math.floor(0.98 * shown.f.length)]);
    const pixel = painter(most);
    maps.forEach((map) => paintMap(map, shown, range, pixel[map.name]));
    paintCurves(shown);
    describe(shown, range, most, permuting.measured(shown.output));
    element.dataset.output = shown.output;
    element.dataset.order = shown.order.join(".");
    element.dataset.rev = permuting.rev;
  });

  /** Draws lines from each word's row of x to its row of P x. */
  const paintCurves = ({ order, pooled }) => {
    const pointed = permuting.hover?.word;
    curves.setAttribute("viewBox", `0 0 1 ${order.length + (pooled ? 1 : 0)}`);
    curves.replaceChildren(
      ...order.map((word, at) => {
        const [from, to] = [word + 0.5, at + 0.5];
        const kind = `${word === at ? "" : "moved"} ${word === pointed ? "pointed" : pointed in order ? "faint" : ""}`;
        return svg("path", { class: kind, d: `M0 ${from}C.5 ${from} .5 ${to} 1 ${to}` });
      }),
    );
  };

  // --- in words ------------------------------------------------------------------------------------------------------

  const describe = (shown, { first, count }, most, measured) => {
    title.textContent = say(`permute_rows_${shown.output}`);
    part.textContent = say("permute_part", { first: first + 1, last: first + count, emb: shown.emb });
    disable([less, permuting.view.part === 0], [more, permuting.view.part === permuting.fields.part.max]);
    legend.textContent = say(`permute_legend_${permuting.view.scale}`, {
      most: asNumber(most, 3),
      least: asNumber(most * 1e-9, 2),
    });
    const { word, column } = permuting.hover ?? {};
    readout.dataset.word = readout.dataset.column = "";
    if (!(word in shown.order) || column == null || column >= count)
      return void (readout.textContent = whole(shown, measured));
    const value = (name) => shown[name][rowOf(name, word) * shown.emb + first + column];
    const values = Object.fromEntries(MAPS.map((name) => [name, asNumber(value(name))]));
    Object.assign(readout.dataset, {
      word,
      column: first + column,
      ...Object.fromEntries(MAPS.map((name) => [name, value(name)])),
    });
    readout.textContent = say("permute_reading", {
      ...values,
      word: permuting.labels()[word],
      nth: word + 1,
      column: first + column + 1,
    });
  };

  permuting.subscribe(element, (changed) => {
    for (const choice of choices) choice.update();
    if (["permuted", "part", "scale", "hover"].some((name) => changed.has(name))) paint();
  });
  onAppearance(paint);
};
