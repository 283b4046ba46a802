// The legend of a map's colours.

import { h, isDark } from "../base.js";
import { gradient, palette, variable } from "../colour.js";
import { say } from "../messages.js";
import { asFixed, asSigned } from "../numbers.js";

/** A colour legend in `container`. Returns a function to call with the mode, the scale, the size of the scores, and
 *  {hides, skipped, padded}: whether a mask hides cells, whether it leaves some out, and whether as padding.
 *  @type {(container: Element) => (mode: "weights" | "scores", scale: string, size: number, map: any) => void} */
export const makeLegend = (container) => {
  const [low, bar, high, masked, skipped] = ["span", "i", "span", "span", "span"].map((tag) => h(tag));
  const legend = h("div.legend", low, bar, high, masked, skipped);
  container.append(legend);
  let drawn = "";
  return (mode, scale, size, { hides, skipped: some, padded }) => {
    const left = Boolean(some && !padded);
    const now = [mode, scale, size, hides, left, isDark()].join();
    if (now === drawn) return;
    drawn = now;
    const table = palette()[mode];
    bar.style.background = gradient(table);
    low.textContent = mode === "scores" ? asFixed(-size, 1) : "0";
    high.textContent = mode === "scores" ? say("scores_most", { most: asSigned(size, 1) }) : say(`scale_${scale}_end`);
    masked.replaceChildren(h("i.masked"), say("masked_short"));
    masked.hidden = !hides;
    skipped.replaceChildren(h("i.masked", { style: `background:${variable("skipped")}` }), say("skipped_short"));
    skipped.hidden = !left;
  };
};
