// Names of tokens and of files.

import { shorten } from "../../../browser/lib/base.js";
import { classInWords, say } from "../../../browser/lib/messages.js";
import { store } from "./store.js";

const SUBSCRIPTS = "₀₁₂₃₄₅₆₇₈₉";

/** The number of each token's occurrence among equal labels; 0 for a label that occurs once. */
const occurrences = (labels) => {
  if (!counted.has(labels)) {
    const counts = new Map();
    const nth = labels.map((label) => counts.set(label, (counts.get(label) ?? 0) + 1).get(label));
    counted.set(
      labels,
      labels.map((label, i) => (counts.get(label) > 1 ? nth[i] : 0)),
    );
  }
  return counted.get(labels);
};
const counted = new WeakMap(); // labels → their occurrences

/** The labels of the tokens after which a pass's model predicts: the text's, or its answer's. */
export const predictionLabels = ({ answer, labels } = store.header) => answer?.labels ?? labels;

/** A token's name, with an index if it repeats: the second "the" is the₂. `labels` are the text's, or those of a map's
 *  queries or keys. */
export const tokenLabel = (i, labels = store.header.labels) => {
  const [label, nth] = [labels[i], occurrences(labels)[i]];
  return label + (nth ? [...`${nth}`].map((digit) => SUBSCRIPTS[digit]).join("") : "");
};

/** The labels along a map: words with their index, or bytes without one, as their words are shown over them. `unit` is
 *  the tokenizer's. */
export const axisLabels = (labels, unit = store.header.unit) =>
  unit === "byte" ? labels : labels.map((_, i) => tokenLabel(i, labels));

/** The words formed by bytes, as [{from, to, name}]; null if the labels are words themselves. */
export const axisWords = (labels, unit = store.header.unit) => {
  if (unit !== "byte") return null;
  const words = [];
  labels.forEach((label, i) => {
    if (BLANK.has(label)) return;
    if (words.at(-1)?.to === i - 1)
      Object.assign(words.at(-1), { to: i, name: words.at(-1).name + label.replace(/^[◌‥]/, "") });
    else words.push({ from: i, to: i, name: label });
  });
  for (const word of words) word.name = word.name.replace(JOINED, "\u200d");
  return words;
};
const JOINED = /(?<=[\u2190-\u2bff\u{1f000}-\u{1faff}]\ufe0f?)U\+200D(?=[\u2190-\u2bff\u{1f000}-\u{1faff}])/gu;
const BLANK = new Set(["␣", "⏎", "⇥"]);

/** A token in a sentence, with its position in the text. */
export const quote = (i, labels) => say("token_at", { label: shorten(tokenLabel(i, labels), LONGEST), at: i });
const LONGEST = 20; // characters: a word of a visitor's may have thousands

/** The name of a view of a pass: a head, a layer's mean, or a rollout. */
export const viewName = (/** @type {any} */ { of, layer, head }) =>
  say(of === "head" ? "head_name" : `of_${of}_name`, { layer, head });

/** The label of a prediction that Python names: a token, or a class in the page's language. */
export const outcomeInWords = (name) => (store.header.output.classes ? classInWords(name) : name);

/** A file's name: the model, layer and head, and the content. */
export const fileName = (what, extension) => {
  const { header, view } = store;
  const model = header.model.replace(/[^\w.-]+/g, "-");
  const of = {
    head: `layer-${view.layer}-head-${view.head}`,
    mean: `layer-${view.layer}-mean`,
    rollout: `rollout-to-layer-${view.layer}`,
  };
  return `${model}-${of[view.of]}-${what}.${extension}`;
};
