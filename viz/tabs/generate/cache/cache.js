// The key-value cache of the text that is written, measured where the model runs.

import { eachFrame } from "../../../browser/lib/base.js";
import { say } from "../../../browser/lib/messages.js";
import { makePanel } from "../../../browser/lib/panel.js";
import { makeCacheView } from "../lib/cache_view.js";
import { writing } from "../lib/writing.js";

export const mount = ({ element }) => {
  const { tools, body, foot } = makePanel(element, say("write_cache_title"));
  let measuredAt = null; // the node
  const view = makeCacheView(() => {
    measuredAt = writing.cursor;
    return ["/ask/cache/step", writing.order(0, [])];
  });
  const { now, kept, picture, shared, times, measure } = view.nodes;
  tools.append(measure);
  body.append(now, kept, picture, shared);
  foot.append(times);

  const paint = eachFrame(() => {
    const { cache } = writing.models[writing.settings.model] ?? {};
    const { state, depth } = writing.shown();
    const tokens = (writing.branches.root.state?.labels.length ?? 0) + depth - (state?.start ?? 0);
    view.draw(cache, tokens);
    element.dataset.bytes = cache ? tokens * cache.bytes : 0;
    element.dataset.rev = writing.rev;
  });

  writing.subscribe(element, (changed) => {
    if (measuredAt !== writing.cursor) view.clear(); // on another text
    if (["models", "model", "text", "hover"].some((name) => changed.has(name))) paint();
  });
};
