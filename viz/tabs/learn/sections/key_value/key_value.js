// Python's dictionary next to attention, with the same keys, values and query, and a slider from the hard limit to the
// soft one.

import { h } from "../../../../browser/lib/base.js";
import { asFixed, asNumber, asShare } from "../../../../browser/lib/numbers.js";
import { arithmetic } from "../../lib/arithmetic.js";
import { makePlane, pairs } from "../../lib/plane.js";
import { makeDictionary, makeScale, makeTable } from "./pictures.js";

const { attention, dot, largest } = arithmetic;
const { parse, spell } = pairs;
const numbersOf = (text) => text.split(",").map(Number);
const mean = (values) => values.reduce((one, other) => one + other, 0) / values.length;

const areValues = (props) => (text) => {
  const values = numbersOf(text);
  return (
    values.length === props.count &&
    text.split(",").every((value) => value.trim()) &&
    values.every((value) => Math.abs(value) <= props.largest)
  );
};

const fieldsOf = (props) => {
  const arrows = (count) => (text) => pairs.valid(text, count, props.reach);
  return {
    keys: { initial: props.keys, longest: 200, valid: arrows(props.count), eager: true },
    values: { initial: props.values, longest: 200, valid: areValues(props), eager: true },
    query: { initial: props.query, longest: 40, valid: arrows(1), eager: true },
    soft: { initial: props.soft, min: 0, max: props.softest },
    asker: { initial: props.askers[0], choices: props.askers },
    row: { initial: 0, min: 0, max: props.count - 1 }, // which key is the query, if keys are queries
  };
};

/** The keys, the query and the values: while dragging, arrows are newer than the view. */
const makeLookup = (demo, props) => {
  const lookup = { keys: parse(demo.view.keys), query: parse(demo.view.query)[0] };
  const byKeys = () => demo.view.asker === "keys";
  const temperature = () => (demo.view.soft ? 10 ** ((demo.view.soft - props.soft) / 10) : 0);
  const values = () => numbersOf(demo.view.values);
  const queries = () => (byKeys() ? lookup.keys : [lookup.query]);
  const row = () => (byKeys() ? demo.view.row : 0);

  /** Attention for queries: {scores, weights, y}, y a list of numbers. */
  const attend = (asked = queries()) => {
    const divisor = Math.sqrt(2) * (temperature() || 1);
    const soft = attention(
      asked,
      lookup.keys,
      values().map((value) => [value]),
      divisor,
    );
    if (temperature()) return { ...soft, y: soft.y.map(([value]) => value) };
    const weights = soft.scores.map(largest);
    return { ...soft, weights, y: weights.map((row) => dot(row, values())) };
  };
  const take = () => {
    lookup.keys = parse(demo.view.keys);
    [lookup.query] = parse(demo.view.query);
  };
  return Object.assign(lookup, { byKeys, temperature, values, queries, row, attend, take });
};

/** The slider from hard to soft, and the switch that lets keys ask: {nodes, paint}. */
const makeSettings = (section, props, lookup) => {
  const { words, live: demo } = section;
  const { range, value } = section.slider("soft", (soft) => {
    const kind = soft ? (soft === props.soft ? "plain" : "other") : "hard";
    return words("degree", { kind, temperature: asNumber(lookup.temperature(), 2) });
  });
  const itself = h("input", {
    type: "checkbox",
    onchange: () => demo.set({ asker: props.askers[itself.checked ? 1 : 0] }),
  });
  const paint = () => (itself.checked = lookup.byKeys());
  const nodes = [
    h("label.hard-soft", h("span", words("hard")), range, h("span", words("softer")), value),
    h("label.itself", itself, words("itself")),
  ];
  return { nodes, paint };
};

/** The plane in which keys and the query are dragged: {node, paint}. */
const makeArrows = (section, props, lookup, names, afterDrag) => {
  const { words, live: demo } = section;
  const node = h("div");
  const ondrag = (id, to, over) => {
    if (id === "query") lookup.query = to;
    else lookup.keys[Number(id.slice(3))] = to;
    afterDrag();
    if (over) demo.set({ keys: spell(lookup.keys), query: spell([lookup.query]) });
  };
  const plane = makePlane(node, { label: words("plane"), reach: props.reach, ondrag });
  const paint = () => {
    const arrow = (id, name, to, options) => {
      const grip = words("tip", { name, x: asFixed(to[0], 2), y: asFixed(to[1], 2) });
      return { id, to, label: name, grip, ...options };
    };
    const asks = { kind: "asks", hue: "mark" };
    plane.draw({
      arrows: [
        ...lookup.keys.map((key, j) => arrow(`key${j}`, names[j], key, { hue: j })),
        lookup.byKeys()
          ? { id: "itself", to: lookup.keys[lookup.row()], ...asks }
          : arrow("query", words("query"), lookup.query, asks),
      ],
    });
  };
  return { node, paint };
};

