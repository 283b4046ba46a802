// Describes a head in words, from the statistics of viz/passes/habits.py.

import { asList, asText, inQuotes, say } from "../../../browser/lib/messages.js";
import { asFixed, asShare } from "../../../browser/lib/numbers.js";

const COMPARED = ["copying", "same", "elsewhere"]; // shares of only those queries whose token occurs elsewhere too

/** The part of a nested list that belongs to a head, or to a layer's mean. */
const at = (values, { of, layer, head }) => (of === "head" ? values[layer][head] : values[layer]);

/** {statistics: by name, habits: the view's habit}, those of a mean or a rollout from its exact values; null for a map
 *  whose queries are not its keys. */
export const statisticsOf = ({ map, of, layer, head, exact }) => {
  if (!map.statistics) return null;
  if (of !== "head") return exact.described;
  const each = Object.entries(map.statistics).map(([name, values]) => [name, values[layer][head]]);
  return { statistics: Object.fromEntries(each), habits: map.habits[layer][head] };
};

/** The words for the token that a statistic is about; `by` is the distance of "offset". */
const placeName = (name, by) => ({ key: `at_${name}`, values: distance(by) });
const distance = (by) => ({ count: Math.abs(by), side: by < 0 ? "back" : "ahead" });
const inShort = (name, by, share) =>
  say("short_at", { target: name === "offset" ? distanceIn(by) : say(`stat_${name}`), share });

/** The distance of "offset" in words: "2 back". */
export const distanceIn = (by) => say("stat_by", distance(by));

/** Returns {kind, sentences, short}: the habit of a view like shownNow and the runner-up, in whole sentences and in a
 *  few words. A mean or a rollout must have its exact values. */
export const habitOf = (shown) => {
  const { map, of, layer, head } = shown;
  const who = { key: `who_${of}`, values: { layer, head } };
  if (!map.statistics) {
    const kind = map.memory ? "memory" : "across";
    const share = asShare(at(map.sharpness[of], shown));
    const values = { who, share, memory: map.memory && asShare(at(map.memory[of], shown)) };
    return { kind, sentences: say(`habit_${kind}`, values), short: say(`short_${kind}`, values) };
  }
  const { statistics, habits } = statisticsOf(shown);
  const { entropy, distance, by, ...shares } = statistics;
  const [kind, second, share, most] = habits;
  const tokens = asList(most.map(([i, share]) => `${inQuotes(map.keys[i])} ${asShare(share)}`));
  const values = {
    who,
    at: placeName(kind, by),
    share: asShare(shares[kind] ?? 0),
    entropy: asFixed(entropy, 2),
    most: asFixed(map.even.entropy, 2),
    among: asFixed(2 ** entropy, 1),
    distance: asFixed(distance, 1),
    tokens,
  };
  const own = kind in shares;
  const sentences = [say(own && !COMPARED.includes(kind) ? "habit_at" : `habit_${kind}`, values)];
  const short = [own ? inShort(kind, by, values.share) : say(tokens ? "short_most" : `short_${kind}`, values)];
  if (tokens) sentences.push(say("habit_most", values));
  else if (second) {
    const others = COMPARED.includes(kind) && !COMPARED.includes(second);
    sentences.push(say(others ? "habit_others" : "habit_second", { at: placeName(second, by), share: asShare(share) }));
    const next = inShort(second, by, asShare(share));
    short.push(others ? say("short_others", { short: next }) : next);
  }
  return { kind, sentences: asText(sentences), short: asList(short) };
};
