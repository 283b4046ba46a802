// What models have changed since the article: a query and a key that positions turn, two norms of one vector, the gate
// of a feed-forward, the size of the cache with shared keys, and a table of tiny models that differ in one of these.

import { eachFrame, h, tableHead, tableRow } from "../../../../browser/lib/base.js";
import { makeChart } from "../../../../browser/lib/chart.js";
import { asFixed, asNumber, asShare, asSigned, asWhole } from "../../../../browser/lib/numbers.js";
import { numbersTable } from "../../lib/numbers_table.js";
import { makePlane } from "../../lib/plane.js";

const SHOWS = ["rotary", "norm", "gate", "cache", "worth"];
const READING = ["rotary", "norm", "gate"]; // those that read a text
const DEGREES = 180 / Math.PI;
const mostOf = (rows) => Math.max(...rows.flat().map(Math.abs), 1e-9);

export const mount = (section, props) => {
  const { words, panel } = section;
  const demo = section.demo(
    {
      show: { initial: "rotary", choices: SHOWS },
      text: { initial: props.text, longest: 1000 },
      at: { initial: 20, min: 0, max: props.most - 1 },
      back: { initial: 1, min: 0, max: props.most - 1 },
      head: { initial: 0, min: 0, max: props.heads - 1 },
      plane: { initial: 1, min: 0, max: props.planes - 1 },
      shift: { initial: 0, min: 0, max: props.shifts },
      added: { initial: 0, min: -props.added, max: props.added, step: 0.1 },
      length: { initial: 3, min: 0, max: props.lengths.length - 1 },
    },
    {
      turned: ["text", "at", "back", "head", "shift"],
      normed: ["text", "at", "added"],
      gated: ["text", "at"],
      cached: ["length"],
    },
  );
  const show = section.choice("show", SHOWS);
  const text = section.line("text", words("field", { most: props.most }));
  panel.tools.append(show.node, text.node);

  const part = (name, ...children) => h("div", { class: name, "data-part": name }, ...children);
  const scrolled = (label, table) => h("div.scrolled", { tabindex: 0, role: "region", "aria-label": label }, table);
  const head = (...names) => tableHead(...names.map((name) => name && words(name)));
  const cell = (name, value, painters) => h("td", { "data-value": value, "data-column": name }, painters);

  const tokens = h("ol.tokens", { "aria-label": words("tokens") });
  const paintTokens = ({ labels, at, back = 0 }) => {
    const focused = document.activeElement?.dataset.token;
    const button = (label, i) =>
      h(
        "button",
        {
          "data-token": i,
          "aria-pressed": `${i === at}`,
          "aria-label": words("token", { label, place: i }),
          class: back && i === at - back ? "key" : null,
          onclick: () => demo.set({ at: i }),
        },
        label,
      );
    tokens.replaceChildren(...labels.map((label, i) => h("li", button(label, i))));
    if (focused !== undefined) tokens.children[focused]?.firstChild.focus();
  };

  // --- rotary positions ----------------------------------------------------------------------------------------------

  const [headOf, back] = ["head", "back"].map((name) => section.stepper(name));
  const shift = section.slider("shift", (value) => words("places", { count: value }));
  const planePlace = h("div");
  const plane = makePlane(planePlace, { label: words("plane"), reach: 1, ondrag: () => {} });
  const onPlane = (i) => words("plane_hint", { plane: i + 1 });
  const parts = numbersTable(words("parts"), { onrow: (i) => demo.set({ plane: i }), sayRow: onPlane });
  const curve = h("div.place");
  const scored = h("p.result", { role: "status" });
  const inRotary = part(
    "rotary",
    h("div.asking", headOf.node, back.node, shift.node),
    h("div.turning", planePlace, parts.node, curve),
    h("div.with-equation", scored, panel.equation(0)),
  );
  const chart = makeChart(curve, { label: words("curve") });

  const paintTurned = (turned) => {
    const longest = Math.max(...turned.planes.flat().map(([x, y]) => Math.hypot(x, y)), 1e-9);
    const arrows = turned.planes[demo.view.plane].map((tip, i) => ({
      id: `arrow${i}`,
      to: tip.map((value) => value / longest),
      hue: [3, 1][i],
      label: "qk"[i],
    }));
    plane.draw({ arrows });
    parts.draw({
      rows: turned.angles.map((angle, i) => words("angle", { plane: i + 1, degrees: asNumber(angle * DEGREES, 3) })),
      columns: [words("part")],
      values: turned.parts.map((value) => [value]),
      scale: "scores",
      most: mostOf(turned.parts),
      chosen: demo.view.plane,
    });
    chart.draw({
      figures: turned.chart,
      keep: `${demo.view.text} ${turned.at} ${turned.key} ${demo.view.head}`,
      ...{ x: words("distance"), y: words("score") },
    });
    const { labels, at, key, distance, moved } = turned;
    const values = { query: labels[at], key: labels[key], count: distance, score: asSigned(moved, 3) };
    scored.textContent = words("scored", { ...values, at: at + demo.view.shift, place: key + demo.view.shift });
    Object.assign(scored.dataset, { moved, score: turned.score });
    section.tell(words("lesson_rotary", values));
  };

  // --- norms and the gate --------------------------------------------------------------------------------------------

  const added = section.slider("added", (value) => asSigned(value, 1));
  const vector = numbersTable(words("vector", { model: props.models.norm }));
  const moved = h("p.result", { role: "status" });
  const inNorm = part(
    "norm",
    h("div.asking", added.node),
    scrolled(words("show_norm_hint"), vector.node),
    panel.equation(1),
    moved,
  );

  const paintNormed = (normed) => {
    vector.draw({
      rows: ["x", "layer", "rms"].map((name) => words(`row_${name}`)),
      columns: normed.names.map((i) => asWhole(i + 1)),
      values: normed.shown,
      scale: "scores",
      most: mostOf(normed.shown),
    });
    const by = { layer: asFixed(normed.moved_layer, 2), rms: asFixed(normed.moved_rms, 2) };
    const values = { mean: asFixed(normed.mean, 2), size: asFixed(normed.size, 2), ...by };
    moved.textContent = words("moved", values);
    Object.assign(moved.dataset, { layer: normed.moved_layer, rms: normed.moved_rms });
    section.tell(words("lesson_norm", values));
  };

  const gates = numbersTable(words("gates", { model: props.models.gate }));
  const closed = h("p.result", { role: "status" });
  const inGate = part("gate", h("div.with-equation", gates.node, panel.equation(2)), closed);

  const paintGated = (gated) => {
    gates.draw({
      rows: gated.top.map((i) => words("number", { i: i + 1 })),
      columns: ["gate", "open", "up", "hidden"].map((name) => words(`column_${name}`)),
      values: gated.rows,
      scale: "scores",
      most: mostOf(gated.rows),
    });
    const values = { token: gated.labels[gated.at], share: asShare(gated.closed) };
    closed.textContent = words("closed", values);
    section.tell(words("lesson_gate", values));
  };

  // --- the cache and the family --------------------------------------------------------------------------------------

  const length = section.slider("length", (value) => words("length_is", { t: props.lengths[value] }));
  const caches = h("tbody");
  const cachePlace = h("div.place");
  const inCache = part(
    "cache",
    h("div.asking", length.node),
    cachePlace,
    h("table", head("", "heads_of", "kv_heads", "shared", "own", "less"), caches),
  );
  const bars = makeChart(cachePlace, { label: words("chart_cache") });
  const bytes = (count) => {
    const unit = Math.max(0, Math.floor(Math.log10(count) / 3 + 1e-9));
    return words("bytes", { value: asNumber(count / 1000 ** unit, 3), unit });
  };

  const paintCached = ({ chart: drawn, names, heads, kv_heads: keys, shared, own }) => {
    bars.draw({
      figures: drawn,
      keep: "cache",
      x: words("axis"),
      names: ["own", "shared"].map((name) => words(name)),
    });
    caches.replaceChildren(
      ...names.map((name, i) =>
        tableRow(
          { "data-model": name },
          name,
          cell("heads", heads[i], heads[i]),
          cell("kv_heads", keys[i], keys[i]),
          cell("shared", shared[i], bytes(shared[i])),
          cell("own", own[i], bytes(own[i])),
          cell("less", own[i] / shared[i], words("times", { times: asNumber(own[i] / shared[i], 3) })),
        ),
      ),
    );
    const [most] = names.map((_, i) => i).sort((a, b) => own[b] / shared[b] - own[a] / shared[a]);
    const values = { name: names[most], shared: bytes(shared[most]), own: bytes(own[most]) };
    section.tell(words("lesson_cache", { ...values, t: props.lengths[demo.view.length] }));
  };

  const [plain] = props.family;
  const best = [...props.family].sort((a, b) => a.bits - b.bits)[0];
  const line = ({ name, bits, parameters, seconds, cached }) =>
    tableRow(
      { "data-model": name, class: name === best.name ? "best" : null },
      name,
      h("td.what", words(`what_${name.replaceAll(/[-/]/g, "_")}`)),
      cell("bits", bits, asFixed(bits, 4)),
      cell("gain", bits - plain.bits, name === plain.name ? "" : asSigned(bits - plain.bits, 4)),
      cell("parameters", parameters, asWhole(parameters)),
      cell("seconds", seconds, words("seconds_of", { seconds })),
      cell("cached", cached, asWhole(cached)),
    );
  const inWorth = part(
    "worth",
    scrolled(
      words("show_worth_hint"),
      h(
        "table",
        head("", "what", "bits", "gain", "parameters", "seconds", "cached"),
        h("tbody", ...props.family.map(line)),
      ),
    ),
    h("p.source", words("alike")),
  );
  panel.picture.append(tokens, inRotary, inNorm, inGate, inCache, inWorth);

  // --- what can be tried ---------------------------------------------------------------------------------------------

  section.tries({
    far: { show: "rotary", shift: props.shifts },
    added: { show: "norm", added: 2 },
    worth: { show: "worth" },
  });
  section.check({
    names: ["same", "weaker", "other"],
    shows: { show: "rotary" },
    answer: async () => {
      const { score, later } = await demo.answered("turned");
      const change = Math.abs(later - score) < 1e-3 ? 0 : Math.abs(later) < Math.abs(score) ? 1 : 2;
      return { right: change, said: words("answer", { score: asSigned(score, 3), later: asSigned(later, 3) }) };
    },
  });
  section.links(() => [
    ["explore", { model: props.models.rotary, text: demo.view.text }],
    ["generate", { model: props.models.modern, text: demo.view.text }],
  ]);

  const painters = { rotary: inRotary, norm: inNorm, gate: inGate, cache: inCache, worth: inWorth };
  const reads = (name) => (READING.includes(name) ? [tokens, text.node] : []);
  section.parts(Object.fromEntries(Object.entries(painters).map(([name, node]) => [name, [node, ...reads(name)]])));
  const paintings = {
    rotary: ["turned", paintTurned],
    norm: ["normed", paintNormed],
    gate: ["gated", paintGated],
    cache: ["cached", paintCached],
  };
  const paint = eachFrame(() => {
    const now = demo.view.show;

    const [question, draw] = paintings[now] ?? [];
    const answer = question && demo.answers[question];
    if (answer && READING.includes(now)) paintTokens({ ...answer, back: answer.distance });
    if (answer) draw(answer);
    if (now === "worth")
      section.tell(
        words("lesson_worth", { name: best.name, bits: asFixed(best.bits, 2), plain: asFixed(plain.bits, 2) }),
      );
    section.node.dataset.rev = demo.rev;
  });
  section.begin(paint);
};