/** Attention as a table, its sum and the line of its values, appended to `container`; returns paint. */
const makeAttention = (section, props, lookup, names, container) => {
  const { words, live: demo, panel } = section;
  const isValid = areValues(props);
  const type = (j, text) => {
    const values = demo.view.values.split(",");
    values[j] = text.trim();
    demo.complain(isValid(values.join()) ? null : words("value_limit", { most: props.largest }));
    demo.set({ values: values.join() });
  };
  const table = makeTable(words, names, {
    pick: (j) => demo.set(lookup.byKeys() ? { row: j } : { query: spell([lookup.keys[j]]) }),
    type,
    typed: (j) => demo.view.values.split(",")[j],
  });
  const sum = h("p.readout.sum");
  container.append(
    h("div.with-equation", h("h3", words("attention")), panel.equation(1)),
    table.node,
    h("div.with-equation", sum, panel.equation(0)),
  );
  const drawScale = makeScale(container, names);
  const paint = (scores, weights, y) => {
    const values = lookup.values();
    const asking = lookup.byKeys();
    const hint = (name) => words(asking ? "asks" : "ask", { name });
    table.paint({ scores, weights, values, chosen: asking ? lookup.row() : null, hint });
    const terms = values.map((value, j) => `${asFixed(weights[j], 2)}·${value}`).join(" + ");
    sum.textContent = words("sum", { terms, y: asFixed(y, 2) });
    const label = words("scale", { least: Math.min(...values), most: Math.max(...values), y: asFixed(y, 2) });
    drawScale({ values, weights, y, label });
  };
  return { paint };
};

const addCheck = (section, lookup) => {
  const answer = async () => {
    const values = lookup.values();
    const [y] = lookup.attend([[0, 0]]).y;
    const right = Number.isNaN(y) ? 0 : Math.abs(y - mean(values)) < 1e-9 ? 2 : 1;
    return { right, said: section.words("answer", { y: asFixed(y, 2), share: asShare(1 / values.length) }) };
  };
  section.check({ names: ["error", "zero", "average"], answer });
};

/** The sentence: what the dictionary finds, and what attention gives. */
const lesson = (section, lookup, names, stored, weights, y) => {
  const best = weights.indexOf(Math.max(...weights));
  return section.words("lesson", {
    asker: section.live.view.asker,
    name: names[lookup.row()],
    hit: stored === null ? "no" : "yes",
    found: stored ?? "",
    y: asFixed(y, 1),
    share: asShare(weights[best]),
    best: names[best],
  });
};

export const mount = (section, props) => {
  const { words, panel } = section;
  const names = words("names").split(" ");
  const demo = section.demo(fieldsOf(props));
  const lookup = makeLookup(demo, props);
  const settings = makeSettings(section, props, lookup);
  const arrows = makeArrows(section, props, lookup, names, () => paint());
  const dictionary = makeDictionary(names);
  const both = h("div.both", h("h3", words("dictionary")), ...dictionary.nodes);
  const table = makeAttention(section, props, lookup, names, both);
  const paintPuzzle = section.puzzle();
  panel.tools.append(...settings.nodes);
  panel.picture.append(arrows.node, both);

  const isSolved = (y) => {
    const { values, soft, asker } = demo.view;
    const untouched = values === props.values && soft === props.soft && asker === "query";
    return untouched && spell([lookup.query]) === props.query && Math.abs(y - lookup.values()[1]) < 0.1;
  };
  const paint = () => {
    const [row, values] = [lookup.row(), lookup.values()];
    const { scores, weights, y } = lookup.attend();
    arrows.paint();
    const stored = dictionary.paint({ keys: lookup.keys, values, asked: lookup.queries()[row] });
    table.paint(scores[row], weights[row], y[row]);
    settings.paint();
    section.showLesson(lesson(section, lookup, names, stored, weights[row], y[row]));
    paintPuzzle({ words: words("puzzle", { name: names[1], value: values[1] }), solved: isSolved(y[0]) });
    section.node.dataset.found = JSON.stringify({ scores, weights, y, store: stored });
  };

  section.tries({
    there: [{ query: props.keys.split(";")[1] }, words("try_there", { name: names[1] })],
    hard: { soft: 0 },
    itself: { asker: "keys", row: 1 },
  });
  addCheck(section, lookup);
  section.links(() => [["explore", { text: words("sample") }]]);
  section.begin((changed) => {
    if (changed.has("keys") || changed.has("query")) lookup.take();
    paint();
  });
};
