// One weight of the selected head, traced back to the file of weights, and forward to the residual stream. Requested
// while in view.

import { h } from "../../../browser/lib/base.js";
import { numberRow, productsTable } from "../../../browser/lib/follow.js";
import { makeHint } from "../../../browser/lib/hint.js";
import { asList, say } from "../../../browser/lib/messages.js";
import { asNumber, asSigned } from "../../../browser/lib/numbers.js";
import { makePanel, onAppearance } from "../../../browser/lib/panel.js";
import { ownView } from "../../../browser/lib/python.js";
import { askInView, viewOfHead } from "../lib/asking.js";
import { quote } from "../lib/labels.js";
import { lockedPair, shownNow, strongestOf } from "../lib/selection.js";
import { applies } from "../lib/store/applies.js";
import { store } from "../lib/store.js";

const LARGEST = 8; // numbers of the head's output that can be traced
const selectedCell = () => lockedPair(shownNow());
const line = (said) => h("p.line", said);

const file = ({ files, rounded }, { tensor }, row, column) => {
  const name = files[tensor];
  return h(
    "p.quiet",
    row === undefined
      ? name
        ? say("trace_file", { tensor, file: name })
        : tensor
      : say(name ? "trace_place" : "trace_place_only", { tensor, file: name, row, column }),
    rounded.includes(tensor) ? say("trace_rounded") : null,
  );
};

/** A number after an operator: in brackets if it is negative. */
const within = (value) => (value < 0 ? `(${asNumber(value)})` : asNumber(value));

/** The effect of a norm on one number, for a message. */
const byNorm = ({ mean, deviation, gain, bias, centred }) => ({
  mean: within(mean),
  deviation: asNumber(deviation),
  gain: within(gain),
  bias: within(bias),
  centred: centred ? "yes" : "no",
});

/** A row of numbers of a vector; those that can be traced are buttons. */
const vectorRow = ({ result, picked, pick }, part, token, clickable = true) =>
  numberRow(
    say(`trace_row_${part}`, { token }),
    result[part],
    clickable ? { chosen: part === picked.part ? picked.at : null, onpick: (at) => pick(part, at) } : null,
  );

/** Whether a map joins the heads, for a message. */
const joinsOf = ({ joins }) => (joins ? "yes" : "no");

const scoreOf = (values, root) => {
  if (values.divisor !== 1) return say("trace_score_by_layer", values);
  return say(root === 1 ? "trace_score_unscaled" : "trace_score", values);
};

/** The weight as the softmax computes it from the score. */
const computedWeight = ({ score, most, total }) => Math.exp(score - most) / total;

/** Describes the weight as a function of the score, and the score of q and k. */
const weightSteps = (trace, { query, names }) => {
  const { product, root, divisor, score, most, total, weight } = trace.result;
  const computed = computedWeight(trace.result);
  const values = {
    ...names,
    keys: store.map.keysSeen(query),
    score: asNumber(score),
    most: within(most),
    total: asNumber(total),
    weight: asNumber(computed),
  };
  const changed =
    Math.abs(computed - weight) > 1e-4
      ? line(say("trace_weight_set", { weight: asNumber(computed), changed: asNumber(weight) }))
      : null;
  return [
    h("li", line(say("trace_weight", values)), changed),
    h(
      "li",
      line(scoreOf({ ...values, product: asNumber(product), root: asNumber(root, 3), divisor }, root)),
      vectorRow(trace, "q", names.query),
      vectorRow(trace, "k", names.key),
      vectorRow(trace, "v", names.key),
      h("p.quiet", say("trace_pick")),
    ),
  ];
};

/** Describes how positions turned the number, and how a norm of the head changed it before; empty without either. */
const turnSteps = ({ result, picked }, token) => {
  const { turned, normed } = result;
  const { part, at } = picked;
  const steps = [];
  if (turned) {
    const { value, own, other, sign, pair, angle, position } = turned;
    const values = { part, at, token, pair, position, angle: asNumber(angle), sign: sign < 0 ? "minus" : "plus" };
    const numbers = { value: asNumber(value), own: within(own), other: within(other) };
    steps.push(h("li", line(say("trace_turned", { ...values, ...numbers }))));
  }
  if (normed) {
    const { value, whole, deviation, gain } = normed;
    const numbers = { value: asNumber(value), whole: asNumber(whole), deviation: asNumber(deviation) };
    const values = { part, at, token, before: turned ? "turn" : "no", gain: within(gain), ...numbers };
    steps.push(h("li", line(say("trace_normed", values)), file(result, normed)));
  }
  return steps;
};

/** Shows the traced number as a sum of products with weights of the file. */
const numberSteps = (trace, names) => {
  const { terms, stream, turned, normed } = trace.result;
  const { part, at } = trace.picked;
  const before = normed ? "norm" : turned ? "turn" : "no";
  const of = part === "adds" ? "out" : "x";
  const token = part === "q" || part === "adds" ? names.query : names.key;
  const { table } = productsTable({ ...terms, of });
  const bias = terms.bias === null ? { biased: "no", bias: "" } : { biased: "yes", bias: asNumber(terms.bias) };
  const values = { part, at, token, before, value: asNumber(terms.value), count: terms.inputs.length, of, ...bias };
  const source = terms.tensor ? file(trace.result, terms) : line(say("trace_unjoined"));
  const lines = [line(say("trace_number", values)), source, table];
  if (stream === null) return [...turnSteps(trace, token), h("li", ...lines)];
  const added = {
    token,
    at,
    joins: joinsOf(trace.result),
    before: asNumber(stream),
    after: asNumber(stream + terms.value),
  };
  return [h("li", ...lines, line(say("trace_added", added)))];
};

