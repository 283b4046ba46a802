// The sentence with the words in one order: what each head of "gave" attends to, and the part of y that it writes.

import { h, svg } from "../../../../browser/lib/base.js";
import { numbersTable } from "../../lib/numbers_table.js";

const [WIDTH, TOP, BOTTOM, THICK] = [420, 24, 128, 14]; // of the drawing, and a line of the weight 1

/** Words above, the parts of y below, and between them a line for every weight, as thick as the weight. */
const drawing = (label, names, { words: list, weights }) => {
  const word = (j) => ((j + 0.5) * WIDTH) / list.length;
  const part = (r) => ((r + 0.5) * WIDTH) / weights.length;
  const line = (weight, r, j) => {
    const d = `M${word(j)} ${TOP}C${word(j)} ${BOTTOM - 50} ${part(r)} ${TOP + 50} ${part(r)} ${BOTTOM}`;
    return svg("path", {
      class: `hue-${r + 1}`,
      d,
      "stroke-width": THICK * weight,
      "stroke-opacity": 0.35 + 0.5 * weight,
      "data-head": r,
      "data-weight": weight,
    });
  };
  const width = WIDTH / weights.length - 6;
  return svg(
    "svg",
    { viewBox: `0 0 ${WIDTH} 168`, role: "img", "aria-label": label },
    ...weights.flatMap((row, r) => row.map((weight, j) => line(weight, r, j))),
    ...list.map((text, j) => svg("text", { x: word(j), y: TOP - 8 }, text)),
    ...weights.map((_, r) =>
      svg("rect", { class: `hue-${r + 1}`, x: part(r) - width / 2, y: BOTTOM, width, height: 8, rx: 3 }),
    ),
    ...weights.map((_, r) => svg("text", { class: "part", x: part(r), y: BOTTOM + 26 }, names[r])),
  );
};

/** {node, draw(result, columns)}: the drawing, and the parts of y as numbers. */
export const makeOrder = ({ words }, name, heads) => {
  const container = h("div");
  const numbers = numbersTable("");
  const caption = numbers.node.querySelector("caption");
  const draw = (result, columns) => {
    const { words: list, y } = result;
    const rows = heads[y.length].map((head) => words(head));
    container.replaceChildren(drawing(words("picture", { sentence: list.join(" ") }), rows, result));
    caption.textContent = words("parts", { count: y.length });
    numbers.draw({ rows, columns, values: y, scale: "weights" });
  };
  return { node: h("figure", { "data-order": name }, h("figcaption", words(name)), container, numbers.node), draw };
};
