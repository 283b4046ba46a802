// One weight of the selected head, traced back to the file of weights, and forward to the residual stream. Requested
// while in view.

import { h } from "../../../browser/lib/base.js";
import { numberRow, productsTable } from "../../../browser/lib/follow.js";
import { makeHint } from "../../../browser/lib/hint.js";
import { asList, say } from "../../../browser/lib/messages.js";
import { asNumber, asSigned } from "../../../browser/lib/numbers.js";
import { makePanel, onTheme } from "../../../browser/lib/panel.js";
import { askInView } from "../lib/asking.js";
import { quote } from "../lib/labels.js";
import { lockedPair, shownNow, strongestOf } from "../lib/shown.js";
import { applies } from "../lib/store/applies.js";
import { store } from "../lib/store.js";

const LARGEST = 8; // numbers of the head's output that can be traced
const place = () => lockedPair(shownNow());
const line = (said) => h("p.line", said);

const file = ({ file: name, tensor }, row, column) =>
  h(
    "p.quiet",
    row === undefined
      ? name
        ? say("trace_file", { tensor, file: name })
        : tensor
      : say(name ? "trace_place" : "trace_place_only", { tensor, file: name, row, column }),
  );

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

// the key with the largest weight is then known
const CHOICES = ["pass", "map", "layer", "head", "of", "token", "key", "exact"];

