// Three matrices whose columns can be dragged, applied to words on a circle; then one trained head, each of whose
// numbers can be traced to the file of weights.

import { eachFrame, h } from "../../../../browser/lib/base.js";
import { numberRow, productsTable } from "../../../../browser/lib/follow.js";
import { asFixed, asNumber, asShare } from "../../../../browser/lib/numbers.js";
import { arithmetic } from "../../lib/arithmetic.js";
import { numbersTable } from "../../lib/numbers_table.js";
import { makePlane, pairs } from "../../lib/plane.js";

const PARTS = ["q", "k", "v"];
const last = (count, initial = 0) => ({ initial, min: 0, max: count - 1 });
const matrixOf = ([a, c, b, d]) => [
  [a, b],
  [c, d],
]; // two columns → rows
const line = (said) => h("p.line", said);

export const mount = (section, props) => {
  const { words, panel } = section;
  const { linear, attention, dot } = arithmetic;

  const { parse, spell } = pairs;
  const valid = (text) => pairs.valid(text, 3, props.reach, 4);
  const demo = section.demo(
    {
      show: { initial: "plane", choices: ["plane", "head"] },
      matrices: { initial: props.matrices, longest: 200, valid, eager: true },
      row: last(props.words.length, 1),
      text: { initial: props.text, longest: 10000 },
      layer: last(props.layers, props.opens.layer),
      head: last(props.heads, props.opens.head),
      query: last(props.most, props.opens.query),
      key: last(props.most, props.opens.key),
      part: { initial: "q", choices: PARTS },
      at: last(props.size),
    },
    { trained: ["text", "layer", "head"] },
  );
  const show = section.choice("show", ["plane", "head"]);
  panel.tools.append(show.node);

  // --- in the plane --------------------------------------------------------------------------------------------------

  let columns = parse(props.matrices); // the current matrices: while dragging, newer than the view

  const drag = (part) => (id, to, over) => {
    columns[part].splice(2 * Number(id.slice(6)), 2, ...to);
    paintPlane();
    if (over) demo.set({ matrices: spell(columns) });
  };
  const planes = PARTS.map((name, i) => {
    const place = h("div");
    const numbers = h("code.matrix");
    const plane = makePlane(place, {
      label: words("plane", { name: name.toUpperCase() }),
      reach: props.reach,
      ondrag: drag(i),
    });
    return {
      plane,
      numbers,
      node: h(
        "figure",
        { "data-part": name },
        h("figcaption", h("b", words(`matrix_${name}`)), numbers, panel.equation(i)),
        place,
      ),
    };
  });
  const sayRow = (i) => words("row", { word: props.words[i] });
  const weightsTable = numbersTable(words("weights"), { onrow: (row) => demo.set({ row }), sayRow });
  const scoresTable = numbersTable(words("scores"));
  const uses = h("p.readout.uses", { "aria-live": "polite" });
  const inPlane = h(
    "div.in-plane",
    h("div.planes", ...planes.map(({ node }) => node)),
    h("div.tables", scoresTable.node, weightsTable.node),
    h("div.with-equation", uses, panel.equation(3, 4)),
  );

  const now = () => {
    const [q, k, v] = columns.map((each) => linear(props.vectors, matrixOf(each)));
    return { q, k, v, ...attention(q, k, v, Math.SQRT2) };
  };

  const paintPlane = () => {
    const result = now();
    const { scores, weights, y } = result;
    const { row } = demo.view;
    PARTS.forEach((name, i) => {
      const [a, c, b, d] = columns[i];
      const tip = (number, x, up) => ({
        id: `column${number}`,
        to: [x, up],
        hue: 5,
        kind: "column",
        label: `${number + 1}`,
        grip: words("tip", { number: number + 1, name: `W_${name}`, x: asFixed(x, 2), y: asFixed(up, 2) }),
      });
      const arrows = result[name].map((to, j) => ({
        id: `word${j}`,
        to,
        hue: j,
        kind: j === row ? "asked" : "word",
        label: props.words[j],
      }));
      const output = name === "v" ? [{ id: "y", to: y[row], kind: "output", label: "y" }] : [];
      planes[i].plane.draw({ arrows: [...arrows, ...output, tip(0, a, c), tip(1, b, d)] });
      planes[i].numbers.textContent = words("matrix", {
        a: asFixed(a, 2),
        b: asFixed(b, 2),
        c: asFixed(c, 2),
        d: asFixed(d, 2),
      });
    });
    const hue = props.words.map((_, i) => i);
    scoresTable.draw({
      rows: props.words,
      values: scores,
      scale: "scores",
      most: Math.max(1, ...scores.flat().map(Math.abs)),
      chosen: row,
      hue,
    });
    weightsTable.draw({ rows: props.words, values: weights, scale: "weights", chosen: row, hue });
    const column = weights.map((each) => each[row]);
    const most = weights[row].indexOf(Math.max(...weights[row]));
    const reader = column.indexOf(Math.max(...column));
    const values = {
      word: props.words[row],
      most: props.words[most],
      share: asShare(weights[row][most]),
      reader: props.words[reader],
      read: asShare(column[reader]),
      all: asFixed(
        column.reduce((sum, value) => sum + value, 0),
        2,
      ),
    };
    uses.textContent = words("uses", values);
    if (demo.view.show === "plane") section.tell(words("lesson", values));
    paintPuzzle({
      words: words("puzzle"),
      solved: weights.slice(1).every((each, i) => each.indexOf(Math.max(...each)) === i),
    });
    section.node.dataset.found = JSON.stringify({ scores, weights, y });
  };

  // --- a trained head ------------------------------------------------------------------------------------------------

  const text = section.line("text", words("text_field", { most: props.most }));
  const [layer, head, query, key] = ["layer", "head", "query", "key"].map((name) =>
    section.stepper(name, words(`step_${name}`)),
  );
  const chain = h("div.chain");
  const trace = h("div.trace", { "aria-live": "polite" });
  const ofHead = h(
    "div.of-head",
    h("div.asks", text.node, layer.node, head.node, query.node, key.node),
    chain,
    panel.equation(),
    trace,
  );
  panel.picture.append(inPlane, ofHead);

  /** A row of numbers; those of q, k and v are buttons that trace them. */
  const cells = (name, numbers, part = "") => {
    const pick = { chosen: demo.view.part === part ? demo.view.at : null, onpick: (at) => demo.set({ part, at }) };
    return numberRow(name, numbers, part ? pick : null);
  };

  const paintHead = () => {
    const { trained } = demo.answers;
    if (!trained) return;
    const { labels, x, q, k, v, scores, weights, out } = trained;
    const focused = chain.contains(document.activeElement) ? [demo.view.part, demo.view.at] : null;
    const [i, j] = [Math.min(demo.view.query, labels.length - 1), Math.min(demo.view.key, labels.length - 1)];
    const names = { query: labels[i], key: labels[j], root: asNumber(Math.sqrt(q[i].length), 3) };
    const product = dot(q[i], k[j]);
    const masked = scores[i][j] === null;
    chain.replaceChildren(
      cells(words("x_of", { word: labels[i] }), x[i]),
      cells(words("q_of", { word: labels[i] }), q[i], "q"),
      cells(words("k_of", { word: labels[j] }), k[j], "k"),
      line(
        words(masked ? "score_masked" : "score", {
          ...names,
          product: asNumber(product),
          score: masked ? "" : asNumber(scores[i][j]),
        }),
      ),
      line(words("weight", { ...names, weight: asNumber(weights[i][j]), share: asShare(weights[i][j]) })),
      cells(words("v_of", { word: labels[j] }), v[j], "v"),
      cells(words("out_of", { word: labels[i] }), out[i]),
    );
    Object.assign(chain.dataset, { product, weight: weights[i][j], score: scores[i][j] ?? "masked" });
    if (focused) chain.querySelector('[aria-pressed="true"]')?.focus();
    paintTrace(trained, i, j);
    if (demo.view.show === "head")
      section.tell(words("lesson_head", { ...names, share: asShare(weights[i][j]), model: props.model }));
  };

  /** One number of q, k or v as a sum of products, with the place of each weight in the file. */
  const paintTrace = ({ labels, x, weight }, i, j) => {
    const { part, at } = demo.view;
    const token = part === "q" ? i : j;
    const { file, tensor, row, rows } = weight[part];
    const { table, sum } = productsTable({ weights: rows[at], inputs: x[token], of: "x", row: row + at, column: 0 });
    trace.replaceChildren(
      line(words("trace", { part, at, word: labels[token], sum: asNumber(sum), count: x[token].length })),
      h("p.quiet", file ? words("trace_file", { file, tensor }) : tensor),
      table,
    );
    trace.dataset.sum = sum;
  };

  // --- what can be tried ---------------------------------------------------------------------------------------------

  const put = (change) => {
    const list = parse(props.matrices);
    Object.entries(change).forEach(([part, value]) => (list[PARTS.indexOf(part)] = value));
    demo.set({ show: "plane", matrices: spell(list) });
  };
  section.tries({
    away: () => put({ k: [-1, 0, 0, -1] }),
    nothing: () => put({ q: [0, 0, 0, 0] }),
    turn: () => put({ v: [0, 1, -1, 0] }),
  });
  const paintPuzzle = section.puzzle();
  section.check({
    names: ["weights", "outputs", "both"],
    answer: async () => {
      const [q, k, v] = columns.map((each) => linear(props.vectors, matrixOf(each)));
      const doubled = v.map((pair) => pair.map((value) => 2 * value + 0.1));
      const [before, after] = [v, doubled].map((values) => attention(q, k, values, Math.SQRT2));
      const moved = (name) =>
        Math.max(...before[name].flatMap((row, i) => row.map((value, j) => Math.abs(value - after[name][i][j]))));
      const right = moved("weights") < 1e-9 ? 1 : moved("y") < 1e-9 ? 0 : 2;
      return {
        right,
        said: words("answer", { weights: asNumber(moved("weights"), 2), outputs: asNumber(moved("y"), 2) }),
      };
    },
  });
  section.links(() => {
    const { show: what, text, layer, head } = demo.view;
    const view = what === "plane" ? { text: props.words.join(" ") } : { text, layer, head };
    return ["explore", "mask"].map((tab) => [tab, { model: props.model, ...view }]);
  });

  const paint = eachFrame(() => {
    paintPlane();
    paintHead();
  });
  section.parts({ plane: [inPlane], head: [ofHead] });
  section.begin((changed) => {
    if (changed.has("matrices")) columns = parse(demo.view.matrices);
    if (changed.has("trained") && demo.answers.trained)
      for (const name of ["query", "key"]) demo.fields[name].max = demo.answers.trained.labels.length - 1;
    paint();
  });
};
