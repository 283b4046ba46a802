// Three matrices whose columns can be dragged, applied to words on a circle; then one trained head, each of whose
// numbers can be traced to the file of weights.

import { eachFrame } from "../../../../browser/lib/base.js";
import { asNumber } from "../../../../browser/lib/numbers.js";
import { arithmetic } from "../../lib/arithmetic.js";
import { pairs } from "../../lib/plane.js";
import { makeInPlane, PARTS, projections } from "./in_plane.js";
import { makeTrainedHead } from "./trained_head.js";

const last = (count, initial = 0) => ({ initial, min: 0, max: count - 1 });

const fieldsOf = (props) => ({
  show: { initial: "plane", choices: ["plane", "head"] },
  matrices: {
    initial: props.matrices,
    longest: 200,
    valid: (text) => pairs.valid(text, 3, props.reach, 4),
    eager: true,
  },
  row: last(props.words.length, 1),
  text: { initial: props.text, longest: 10000 },
  layer: last(props.layers, props.opens.layer),
  head: last(props.heads, props.opens.head),
  query: last(props.most, props.opens.query),
  key: last(props.most, props.opens.key),
  part: { initial: "q", choices: PARTS },
  at: last(props.size),
});

const addTries = (section, props) => {
  const put = (part, matrix) => {
    const matrices = pairs.parse(props.matrices);
    matrices[PARTS.indexOf(part)] = matrix;
    section.live.set({ show: "plane", matrices: pairs.spell(matrices) });
  };
  section.tries({
    away: () => put("k", [-1, 0, 0, -1]),
    nothing: () => put("q", [0, 0, 0, 0]),
    turn: () => put("v", [0, 1, -1, 0]),
  });
};

const addCheck = (section, props, matrices) => {
  const answer = async () => {
    const [q, k, v] = projections(props.vectors, matrices());
    const doubled = v.map((pair) => pair.map((value) => 2 * value + 0.1));
    const [before, after] = [v, doubled].map((values) => arithmetic.attention(q, k, values, Math.SQRT2));
    const change = (name) =>
      Math.max(...before[name].flatMap((row, i) => row.map((value, j) => Math.abs(value - after[name][i][j]))));
    const [weights, outputs] = [change("weights"), change("y")];
    const right = weights < 1e-9 ? 1 : outputs < 1e-9 ? 0 : 2;
    const values = { weights: asNumber(weights, 2), outputs: asNumber(outputs, 2) };
    return { right, said: section.words("answer", values) };
  };
  section.check({ names: ["weights", "outputs", "both"], answer });
};

export const mount = (section, props) => {
  const { panel } = section;
  const demo = section.demo(fieldsOf(props), { trained: ["text", "layer", "head"] });
  const show = section.choice("show");
  const plane = makeInPlane(section, props);
  const head = makeTrainedHead(section, props);
  panel.tools.append(show.node);
  panel.picture.append(plane.node, head.node);

  addTries(section, props);
  addCheck(section, props, plane.matrices);
  section.links(() => {
    const { show: what, text, layer, head } = demo.view;
    const view = what === "plane" ? { text: props.words.join(" ") } : { text, layer, head };
    return ["explore", "mask"].map((tab) => [tab, { model: props.model, ...view }]);
  });

  const paint = eachFrame(() => {
    plane.paint();
    head.paint();
  });
  section.parts({ plane: [plane], head: [head] });
  section.needs({ head: "trained" });
  section.begin((changed) => {
    if (changed.has("matrices")) plane.take();
    paint();
  });
};
