// Which values are computed from which in a network of layers, over the tokens from left to right, and how far the
// first input has come after some steps.

import { svg } from "../../../browser/lib/base.js";

const [WIDTH, HEIGHT, EDGE] = [270, 104, 10]; // in units of the drawing

/** The sources [layer, token] of a value: layer 0 holds the inputs. `back` has, for each layer, the distances to the
 *  tokens that it reads below; null stands for all before. A recurrent layer also reads its own value before. */
const sourcesOf = ({ back, recurrent }, layer, i) => {
  const below = back ? back[layer - 1].map((distance) => i - distance) : Array.from({ length: i + 1 }, (_, j) => j);
  const cells = below.filter((j) => j >= 0).map((j) => [layer - 1, j]);
  return recurrent && i > 0 ? [...cells, [layer, i - 1]] : cells;
};

/** The step in which a value is computed: a recurrent one waits for that of the token before. */
const stepOf = ({ recurrent }, layer, i) => (recurrent && layer ? i + layer : layer);

/** {node, draw({count, step, label})}: a drawing of `wiring`, {layers, back, recurrent}, for `count` tokens. */
export const makeWiring = (wiring) => {
  const root = svg("svg", { class: "wiring", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" });
  const { layers } = wiring;
  const draw = ({ count, step, label }) => {
    const x = (i) => EDGE + ((WIDTH - 2 * EDGE) * (i + 0.5)) / count;
    const y = (layer) => HEIGHT - EDGE - ((HEIGHT - 2 * EDGE) * layer) / layers;
    const done = (layer, i) => stepOf(wiring, layer, i) <= step;
    const reached = new Set(["0,0"]); // what the first input has come to
    const wires = { idle: "", done: "", reached: "" };
    const dots = [];
    for (let layer = 0; layer <= layers; layer++)
      for (let i = 0; i < count; i++) {
        for (const [below, j] of layer ? sourcesOf(wiring, layer, i) : []) {
          const carries = done(layer, i) && reached.has(`${below},${j}`);
          if (carries) reached.add(`${layer},${i}`);
          wires[carries ? "reached" : done(layer, i) ? "done" : "idle"] += `M${x(j)} ${y(below)}L${x(i)} ${y(layer)}`;
        }
        const state = reached.has(`${layer},${i}`) ? "reached" : done(layer, i) ? "done" : "idle";
        dots.push(svg("circle", { cx: x(i), cy: y(layer), r: 3, class: state, "data-layer": layer }));
      }
    root.replaceChildren(...Object.entries(wires).map(([kind, d]) => svg("path", { d, class: kind })), ...dots);
    root.setAttribute("aria-label", label);
  };
  return { node: root, draw };
};
