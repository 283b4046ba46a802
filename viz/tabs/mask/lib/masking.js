// What the parts of the tab Mask share: the view, Python's answers, and the numbers and words made of them.

import { followers, opened, tabOf } from "../../../browser/lib/address.js";
import { makeDemo } from "../../../browser/lib/demo.js";
import { lessons } from "../../../browser/lib/lessons.js";
import { asList, say } from "../../../browser/lib/messages.js";
import { asWhole } from "../../../browser/lib/numbers.js";
import { viewOf } from "../../../browser/lib/python.js";

const FIELDS = {
  text: { initial: "", longest: Infinity }, // the server says how long is too long
  model: { initial: "", choices: [] },
  layer: { initial: 0, min: 0, max: 0 },
  head: { initial: 0, min: 0, max: 0 },
  mask: { initial: "causal", choices: [] },
  size: { initial: 5, min: 1, max: 0 }, // window or stride
  row: { initial: 8, min: 0, max: 0 }, // that goes through the steps
  stage: { initial: 0, min: 0, max: 4 },
  scale: { initial: "linear", choices: ["linear", "root"] }, // of the weights' colours
  token: { initial: 5, min: 0, max: 0 }, // that is changed
  long: { initial: "", longest: Infinity }, // the text of the losses
  seed: { initial: 1, min: 0, max: 0 },
};
export const masking = makeDemo("mask", FIELDS, {
  stages: { paths: ["/ask/mask-stages/head"], needs: ["text", "model", "layer", "head", "mask", "size"] },
  growth: { paths: ["/ask/mask-growth/cost"], needs: ["text", "model", "mask", "size"] },
  proof: { paths: ["/ask/mask-proof/masked", "/ask/mask-reach/reach"], needs: ["text", "model", "mask", "size"] },
  unmasked: { paths: ["/ask/mask-proof/unmasked"], needs: ["text", "model"] },
  consequence: { paths: ["/ask/mask-consequence/losses"], needs: ["long", "model", "seed"] },
});
const { fields } = masking;

masking.STAGES = ["scores", "masked", "exp", "sum", "weights"];

/** Once: what the models have and where the limits are; then the link is read and everything asked. */
masking.begin = (settings) => {
  if (masking.settings) return; // each part begins: which comes first is not said
  masking.settings = settings;
  fields.model.choices = Object.keys(settings.models);
  fields.mask.choices = settings.masks;
  fields.size.max = settings.shown;
  fields.seed.max = settings.seeds;
  for (const [name, value] of Object.entries(settings.view)) fields[name].initial = masking.view[name] = value;
  widen(tabOf(opened) === "mask" ? opened : new URLSearchParams());
  for (const name of ["layer", "head"]) masking.view[name] = fields[name].initial;
  masking.subscribe(document.body, (changed) => {
    if (changed.has("stages")) fit();
    if (["stages", "proof", "unmasked", "mask", "token", "hover"].some((name) => changed.has(name))) tell();
  });
  masking.start();
};

/** Before a link is read: what its model has, and any row; how many rows its text has shows in the answer. */
const widen = (params) => {
  const { models, shown } = masking.settings;
  const model = params.get("model");
  limit(models[masking.allowed("model", model) ? model : fields.model.initial]);
  fields.row.max = fields.token.max = shown - 1;
};
const limit = ({ layers, heads, layer, head }) => {
  Object.assign(fields.layer, { max: layers - 1, initial: layer });
  Object.assign(fields.head, { max: heads - 1, initial: head });
};
const { follow } = masking;
followers.mask = masking.follow = (params) => {
  if (!masking.settings) return; // the tab was not opened yet: it reads the link then
  widen(params);
  follow(params);
  const { stages } = masking.answers;
  if (stages?.text === masking.view.text && stages.model === masking.view.model) fit(); // else their answer does
};

viewOf.mask = () => masking.answers.stages && masking.view;

/** Calls paint as anything changes; of what is pointed at, only where one of `names` does: many parts, one pointer. */
masking.paints = (element, names, paint) => {
  let before = "";
  masking.subscribe(element, (changed) => {
    const now = JSON.stringify(names.map((name) => masking.hover?.[name]));
    if (changed.size === 1 && changed.has("hover") && now === before) return;
    before = now;
    paint();
  });
};

/** Another model; a layer or head it does not have gives way to its last. */
masking.choose = (model) => {
  limit(masking.settings.models[model]);
  const { layer, head } = masking.view;
  masking.set({ model, layer: Math.min(layer, fields.layer.max), head: Math.min(head, fields.head.max) });
};

