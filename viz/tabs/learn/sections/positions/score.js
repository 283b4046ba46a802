// The score of a trained head as the sum of four terms of tokens and positions.

import { h, tableHead, tableRow } from "../../../../browser/lib/base.js";
import { makeChart } from "../../../../browser/lib/chart.js";
import { asNumber, asShare, asSigned } from "../../../../browser/lib/numbers.js";
import { fillTokens } from "../../lib/tokens.js";

/** The four terms of a pair as a table, with their sum and the score. */
const sumOf = (words, { labels, at, scores, sums, weights, error, ...scored }, key) => {
  const cell = (name) =>
    h("td", { "data-term": name, "data-value": scored[name][key] }, asSigned(scored[name][key], 3));
  const row = (of) => tableRow(words(`query_${of}`), ...["token", "position"].map((by) => cell(`${of}_${by}`)));
  const together = { sum: asSigned(sums[key], 3), score: asSigned(scores[key], 3), weight: asShare(weights[key]) };
  return [
    h(
      "table",
      h("caption", words("pair", { query: labels[at], at, key: labels[key], position: key })),
      tableHead("", ...["token", "position"].map((by) => words(`key_${by}`))),
      h("tbody", row("token"), row("position")),
    ),
    h(
      "p",
      { "data-sum": sums[key], "data-score": scores[key] },
      words("together", { ...together, error: asNumber(error, 2) }),
    ),
  ];
};

/** The sentence about a pair and the largest of its terms. */
const lesson = (words, terms, scored, key) => {
  const { labels, at, scores, weights } = scored;
  const largest = terms.reduce((one, two) => (Math.abs(scored[two][key]) > Math.abs(scored[one][key]) ? two : one));
  return words("lesson_score", {
    head: scored.head,
    query: labels[at],
    key: labels[key],
    back: at - key,
    where: { 0: "self", 1: "one" }[at - key] ?? "more",
    share: asShare(weights[key]),
    score: asSigned(scores[key], 2),
    term: words(largest),
    value: asSigned(scored[largest][key], 2),
  });
};

/** {node, paint()}. */
export const makeScore = (section, { terms }) => {
  const { words, panel, live: demo } = section;
  const head = section.stepper("head");
  const tokens = h("ol.tokens");
  const container = h("div.place");
  const sum = h("div.sum");
  const node = h(
    "div.in-score",
    h("div.asking", head.node, h("p.quiet", words("query"))),
    tokens,
    container,
    h("div.with-equation", sum, panel.equation()),
  );
  const chart = makeChart(container, { label: words("chart_score"), onclick: (key) => demo.set({ key }) });

  /** The key whose score is split: the selected one, or the one with the largest weight. */
  const keyOf = ({ weights }) =>
    demo.view.key === null || demo.view.key >= weights.length ? weights.indexOf(Math.max(...weights)) : demo.view.key;

  const paint = () => {
    const { scored } = demo.answers;
    if (!scored) return;
    const { labels, at, scores } = scored;
    const key = keyOf(scored);
    const attributesOf = (i) => {
      const message = words("token", { label: labels[i], position: i });
      return { "aria-label": message, title: message, class: i === key ? "key" : null };
    };
    fillTokens(tokens, labels, at, (i) => demo.set({ at: i, key: null }), attributesOf);
    chart.draw({
      figures: scored.chart,
      keep: `${scored.text} ${at} ${scored.head}`,
      ...{ x: words("keys"), y: words("score") },
      names: [...terms, "score"].map((name) => words(name)),
      change: (data, layout) => {
        const [chosen] = data[0].x.slice(key);
        layout.annotations = [{ x: chosen, y: scores[key], text: "▼", showarrow: false, yshift: 16 }];
      },
    });
    sum.replaceChildren(...sumOf(words, scored, key));
    section.showLesson(lesson(words, terms, scored, key));
  };
  return { node, paint };
};
