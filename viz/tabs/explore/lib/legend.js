// The description of one cell of a map.

import { say } from "../../../browser/lib/messages.js";
import { asNumber } from "../../../browser/lib/numbers.js";
import { isPending, recompute, rowOf } from "./selection.js";

/** The weight and the score of a pair: {words, data}; a masked cell has neither, and says so. */
export const readingOf = (shown, query, key) => {
  const { map, exact, vectors } = shown;
  const weight = rowOf(shown, query)[key];
  const why = map.without(query, key, weight);
  if (why) return { words: say(why), data: { query, key, weight: why } };
  // at the most, the largest weight around it is known
  if (isPending(shown) || (!exact && map.pooled > 1)) return { words: "…", data: { query, key } };
  const data = { query, key, weight };
  if (!vectors)
    return { words: say("reading_weight", { weight: exact ? asNumber(weight) : `≈ ${asNumber(weight, 3)}` }), data };
  data.score = recompute(map, vectors).scores[map.starts[query] + key];
  return { words: say("reading_both", { weight: asNumber(weight), score: asNumber(data.score) }), data };
};
