// The measurements on a graph: the influence of each unit on each output, and the outputs before and after renaming.

import { h } from "../../../../browser/lib/base.js";
import { palette, variable } from "../../../../browser/lib/colour.js";
import { makeHeatMap } from "../../../../browser/lib/heat_map.js";
import { asNumber } from "../../../../browser/lib/numbers.js";
import { makeStrip } from "../../lib/strip.js";

/** The outputs as coloured rows with the units' names: {node, paint(rows, names, largest)}. */
const makeOutputs = (words, kind) => {
  const strip = makeStrip({ role: "img", "aria-label": words(kind) });
  const paint = (rows, names, largest) => strip.draw(names, rows, largest, 14 * rows.length);
  return { node: h("figure", { "data-strip": kind }, h("figcaption", words(kind)), strip.node), paint };
};

/** {node, paint(answer, depth)}. */
export const makeMeasures = (section, units) => {
  const { words, live: demo, panel } = section;
  const container = h("div.map");
  const reading = h("p.readout", { "aria-live": "polite" });
  const read = (at) => {
    const moved = at && demo.answers.passed?.influence[demo.view.layers - 1][at.row]?.[at.column];
    const values = at && { output: units.name(at.row), input: units.name(at.column), kind: moved ? "some" : "none" };
    reading.textContent = moved == null ? words("point") : words("read", { ...values, moved: asNumber(moved, 3) });
  };
  const map = makeHeatMap(container, {
    label: words("map"),
    onpoint: read,
    onpick: ({ row, column }) => row !== column && units.toggle(row, column),
  });
  const [outputs, renamed] = ["outputs", "renamed"].map((kind) => makeOutputs(words, kind));
  const message = h("p.readout", { role: "status" });

  const paintMap = (moved) => {
    const { masked, weights } = palette();
    const most = Math.max(...moved.flat());
    map.draw({
      labels: moved.map((_, i) => units.name(i)),
      rows: [{ at: units.row(), colour: variable("mark") }],
      pixel: (i, j) => (moved[i][j] ? weights[Math.round(40 + 215 * Math.sqrt(moved[i][j] / most))] : masked),
      sign: (i, j) => (moved[i][j] ? null : "0"),
    });
    if (!reading.textContent) read(null);
  };
  const paint = (/** @type {any} */ passed, depth) => {
    paintMap(passed.influence[depth - 1]);
    const largest = Math.max(...passed.outputs.flat().map(Math.abs));
    outputs.paint(
      passed.outputs,
      passed.order.map((_, i) => units.name(i)),
      largest,
    );
    renamed.paint(passed.renamed, passed.order.map(units.name), largest);
    const same = passed.order.every((unit, i) => unit === i);
    message.textContent = words("moved", {
      kind: same ? "none" : "some",
      moved: asNumber(passed.moved, 2),
      stayed: asNumber(passed.stayed, 2),
    });
  };
  const node = h(
    "div.measured",
    h("div.with-equation", h("h3", words("map")), panel.equation(0)),
    container,
    reading,
    h("div.strips", outputs.node, renamed.node),
    message,
  );
  return { node, paint };
};
