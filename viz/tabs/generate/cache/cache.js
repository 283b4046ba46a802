// The key-value cache: what the model keeps after each token, by heads and groups, and how long a step takes with it
// and without it, measured where the model runs.

import { answerTo, newest, whyNot } from "../../../browser/lib/ask.js";
import { eachFrame, h } from "../../../browser/lib/base.js";
import { makeBar } from "../../../browser/lib/colour.js";
import { say } from "../../../browser/lib/messages.js";
import { asNumber } from "../../../browser/lib/numbers.js";
import { makePanel } from "../../../browser/lib/panel.js";
import { writing } from "../lib/writing.js";

const bytes = (count) => {
  const unit = Math.max(0, Math.floor(Math.log10(count) / 3 + 1e-9));
  return say("write_cache_bytes", { value: asNumber(count / 1000 ** unit, 3), unit });
};

/** The heads of a layer: above those of queries, below those of keys and values that they share. */
const groups = ({ heads, key_heads: keys }) => {
  const row = (name, count, span) =>
    h(
      "div",
      { class: "heads", style: `grid-template-columns: 6em repeat(${heads}, minmax(0, 1fr))` },
      h("span", {}, say(`write_cache_${name}`)),
      ...Array.from({ length: count }, (_, i) => h("i", { class: name, style: `grid-column: span ${span}` }, i)),
    );
  return [row("queries", heads, 1), row("keys", keys, heads / keys)];
};

export const mount = ({ element }) => {
  const { tools, body, foot } = makePanel(element, say("write_cache_title"));
  const [kept, now, shared] = ["kept", "now", "shared"].map((name) => h("p", { class: name }));
  const picture = h("div", { class: "groups", "aria-hidden": "true" });
  const times = h("div", { class: "times", role: "status" });
  body.append(now, kept, picture, shared);
  foot.append(times);
  let measured = 0; // asked as a new question each time
  let measuredAt = null; // the node
  const step = newest({
    take: (found) => {
      const most = Math.max(...found.seconds);
      const line = (name, i) =>
        h(
          "p",
          { "data-time": name },
          h("span", {}, say(`write_cache_${name}`, { tokens: found.tokens })),
          h("span", { class: "bar" }, makeBar(found.seconds[i] / most)),
          h("b", {}, say("write_cache_ms", { ms: asNumber(1000 * found.seconds[i], 2) })),
        );
      times.replaceChildren(...["with", "without"].map(line));
    },
    fail: (error) => (times.textContent = whyNot(error)),
  });
  const measure = h(
    "button",
    {
      title: say("write_cache_measure_hint"),
      onclick: () => {
        measuredAt = writing.cursor;
        step.ask(++measured, (signal) => answerTo("/ask/cache/step", writing.order(0, []), signal));
      },
    },
    say("write_cache_measure"),
  );
  tools.append(measure);

  let model = "";
  const paint = eachFrame(() => {
    const { cache, layers } = writing.models[writing.settings.model] ?? {};
    if (model !== writing.settings.model) {
      model = writing.settings.model;
      measure.hidden = !cache;
      picture.replaceChildren(...(cache ? groups(cache) : []));
      kept.textContent = cache
        ? say("write_cache_kept", { ...cache, keys: cache.key_heads, layers, bytes: bytes(cache.bytes) })
        : say("write_cache_none");
      const own = cache && (cache.bytes * cache.heads) / cache.key_heads;
      shared.textContent =
        cache && cache.heads > cache.key_heads
          ? say("write_cache_shared", { heads: cache.heads, keys: cache.key_heads, own: bytes(own) })
          : "";
    }
    const { state, depth } = writing.shown();
    const tokens = (writing.branches.root.state?.labels.length ?? 0) + depth - (state?.start ?? 0);
    now.textContent = cache && tokens ? say("write_cache_now", { tokens, bytes: bytes(tokens * cache.bytes) }) : "";
    element.dataset.bytes = cache ? tokens * cache.bytes : 0;
    element.dataset.rev = writing.rev;
  });

  writing.subscribe(element, (changed) => {
    if (measuredAt !== writing.cursor) times.replaceChildren(); // on another text
    if (["models", "model", "text", "hover"].some((name) => changed.has(name))) paint();
  });
};
