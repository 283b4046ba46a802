// One token through a trained stack: what each half of a block adds, the prediction at that point, and which outputs
// change with the token.

import { h, tableHead, tableRow } from "../../../../browser/lib/base.js";
import { makeChart } from "../../../../browser/lib/chart.js";
import { ground, palette } from "../../../../browser/lib/colour.js";
import { asFixed, asNumber, asShare } from "../../../../browser/lib/numbers.js";
import { fillTokens } from "../../lib/tokens.js";
import { blockPicture } from "./picture.js";

const PACE = 350; // ms between two stages while it plays
const STAGES = 6; // of a block

/** The block that the token goes through at a step, and the number of its stages that are done; 0 before the first. */
const placeOf = (step) => ({
  layer: Math.max(0, Math.ceil(step / STAGES) - 1),
  reached: step ? ((step - 1) % STAGES) + 1 : 0,
});

/** The tokens of the text, of which a click selects one, coloured by how far their outputs change with it: {node,
 *  paint(through)}. */
const makeTokens = ({ words, live: demo }, most) => {
  const list = h("ol.tokens");
  const count = h("p.count", { "aria-live": "polite" });
  const paint = ({ labels, at, moved: changes }) => {
    const largest = Math.max(...changes, 1e-9);
    const colours = palette().weights;
    const attributesOf = (i) => {
      const message = words("token", { label: labels[i], chosen: labels[at], moved: asNumber(changes[i], 2) });
      return { title: message, "aria-label": message, "data-moved": changes[i] };
    };
    const markOf = (i) => {
      const mark = h("i");
      if (changes[i] > 0) ground(mark, colours[Math.round(255 * Math.max(0.12, changes[i] / largest))]);
      return mark;
    };
    fillTokens(list, labels, at, (i) => demo.set({ at: i }), attributesOf, markOf);
    const others = changes.filter((_, i) => i !== at);
    const moving = others.filter((value) => value > 0).length;
    count.textContent = words("count", { label: labels[at], moved: moving, others: others.length });
  };
  return { node: h("div.of-text", h("p.quiet", words("tokens", { most })), list, count), paint };
};

/** A row for each block, with the guess after it; that of `layer` also shows the guess after its attention: {node,
 *  paint(through, model, layer)}; open(i) when the row of block i is pressed. */
const makeTable = (words, open) => {
  const caption = h("caption");
  const rows = h("tbody");
  const heads = ["point", "adds_attention", "adds_feed_forward", "top"].map((name) => words(name));
  const row = (name, label, cells, kind = "") => tableRow({ "data-row": name, class: kind }, label, ...cells);
  const guess = ({ label, prob }) => {
    const box = h("span.guess", { "data-prob": prob }, words("guess", { label, share: asShare(prob) }));
    ground(box, palette().weights[Math.round(255 * prob)]);
    return box;
  };
  const guesses = (point) => h("td", ...point.top.map(guess));
  const added = (point) => h("td", { "data-added": point.added }, asFixed(point.added, 1));
  const block = (points, i, layer) => {
    const [attention, feedForward] = points.slice(1 + 2 * i, 3 + 2 * i);
    const button = h(
      "button",
      { "aria-expanded": `${i === layer}`, onclick: () => open(i) },
      words("block", { layer: i }),
    );
    const whole = row("block", button, [added(attention), added(feedForward), guesses(feedForward)]);
    whole.dataset.layer = `${i}`;
    if (i !== layer) return [whole];
    whole.classList.add("chosen");
    return [row("half", words("after_attention"), [h("td"), h("td"), guesses(attention)], "half"), whole];
  };
  const paint = ({ labels, at, points, stages }, model, layer) => {
    caption.textContent = words("stack", { label: labels[at], model });
    const focused = rows.contains(document.activeElement);
    rows.replaceChildren(
      row("embedding", words("embedding"), [h("td"), h("td"), guesses(points[0])]),
      ...stages.flatMap((_, i) => block(points, i, layer)),
    );
    if (focused) rows.querySelector(".chosen button")?.focus();
  };
  return { node: h("div.stack-place.sideways", h("table.stack", caption, tableHead(...heads), rows)), paint };
};

/** The sentence: the last guess, and since which point it has been the top one. */
const lesson = (words, { labels, at, points }) => {
  const top = points.at(-1).top[0];
  const other = points.findLastIndex((point) => point.top[0].label !== top.label);
  const { part, layer } = points[Math.min(other + 1, points.length - 1)];
  return words("lesson", {
    label: labels[at],
    last: top.label,
    share: asShare(top.prob),
    since: other === points.length - 2 ? "never" : "point",
    point: part === "embedding" ? words("embedding") : words(`part_${part}`, { layer: layer - 1 }),
  });
};

/** {node, paint}. */
export const makeStack = (section, props) => {
  const { words, panel, live: demo } = section;
  const attention = section.choice("attention");
  const norms = section.choice("norms");
  const last = () => STAGES * demo.answers.through.stages.length;
  const now = () => Math.min(demo.view.step, last());
  const player = section.player({
    last,
    now,
    pace: PACE,
    ready: () => Boolean(demo.answers.through),
    held: () => demo.busy,
    inWords: () => words("step_is", { ...placeOf(now()), count: STAGES }),
  });
  const tokens = makeTokens(section, props.most);
  const pick = (i) => player.put({ step: STAGES * placeOf(now()).layer + i + 1 })();
  const picture = blockPicture({ words, pick });
  const table = makeTable(words, (i) => player.put({ step: STAGES * (i + 1) })());
  const container = h("div");
  const node = h(
    "div.in-stack",
    h("div.course", norms.node, attention.node, ...player.nodes),
    tokens.node,
    h("div.block-place", picture.node, panel.equation()),
    table.node,
    h("div.chart-column", h("h3", words("chart")), container),
  );
  const chart = makeChart(container, { label: words("chart") });

  const paintBlock = ({ at, stages, norms, attention }, { layer, reached }) => {
    const mixes = attention === "on" && at > 0;
    picture.draw({ norms, names: props.stages[norms], lengths: stages[layer], reached, layer, mixes });
  };
  const paint = () => {
    const { through } = demo.answers;
    if (!through) return;
    const { layer, reached } = placeOf(now());
    tokens.paint(through);
    table.paint(through, props.models[through.norms], layer);
    paintBlock(through, { layer, reached });
    const names = ["attention", "feed_forward"].map((part) => words(`trace_${part}`));
    chart.draw({ figures: through.chart, keep: through.text, x: words("layer"), y: words("length"), names });
    section.showLesson(lesson(words, through));
  };
  return { node, paint };
};
