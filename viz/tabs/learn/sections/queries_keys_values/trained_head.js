// One trained head: its vectors, from token to output, and each number of q, k and v traced to the file of weights.

import { h } from "../../../../browser/lib/base.js";
import { numberRow, productsTable } from "../../../../browser/lib/follow.js";
import { asNumber, asShare } from "../../../../browser/lib/numbers.js";
import { arithmetic } from "../../lib/arithmetic.js";

const line = (said) => h("p.line", said);

/** {node, paint}. */
export const makeTrainedHead = (section, props) => {
  const { words, panel, live: demo } = section;
  const text = section.line("text", words("text_field", { most: props.most }));
  const [layer, head, query, key] = ["layer", "head", "query", "key"].map((name) =>
    section.stepper(name, words(`step_${name}`)),
  );
  const chain = h("div.chain");
  const trace = h("div.trace", { "aria-live": "polite" });
  const node = h(
    "div.of-head",
    h("div.asks", text.node, layer.node, head.node, query.node, key.node),
    chain,
    panel.equation(),
    trace,
  );
  /** A row of numbers; those of q, k and v are buttons that trace them. */
  const cells = (name, numbers, part = "") => {
    const pick = { chosen: demo.view.part === part ? demo.view.at : null, onpick: (at) => demo.set({ part, at }) };
    return numberRow(name, numbers, part ? pick : null);
  };

  const paintChain = ({ labels, x, q, k, v, scores, weights, out }, i, j) => {
    const names = { query: labels[i], key: labels[j], root: asNumber(Math.sqrt(q[i].length), 3) };
    const product = arithmetic.dot(q[i], k[j]);
    const [weight, score] = [weights[i][j], scores[i][j]]; // the score is null where it is masked
    const message = { ...names, product: asNumber(product), score: score === null ? "" : asNumber(score) };
    const share = asShare(weight);
    chain.replaceChildren(
      cells(words("x_of", { word: labels[i] }), x[i]),
      cells(words("q_of", { word: labels[i] }), q[i], "q"),
      cells(words("k_of", { word: labels[j] }), k[j], "k"),
      line(words(score === null ? "score_masked" : "score", message)),
      line(words("weight", { ...names, weight: asNumber(weight), share })),
      cells(words("v_of", { word: labels[j] }), v[j], "v"),
      cells(words("out_of", { word: labels[i] }), out[i]),
    );
    chain.dataset.weight = weight;
    if (demo.view.show === "head") section.showLesson(words("lesson_head", { ...names, share, model: props.model }));
  };

  /** One number of q, k or v as a sum of products, with the place of each weight in the file. */
  const paintTrace = ({ labels, x, weight }, i, j) => {
    const { part, at } = demo.view;
    const token = part === "q" ? i : j;
    const { file, tensor, row, rows } = weight[part];
    const { table, sum } = productsTable({ weights: rows[at], inputs: x[token], of: "x", row: row + at, column: 0 });
    trace.replaceChildren(
      line(words("trace", { part, at, word: labels[token], sum: asNumber(sum), count: x[token].length })),
      h("p.quiet", file ? words("trace_file", { file, tensor }) : tensor),
      table,
    );
    trace.dataset.sum = sum;
  };

  const paint = () => {
    const { trained } = demo.answers;
    if (!trained) return;
    const focused = chain.contains(document.activeElement);
    const last = trained.labels.length - 1;
    const [i, j] = [Math.min(demo.view.query, last), Math.min(demo.view.key, last)];
    paintChain(trained, i, j);
    if (focused) chain.querySelector('[aria-pressed="true"]')?.focus();
    paintTrace(trained, i, j);
  };
  return { node, paint };
};
