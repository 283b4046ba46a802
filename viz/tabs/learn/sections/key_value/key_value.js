// Python's dictionary next to attention, with the same keys, values and query, and a slider from the hard limit to the
// soft one.

import { h, svg, tableHead, tableRow, typedInto } from "../../../../browser/lib/base.js";
import { makeBar } from "../../../../browser/lib/colour.js";
import { asFixed, asNumber, asShare } from "../../../../browser/lib/numbers.js";
import { makeDrawing } from "../../../../browser/lib/panel.js";
import { arithmetic } from "../../lib/arithmetic.js";
import { makePlane, pairs } from "../../lib/plane.js";

const numbersOf = (text) => text.split(",").map(Number);

/** A number as Python writes it. */
const asPython = (value) => (Number.isInteger(value) ? value.toFixed(1) : `${value}`);

const tuple = (pair) => `(${pair.map(asPython).join(", ")})`;

export const mount = (section, props) => {
  const { words, panel } = section;
  const { attention, largest } = arithmetic;
  const { parse, spell, valid } = pairs;

  const names = words("names").split(" ");
  const areValues = (text) => {
    const found = numbersOf(text);
    return (
      found.length === props.count &&
      text.split(",").every((value) => value.trim()) &&
      found.every((value) => Math.abs(value) <= props.largest)
    );
  };
  const arrows = (count) => (text) => valid(text, count, props.reach);
  const demo = section.demo({
    keys: { initial: props.keys, longest: 200, valid: arrows(props.count), eager: true },
    values: { initial: props.values, longest: 200, valid: areValues, eager: true },
    query: { initial: props.query, longest: 40, valid: arrows(1), eager: true },
    soft: { initial: props.soft, min: 0, max: props.softest },
    asker: { initial: props.askers[0], choices: props.askers },
    row: { initial: 0, min: 0, max: props.count - 1 }, // which key is the query, if keys are queries
  });
  let [keys, query] = /** @type {number[][][]} */ ([[], []]); // the current ones: while dragging, newer than the view

  // --- both look up --------------------------------------------------------------------------------------------------

  const byKeys = () => demo.view.asker === "keys";
  const temperature = (soft) => (soft ? 10 ** ((soft - props.soft) / 10) : 0);

  /** Attention for queries: {scores, weights, y}, y a list of numbers. */
  const softly = (queries, soft = demo.view.soft) => {
    const values = numbersOf(demo.view.values).map((value) => [value]);
    const divisor = Math.sqrt(2) * (temperature(soft) || 1);
    const found = attention(queries, keys, values, divisor);
    if (soft) return { ...found, y: found.y.map(([value]) => value) };
    const weights = found.scores.map(largest);
    return { ...found, weights, y: weights.map((row) => arithmetic.dot(row, values.flat())) };
  };

  /** With equal keys, a dictionary keeps the last value at the place of the first; both a Map and Python's dict do
   *  so. */
  const stored = () => new Map(keys.map((key, j) => [tuple(key), numbersOf(demo.view.values)[j]]));

  // --- what is shown -------------------------------------------------------------------------------------------------

  const slider = h("input", {
    type: "range",
    min: 0,
    max: props.softest,
    "aria-label": words("soft"),
    oninput: () => demo.set({ soft: Number(slider.value) }),
  });
  const degree = h("output");
  const itself = h("input", {
    type: "checkbox",
    onchange: () => demo.set({ asker: props.askers[itself.checked ? 1 : 0] }),
  });
  panel.tools.append(
    h("label.hard-soft", h("span", words("hard")), slider, h("span", words("softer")), degree),
    h("label.itself", itself, words("itself")),
  );

  const place = h("div");
  const [lines, result] = [h("pre"), h("pre.result", { role: "status" })];
  const body = h("tbody");
  const table = h(
    "table.numbers.lookup",
    tableHead(...["key", "score", "weight", "value", "part"].map((name) => words(`column_${name}`))),
    body,
  );
  const scale = svg("svg", { class: "scale", role: "img" });
  const sum = h("p.readout.sum");
  panel.picture.append(
    place,
    h(
      "div.both",
      h("h3", words("dictionary")),
      lines,
      result,
      h("div.with-equation", h("h3", words("attention")), panel.equation(1)),
      table,
      h("div.with-equation", sum, panel.equation(0)),
      scale,
    ),
  );

  const plane = makePlane(place, {
    label: words("plane"),
    reach: props.reach,
    ondrag: (id, to, over) => {
      if (id === "query") query = to;
      else keys[Number(id.slice(3))] = to;
      paint();
      if (over) demo.set({ keys: spell(keys), query: spell([query]) });
    },
  });

  const type = (j, text) => {
    const values = demo.view.values.split(",");
    values[j] = text.trim();
    demo.complain(areValues(values.join()) ? null : words("value_limit", { most: props.largest }));
    demo.set({ values: values.join() });
  };
  const rows = names.map((name, j) => {
    const ask = h(
      "button",
      { class: `hue-${j}`, onclick: () => demo.set(byKeys() ? { row: j } : { query: spell([keys[j]]) }) },
      name,
    );
    const input = h("input", {
      type: "text",
      inputmode: "decimal",
      maxlength: 8,
      "aria-label": words("value_of", { name }),
    });
    const show = typedInto(
      input,
      (text) => type(j, text),
      () => demo.view.values.split(",")[j],
    );
    const [score, weight, part, bar, share] = [h("td"), h("td"), h("td"), h("i"), h("output")];
    weight.append(h("div.portion", bar, share));
    body.append(tableRow(ask, score, weight, h("td", input), part));
    return { ask, score, bar, share, part, show };
  });

  const paintDictionary = (asked) => {
    const store = stored();
    const named = (key) => names.filter((_, j) => tuple(keys[j]) === key).join(", ");
    const entry = ([key, value]) => [`    ${key}: ${value},`, h("i", `  # ${named(key)}\n`)];
    lines.replaceChildren("store = {\n", ...[...store].flatMap(entry), "}");
    const key = tuple(asked);
    const hit = store.has(key);
    result.replaceChildren(`>>> store[${key}]\n`, h("b", hit ? `${store.get(key)}` : `KeyError: ${key}`));
    result.classList.toggle("missed", !hit);
    return hit ? store.get(key) : null;
  };

  /** Draws the values along a line, as large as their weights, and the answer between them. */
  const line = makeDrawing(scale.parentNode, ({ values, weights, y }, { width }) => {
    const [least, most] = [Math.min(...values), Math.max(...values)];
    const x = (value) => 24 + ((width - 48) * (value - least)) / (most - least || 1);
    const mark = (value, ...shapes) => svg("g", { transform: `translate(${x(value)} 30)` }, ...shapes);
    const ends = [-1, -1, -1, -1]; // where the names in each line below end
    const below = {};
    for (const j of [...values.keys()].sort((one, other) => values[one] - values[other])) {
      const half = 3.5 * names[j].length;
      below[j] = ends.findIndex((end) => end < x(values[j]) - half);
      ends[below[j]] = x(values[j]) + half + 4;
    }
    for (const [name, value] of Object.entries({ width, height: 90, viewBox: `0 0 ${width} 90` }))
      scale.setAttribute(name, value);
    scale.replaceChildren(
      svg("path", { class: "axis", d: `M${x(least)} 30H${x(most)}` }),
      ...values.map((value, j) =>
        mark(
          value,
          svg("circle", { class: `hue-${j}`, r: 3 + 12 * Math.sqrt(weights[j]) }),
          svg("text", { y: 24 + 11 * below[j], class: `hue-${j}` }, names[j]),
        ),
      ),
      mark(
        y,
        svg("path", { class: "answer", d: "M0 8L-7 -7H7Z" }),
        svg("text", { y: -14, class: "answer" }, asFixed(y, 1)),
      ),
    );
  });

  const paint = () => {
    const { view } = demo;
    const values = numbersOf(view.values);
    const queries = byKeys() ? keys : [query];
    const row = byKeys() ? view.row : 0;
    const { scores, weights, y } = softly(queries);
    const tip = (name, arrow) => words("tip", { name, x: asFixed(arrow[0], 2), y: asFixed(arrow[1], 2) });
    plane.draw({
      arrows: [
        ...keys.map((key, j) => ({ id: `key${j}`, to: key, hue: j, label: names[j], grip: tip(names[j], key) })),
        byKeys()
          ? { id: "itself", to: keys[row], kind: "asks", hue: "mark" }
          : {
              id: "query",
              to: query,
              kind: "asks",
              hue: "mark",
              label: words("query"),
              grip: tip(words("query"), query),
            },
      ],
    });
    const found = paintDictionary(queries[row]);
    rows.forEach(({ ask, score, bar, share, part, show }, j) => {
      score.textContent = asFixed(scores[row][j], 2);
      bar.replaceChildren(makeBar(weights[row][j]));
      share.textContent = asFixed(weights[row][j], 3);
      part.textContent = asFixed(weights[row][j] * values[j], 2);
      ask.setAttribute("aria-pressed", byKeys() && j === row);
      ask.title = words(byKeys() ? "asks" : "ask", { name: names[j] });
      show();
    });
    line.draw({ values, weights: weights[row], y: y[row] });
    sum.textContent = words("sum", {
      terms: values.map((value, j) => `${asFixed(weights[row][j], 2)}·${value}`).join(" + "),
      y: asFixed(y[row], 2),
    });
    scale.setAttribute(
      "aria-label",
      words("scale", { least: Math.min(...values), most: Math.max(...values), y: asFixed(y[row], 2) }),
    );
    slider.value = view.soft;
    degree.textContent = words("degree", {
      kind: view.soft ? (view.soft === props.soft ? "plain" : "other") : "hard",
      temperature: asNumber(temperature(view.soft), 2),
    });
    slider.setAttribute("aria-valuetext", degree.textContent);
    itself.checked = byKeys();
    tell({ found, weights: weights[row], y: y[row], row });
    paintPuzzle({ words: words("puzzle", { name: names[1], value: values[1] }), solved: isSolved(y[0]) });
    section.node.dataset.found = JSON.stringify({ scores, weights, y, store: found });
  };

  const tell = ({ found, weights, y, row }) => {
    const best = weights.indexOf(Math.max(...weights));
    const message = {
      asker: demo.view.asker,
      name: names[row],
      hit: found === null ? "no" : "yes",
      found: found ?? "",
      y: asFixed(y, 1),
      share: asShare(weights[best]),
      best: names[best],
    };
    section.tell(words("lesson", message));
  };

  // --- what can be tried ---------------------------------------------------------------------------------------------

  section.tries({
    there: [{ query: props.keys.split(";")[1] }, words("try_there", { name: names[1] })],
    hard: { soft: 0 },
    itself: { asker: "keys", row: 1 },
  });

  const isSolved = (y) => {
    const { values, soft, asker } = demo.view;
    const untouched =
      values === props.values && soft === props.soft && asker === "query" && spell([query]) === props.query;
    return untouched && Math.abs(y - numbersOf(values)[1]) < 0.1;
  };
  const paintPuzzle = section.puzzle();

  section.check({
    names: ["error", "zero", "average"],
    answer: async () => {
      const values = numbersOf(demo.view.values);
      const average = values.reduce((one, other) => one + other, 0) / values.length;
      const [y] = softly([[0, 0]]).y;
      const right = Number.isNaN(y) ? 0 : Math.abs(y - average) < 1e-9 ? 2 : 1;
      return { right, said: words("answer", { y: asFixed(y, 2), share: asShare(1 / values.length) }) };
    },
  });
  section.links(() => [["explore", { text: words("sample") }]]);

  const take = () => {
    keys = parse(demo.view.keys);
    [query] = parse(demo.view.query);
    paint();
  };
  section.begin((changed) => (changed.has("keys") || changed.has("query") ? take() : paint()));
  take(); // applies a link's view
};
