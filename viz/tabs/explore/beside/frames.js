// The pictures of the comparison: a map with its title and the name of its pass, and the scale of differences.

import { h } from "../../../browser/lib/base.js";
import { palette, signedAt } from "../../../browser/lib/colour.js";
import { makeHeatMap } from "../../../browser/lib/heat_map.js";
import { say } from "../../../browser/lib/messages.js";

export const LEAST = 0.02; // smallest end of the scale, as packed weights are no more exact
export const SAME = 1e-5; // a difference below it is rounding

/** Converts signed numbers to pixels: 0 is in the middle of the scale. */
export const diverging = (size) => {
  const { scores } = palette();
  return (value) => scores[signedAt(value / size)];
};

/** A picture at the end of `body`: {figure, about, canvas, draw}. */
export const makeFrame = (body, name, events) => {
  const label = say(`beside_${name}`);
  const [about, spot] = [h("p.quiet"), h("div.spot")];
  const figure = h("section.beside-part", { "data-part": name }, h("h3", label), about, spot);
  body.append(figure);
  const { canvas, draw } = makeHeatMap(spot, { label, ...events });
  return { figure, about, canvas, draw };
};
