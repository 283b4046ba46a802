// The training of a generator, position by position: input byte, target byte, and the target's probability, at a step
// of the training and without a mask. The slider goes through the snapshots; next to the loss is a text generated at
// that step. Or the cache of a model that writes: what it keeps, and what a step costs with and without it.

import { h } from "../../../../browser/lib/base.js";
import { fields } from "../../../../browser/lib/fields.js";
import { asShare } from "../../../../browser/lib/numbers.js";
import { makeCacheView } from "../../../generate/lib/cache_view.js";
import { makeTraining } from "./training.js";

const EARLY = 4; // a snapshot that has learned the first words

const fieldsOf = (props) => {
  const last = props.steps.length - 1;
  const caches = Object.keys(props.caches);
  return {
    show: { initial: props.shows[0], choices: props.shows },
    text: { initial: props.text, longest: 400 },
    step: { initial: last, min: 0, max: last },
    seed: { initial: 0, min: 0, max: props.seeds - 1 },
    cache: { initial: caches[0], choices: caches },
    tokens: { initial: props.tokens, min: 1, max: props.tokens },
  };
};
const QUESTIONS = { predicted: ["text"], written: ["text", "step", "seed"], unmasked: ["text", "seed"] };

/** The cache of a model that writes: {node, paint}. */
const makeCache = (section, props) => {
  const { words, live: demo } = section;
  const view = makeCacheView(() => {
    const { text, tokens, cache, show } = demo.view;
    return ["/ask/learn-generation/cost", { text, tokens, cache, show }];
  });
  const { now, kept, picture, shared, times, measure } = view.nodes;
  measure.className = "field-button";
  const which = fields.choice(
    demo,
    "cache",
    words("cache"),
    Object.keys(props.caches),
    (name) => name,
    (name) => words("cache_hint", { name }),
  );
  const { range, value } = section.slider("tokens", (tokens) => words("tokens_are", { tokens }));
  const node = h(
    "div.cache",
    h("div.course", which.node, h("span.quiet", words("tokens")), range, value),
    ...[now, kept, picture, shared],
    h("div.course", measure, times),
  );
  let measuredAt = "";
  const paint = () => {
    const { cache, tokens: length, text: typed } = demo.view;
    which.update();
    view.draw(props.caches[cache], length);
    const at = `${cache} ${length} ${typed}`;
    if (at !== measuredAt) view.clear();
    measuredAt = at;
    section.showLesson(words("lesson_cache", { name: cache, tokens: length }));
  };

  return { node, paint };
};

const addCheck = (section) => {
  const answer = async () => {
    const { labels, unmasked, least, others } = await section.live.answered("predicted");
    const right = least === unmasked.length - 1 ? 2 : least === 0 ? 0 : 1;
    const shares = { share: asShare(unmasked[least]), others: asShare(others) };
    const position = { position: least + 1, count: unmasked.length, target: labels[least + 1] };
    return { right, said: section.words("answer", { ...position, ...shares }) };
  };
  section.check({ names: ["first", "middle", "last"], shows: { show: "training" }, answer });
};

export const mount = (section, props) => {
  const { words, panel } = section;
  const [model, peeking] = props.models;
  const demo = section.demo(fieldsOf(props), QUESTIONS);
  const text = section.line("text", words("field", { most: props.most }));
  const seed = section.stepper("seed");
  const show = section.choice("show");
  const [training, cache] = [makeTraining(section, props), makeCache(section, props)];
  panel.tools.append(show.node, text.node, seed.node);
  panel.picture.append(training.node, cache.node);

  section.tries({
    begin: { show: "training", step: 0 },
    words: [{ show: "training", step: EARLY }, words("try_words", { step: props.steps[EARLY] })],
    other: { show: "training", text: props.other },
  });
  addCheck(section);
  section.links(() => [
    ["generate", { model, text: demo.view.text }],
    ["explore", { model: peeking, text: demo.view.text }],
    ["mask", { text: demo.view.text }],
  ]);

  const [trains, caches] = props.shows;
  const paint = section.parts({ [trains]: [training, seed.node], [caches]: [cache] });
  section.needs({ [trains]: "predicted" });
  section.begin(paint);
};
