// A probability as a line: its label, its bar, the number; under edits, before and after. Adds former.change,
// former.outcome, former.outcomes and former.outcomeLegend.
(() => {
  const former = window.former;
  const { h, share } = former;

  /** "12 %", or "12 % → 30 %" where edits changed it. */
  former.change = (before, after, write = share) => {
    if (before == null || write(before) === write(after)) return write(after);
    return h("span", {}, h("span", { class: "before" }, write(before)), " → ", h("b", {}, write(after)));
  };

  /** A label, its bar (and that of before the edits), and the number. */
  former.outcome = (label, before, after, largest, chosen) =>
    h("div", { class: chosen ? "row chosen" : "row" },
      h("span", { class: "label", title: label }, label),
      h("span", { class: "bars", "aria-hidden": "true" }, former.bar(after / largest, "after"), before == null ? null : former.bar(before / largest, "was")),
      h("span", { class: "number" }, former.change(before, after)));

  /** Lines for candidates [{id, label, prob}], at most ten, the likeliest in either run first. */
  former.outcomes = (candidates, baseline) => {
    const before = new Map((baseline ?? []).map(({ id, prob }) => [id, prob]));
    const most = ({ id, prob }) => Math.max(prob, before.get(id) ?? 0);
    const named = [...candidates].sort((a, b) => most(b) - most(a)).slice(0, 10);
    const largest = Math.max(...named.map(most), 0.05);
    return named.map(({ id, label, prob }) => former.outcome(label, before.get(id), prob, largest, id === candidates[0].id));
  };

  /** What the colours of two bars mean; null without edits. */
  former.outcomeLegend = ({ baseline }) =>
    baseline ? h("p", { class: "quiet legend" }, h("i", { class: "was" }), former.say("before_edits"), h("i", { class: "after" }), former.say("after_edits")) : null;
})();
