// The statistics of the selected map, and a sentence about them, shown at the top of the tab.

import { h } from "../../../browser/lib/base.js";
import { makeBar } from "../../../browser/lib/colour.js";
import { makeHint, term } from "../../../browser/lib/hint.js";
import { lessons } from "../../../browser/lib/lessons.js";
import { asText, say } from "../../../browser/lib/messages.js";
import { asFixed, asShare } from "../../../browser/lib/numbers.js";
import { makePanel } from "../../../browser/lib/panel.js";
import { distanceIn, habitOf, statisticsOf } from "../lib/habit.js";
import { isOff } from "../lib/pass.js";
import { afterMap, isPending, shownNow } from "../lib/selection.js";
import { store } from "../lib/store.js";

/** A row of the table, with a bar for a fraction; its name opens an explanation. */
const line = (name, word, value, part, beside) =>
  h(
    "div",
    h("dt", word),
    h("dd", { "data-statistic": name }, part == null ? null : h("span.bar", makeBar(part)), h("span", value)),
    beside ? h("dd.quiet", beside) : null,
  );

const hint = (name) => makeHint(say(`stat_${name}`), say(`stat_${name}_hint`));
const ON = ["pass", "map", "exact", "layer", "head", "of", "rev"];

export const mount = ({ element }) => {
  const { body } = makePanel(element, say("statistics"));
  const table = h("dl");
  const overlap = h("p.quiet", { hidden: true }, say("stat_overlap"));
  body.append(table, overlap);

  const paint = afterMap(() => {
    const shown = shownNow();
    if (!shown) return;
    element.classList.toggle("late", isPending(shown));
    if (isPending(shown)) return; // it describes another map
    const { map, of, layer, head } = shown;
    const described = statisticsOf(shown);
    const { sentences } = habitOf(shown);
    const off = of === "head" && isOff(store.header, map, layer, head);
    lessons.show("explore", asText([sentences, off && say("habit_off")]));
    element.hidden = !described; // the statistics are for self-attention
    element.dataset.rev = store.rev;
    if (element.hidden) return;
    const { statistics } = described;
    const { places, even } = map;
    table.replaceChildren(
      ...places.map((name) => {
        const { [name]: share, by } = statistics;
        return line(name, hint(name), asShare(share), share, name === "offset" && by ? distanceIn(by) : null);
      }),
      line(
        "entropy",
        term("entropy"),
        say("stat_bits", { value: asFixed(statistics.entropy, 2) }),
        null,
        say("stat_even", { value: asFixed(even.entropy, 2) }),
      ),
      line(
        "distance",
        hint("distance"),
        say("stat_tokens", { value: asFixed(statistics.distance, 1) }),
        null,
        say("stat_even", { value: asFixed(even.distance, 1) }),
      ),
    );
    overlap.hidden = places.reduce((sum, name) => sum + statistics[name], 0) <= 1.005;
  });
  store.subscribe(element, (changed) => ON.some((name) => changed.has(name)) && paint(changed));
};
