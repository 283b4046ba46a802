// Two tables of models: the size of their caches with and without shared keys; and tiny models that differ in one
// change, with two larger ones of which one has all the changes.

import { h, sideways, tableHead, tableRow } from "../../../../browser/lib/base.js";
import { makeChart } from "../../../../browser/lib/chart.js";
import { asFixed, asNumber, asSigned, asWhole, inUnit } from "../../../../browser/lib/numbers.js";

const headOf = (words, ...names) => tableHead(...names.map((name) => name && words(name)));
const cell = (name, value, content) => h("td", { "data-value": value, "data-column": name }, content);

/** {node, paint(cached)}. */
export const makeCache = (section, { lengths }) => {
  const { words } = section;
  const length = section.slider("length", (value) => words("length_is", { t: lengths[value] }));
  const caches = h("tbody");
  const container = h("div.place");
  const node = h(
    "div.cache",
    h("div.asking", length.node),
    container,
    h("table", headOf(words, "", "heads_of", "kv_heads", "shared", "own", "less"), caches),
  );
  const bars = makeChart(container, { label: words("chart_cache") });
  const bytes = (count) => {
    const { value, unit } = inUnit(count);
    return words("bytes", { value: asNumber(value, 3), unit });
  };

  const paint = ({ chart: figures, names, heads, kv_heads: keys, shared, own, length }) => {
    const times = own.map((size, i) => size / shared[i]);
    bars.draw({ figures, keep: "cache", x: words("axis"), names: ["own", "shared"].map((name) => words(name)) });
    caches.replaceChildren(
      ...names.map((name, i) =>
        tableRow(
          { "data-model": name },
          name,
          cell("heads", heads[i], heads[i]),
          cell("kv_heads", keys[i], keys[i]),
          cell("shared", shared[i], bytes(shared[i])),
          cell("own", own[i], bytes(own[i])),
          cell("less", times[i], words("times", { times: asNumber(times[i], 3) })),
        ),
      ),
    );
    const most = times.indexOf(Math.max(...times));
    const values = { name: names[most], shared: bytes(shared[most]), own: bytes(own[most]) };
    section.showLesson(words("lesson_cache", { ...values, t: lengths[length] }));
  };
  return { node, paint };
};

const bestOf = (models) => [...models].sort((a, b) => a.bits - b.bits)[0];

/** {node, paint}. `family` has two lists of models, each with its baseline first: tiny ones, and larger ones. */
export const makeWorth = (section, { family }) => {
  const { words } = section;
  const line = ({ name, bits, parameters, seconds, cached }, _, models) =>
    tableRow(
      { "data-model": name, class: name === bestOf(models).name ? "best" : null },
      name,
      h("td.what", words(`what_${name.replaceAll(/[-/]/g, "_")}`)),
      cell("bits", bits, asFixed(bits, 4)),
      cell("gain", bits - models[0].bits, name === models[0].name ? "" : asSigned(bits - models[0].bits, 4)),
      cell("parameters", parameters, asWhole(parameters)),
      cell("seconds", seconds, words("seconds_of", { seconds: asWhole(seconds) })),
      cell("cached", cached, asWhole(cached)),
    );
  const table = h(
    "table",
    headOf(words, "", "what", "bits", "gain", "parameters", "seconds", "cached"),
    ...family.map((models) => h("tbody", ...models.map(line))),
  );
  const node = h("div.worth", sideways("scrolled", words("show_worth_hint"), table), h("p.source", words("alike")));
  const [[plain, ...tiny], [gpt, modern]] = family;
  const best = bestOf([plain, ...tiny]);
  const values = {
    ...{ name: best.name, bits: asFixed(best.bits, 2), plain: asFixed(plain.bits, 2) },
    ...{ larger: modern.name, its: asFixed(modern.bits, 2), gpt: gpt.name, theirs: asFixed(gpt.bits, 2) },
  };
  return { node, paint: () => section.showLesson(words("lesson_worth", values)) };
};
