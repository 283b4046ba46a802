// What the model says: the next byte of a generator, the verdict of a classifier. Under edits, before and after.
const { h, say, store, share } = former;
const { title, body } = former.panel(element, say("prediction"));

/** "12 %", or "12 % → 30 %" where edits changed it. */
const change = (before, after, write = share) => {
  if (before == null || write(before) === write(after)) return write(after);
  return h("span", {}, h("span", { class: "before" }, write(before)), " → ", h("b", {}, write(after)));
};

/** A label, its bar (and that of before the edits), and the number. */
const row = (label, before, after, largest, chosen) =>
  h("div", { class: chosen ? "row chosen" : "row" },
    h("span", { class: "label", title: label }, label),
    h("span", { class: "bars", "aria-hidden": "true" }, former.bar(after / largest, "after"), before == null ? null : former.bar(before / largest, "was")),
    h("span", { class: "number" }, change(before, after)));

const bits = (value) => (value == null ? "–" : value.toFixed(3));

/** What an encoder-decoder answers; where an answer was typed, that one and its own. */
const told = ({ own, typed }) =>
  h("p", { class: "answer" },
    say(typed === null ? "answer_own" : "answer_typed"), " ", h("b", {}, typed ?? own), " ",
    h("span", { class: "quiet" }, typed === null ? say("answer_hint") : say("answer_instead", { text: own })));

const generator = ({ output, baseline, unit, answer }) => {
  title.textContent = say("prediction_next");
  const before = new Map((baseline?.next ?? []).map(({ id, prob }) => [id, prob]));
  const most = ({ id, prob }) => Math.max(prob, before.get(id) ?? 0);
  const named = [...output.next].sort((a, b) => most(b) - most(a)).slice(0, 10);
  const largest = Math.max(...named.map(most), 0.05);
  const rows = named.map(({ id, label, prob }) => row(label, before.get(id), prob, largest, id === output.next[0].id));
  const moved = baseline && output.bitsPerToken != null ? output.bitsPerToken - baseline.bitsPerToken : 0;
  const verdict = Math.abs(moved) < 0.0005 ? "" : say(moved > 0 ? "bits_worse" : "bits_better", { by: Math.abs(moved).toFixed(3) });
  return [
    answer && told(answer),
    h("div", { class: "rows", role: "group", "aria-label": say("prediction_next") }, ...rows),
    h("p", { class: "total" }, say(`bits_per_${unit}`), " ", h("span", { class: "number" }, change(baseline?.bitsPerToken, output.bitsPerToken, bits)), verdict && ` ${verdict}`),
  ].filter(Boolean);
};

const classifier = ({ output, baseline }) => {
  title.textContent = say("prediction_verdict");
  const { classes, probs } = output;
  const chosen = probs.indexOf(Math.max(...probs));
  const was = baseline && baseline.probs.indexOf(Math.max(...baseline.probs));
  const turned = baseline && was !== chosen;
  return [
    h("p", { class: "verdict" },
      turned ? h("span", { class: "before" }, classes[was], " ") : null, turned ? "→ " : null,
      h("b", {}, classes[chosen]), " ", h("span", { class: "number" }, change(baseline?.probs[chosen], probs[chosen]))),
    h("div", { class: "rows" }, ...classes.map((label, i) => row(label, baseline?.probs[i], probs[i], 1, i === chosen))),
  ];
};

store.subscribe(element, (changed) => {
  if (!changed.has("pass") || !store.pass) return;
  const { header } = store.pass;
  const compared = header.baseline ? h("p", { class: "quiet legend" }, h("i", { class: "was" }), say("before_edits"), h("i", { class: "after" }), say("after_edits")) : null;
  body.replaceChildren(...[...(header.kind === "classifier" ? classifier(header) : generator(header)), compared].filter(Boolean));
  element.dataset.rev = store.rev;
});
