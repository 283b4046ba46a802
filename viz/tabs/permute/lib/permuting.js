// The state that the parts of tab Word order share: the text, the order of its words, the switches, Python's answers.

import { h, isolate, shorten } from "../../../browser/lib/base.js";
import { makeDemo } from "../../../browser/lib/demo.js";
import { fields } from "../../../browser/lib/fields.js";
import { makeHints } from "../../../browser/lib/hint.js";
import { classInWords, say } from "../../../browser/lib/messages.js";
import { viewOf } from "../../../browser/lib/python.js";
import { site } from "../../../browser/lib/site.js";

const AS_TYPED = "typed"; // the order of a text without moved words
const LONGEST = 9; // characters of a word's name

export const permuting = makeDemo(
  "permute",
  {
    text: { initial: "", longest: Infinity }, // the server limits the length
    // "2.0.1": the index of the word at each position
    order: { initial: AS_TYPED, longest: 3 * site.limits.words, eager: true },
    seed: { initial: 1, min: 0, max: 9999 }, // of the shuffle
    positions: { initial: "none", choices: ["none", "learned", "sinusoidal"] },
    mask: { initial: "none", choices: ["none", "causal"] },
    output: { initial: "block", choices: ["basic", "layer", "block", "classifier"] }, // the one in the picture
    part: { initial: 0, min: 0, max: 0 }, // which part of each output's numbers
    scale: { initial: "same", choices: ["same", "log"] }, // of the difference
    table: { initial: "", choices: [""] }, // of position vectors
    at: { initial: 20, min: 0, max: 9999 }, // the position compared with all others
    product: { initial: "cosine", choices: ["cosine", "dot"] },
  },
  {
    permuted: {
      paths: ["/ask/equivariance/errors", "/ask/moved-rows/rows", "/ask/verdicts/verdicts"],
      needs: ["text", "order", "positions", "mask", "output"],
    },
  },
);
const { fields: ranges } = permuting;
const all = structuredClone(ranges); // whatever the models can do
permuting.SHOWN = 32; // numbers of an output shown at once
viewOf.permute = () => permuting.answers.permuted && permuting.view;

/** Before start: the view of a page without a link, {text, order, ...}, and the available choices. */
permuting.begin = (initial, choices) => {
  for (const [name, value] of Object.entries(initial)) ranges[name].initial = permuting.view[name] = value;
  for (const [name, limits] of Object.entries(choices)) Object.assign(ranges[name], limits);
};

// A link with its own text and no order means the text as typed.
const { read } = permuting;
permuting.read = (params) => {
  const given = new URLSearchParams(params);
  if (given.has("text") && !given.has("order")) given.set("order", AS_TYPED);
  read(given);
};

/** Another text starts in its own order. */
permuting.type = (text) => permuting.set({ text, order: AS_TYPED });

permuting.labels = () => permuting.answers.permuted?.labels ?? [];

/** order[i]: the index in the typed text of the word at position i. */
permuting.order = () => {
  const typed = permuting.labels().map((_, i) => i);
  const given = permuting.view.order.split(".").map(Number);
  const fits = given.length === typed.length && new Set(given).size === typed.length && given.every((i) => i in typed);
  return permuting.view.order !== AS_TYPED && fits ? given : typed;
};

permuting.isTyped = (order) => order.every((word, position) => word === position);

permuting.arrange = (order) => permuting.set({ order: permuting.isTyped(order) ? AS_TYPED : order.join(".") });

/** Moves the word at one position to another; those between shift. */
permuting.move = (from, to) => {
  const order = permuting.order();
  if (from === to || !(from in order) || !(to in order)) return;
  order.splice(to, 0, ...order.splice(from, 1));
  permuting.arrange(order);
};

/** Numbers in [0, 1), always the same for a seed (mulberry32). */
const dice = (seed) => () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
};

