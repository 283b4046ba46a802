// The state that the parts of tab Mask share: the view, Python's answers, and numbers and words computed from them.

import { followers, opened, tabOf } from "../../../browser/lib/address.js";
import { makeDemo } from "../../../browser/lib/demo.js";
import { lessons } from "../../../browser/lib/lessons.js";
import { asList, say } from "../../../browser/lib/messages.js";
import { asWhole } from "../../../browser/lib/numbers.js";
import { viewOf } from "../../../browser/lib/python.js";

const FIELDS = {
  text: { initial: "", longest: Infinity }, // the server limits the length
  model: { initial: "", choices: /** @type {string[]} */ ([]) },
  layer: { initial: 0, min: 0, max: 0 },
  head: { initial: 0, min: 0, max: 0 },
  mask: { initial: "causal", choices: /** @type {string[]} */ ([]) },
  size: { initial: 5, min: 1, max: 0 }, // window or stride
  row: { initial: 5, min: 0, max: 0 }, // the row in the steps
  stage: { initial: 0, min: 0, max: 4 },
  scale: { initial: "linear", choices: ["linear", "root"] }, // of the weights' colours
  token: { initial: 5, min: 0, max: 0 }, // the changed token
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

/** Whoever chooses a row or the changed token chooses both, so that the whole tab is about one token. */
const { set } = masking;
masking.set = (partial) => {
  const { row = partial.token, token = partial.row } = partial;
  set(row === undefined ? partial : { ...partial, row, token });
};

masking.STAGES = ["scores", "masked", "exp", "sum", "weights"];

/** Called once with the models' properties, the limits and the first answer: then the link is read and all other
 *  answers are requested. */
masking.begin = (settings) => {
  if (masking.settings) return; // every part calls it, in any order
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
    if (["stages", "proof", "unmasked", "mask", "token", "hover"].some((name) => changed.has(name))) showLesson();
  });
  masking.start({ stages: settings.first });
};

/** Limits for reading a link: those of its model, and any row; the answer shows how many rows the text has. */
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
  if (!masking.settings) return; // the tab is not open yet: it reads the link when it opens
  widen(params);
  follow(params);
  const { stages } = masking.answers;
  if (stages?.text === masking.view.text && stages.model === masking.view.model) fit(); // otherwise set by its answer
};

viewOf.mask = () => masking.answers.stages && masking.view;

/** Calls paint after any change; after a move of the pointer only if it changes one of `names`. */
masking.paints = (element, names, paint) => {
  let before = "";
  masking.subscribe(element, (changed) => {
    const now = JSON.stringify(names.map((name) => masking.hover?.[name]));
    if (changed.size === 1 && changed.has("hover") && now === before) return;
    before = now;
    paint();
  });
};

/** Selects another model; a layer or head that it lacks becomes its last. */
masking.choose = (model) => {
  limit(masking.settings.models[model]);
  const { layer, head } = masking.view;
  masking.set({ model, layer: Math.min(layer, fields.layer.max), head: Math.min(head, fields.head.max) });
};

/** Limits the row to the tokens of a new text. */
const fit = () => {
  const last = (masking.answers.stages?.tokens ?? masking.settings.shown) - 1;
  fields.row.max = fields.token.max = last;
  masking.set({ row: Math.min(masking.view.row, last), token: Math.min(masking.view.token, last) });
};

/** The token whose change is shown: under the pointer, else selected. */
masking.token = ({ length }) => Math.min(masking.hover?.token ?? masking.view.token, length - 1);

const agree = (one, other, names) => Boolean(one && other) && names.every((name) => one[name] === other[name]);

/** The measurements with and without the mask; null while the two belong to different texts or models. */
masking.proof = () => {
  const { proof, unmasked } = masking.answers;
  return agree(proof, unmasked, ["text", "model"]) ? { ...proof, masked: proof.moves, unmasked: unmasked.moves } : null;
};

/** A token in a sentence, with its position; labels are those of the answer that the sentence describes. */
masking.quote = (labels, i) => say("token_at", { label: labels[i], at: i });

masking.nameOf = (mask, size) => say(`mask_${mask}`) + (masking.hasSize(mask) ? ` ${size}` : "");
/** The mask's name in a sentence: "the causal mask", "a local window of 5", "no mask". */
masking.fullNameOf = (mask, size) => say(`mask_full_${mask}`, { size });
/** The lines in the chart of costs; a fixed stride has its own line, next to the one whose stride grows. */
masking.lineOf = (line, { mask, size }) =>
  say(`mask_growth_${line}`, line === "own" ? { name: say(`mask_${mask}`), size, double: 2 * size } : { size });
masking.hasSize = (mask) => mask !== "none" && mask !== "causal";

/** [5, 6, 7, 9] → "5 to 7, 9". */
masking.ranges = (list) => {
  const runs = [];
  for (const i of list) {
    const last = runs.at(-1);
    if (last?.[1] === i - 1) last[1] = i;
    else runs.push([i, i]);
  }
  const words = (/** @type {number[]} */ [from, to]) =>
    from === to ? [`${from}`] : to === from + 1 ? [`${from}`, `${to}`] : [say("range", { from, to })];
  return asList(runs.flatMap(words));
};

/** A list of outputs in a sentence. */
masking.outputs = (list, all) => {
  if (list.length === all) return say("mask_proof_all");
  return say("mask_proof_outputs", { count: list.length, ranges: masking.ranges(list) || say("none") });
};

/** The outputs that change with a token, by any amount. */
masking.moved = (square, token) => [...square.keys()].filter((output) => square[output][token] > 0);

/** The tab's sentence: what the mask leaves, and which outputs change, once both answers belong to the same
 *  question. */
const showLesson = () => {
  const { stages } = masking.answers;
  if (!stages) return;
  const proof = masking.proof();
  const measured = agree(stages, proof, ["text", "model", "mask", "size"]);
  const values = {
    mask: stages.mask,
    size: stages.size,
    cells: asWhole(stages.cells),
    all: asWhole(stages.tokens ** 2),
    ...(measured ? whatMoves(proof) : {}),
  };
  lessons.show("mask", say(`mask_lesson${stages.mask === "none" ? "_none" : ""}${measured ? "_moves" : ""}`, values));
};

const whatMoves = ({ labels, masked, unmasked }) => {
  const token = masking.token(labels);
  const [affected, free] = [masked, unmasked].map((square) => masking.moved(square, token));
  return {
    token: masking.quote(labels, token),
    outputs: masking.outputs(affected, labels.length),
    before: token > 0 && affected.every((output) => output >= token) ? "none" : "some",
    too: free.some((output) => output < token) ? "some" : "none",
    unmasked: masking.outputs(free, labels.length),
  };
};
