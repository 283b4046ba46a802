// What the chosen map does: one sentence made from its numbers, and the numbers.
const { h, say, store, eachFrame, share } = former;
const { body } = former.panel(element, say("statistics"));
const sentence = h("p", { class: "sentence", "aria-live": "polite" });
const table = h("dl");
body.append(sentence, table);

/** A line of the table, with a bar where the number is a part of a whole. */
const line = (name, value, part, beside) =>
  h(
    "div",
    { title: say(`stat_${name}_hint`) },
    h("dt", {}, say(`stat_${name}`)),
    h("dd", { "data-statistic": name }, part == null ? null : h("span", { class: "bar" }, former.bar(part)), h("span", {}, value)),
    beside ? h("dd", { class: "quiet" }, beside) : null,
  );

const paint = eachFrame(() => {
  const shown = former.shown();
  if (!shown) return;
  const { map, of, layer, head } = shown;
  element.hidden = !map.square; // what is said here is of a text that looks at itself
  element.dataset.rev = store.rev;
  if (element.hidden) return;
  const statistics = of === "head" ? former.statisticsOf(map, layer, head) : former.measure(shown);
  const even = former.even(map);
  const habit = former.habit(statistics, even);
  sentence.textContent = `${say(`subject_${of}`, { layer, head })} ${habit.words}`;
  sentence.dataset.habit = habit.kind;
  former.lessons.tell("explore", say(`lesson_explore_${of}`, { layer, head, habit: habit.words }));
  const { entropy, distance, previous, first, self } = statistics;
  const parts = { previous, first, self };
  table.replaceChildren(
    ...Object.entries(parts).map(([name, part]) => line(name, share(part), part)),
    line("entropy", say("stat_bits", { value: entropy.toFixed(2) }), null, say("stat_even", { value: even.entropy.toFixed(2) })),
    line("distance", say("stat_tokens", { value: distance.toFixed(1) }), null, say("stat_even", { value: even.distance.toFixed(1) })),
  );
});
const ON = ["pass", "map", "layer", "head", "of", "rev"];
store.subscribe(element, (changed) => ON.some((name) => changed.has(name)) && paint());
