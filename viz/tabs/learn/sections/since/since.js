// Changes to the transformer since the article: a query and a key rotated by their positions, two norms of one vector,
// the gate of a feed-forward, the size of the cache with shared keys, and a table of tiny models that differ in one.

import { eachFrame, h } from "../../../../browser/lib/base.js";
import { asSigned } from "../../../../browser/lib/numbers.js";
import { fillTokens } from "../../lib/tokens.js";
import { makeGate, makeNorm } from "./norm_and_gate.js";
import { makeRotary } from "./rotary.js";
import { makeCache, makeWorth } from "./tables.js";

const READING = { rotary: "turned", norm: "normed", gate: "gated" }; // the questions of views that read a text
const ANSWERS = { ...READING, cache: "cached" }; // of all views that ask something
const SHOWS = [...Object.keys(ANSWERS), "worth"];

const fieldsOf = (props) => ({
  show: { initial: "rotary", choices: SHOWS },
  text: { initial: props.text, longest: 1000 },
  at: { initial: 20, min: 0, max: props.most - 1 },
  back: { initial: 1, min: 0, max: props.most - 1 },
  head: { initial: 0, min: 0, max: props.heads - 1 },
  plane: { initial: 1, min: 0, max: props.planes - 1 },
  shift: { initial: 0, min: 0, max: props.shifts },
  added: { initial: 0, min: -props.added, max: props.added, step: 0.1 },
  length: { initial: 3, min: 0, max: props.lengths.length - 1 },
});
const QUESTIONS = {
  turned: ["text", "at", "back", "head", "shift"],
  normed: ["text", "at", "added"],
  gated: ["text", "at"],
  cached: ["length"],
};

/** The tokens of the text, of which a click selects one: {node, paint(answer)}. */
const makeTokens = (section) => {
  const { words, live: demo } = section;
  const node = h("ol.tokens", { "aria-label": words("tokens") });
  const paint = ({ labels, at, distance: back }) =>
    fillTokens(
      node,
      labels,
      at,
      (i) => demo.set({ at: i }),
      (i) => ({
        "aria-label": words("token", { label: labels[i], position: i }),
        class: back && i === at - back ? "key" : null,
      }),
    );
  return { node, paint };
};

const addCheck = (section) => {
  const answer = async () => {
    const { score, later } = await section.live.answered("turned");
    const right = Math.abs(later - score) < 1e-3 ? 0 : Math.abs(later) < Math.abs(score) ? 1 : 2;
    return { right, said: section.words("answer", { score: asSigned(score, 3), later: asSigned(later, 3) }) };
  };
  section.check({ names: ["same", "weaker", "other"], shows: { show: "rotary" }, answer });
};

export const mount = (section, props) => {
  const { words, panel } = section;
  const demo = section.demo(fieldsOf(props), QUESTIONS);
  const show = section.choice("show");
  const text = section.line("text", words("field", { most: props.most }));
  const tokens = makeTokens(section);
  const parts = {
    rotary: makeRotary(section),
    norm: makeNorm(section, props),
    gate: makeGate(section, props),
    cache: makeCache(section, props),
    worth: makeWorth(section, props),
  };
  for (const [name, { node }] of Object.entries(parts)) node.dataset.part = name;
  panel.tools.append(show.node, text.node);
  panel.picture.append(tokens.node, ...Object.values(parts).map(({ node }) => node));

  section.tries({
    far: { show: "rotary", shift: props.shifts },
    added: { show: "norm", added: 2 },
    worth: { show: "worth" },
  });
  addCheck(section);
  section.links(() => [
    ["explore", { model: props.models.rotary, text: demo.view.text }],
    ["generate", { model: props.models.modern, text: demo.view.text }],
  ]);

  const reading = (name) => (name in READING ? [tokens.node, text.node] : []);
  section.parts(Object.fromEntries(SHOWS.map((name) => [name, [parts[name], ...reading(name)]])));
  section.needs(ANSWERS);
  section.begin(
    eachFrame(() => {
      const now = demo.view.show;
      const answer = demo.answers[ANSWERS[now]];
      if (answer && now in READING) tokens.paint(answer);
      if (answer || now === "worth") parts[now].paint(answer);
    }),
  );
};