/** A seed's order of this many words (Fisher and Yates), never the typed one. */
permuting.shuffled = (count, seed) => {
  const next = dice(seed);
  const order = Array.from({ length: count }, (_, i) => i);
  do
    for (let i = count - 1; i > 0; i--) {
      const j = Math.floor(next() * (i + 1));
      [order[i], order[j]] = [order[j], order[i]];
    }
  while (count > 1 && permuting.isTyped(order));
  return order;
};

/** Shuffles with a seed; without one with the current seed, or the next if the words already have its order. */
permuting.shuffle = (given) => {
  const count = permuting.labels().length;
  const join = (order) => order.join(".");
  let seed = given ?? permuting.view.seed;
  const isSame = join(permuting.shuffled(count, seed)) === permuting.view.order;
  if (given === undefined && isSame) seed = (seed + 1) % (ranges.seed.max + 1);
  permuting.set({ seed, order: count > 1 ? join(permuting.shuffled(count, seed)) : AS_TYPED });
};

// --- the answer's numbers ----------------------------------------------------------------------------------------

/** {f: f(x), moved: P f(x), after: f(Px), difference}, each words × emb numbers, and the average if there is one. */
const decode = ({ before, after, pooled, values, order, output }) => {
  const apart = (a, b) => a.map((value, i) => Math.abs(value - b[i]));
  const maps = (one, other, moved) => ({ f: one, moved, after: other, difference: apart(other, moved) });
  const made = maps(
    before.flat(),
    after.flat(),
    order.flatMap((word) => before[word]),
  );
  return {
    words: before.length,
    emb: before[0].length,
    output,
    order,
    values,
    ...made,
    pooled: pooled && maps(pooled[0], pooled[1], pooled[0]),
  };
};

let decoded = { answer: null };
permuting.picture = () => {
  const answer = permuting.answers.permuted;
  if (decoded.answer !== answer) decoded = { answer, made: answer && decode(answer) };
  return decoded.made;
};

/** {name, error, size, limit, equal, plain} of an output in the answer. */
permuting.measured = (name) => {
  const answer = permuting.answers.permuted;
  const i = answer.outputs.indexOf(name);
  const [error, size, limit] = [answer.errors[i], answer.sizes[i], answer.limits[i]];
  return { name, error, size, limit, equal: error <= limit, plain: answer.plain?.[i] ?? null };
};

/** {name, positions, classes, before, after, moved, equal} of each trained classifier. */
permuting.verdicts = ({ names, trained, classes, probs, changed, same }) =>
  names.map((name, i) => {
    const [before, after] = probs[i];
    const change = { before, after, moved: changed[i], equal: same[i] };
    return { name, positions: trained[i], classes: classes.map(classInWords), ...change };
  });

/** The names of words, shortened, each with its number in the typed text: "film₂". */
permuting.names = (words) =>
  words.map((word) => {
    const cut = isolate(shorten(permuting.labels()[word], LONGEST));
    return cut + [...`${word + 1}`].map((digit) => "₀₁₂₃₄₅₆₇₈₉"[digit]).join("");
  });

// --- controls ----------------------------------------------------------------------------------------------------

/** A radio group for a field, with the messages `permute_{name}_{value}`: {node, update}. */
permuting.choice = (name) => {
  const key = (value) => `permute_${name}_${value}`;
  return fields.choice(
    permuting,
    name,
    say(`permute_${name}`),
    all[name].choices,
    (value) => say(key(value)),
    (value) => say(`${key(value)}_hint`),
  );
};

const button = (name, act) =>
  h(
    "button",
    { class: `permute-button ${name}`, title: say(`permute_${name}_hint`), onclick: act },
    say(`permute_${name}`),
  );
permuting.hints = () =>
  makeHints(["shuffle", "restore"].map((name) => [say(`permute_${name}`), say(`permute_${name}_hint`)]));
permuting.buttons = () => [
  button("shuffle", () => permuting.shuffle()),
  button("restore", () => permuting.set({ order: AS_TYPED })),
];

/** Further controls for a panel that fills the window, before its own. */
permuting.bar = (...nodes) => h("div.permute-bar", ...permuting.buttons(), ...nodes);
