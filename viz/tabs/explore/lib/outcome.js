// A probability as one line: label, bar and number; under edits, before and after.

import { h, tableHead, tableRow } from "../../../browser/lib/base.js";
import { barLine, makeBar } from "../../../browser/lib/colour.js";
import { say } from "../../../browser/lib/messages.js";
import { asShare } from "../../../browser/lib/numbers.js";
import { outcomeInWords } from "./labels.js";

/** "12 %", or "12 % → 30 %" where edits changed it. */
export const changeOf = (before, after, write = asShare) => {
  if (before == null || write(before) === write(after)) return write(after);
  return h("span", h("span.before", write(before)), " → ", h("b", write(after)));
};

/** A label, its bar (and the bar before the edits), the number, and what else is in the line. */
export const outcome = (label, before, after, largest, chosen, more = null) =>
  h(
    "div",
    { class: chosen ? "row chosen" : "row" },
    ...barLine(
      label,
      [makeBar(after / largest, "after"), before == null ? null : makeBar(before / largest, "was")],
      changeOf(before, after),
    ),
    more,
  );

/** Lines for at most ten candidates [{id, label, prob}], those with the largest probability in either run first;
 *  more(candidate) is added to each. */
export const outcomes = (candidates, baseline, more = (_) => null) => {
  const before = new Map((baseline ?? []).map(({ id, prob }) => [id, prob]));
  const most = ({ id, prob }) => Math.max(prob, before.get(id) ?? 0);
  const named = [...candidates].sort((a, b) => most(b) - most(a)).slice(0, 10);
  const largest = Math.max(...named.map(most), 0.05);
  return named.map((each) =>
    outcome(each.label, before.get(each.id), each.prob, largest, each.id === candidates[0].id, more(each)),
  );
};

/** The legend of the two bars; null without edits. */
export const outcomeLegend = ({ baseline }) =>
  baseline ? h("p.quiet.legend", h("i.was"), say("before_edits"), h("i.after"), say("after_edits")) : null;

/** The content of a table: the probability of each outcome in the current pass, in the same with a part of the pinned
 *  pass, and in the pinned pass. */
export const comparison = ({ names, before, probs, pinned }) => {
  const number = (value, kind) => h("td", h("span.number", asShare(value)), makeBar(value, kind));
  const rows = names.map(outcomeInWords).map((name, i) => {
    const numbers = [number(before[i], "before"), number(probs[i], ""), number(pinned[i], "before")];
    return tableRow({ title: name }, name, ...numbers);
  });
  const heads = ["carry_without", "carry_carried", "carry_pinned"].map((key) => say(key));
  return [tableHead("", ...heads), h("tbody", ...rows)];
};
