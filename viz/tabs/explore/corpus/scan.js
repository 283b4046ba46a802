// Every head over a corpus (scans.py): all heads as dots over two measures; and for the selected head its distribution,
// its example passages, and its q and k there. Requested while in view, a moment after the last change.

import { answerTo } from "../../../browser/lib/ask.js";
import { h } from "../../../browser/lib/base.js";
import { makeChart } from "../../../browser/lib/chart.js";
import { palette, tokenSpans } from "../../../browser/lib/colour.js";
import { makeHint } from "../../../browser/lib/hint.js";
import { say } from "../../../browser/lib/messages.js";
import { asFixed, asShare } from "../../../browser/lib/numbers.js";
import { makePanel, onAppearance } from "../../../browser/lib/panel.js";
import { askInView } from "../lib/asking.js";
import { applies } from "../lib/store/applies.js";
import { store } from "../lib/store.js";

const BITS = ["entropy", "effect"];

const valueInWords = (measure, value) => {
  if (measure === "distance") return say("stat_tokens", { value: asFixed(value, 1) });
  if (BITS.includes(measure)) return say("stat_bits", { value: asFixed(value, measure === "effect" ? 3 : 2) });
  return asShare(value);
};

const OWN = ["decided", "entropy", "distance", "effect"]; // the others are shares, as of one text
const measureName = (measure) => say(OWN.includes(measure) ? `scan_of_${measure}` : `stat_${measure}`);
const hintOf = (measure) =>
  ({ entropy: "term_entropy_means", distance: "stat_distance_hint" })[measure] ??
  (OWN.includes(measure) ? `scan_of_${measure}_hint` : `stat_${measure}_hint`);
const measureHint = (measure) => makeHint(measureName(measure), say(hintOf(measure)));

const placeOf = ({ tokens, weights, at, gaps }) => {
  const { weights: colours } = palette();
  const spanOf = (i) => {
    const title = i === at ? say("scan_looks") : say("scan_weight", { share: asShare(weights[i]) });
    return {
      pixel: weights[i] >= 0.01 ? colours[Math.round(255 * weights[i])] : undefined,
      title,
      kind: i === at ? "token query" : "token",
    };
  };
  const spans = tokenSpans(tokens, spanOf);
  const isWord = (i) => i > 0 && tokens[0] === "[CLS]" && !tokens[i].startsWith("##"); // BERT's tokens hold no spaces
  const before = (i) => (gaps.includes(i) ? [" … "] : isWord(i) ? [" "] : []);
  return h("li", ...spans.flatMap((span, i) => [...before(i), span]));
};

const headAt = (i) => ({ layer: Math.floor(i / store.map.heads), head: i % store.map.heads });

/** The menus of the two measures: {nodes, fill(answer)}. */
const makeMenus = () => {
  const menu = (name, words) => {
    const onchange = () => store.set({ [name]: select.value });
    const select = h("select", { "data-field": name, "aria-label": words, onchange });
    return { select, node: h("label.field-line.field-select", h("span.name", words), select) };
  };
  const menus = [menu("scan_x", say("scan_across")), menu("scan_y", say("scan_down"))];
  const fill = ({ measures, axes }) =>
    menus.forEach(({ select }, i) => {
      select.replaceChildren(...measures.map((measure) => h("option", { value: measure }, measureName(measure))));
      select.value = axes[i];
    });
  return { nodes: menus.map(({ node }) => node), fill };
};

/** A head's mean and range of a measure, in words. */
const dotOf = (measure, mean, [low, high]) => {
  const [middle, least, most] = [mean, low, high].map((value) => valueInWords(measure, value));
  return say("scan_dot", { measure: measureName(measure), mean: middle, low: least, high: most });
};

/** All heads as dots over two measures, with a ring around the selected one: {node, draw(answer, keep)}. */
const makeDots = () => {
  const node = h("div.scan-dots");
  const chart = makeChart(node, {
    label: say("scan_chart"),
    onclick: (i) => store.set({ ...headAt(i), of: "head" }),
  });
  const name = (all, [x, y], i) => {
    const ranges = all.customdata[i];
    return [say("head_name", headAt(i)), dotOf(x, all.x[i], ranges), dotOf(y, all.y[i], ranges.slice(2))].join("<br>");
  };
  const putRing = (ring, all, at) =>
    ["x", "y"].forEach((axis, i) => {
      const [mean, low, high] = [all[axis][at], ...all.customdata[at].slice(2 * i)];
      ring[axis] = [mean];
      const [above, below] = [high - mean, mean - low].map((length) => [Math.max(0, length)]);
      Object.assign(ring[`error_${axis}`], { array: above, arrayminus: below });
    });
  const draw = ({ chart: figures, axes }, keep) => {
    const at = store.view.layer * store.map.heads + store.view.head;
    const change = ([all, ring], layout) => {
      all.text = all.x.map((_, i) => name(all, axes, i));
      all.hovertemplate = "%{text}<extra></extra>";
      all.marker.colorbar.title = { text: say("scan_layer") };
      putRing(ring, all, at);
      [layout.xaxis, layout.yaxis].forEach((axis, i) => {
        axis.title = { text: measureName(axes[i]) };
        if (!BITS.includes(axes[i]) && axes[i] !== "distance") axis.tickformat = ".0%";
      });
    };
    chart.draw({ figures, keep, change });
  };
  return { node, draw };
};