/** A new text has as many rows as tokens. */
const fit = () => {
  const last = (masking.answers.stages?.tokens ?? masking.settings.shown) - 1;
  fields.row.max = fields.token.max = last;
  masking.set({ row: Math.min(masking.view.row, last), token: Math.min(masking.view.token, last) });
};

/** The token whose change is looked at: pointed at, else chosen. */
masking.token = ({ length }) => Math.min(masking.hover?.token ?? masking.view.token, length - 1);

const agree = (one, other, names) => Boolean(one && other) && names.every((name) => one[name] === other[name]);

/** The measurement with the mask and without it; null while the two are of different texts or models. */
masking.proof = () => {
  const { proof, unmasked } = masking.answers;
  return agree(proof, unmasked, ["text", "model"]) ? { ...proof, masked: proof.moves, unmasked: unmasked.moves } : null;
};

/** A token in a sentence, with its place; the labels are those of the answer that the sentence is about. */
masking.quote = (labels, i) => `“${labels[i]}” (${i})`;

masking.nameOf = (mask, size) => say(`mask_${mask}`) + (masking.hasSize(mask) ? ` ${size}` : "");
/** In a sentence: "the causal mask", "a local window of 5", "no mask". */
masking.fullNameOf = (mask, size) => say(`mask_full_${mask}`, { size });
/** What is counted of the cost of masks; a stride that stays makes a line of its own, beside the one whose stride
 *  grows. */
masking.lineOf = (line, { mask, size }) =>
  say(`mask_growth_${line}`, line === "own" ? { name: say(`mask_${mask}`), size, double: 2 * size } : { size });
masking.hasSize = (mask) => mask !== "none" && mask !== "causal";

masking.count = asWhole;

/** [5, 6, 7, 9] → "5 to 7, 9". */
masking.ranges = (list) => {
  const runs = [];
  for (const i of list) {
    if (runs.length && runs.at(-1)[1] === i - 1) runs.at(-1)[1] = i;
    else runs.push([i, i]);
  }
  const words = ([from, to]) => (from === to ? [from] : to === from + 1 ? [from, to] : [say("range", { from, to })]);
  return asList(runs.flatMap(words));
};

/** A list of outputs in words. */
masking.outputs = (list, all) => {
  if (list.length === all) return say("mask_proof_all");
  return say("mask_proof_outputs", { count: list.length, ranges: masking.ranges(list) || say("none") });
};

/** The outputs that a change of a token moves: those with any change at all. */
masking.moved = (square, token) => [...square.keys()].filter((output) => square[output][token] > 0);

/** A row taken through the softmax, from its scores: what the model did is beside it, and how far off this is. */
masking.steps = (row) => {
  const { scores, allowed, weights } = masking.answers.stages;
  const own = scores[row];
  const passes = allowed[row];
  const left = own.filter((_, key) => passes[key]);
  const most = Math.max(...left);
  const exps = own.map((score, key) => (passes[key] ? Math.exp(score - most) : 0));
  const sum = exps.reduce((a, b) => a + b);
  const shares = exps.map((part) => part / sum);
  const error = Math.max(...shares.map((part, key) => Math.abs(part - weights[row][key])));
  return {
    scores: own,
    passes,
    left: left.length,
    most,
    at: own.findIndex((score, key) => passes[key] && score === most),
    exps,
    sum,
    shares,
    error,
  };
};

/** The tab's sentence: what the mask leaves, and what moves once that is measured for the same question. */
const tell = () => {
  const { stages } = masking.answers;
  if (!stages) return;
  const proof = masking.proof();
  const measured = agree(stages, proof, ["text", "model", "mask", "size"]);
  const values = {
    mask: stages.mask,
    size: stages.size,
    cells: masking.count(stages.cells),
    all: masking.count(stages.tokens ** 2),
    ...(measured ? whatMoves(proof) : {}),
  };
  lessons.tell("mask", say(`mask_lesson${stages.mask === "none" ? "_none" : ""}${measured ? "_moves" : ""}`, values));
};

const whatMoves = ({ labels, masked, unmasked }) => {
  const token = masking.token(labels);
  const [moved, free] = [masked, unmasked].map((square) => masking.moved(square, token));
  return {
    token: masking.quote(labels, token),
    outputs: masking.outputs(moved, labels.length),
    before: token > 0 && moved.every((output) => output >= token) ? "none" : "some",
    too: free.some((output) => output < token) ? "some" : "none",
    unmasked: masking.outputs(free, labels.length),
  };
};
