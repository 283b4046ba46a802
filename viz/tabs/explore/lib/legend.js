// The legend next to a map, and the description of one cell.

import { h, isDark } from "../../../browser/lib/base.js";
import { gradient, palette, variable } from "../../../browser/lib/colour.js";
import { say } from "../../../browser/lib/messages.js";
import { asFixed, asNumber, asSigned } from "../../../browser/lib/numbers.js";
import { isPending, recompute, rowOf } from "./selection.js";

/** A colour legend in `container`. Returns a function to call with the mode, the scale, the size of the scores, and
 *  {hides, skipped, padded}: whether a mask hides cells, whether it leaves some out, and whether as padding. */
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

/** The weight and the score of a pair: {words, data}; a masked cell has neither, and says so. */
export const readingOf = (shown, query, key) => {
  const { map, exact, vectors } = shown;
  const why = map.without(query, key);
  if (why) return { words: say(why), data: { query, key, weight: why } };
  const weight = rowOf(shown, query)[key];
  // at the most, the largest weight around it is known
  if (isPending(shown) || (!exact && map.pooled > 1)) return { words: "…", data: { query, key } };
  const data = { query, key, weight };
  if (!vectors)
    return { words: say("reading_weight", { weight: exact ? asNumber(weight) : `≈ ${asNumber(weight, 3)}` }), data };
  data.score = recompute(map, vectors).scores[map.rowStart(query) + key];
  return { words: say("reading_both", { weight: asNumber(weight), score: asNumber(data.score) }), data };
};
