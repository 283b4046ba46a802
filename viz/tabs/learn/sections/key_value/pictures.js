// Both ways to look up, as they are shown: the dictionary as Python writes it, attention as a table, and its answer on
// a line between the values.

import { h, setAttributes, svg, tableHead, tableRow, typedInto } from "../../../../browser/lib/base.js";
import { makeBar } from "../../../../browser/lib/colour.js";
import { asFixed } from "../../../../browser/lib/numbers.js";
import { makeDrawing } from "../../../../browser/lib/panel.js";

/** A number as Python writes it. */
const asPython = (value) => (Number.isInteger(value) ? value.toFixed(1) : `${value}`);

const tuple = (pair) => `(${pair.map(asPython).join(", ")})`;

/** {nodes, paint({keys, values, asked})}: paint returns the value that is stored for the key `asked`, or null. With
 *  equal keys, a dictionary keeps the last value at the place of the first; both a Map and Python's dict do so. */
export const makeDictionary = (names) => {
  const [lines, result] = [h("pre"), h("pre.result", { role: "status" })];
  const paint = ({ keys, values, asked }) => {
    const store = new Map(keys.map((key, j) => [tuple(key), values[j]]));
    const named = (key) => names.filter((_, j) => tuple(keys[j]) === key).join(", ");
    const entry = ([key, value]) => [`    ${key}: ${value},`, h("i", `  # ${named(key)}\n`)];
    lines.replaceChildren("store = {\n", ...[...store].flatMap(entry), "}");
    const key = tuple(asked);
    const hit = store.has(key);
    result.replaceChildren(`>>> store[${key}]\n`, h("b", hit ? `${store.get(key)}` : `KeyError: ${key}`));
    result.classList.toggle("missed", !hit);
    return hit ? store.get(key) : null;
  };
  return { nodes: [lines, result], paint };
};

/** A table of a row for each key: pick(j) when one is pressed, type(j, text) when its value is typed, typed(j) the text
 *  of its value. {node, paint({scores, weights, values, chosen, hint})}. */
export const makeTable = (words, names, { pick, type, typed }) => {
  const body = h("tbody");
  const rows = names.map((name, j) => {
    const ask = h("button", { class: `hue-${j}`, onclick: () => pick(j) }, name);
    const label = words("value_of", { name });
    const input = h("input", { type: "text", inputmode: "decimal", maxlength: 8, "aria-label": label });
    const show = typedInto(
      input,
      (text) => type(j, text),
      () => typed(j),
    );
    const [score, weight, part, bar, share] = [h("td"), h("td"), h("td"), h("i"), h("output")];
    weight.append(h("div.portion", bar, share));
    body.append(tableRow(ask, score, weight, h("td", input), part));
    return { ask, score, bar, share, part, show };
  });
  const heads = ["key", "score", "weight", "value", "part"].map((name) => words(`column_${name}`));
  const paint = ({ scores, weights, values, chosen, hint }) =>
    rows.forEach(({ ask, score, bar, share, part, show }, j) => {
      score.textContent = asFixed(scores[j], 2);
      bar.replaceChildren(makeBar(weights[j]));
      share.textContent = asFixed(weights[j], 3);
      part.textContent = asFixed(weights[j] * values[j], 2);
      ask.setAttribute("aria-pressed", `${j === chosen}`);
      ask.title = hint(names[j]);
      show();
    });
  return { node: h("table.numbers.lookup", tableHead(...heads), body), paint };
};

/** The lines below the axis on which names do not overlap: a number for each value. */
const levelsOf = (values, names, x) => {
  const ends = [-1, -1, -1, -1]; // where the names in each line end
  const levels = [];
  for (const j of [...values.keys()].sort((one, other) => values[one] - values[other])) {
    const half = 3.5 * names[j].length;
    levels[j] = ends.findIndex((end) => end < x(values[j]) - half);
    ends[levels[j]] = x(values[j]) + half + 4;
  }
  return levels;
};

/** Draws, at the end of `container`, the values along a line, as large as their weights, and the answer between them.
 *  Returns draw({values, weights, y, label}). */
export const makeScale = (container, names) => {
  const scale = svg("svg", { class: "scale", role: "img" });
  container.append(scale);
  const line = makeDrawing(container, ({ values, weights, y, label }, { width }) => {
    const [least, most] = [Math.min(...values), Math.max(...values)];
    const x = (value) => 24 + ((width - 48) * (value - least)) / (most - least || 1);
    const mark = (value, ...shapes) => svg("g", { transform: `translate(${x(value)} 30)` }, ...shapes);
    const levels = levelsOf(values, names, x);
    setAttributes(scale, { width, height: 90, viewBox: `0 0 ${width} 90`, "aria-label": label });
    scale.replaceChildren(
      svg("path", { class: "axis", d: `M${x(least)} 30H${x(most)}` }),
      ...values.map((value, j) =>
        mark(
          value,
          svg("circle", { class: `hue-${j}`, r: 3 + 12 * Math.sqrt(weights[j]) }),
          svg("text", { y: 24 + 11 * levels[j], class: `hue-${j}` }, names[j]),
        ),
      ),
      mark(
        y,
        svg("path", { class: "answer", d: "M0 8L-7 -7H7Z" }),
        svg("text", { y: -14, class: "answer" }, asFixed(y, 1)),
      ),
    );
  });
  return line.draw;
};
