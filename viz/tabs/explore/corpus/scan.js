// Every head over a corpus (scans.py): all heads as dots over two measures; and for the selected head its distribution,
// its example passages, and its q and k there. Requested while in view, a moment after the last change.

import { answerTo } from "../../../browser/lib/ask.js";
import { h } from "../../../browser/lib/base.js";
import { makeChart } from "../../../browser/lib/chart.js";
import { palette, tokenSpans } from "../../../browser/lib/colour.js";
import { makeHint } from "../../../browser/lib/hint.js";
import { say } from "../../../browser/lib/messages.js";
import { asFixed, asShare } from "../../../browser/lib/numbers.js";
import { makePanel, onTheme } from "../../../browser/lib/panel.js";
import { askInView } from "../lib/asking.js";
import { applies } from "../lib/store/applies.js";
import { store } from "../lib/store.js";

const BITS = ["entropy", "effect"];

const written = (measure, value) => {
  if (measure === "distance") return say("stat_tokens", { value: asFixed(value, 1) });
  if (BITS.includes(measure)) return say("stat_bits", { value: asFixed(value, measure === "effect" ? 3 : 2) });
  return asShare(value);
};

const OWN = ["decided", "entropy", "distance", "effect"]; // the others are shares, as of one text
const called = (measure) => say(OWN.includes(measure) ? `scan_of_${measure}` : `stat_${measure}`);
const hintOf = (measure) =>
  ({ entropy: "term_entropy_means", distance: "stat_distance_hint" })[measure] ??
  (OWN.includes(measure) ? `scan_of_${measure}_hint` : `stat_${measure}_hint`);
const explained = (measure) => makeHint(called(measure), say(hintOf(measure)));
const choose = (at) => store.set({ layer: Math.floor(at / store.map.heads), head: at % store.map.heads, of: "head" });

const placeOf = ({ tokens, weights, at, gaps }) => {
  const { weights: colours } = palette();
  const look = (i) => {
    const title = i === at ? say("scan_looks") : say("scan_weight", { share: asShare(weights[i]) });
    return {
      pixel: weights[i] >= 0.01 ? colours[Math.round(255 * weights[i])] : undefined,
      title,
      kind: i === at ? "token query" : "token",
    };
  };
  const spans = tokenSpans(tokens, look);
  return h("li", ...spans.flatMap((span, i) => (gaps.includes(i) ? [" … ", span] : [span])));
};

const ON = ["pass", "layer", "head", "scan_x", "scan_y"];

