// Three matrices whose columns can be dragged, applied to words on a circle, and the attention that follows from them.

import { h } from "../../../../browser/lib/base.js";
import { asFixed, asShare } from "../../../../browser/lib/numbers.js";
import { arithmetic } from "../../lib/arithmetic.js";
import { numbersTable } from "../../lib/numbers_table.js";
import { makePlane, pairs } from "../../lib/plane.js";

export const PARTS = ["q", "k", "v"];

const matrixOf = ([a, c, b, d]) => [
  [a, b],
  [c, d],
]; // two columns → rows

const largestAt = (values) => values.indexOf(Math.max(...values));

/** The vectors of the words times each of the matrices, [q, k, v]. */
export const projections = (vectors, matrices) => matrices.map((each) => arithmetic.linear(vectors, matrixOf(each)));

/** One matrix as a plane: {node, paint(matrix, arrows)}; ondrag as of makePlane. */
const makeMatrix = ({ words, panel }, name, i, reach, ondrag) => {
  const container = h("div");
  const numbers = h("code.matrix");
  const plane = makePlane(container, { label: words("plane", { name: name.toUpperCase() }), reach, ondrag });
  const caption = h("figcaption", h("b", words(`matrix_${name}`)), numbers, panel.equation(i));
  const tip = (number, x, up) => ({
    id: `column${number}`,
    to: [x, up],
    hue: 5,
    kind: "column",
    label: `${number + 1}`,
    grip: words("tip", { number: number + 1, name: `W_${name}`, x: asFixed(x, 2), y: asFixed(up, 2) }),
  });
  const paint = (matrix, arrows) => {
    const [a, c, b, d] = matrix;
    plane.draw({ arrows: [...arrows, tip(0, a, c), tip(1, b, d)] });
    const [first, second, third, fourth] = [a, b, c, d].map((value) => asFixed(value, 2));
    numbers.textContent = words("matrix", { a: first, b: second, c: third, d: fourth });
  };
  return { node: h("figure", { "data-part": name }, caption, container), paint };
};

/** The scores and the weights as tables: {node, paint(scores, weights)}. */
const makeTables = ({ words, live: demo }, { words: labels }) => {
  const sayRow = (i) => words("row", { word: labels[i] });
  const ofWeights = numbersTable(words("weights"), { onrow: (row) => demo.set({ row }), sayRow });
  const ofScores = numbersTable(words("scores"));
  const paint = (scores, weights) => {
    const shared = { rows: labels, chosen: demo.view.row, hue: labels.map((_, i) => i) };
    const most = Math.max(1, ...scores.flat().map(Math.abs));
    ofScores.draw({ ...shared, values: scores, scale: "scores", most });
    ofWeights.draw({ ...shared, values: weights, scale: "weights" });
  };
  return { node: h("div.tables", ofScores.node, ofWeights.node), paint };
};

/** {node, paint, take, matrices}: take() reads the matrices of the view; while dragging, matrices() are newer. */
export const makeInPlane = (section, props) => {
  const { words, panel, live: demo } = section;
  let matrices = pairs.parse(props.matrices);
  const drag = (part) => (id, to, over) => {
    matrices[part].splice(2 * Number(id.slice(6)), 2, ...to);
    paint();
    if (over) demo.set({ matrices: pairs.spell(matrices) });
  };
  const planes = PARTS.map((name, i) => makeMatrix(section, name, i, props.reach, drag(i)));
  const tables = makeTables(section, props);
  const uses = h("p.readout.uses", { "aria-live": "polite" });
  const node = h(
    "div.in-plane",
    h("div.planes", ...planes.map((plane) => plane.node)),
    tables.node,
    h("div.with-equation", uses, panel.equation(3, 4)),
  );
  const paintPuzzle = section.puzzle();

  const describe = (weights) => {
    const { row, show } = demo.view;
    const column = weights.map((each) => each[row]);
    const [most, reader] = [largestAt(weights[row]), largestAt(column)];
    const total = column.reduce((sum, value) => sum + value, 0);
    const values = {
      word: props.words[row],
      most: props.words[most],
      share: asShare(weights[row][most]),
      reader: props.words[reader],
      read: asShare(column[reader]),
      all: asFixed(total, 2),
    };
    uses.textContent = words("uses", values);
    if (show === "plane") section.showLesson(words("lesson", values));
  };
  const paint = () => {
    const vectors = projections(props.vectors, matrices);
    const { scores, weights, y } = arithmetic.attention(vectors[0], vectors[1], vectors[2], Math.SQRT2);
    const { row } = demo.view;
    planes.forEach((plane, i) => {
      const styleOf = (j) => ({ id: `word${j}`, hue: j, kind: j === row ? "asked" : "word", label: props.words[j] });
      const arrows = vectors[i].map((to, j) => ({ to, ...styleOf(j) }));
      const output = PARTS[i] === "v" ? [{ id: "y", to: y[row], kind: "output", label: "y" }] : [];
      plane.paint(matrices[i], [...arrows, ...output]);
    });
    tables.paint(scores, weights);
    describe(weights);
    const solved = weights.slice(1).every((each, i) => largestAt(each) === i);
    paintPuzzle({ words: words("puzzle"), solved });
    section.node.dataset.found = JSON.stringify({ scores, weights, y });
  };
  const take = () => (matrices = pairs.parse(demo.view.matrices));
  return { node, paint, take, matrices: () => matrices };
};
