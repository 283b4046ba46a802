// The permutation matrix: a row for each position, a column for each typed word, and a 1 where the word is.

import { eachFrame, h } from "../../browser/lib/base.js";
import { pixel, variable } from "../../browser/lib/colour.js";
import { makeHeatMap } from "../../browser/lib/heat_map.js";
import { say } from "../../browser/lib/messages.js";
import { makePanel, onAppearance } from "../../browser/lib/panel.js";
import { permuting } from "./lib/permuting.js";

const point = (at) => permuting.point(at && { word: permuting.order()[at.row] });

export const mount = ({ element }) => {
  const { body, foot } = makePanel(element, say("permute_matrix"));
  const readout = h("p.readout", { "aria-live": "polite" });
  const picture = makeHeatMap(body, { label: say("permute_matrix"), onpoint: point, onpick: () => {} });
  foot.append(permuting.bar(), readout);

  const paint = eachFrame(() => {
    const order = permuting.order();
    if (!order.length) return;
    const [none, stays, movedCell] = ["page", "accent", "mark"].map(pixel);
    const word = permuting.hover?.word;
    const to = order.indexOf(word);
    const colour = variable("text");
    picture.draw({
      labels: permuting.names(order),
      across: permuting.names([...order.keys()]),
      pixel: (row, column) => (order[row] !== column ? none : row === column ? stays : movedCell),
      rows: to < 0 ? [] : [{ at: to, colour }],
      columns: to < 0 ? [] : [{ at: word, colour }],
      at: to < 0 ? null : { row: to, column: word },
    });
    const ones = order.map((from, position) => `${position + 1}→${from + 1}`).join(" ");
    picture.canvas.setAttribute("aria-label", say("permute_matrix_label", { count: order.length, ones }));
    readout.textContent =
      to < 0
        ? say("permute_matrix_hint")
        : say("permute_matrix_row", { word: permuting.labels()[word], from: word + 1, to: to + 1 });
    element.dataset.order = order.join(".");
    element.dataset.rev = permuting.rev;
  });

  permuting.subscribe(element, (changed) => {
    if (["permuted", "order", "hover"].some((name) => changed.has(name))) paint();
  });
  onAppearance(paint);
};