export const mount = ({ element }) => {
  const { section, tools, body, foot } = makePanel(element, say("trace"));
  tools.append(makeHint("?", say("trace_means"), say("trace_hint")));
  const chain = h("ol.chain", { "aria-live": "polite" });
  body.append(chain);
  const status = h("p.quiet", { role: "status" });
  foot.append(status);

  let found = null; // see viz/passes/trace.py
  let picked = { part: "q", at: 0 };

  const path = () => {
    const { layer, head } = store.view;
    const { query, key } = place();
    const { part, at } = picked;
    return `/attention/${store.header.key}/trace/${store.map.name}/${layer}/${head}/${query}/${key}/${part}/${at}`;
  };

  const pick = (part, at) => {
    picked = { part, at };
    ask();
  };
  const row = (part, token, clickable = true) =>
    numberRow(
      say(`trace_row_${part}`, { token }),
      found[part],
      clickable ? { chosen: part === picked.part ? picked.at : null, onpick: (at) => pick(part, at) } : null,
    );

  const scoreOf = (values) => {
    if (values.divisor !== 1) return say("trace_score_by_layer", values);
    return say(found.root === 1 ? "trace_score_unscaled" : "trace_score", values);
  };

  /** Describes the weight as a function of the score, and the score of q and k. */
  const weightSteps = ({ query, key, names }) => {
    const { product, root, divisor, score, most, total, weight } = found;
    const computed = Math.exp(score - most) / total;
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
    Object.assign(chain.dataset, { computed, weight, key });
    return [
      h("li", line(say("trace_weight", values)), changed),
      h(
        "li",
        line(scoreOf({ ...values, product: asNumber(product), root: asNumber(root, 3), divisor })),
        row("q", names.query),
        row("k", names.key),
        row("v", names.key),
        h("p.quiet", say("trace_pick")),
      ),
    ];
  };

  /** Describes how positions turned the number, and how a norm of the head changed it before; empty without either. */
  const turnSteps = (token) => {
    const { turned, normed } = found;
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
      steps.push(h("li", line(say("trace_normed", values)), file(normed)));
    }
    return steps;
  };

  /** Shows the traced number as a sum of products with weights of the file. */
  const numberSteps = (names) => {
    const { terms, stream, turned, normed } = found;
    const { part, at } = picked;
    const before = normed ? "norm" : turned ? "turn" : "no";
    const of = part === "adds" ? "out" : "x";
    const token = part === "q" || part === "adds" ? names.query : names.key;
    const { table } = productsTable({ ...terms, of });
    const bias = terms.bias === null ? { biased: "no", bias: "" } : { biased: "yes", bias: asNumber(terms.bias) };
    chain.dataset.value = terms.value;
    const values = { part, at, token, before, value: asNumber(terms.value), count: terms.inputs.length, of, ...bias };
    const place = terms.tensor ? file(terms) : line(say("trace_unjoined"));
    const lines = [line(say("trace_number", values)), place, table];
    if (stream === null) return [...turnSteps(token), h("li", ...lines)];
    const added = { token, at, joins: joins(), before: asNumber(stream), after: asNumber(stream + terms.value) };
    return [h("li", ...lines, line(say("trace_added", added)))];
  };

  /** Traces the input of the largest product back through the norm to embedding and position. */
  const inputSteps = (names) => {
    const { input } = found;
    if (!input) return [];
    const { column, norm, whole, row: at, token, blocks, embedded } = input;
    const named = picked.part === "q" ? names.query : names.key;
    const values = { column, token: named, value: asNumber(input.value), whole: asNumber(whole) };
    const said = norm ? say("trace_x", { ...values, ...byNorm(norm) }) : say("trace_x_same", values);
    const embedding = [
      say("trace_embedding", { value: asSigned(input.embedding, 4), token: named }),
      ...(input.position ? [say("trace_position", { value: asSigned(input.position, 4) })] : []), // 0 if none is added
    ];
    const places = [
      file(input.embedding_place, token, column),
      input.position_place && file(input.position_place, at, column),
    ];
    const terms = [
      ...(embedded ? [say("trace_embedded", { value: asSigned(embedded.value, 4) })] : embedding),
      ...blocks.map((value, layer) => say("trace_block", { value: asSigned(value, 4), layer })),
      ...(input.attention === null ? [] : [say("trace_attention", { value: asSigned(input.attention, 4) })]),
    ];
    const steps = [
      h("li", line(said), norm && file(norm)),
      h("li", line(say("trace_stream", { ...values, terms: asList(terms, true) })), ...(embedded ? [] : places)),
    ];
    if (!embedded) return steps;
    const three = asList([...embedding, say("trace_segment", { value: asSigned(embedded.segment, 4) })], true);
    const sum = {
      column,
      value: asNumber(embedded.value),
      whole: asNumber(embedded.whole),
      terms: three,
      ...byNorm(embedded.norm),
    };
    return [
      ...steps,
      h(
        "li",
        line(say("trace_embeddings", sum)),
        file(embedded.norm),
        ...places,
        file(embedded.segment_place, embedded.segment_place.row, column),
      ),
    ];
  };

  /** For a message: whether a map joins the heads. */
  const joins = () => (found.joins ? "yes" : "no");

  /** Describes the query's weighted sum of values, and what the head adds to the stream. */
  const forwardStep = (names) => {
    const largest = strongestOf(found.adds.map(Math.abs), LARGEST);
    const button = (at) =>
      h(
        "button.f-button",
        {
          "aria-pressed": `${picked.part === "adds" && picked.at === at}`,
          "data-at": at,
          onclick: () => pick("adds", at),
        },
        `[${at}] ${asSigned(found.adds[at], 3)}`,
      );
    const told = line(say("trace_out", { ...names, joins: joins(), weight: asNumber(found.weight) }));
    return h(
      "li",
      told,
      row("out", names.query, false),
      row("adds", names.query, false),
      h("div.largest", say("trace_largest"), ...largest.map(button)),
    );
  };

  const draw = () => {
    const { map } = store;
    const { query, key } = place();
    const names = { query: quote(query, map.queries), key: quote(key, map.keys) };
    const focused = chain.contains(document.activeElement);
    const adds = picked.part === "adds";
    const forward = forwardStep(names);
    chain.replaceChildren(
      ...weightSteps({ query, key, names }),
      ...(adds ? [forward, ...numberSteps(names)] : [...numberSteps(names), ...inputSteps(names), forward]),
    );
    if (focused) chain.querySelector('[aria-pressed="true"]')?.focus({ preventScroll: true });
    Object.assign(chain.dataset, picked);
  };

  const ask = askInView(
    { element, section, body: chain, status },
    {
      question: () => (body.hidden ? null : path()),
      take: (answer) => {
        found = answer;
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
    if (changed.has("pass") || changed.has("map")) picked = { part: "q", at: 0 };
    if (CHOICES.some((name) => changed.has(name))) update();
  });
  onTheme(() => found && draw());
};
