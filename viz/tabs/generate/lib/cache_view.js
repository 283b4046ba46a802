// The keys and values that a model caches while it writes, by heads and groups, and the time of a step with and without
// the cache: in panel "Key-value cache" of Generate for the written text, in Learn's "Generation" for a typed one.

import { answerTo, newest, whyNot } from "../../../browser/lib/ask.js";
import { h } from "../../../browser/lib/base.js";
import { makeBar } from "../../../browser/lib/colour.js";
import { say } from "../../../browser/lib/messages.js";
import { asNumber, inUnit } from "../../../browser/lib/numbers.js";

const bytes = (count) => {
  const { value, unit } = inUnit(count);
  return say("write_cache_bytes", { value: asNumber(value, 3), unit });
};

/** The heads of a layer: above those of queries, below those of keys and values that they share. */
const groups = ({ heads, key_heads: keys }) => {
  const row = (name, count, span) =>
    h(
      "div.heads",
      { style: `grid-template-columns: 6em repeat(${heads}, minmax(0, 1fr))` },
      h("span", say(`write_cache_${name}`)),
      ...Array.from({ length: count }, (_, i) => h("i", { class: name, style: `grid-column: span ${span}` }, i)),
    );
  return [row("queries", heads, 1), row("keys", keys, heads / keys)];
};

/**
 * ask(): the address of the question that measures a step, and its view.
 *
 * Returns {nodes: {now, kept, picture, shared, times, measure}, draw, clear}: draw(cache, tokens) shows a cache as
 * cache_facts describes it; null for a model without one; clear() removes the measurement, also one that is still to
 * come.
 *
 * @param {() => [string, object]} ask
 */
export const makeCacheView = (ask) => {
  const [kept, now, shared] = ["kept", "now", "shared"].map((name) => h("p", { class: name }));
  const picture = h("div.groups", { "aria-hidden": "true" });
  const times = h("div.times", { role: "status" });
  let measured = 0; // part of the question, so that the answer is never an earlier measurement
  const step = newest({
    take: (result) => {
      const most = Math.max(...result.seconds);
      const line = (name, i) =>
        h(
          "p",
          { "data-time": name },
          h("span", say(`write_cache_${name}`, { tokens: result.tokens })),
          h("span.bar", makeBar(result.seconds[i] / most)),
          h("b", say("write_cache_ms", { ms: asNumber(1000 * result.seconds[i], 2) })),
        );
      times.replaceChildren(...["with", "without"].map(line));
    },
    fail: (error) => (times.textContent = whyNot(error)),
  });
  const onclick = () => {
    const [path, view] = ask();
    step.ask(++measured, (signal) => answerTo(path, { ...view, measured }, signal));
  };
  const measure = h("button", { title: say("write_cache_measure_hint"), onclick }, say("write_cache_measure"));

  const draw = (cache, tokens) => {
    measure.hidden = !cache;
    picture.replaceChildren(...(cache ? groups(cache) : []));
    kept.textContent = cache
      ? say("write_cache_kept", { ...cache, keys: cache.key_heads, bytes: bytes(cache.bytes) })
      : say("write_cache_none");
    const own = cache && bytes((cache.bytes * cache.heads) / cache.key_heads);
    shared.textContent =
      cache?.heads > cache?.key_heads
        ? say("write_cache_shared", { heads: cache.heads, keys: cache.key_heads, own })
        : "";
    now.textContent = cache && tokens ? say("write_cache_now", { tokens, bytes: bytes(tokens * cache.bytes) }) : "";
  };
  const clear = () => {
    step.stop();
    times.replaceChildren();
  };
  return { nodes: { now, kept, picture, shared, times, measure }, draw, clear };
};