export const mount = ({ element }) => {
  const { section, tools, body, foot } = makePanel(element, say("scan"));
  const status = h("p.quiet", { role: "status" });
  foot.append(status);

  // --- the measures --------------------------------------------------------------------------------------------------

  const menu = (name, words) => {
    const select = h("select", {
      "data-field": name,
      "aria-label": words,
      onchange: () => store.set({ [name]: select.value }),
    });
    tools.append(h("label.field-line.field-select", h("span.name", words), select));
    return select;
  };
  const menus = { scan_x: menu("scan_x", say("scan_across")), scan_y: menu("scan_y", say("scan_down")) };
  tools.append(makeHint("?", say("scan_means"), say("scan_hint")));

  const fillMenus = ({ measures, axes: [x, y] }) => {
    for (const [select, shown] of [
      [menus.scan_x, x],
      [menus.scan_y, y],
    ]) {
      select.replaceChildren(...measures.map((measure) => h("option", { value: measure }, called(measure))));
      select.value = shown;
    }
  };

  // --- all heads -----------------------------------------------------------------------------------------------------

  let [heads, head] = /** @type {any[]} */ ([null, null]); // the answers on the screen: {of: the request, answer}
  const dots = h("div.scan-dots");
  const dotChart = makeChart(dots, { label: say("scan_chart"), onclick: choose });

  const drawDots = () => {
    const {
      chart,
      axes: [x, y],
    } = heads.answer;
    const at = store.view.layer * store.map.heads + store.view.head;
    const change = ([all, ring], layout) => {
      const dot = (measure, mean, [low, high]) =>
        say("scan_dot", {
          measure: called(measure),
          mean: written(measure, mean),
          low: written(measure, low),
          high: written(measure, high),
        });
      const name = (i) => say("head_name", { layer: Math.floor(i / store.map.heads), head: i % store.map.heads });
      all.text = all.x.map((mean, i) =>
        [name(i), dot(x, mean, all.customdata[i]), dot(y, all.y[i], all.customdata[i].slice(2))].join("<br>"),
      );
      all.hovertemplate = "%{text}<extra></extra>";
      all.marker.colorbar.title = { text: say("scan_layer") };
      for (const [axis, first] of [
        ["x", 0],
        ["y", 2],
      ]) {
        const [mean, low, high] = [all[axis][at], ...all.customdata[at].slice(first)];
        ring[axis] = [mean];
        Object.assign(ring[`error_${axis}`], {
          array: [Math.max(0, high - mean)],
          arrayminus: [Math.max(0, mean - low)],
        });
      }
      for (const [axis, measure] of [
        [layout.xaxis, x],
        [layout.yaxis, y],
      ]) {
        axis.title = { text: called(measure) };
        if (!BITS.includes(measure) && measure !== "distance") axis.tickformat = ".0%";
      }
    };
    dotChart.draw({ figures: chart, keep: heads.of, change });
  };

  // --- the chosen one ------------------------------------------------------------------------------------------------

  const heading = h("h3");
  const spread = h("dl.scan-spread");
  const places = h("div.scan-places", { role: "region", tabindex: 0, "aria-label": say("scan_places") });
  const planeMeans = h("p.quiet");
  const planeChart = h("div.scan-plane");
  let items = []; // elements of the examples, in order
  const read = (at) => {
    items.forEach((item, i) => item.classList.toggle("read", i === at));
    if (at !== null) places.scrollTop = items[at].offsetTop - places.clientHeight / 3;
  };
  const plane = makeChart(planeChart, { label: say("scan_plane_chart"), onread: read });

  const line = (measure, [mean, , low, , high]) => {
    const even = head.answer.even[measure];
    const values = Object.entries({ mean, low, high, even }).filter(([, value]) => value !== undefined);
    const said = Object.fromEntries(values.map(([name, value]) => [name, written(measure, value)]));
    return h(
      "div",
      { "data-measure": measure },
      h("dt", explained(measure)),
      h("dd", say(even === undefined ? "scan_spread" : "scan_spread_even", said)),
    );
  };

  const drawPlaces = () => {
    const groups = new Map(); // group → elements
    items = head.answer.examples.map((example) => {
      const item = placeOf(example);
      groups.set(example.group, [...(groups.get(example.group) ?? []), item]);
      return item;
    });
    const lists = [...groups].map(([group, all]) => [
      h("h4", group ? say("scan_tenth", { tenth: `${group}` }) : say("scan_top")),
      h("ol", ...all),
    ]);
    places.replaceChildren(...lists.flat());
  };

  const drawHead = () => {
    const { answer } = head;
    const [layer, number] = head.at;
    heading.textContent = say("head_name", { layer, head: number });
    spread.replaceChildren(...heads.answer.measures.map((measure) => line(measure, answer.spread[measure])));
    planeMeans.textContent = say("scan_plane_means", { share: asShare(answer.explained) });
    drawPlaces();
    const change = (data, layout) => {
      for (const trace of data) trace.name = say(`scan_${trace.name}`);
      [layout.xaxis, layout.yaxis].forEach(
        (axis, i) => (axis.title = { text: say("scan_component", { number: i + 1 }) }),
      );
    };
    plane.draw({ figures: answer.chart, keep: head.of, change });
  };

  const parts = h(
    "div.scan-parts",
    dots,
    h("div", heading, h("p.quiet", say("scan_spread_means")), spread),
    h("div", h("h3", say("scan_plane")), planeChart, planeMeans),
    h("div", h("h3", makeHint(say("scan_places"), say("scan_places_means"))), places),
  );
  body.append(parts);
  parts.style.visibility = "hidden"; // until the first drawing: the room is kept, and nothing incomplete is visible
  const has = (scan) =>
    [parts, ...Object.values(menus).map((menu) => menu.parentElement)].forEach((part) => (part.hidden = !scan));

  // --- asking --------------------------------------------------------------------------------------------------------

  /** What is asked of all heads, and of the chosen one. */
  const named = () => {
    const { model } = store.header;
    const { scan_x, scan_y, layer, head: number } = store.view;
    const view = { model, scan_x, scan_y, layer, head: number };
    return { view, ofHeads: [model, scan_x, scan_y].join(" "), ofHead: [model, layer, number].join(" ") };
  };

  const ask = askInView(
    { element, section, body: parts, status },
    {
      question: () => Object.values(named().view).join(" "),
      get: async (signal) => {
        const { view, ofHeads, ofHead } = named();
        const all = heads?.of === ofHeads ? heads.answer : await answerTo("/ask/scan/heads", view, signal);
        const one = await answerTo("/ask/scan/head", view, signal);
        return [
          { of: ofHeads, answer: all },
          { of: ofHead, at: [view.layer, view.head], answer: one },
        ];
      },
      take: (answers) => {
        [heads, head] = answers;
        const { stretches, length, corpus, split, removals, asked } = heads.answer;
        has(true);
        status.textContent = say("scan_source", { stretches, length, corpus, split, removals, asked });
        fillMenus(heads.answer);
        drawDots();
        drawHead();
        parts.style.visibility = "";
        section.dataset.of = Object.values(named().view).join(" ");
      },
      refused: () => has(false),
    },
  );

  store.subscribe(element, (changed) => {
    if (!store.pass || !ON.some((name) => changed.has(name))) return;
    element.hidden = !applies("scan");
    ask();
  });
  onTheme(() => head && drawPlaces());
};
