// Two norms of one vector, and the gate of a feed-forward, in numbers.

import { h, sideways } from "../../../../browser/lib/base.js";
import { asFixed, asShare, asSigned, asWhole } from "../../../../browser/lib/numbers.js";
import { numbersTable } from "../../lib/numbers_table.js";

/** {node, paint(normed)}. */
export const makeNorm = (section, { models }) => {
  const { words, panel } = section;
  const added = section.slider("added", (value) => asSigned(value, 1));
  const vector = numbersTable(words("vector", { model: models.norm }));
  const status = h("p.result", { role: "status" });
  const node = h(
    "div.norm",
    h("div.asking", added.node),
    sideways("scrolled", words("show_norm_hint"), vector.node),
    panel.equation(1),
    status,
  );
  const paint = (normed) => {
    vector.draw({
      rows: ["x", "layer", "rms"].map((name) => words(`row_${name}`)),
      columns: normed.names.map((i) => asWhole(i + 1)),
      values: normed.shown,
      scale: "scores",
    });
    const by = { layer: asFixed(normed.moved_layer, 2), rms: asFixed(normed.moved_rms, 2) };
    const values = { mean: asFixed(normed.mean, 2), size: asFixed(normed.size, 2), ...by };
    status.textContent = words("moved", values);
    Object.assign(status.dataset, { layer: normed.moved_layer, rms: normed.moved_rms });
    section.showLesson(words("lesson_norm", values));
  };

  return { node, paint };
};

/** {node, paint(gated)}. */
export const makeGate = (section, { models }) => {
  const { words, panel } = section;
  const gates = numbersTable(words("gates", { model: models.gate }));
  const closed = h("p.result", { role: "status" });
  const node = h("div.gate", h("div.with-equation", gates.node, panel.equation(2)), closed);
  const paint = (gated) => {
    gates.draw({
      rows: gated.top.map((i) => words("number", { i: i + 1 })),
      columns: ["gate", "open", "up", "hidden"].map((name) => words(`column_${name}`)),
      values: gated.rows,
      scale: "scores",
    });
    const values = { token: gated.labels[gated.at], share: asShare(gated.closed) };
    closed.textContent = words("closed", values);
    section.showLesson(words("lesson_gate", values));
  };

  return { node, paint };
};