/** The norm of embeddings that are added up before it. */
const embeddedStep = (result, embedding, places) => {
  const { embedded, column } = result.input;
  const segment = say("trace_segment", { value: asSigned(embedded.segment, 4) });
  const sum = {
    column,
    value: asNumber(embedded.value),
    whole: asNumber(embedded.whole),
    terms: asList([...embedding, segment], true),
    ...byNorm(embedded.norm),
  };
  const source = file(result, embedded.segment_place, embedded.segment_place.row, column);
  return h("li", line(say("trace_embeddings", sum)), file(result, embedded.norm), ...places, source);
};

/** The terms that the layers below added to a number of the stream. */
const streamTerms = ({ embedded, blocks, attention }, embedding) => [
  ...(embedded ? [say("trace_embedded", { value: asSigned(embedded.value, 4) })] : embedding),
  ...blocks.map((value, layer) => say("trace_block", { value: asSigned(value, 4), layer })),
  ...(attention === null ? [] : [say("trace_attention", { value: asSigned(attention, 4) })]),
];

/** Traces the input of the largest product back through the norm to embedding and position. */
const inputSteps = ({ result, picked }, names) => {
  const { input } = result;
  if (!input) return [];
  const { column, norm, row: at, token, embedded } = input;
  const named = picked.part === "q" ? names.query : names.key;
  const values = { column, token: named, value: asNumber(input.value), whole: asNumber(input.whole) };
  const words = norm ? say("trace_x", { ...values, ...byNorm(norm) }) : say("trace_x_same", values);
  const embedding = [
    say("trace_embedding", { value: asSigned(input.embedding, 4), token: named }),
    ...(input.position ? [say("trace_position", { value: asSigned(input.position, 4) })] : []), // 0 if none is added
  ];
  const places = [
    file(result, input.embedding_place, token, column),
    input.position_place && file(result, input.position_place, at, column),
  ];
  const stream = line(say("trace_stream", { ...values, terms: asList(streamTerms(input, embedding), true) }));
  return [
    h("li", line(words), norm && file(result, norm)),
    h("li", stream, ...(embedded ? [] : places)),
    ...(embedded ? [embeddedStep(result, embedding, places)] : []),
  ];
};

/** Describes the query's weighted sum of values, and what the head adds to the stream. */
const forwardStep = (trace, names) => {
  const { result, picked, pick } = trace;
  const largest = strongestOf(result.adds.map(Math.abs), LARGEST);
  const button = (at) => {
    const pressed = `${picked.part === "adds" && picked.at === at}`;
    const attributes = { "aria-pressed": pressed, "data-at": at, onclick: () => pick("adds", at) };
    return h("button.f-button", attributes, `[${at}] ${asSigned(result.adds[at], 3)}`);
  };
  return h(
    "li",
    line(say("trace_out", { ...names, joins: joinsOf(result), weight: asNumber(result.weight) })),
    vectorRow(trace, "out", names.query, false),
    vectorRow(trace, "adds", names.query, false),
    h("div.largest", say("trace_largest"), ...largest.map(button)),
  );
};

// the key with the largest weight is then known
const CHOICES = ["pass", "map", "layer", "head", "of", "token", "key", "exact"];

export const mount = ({ element }) => {
  const { section, tools, body, foot } = makePanel(element, say("trace"));
  tools.append(makeHint("?", say("trace_means"), say("trace_hint")));
  const chain = h("div.chain", { "aria-live": "polite" });
  body.append(chain);
  const status = h("p.quiet", { role: "status" });
  foot.append(status);

  const pick = (part, at) => {
    trace.picked = { part, at };
    ask();
  };
  /** result: that of former.analysis.trace, and the files of its tensors; picked: the number that is traced.
   *  @type {{ result: any, picked: { part: string, at: number }, pick: (part: string, at: number) => void }} */
  const trace = { result: null, picked: { part: "q", at: 0 }, pick };

  ownView.trace = () => trace.picked;

  const draw = () => {
    const { result, picked } = trace;
    const { map } = store;
    const { query, key } = selectedCell();
    const names = { query: quote(query, map.queries), key: quote(key, map.keys) };
    const focused = chain.contains(document.activeElement);
    chain.replaceChildren(
      h("ol", ...weightSteps(trace, { query, names }), forwardStep(trace, names)),
      h("ol", ...numberSteps(trace, names), ...inputSteps(trace, names)),
    );
    if (focused) chain.querySelector('[aria-pressed="true"]')?.focus({ preventScroll: true });
    const { weight, terms } = result;
    Object.assign(chain.dataset, { computed: computedWeight(result), weight, key, value: terms.value, ...picked });
  };

  const ask = askInView(
    { element, section, body: chain, status },
    {
      question: () => (body.hidden ? null : { ...viewOfHead(), ...selectedCell(), ...trace.picked }),
      path: "/ask/trace/traced",
      take: (answer) => {
        trace.result = answer;
        draw();
      },
    },
  );

  const update = () => {
    if (!store.pass) return;
    element.hidden = !applies("trace");
    body.hidden = store.view.of !== "head";
    ask();
    if (body.hidden) status.textContent = say("trace_choose_head");
  };
  store.subscribe(element, (changed) => {
    if (changed.has("pass") || changed.has("map")) trace.picked = { part: "q", at: 0 };
    if (CHOICES.some((name) => changed.has(name))) update();
  });
  onAppearance(() => trace.result && draw());
};
