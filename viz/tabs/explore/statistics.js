// What the chosen map does, in numbers; and in a sentence made from them, which the tab says above.
const { h, say, store, share } = former;
const { body } = former.panel(element, say("statistics"));
const table = h("dl");
const overlap = h("p", { class: "quiet", hidden: true }, say("stat_overlap"));
body.append(table, overlap);

/** A line of the table, with a bar where the number is a part of a whole; its name opens what it is. */
const line = (name, word, value, part, beside) =>
  h(
    "div",
    {},
    h("dt", {}, word),
    h("dd", { "data-statistic": name }, part == null ? null : h("span", { class: "bar" }, former.bar(part)), h("span", {}, value)),
    beside ? h("dd", { class: "quiet" }, beside) : null,
  );
const hint = (name) => former.hint(say(`stat_${name}`), say(`stat_${name}_hint`));

const paint = former.afterMap(() => {
  const shown = former.shown();
  if (!shown) return;
  const { map, of, layer, head } = shown;
  const statistics = former.measured(map, of, layer, head);
  const { kind, sentences } = former.habit(map, of, layer, head);
  former.lessons.tell("explore", sentences);
  element.hidden = !statistics; // what is said here is of a text that looks at itself
  element.dataset.habit = kind;
  element.dataset.rev = store.rev;
  if (element.hidden) return;
  const places = former.places(map);
  const { even } = map.statistics;
  table.replaceChildren(
    ...places.map((name) => line(name, hint(name), share(statistics[name]), statistics[name])),
    line("entropy", former.term("entropy"), say("stat_bits", { value: former.fixed(statistics.entropy, 2) }), null, say("stat_even", { value: former.fixed(even.entropy, 2) })),
    line("distance", hint("distance"), say("stat_tokens", { value: former.fixed(statistics.distance, 1) }), null, say("stat_even", { value: former.fixed(even.distance, 1) })),
  );
  overlap.hidden = places.reduce((sum, name) => sum + statistics[name], 0) <= 1.005;
});
const ON = ["pass", "map", "layer", "head", "of", "rev"];
store.subscribe(element, (changed) => ON.some((name) => changed.has(name)) && paint(changed));
