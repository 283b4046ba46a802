// The tensors of the article's three lines as pictures, with the number under the pointer.

import { h, numberAt } from "../../../../browser/lib/base.js";
import { palette, signedAt } from "../../../../browser/lib/colour.js";
import { makeHeatMap } from "../../../../browser/lib/heat_map.js";
import { asNumber } from "../../../../browser/lib/numbers.js";
import { largestOf } from "../../lib/numbers_table.js";
import { makeStrip } from "../../lib/strip.js";

const LINES = {
  raw: "raw_weights = torch.bmm(x, x.transpose(1, 2))",
  weights: "weights = F.softmax(raw_weights, dim=2)",
  y: "y = torch.bmm(weights, x)",
};

const SQUARE = ["raw", "weights"]; // tensors of words × words; the others are of words × numbers

/** A tensor of words × numbers, a pixel for each number: {node, draw(labels, rows)}; read({row, column}) under the
 *  pointer. */
const makePixels = (read) => {
  const { node, canvas, draw } = makeStrip({ class: "strip" });
  canvas.addEventListener("pointermove", (event) => read(numberAt(canvas, event)));
  return { node, draw: (names, rows) => draw(names, rows, largestOf(rows), Math.max(110, 15 * rows.length)) };
};

/** A tensor of words × words: {node, draw(labels, rows)}. */
const makeMap = (label, scale, read) => {
  const node = h("div.map");
  const picture = makeHeatMap(node, { label, onpoint: (at) => at && read(at), onpick: () => {} });
  const draw = (labels, rows) => {
    const colours = palette()[scale];
    const most = scale === "scores" ? largestOf(rows) : 1;
    const at = (value) => (scale === "scores" ? signedAt(value / most) : Math.round(255 * value));
    picture.draw({ labels, pixel: (row, column) => colours[at(rows[row][column])] });
  };
  return { node, draw };
};

/** Writes the number that is pointed at: {node, read(name, question, {row, column}), clear()}. */
const makeReading = ({ words, live: demo }) => {
  const node = h("p.readout", { "aria-live": "polite" });
  const read = (name, question, { row, column }) => {
    const { labels, [name]: rows } = demo.answers[question] ?? {};
    const number = rows?.[row]?.[column];
    if (number === undefined) return;
    const values = { name: name === "raw" ? "raw_weights" : name, row, column, value: asNumber(number) };
    const pair = { word: labels[row], other: labels[column] };
    node.textContent = words(SQUARE.includes(name) ? "read_pair" : "read", { ...values, ...pair });
    node.dataset.value = number;
  };
  const clear = () => {
    if (!node.textContent) node.textContent = words("point");
  };
  return { node, read, clear };
};

/** {nodes, paint(tensors, plain)}: the tensors of the vectors times a factor, and two of them of the vectors
 *  as they are. */
export const makeTensors = (section, { model }) => {
  const { words, panel } = section;
  const reading = makeReading(section);
  const picture = (name, question) => {
    const read = (at) => reading.read(name, question, at);
    if (!SQUARE.includes(name)) return makePixels(read);
    return makeMap(words(`${name}_label`), name === "raw" ? "scores" : "weights", read);
  };
  const shapes = {};
  const titles = []; // [element, whether it is of the vectors as they are]
  const pairs = [];
  const plain = { weights: picture("weights", "plain"), y: picture("y", "plain") };
  const scaled = {};
  const of = (kind, { node }) => {
    const title = h("b");
    titles.push([title, kind === "one"]);
    return h("div", { class: `of-${kind}` }, title, node);
  };
  const tensor = (name, line) => {
    scaled[name] = picture(name, "tensors");
    shapes[name] = h("span.shape");
    const caption = h("figcaption", h("code", line), shapes[name]);
    if (!plain[name]) return h("figure", { "data-tensor": name }, caption, scaled[name].node);
    const both = h("div.both", of("one", plain[name]), of("times", scaled[name]));
    pairs.push(both);
    return h("figure", { "data-tensor": name }, caption, both, name === "y" ? panel.equation() : null);
  };
  const flow = h(
    "div.flow",
    tensor("x", words("x", { model })),
    ...Object.entries(LINES).map(([name, line]) => tensor(name, line)),
  );
  const paint = ({ labels, factor, ...tensors }, answer) => {
    const [t, e] = [tensors.x.length, tensors.x[0].length];
    for (const [name, { draw }] of Object.entries(scaled)) {
      draw(labels, tensors[name]);
      shapes[name].textContent = `(1, ${t}, ${SQUARE.includes(name) ? t : e})`;
    }
    for (const both of pairs) both.classList.toggle("same", factor === 1);
    for (const [title, asTheyAre] of titles)
      title.textContent = words("times_factor", { factor: asTheyAre ? 1 : factor });
    if (factor !== 1 && answer) for (const [name, { draw }] of Object.entries(plain)) draw(answer.labels, answer[name]);
    reading.clear();
  };
  return { nodes: [flow, reading.node], paint };
};