/** A measure of the selected head, in words; `even` is that of equal weights, if there is one. */
const spreadLine = (measure, [mean, , low, , high], even) => {
  const values = Object.entries({ mean, low, high, even }).filter(([, value]) => value !== undefined);
  const words = Object.fromEntries(values.map(([name, value]) => [name, valueInWords(measure, value)]));
  const message = say(even === undefined ? "scan_spread" : "scan_spread_even", words);
  return h("div", { "data-measure": measure }, h("dt", measureHint(measure)), h("dd", message));
};

/** The example passages of the selected head in groups: {node, draw(examples), read(index or null)}. */
const makePlaces = () => {
  const node = h("div.scan-places", { role: "region", tabindex: 0, "aria-label": say("scan_places") });
  let items = []; // elements of the examples, in order
  const draw = (examples) => {
    const groups = new Map(); // group → elements
    items = examples.map((example) => {
      const item = placeOf(example);
      groups.set(example.group, [...(groups.get(example.group) ?? []), item]);
      return item;
    });
    const title = (group) => (group ? say("scan_tenth", { tenth: `${group}` }) : say("scan_top"));
    node.replaceChildren(...[...groups].flatMap(([group, all]) => [h("h4", title(group)), h("ol", ...all)]));
  };
  const read = (at) => {
    items.forEach((item, i) => item.classList.toggle("read", i === at));
    if (at === null) return;
    node.scrollTo(items[at].offsetLeft, items[at].offsetTop - node.clientHeight / 3);
  };
  return { node, draw, read };
};

/** The selected head: its distribution, its q and k, and its passages: {nodes, draw(measures, head), places}. */
const makeHead = () => {
  const heading = h("h3");
  const spread = h("dl.scan-spread");
  const places = makePlaces();
  const means = h("p.quiet");
  const container = h("div.scan-plane");
  const plane = makeChart(container, { label: say("scan_plane_chart"), onread: places.read });
  const change = (data, layout) => {
    for (const trace of data) trace.name = say(`scan_${trace.name}`);
    [layout.xaxis, layout.yaxis].forEach(
      (axis, i) => (axis.title = { text: say("scan_component", { number: i + 1 }) }),
    );
  };
  const draw = (measures, { of, at: [layer, head], answer }) => {
    heading.textContent = say("head_name", { layer, head });
    const line = (measure) => spreadLine(measure, answer.spread[measure], answer.even[measure]);
    spread.replaceChildren(...measures.map(line));
    means.textContent = say("scan_plane_means", { share: asShare(answer.explained) });
    places.draw(answer.examples);
    plane.draw({ figures: answer.chart, keep: of, change });
  };
  const nodes = [
    h("div", heading, h("p.quiet", say("scan_spread_means")), spread),
    h("div", h("h3", say("scan_plane")), container, means),
    h("div", h("h3", makeHint(say("scan_places"), say("scan_places_means"))), places.node),
  ];
  return { nodes, draw, places };
};

const ON = ["pass", "layer", "head", "scan_x", "scan_y"];

export const mount = ({ element }) => {
  const { section, tools, body, foot } = makePanel(element, say("scan"));
  const status = h("p.quiet", { role: "status" });
  foot.append(status);
  const menus = makeMenus();
  tools.append(...menus.nodes, makeHint("?", say("scan_means"), say("scan_hint")));
  const [dots, ofHead] = [makeDots(), makeHead()];
  const parts = h("div.scan-parts", dots.node, ...ofHead.nodes);
  body.append(parts);
  parts.style.visibility = "hidden"; // until the first drawing: the room is kept, and nothing incomplete is visible
  const has = (scan) => [parts, ...menus.nodes].forEach((part) => (part.hidden = !scan));
  let [heads, head] = /** @type {any[]} */ ([null, null]); // the answers on the screen: {of: the request, answer}

  const ask = askInView(
    { element, section, body: parts, status },
    {
      question: () => {
        const { scan_x, scan_y, layer, head: number } = store.view;
        return { model: store.header.model, scan_x, scan_y, layer, head: number };
      },
      get: async (view, signal) => {
        const { model, scan_x, scan_y, layer, head: number } = view;
        const of = [model, scan_x, scan_y].join(" ");
        const all = heads?.of === of ? heads.answer : await answerTo("/ask/scan/heads", view, signal);
        const one = await answerTo("/ask/scan/head", view, signal);
        return [
          { of, answer: all },
          { of: [model, layer, number].join(" "), at: [layer, number], answer: one },
        ];
      },
      take: (answers) => {
        [heads, head] = answers;
        const { stretches, length, corpus, split, removals, asked } = heads.answer;
        has(true);
        status.textContent = say("scan_source", { stretches, length, corpus, split, removals, asked });
        menus.fill(heads.answer);
        dots.draw(heads.answer, heads.of);
        ofHead.draw(heads.answer.measures, head);
        parts.style.visibility = "";
        section.dataset.of = [heads.of, ...head.at].join(" ");
      },
      refused: () => has(false),
    },
  );

  store.subscribe(element, (changed) => {
    if (!store.pass || !ON.some((name) => changed.has(name))) return;
    element.hidden = !applies("scan");
    ask();
  });
  onAppearance(() => head && ofHead.places.draw(head.answer.examples));
};
