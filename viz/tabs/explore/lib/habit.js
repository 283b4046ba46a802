// Describes a head in words, from the statistics of viz/passes/habits.py.

import { asList, asText, say } from "../../../browser/lib/messages.js";
import { asFixed, asShare } from "../../../browser/lib/numbers.js";

const PLACES = ["copying", "same", "next", "previous", "self", "first"];

/** The part of a nested list that belongs to the view: a head, or a layer's mean or rollout. */
const at = (values, of, layer, head) => (of === "head" ? values[layer][head] : values[layer]);

/** The statistics of the view by name; null for a map whose queries are not its keys. */
export const measured = (map, of, layer, head) =>
  map.statistics &&
  Object.fromEntries(Object.entries(map.statistics[of]).map(([name, values]) => [name, at(values, of, layer, head)]));

/** The named positions that a map has: under a causal mask there is no next token to attend to. */
export const placesOf = (map) => PLACES.filter((name) => name !== "next" || map.statistics.even.next > 0);

/** Returns {kind, sentences, short}: the habit of the view and the runner-up, in whole sentences and in a few words. */
export const habitOf = (map, of, layer, head) => {
  const statistics = measured(map, of, layer, head);
  if (map.memory) {
    const values = {
      who: { key: `who_${of}`, values: { layer, head } },
      share: asShare(at(map.sharpness[of], of, layer, head)),
      memory: asShare(at(map.memory[of], of, layer, head)),
    };
    return { kind: "memory", sentences: say("habit_memory", values), short: say("short_memory", values) };
  }
  if (!statistics) {
    const values = {
      who: { key: `who_${of}`, values: { layer, head } },
      share: asShare(at(map.sharpness[of], of, layer, head)),
    };
    return { kind: "across", sentences: say("habit_across", values), short: say("short_across", values) };
  }
  const { even } = map.statistics;
  const [kind, second] = at(map.habits[of], of, layer, head);
  const values = {
    who: { key: `who_${of}`, values: { layer, head } },
    share: asShare(statistics[kind] ?? 0),
    entropy: asFixed(statistics.entropy, 2),
    most: asFixed(even.entropy, 2),
    among: asFixed(2 ** statistics.entropy, 1),
    distance: asFixed(statistics.distance, 1),
  };
  const seconds = second ? [{ place: second, share: asShare(statistics[second]) }] : [];
  return {
    kind,
    sentences: asText([
      say(`habit_${kind}`, values),
      ...seconds.map((values) => say(kind === "mixed" ? "habit_most" : "habit_second", values)),
    ]),
    short: asList([say(`short_${kind}`, values), ...seconds.map((values) => say(`short_${values.place}`, values))]),
  };
};
