// Films and people as vectors: first with features set by hand, then learned from likes on the page; then the nearest
// words.

import { eachFrame, h } from "../../../../browser/lib/base.js";
import { asText } from "../../../../browser/lib/messages.js";
import { asFixed, asShare } from "../../../../browser/lib/numbers.js";
import { pairs } from "../../lib/plane.js";
import { areFeatures, makeByHand } from "./by_hand.js";
import { areLikes, makeLearning } from "./learning.js";

const fieldsOf = (props) => ({
  show: { initial: "hand", choices: ["hand", "learn", "words"] },
  features: { initial: props.features, longest: 120, valid: areFeatures(props), eager: true },
  likes: { initial: props.likes, longest: 80, valid: areLikes(props), eager: true },
  seed: { initial: 1, min: 0, max: props.seeds - 1 },
  word: { initial: "bad", longest: props.letters },
});

/** The nearest words by dot product and by cosine: {node, paint}. */
const makeNearest = (section, { model }) => {
  const { words, live: demo } = section;
  const field = section.line("word", words("word", { model }), "");
  const nearest = h("div.nearest");
  const guesses = h("p.readout");
  const node = h("div.in-words", field.node, nearest, h("p.quiet", words("near_how")), guesses);
  const entry = ({ word, value, length }) =>
    h("li", h("span", word), " ", h("small", words("near", { value: asFixed(value, 3), length: asFixed(length, 2) })));
  const list = (by, entries) => h("div", { "data-by": by }, h("b", words(`by_${by}`)), h("ol", ...entries.map(entry)));
  const paint = () => {
    const { near } = demo.answers;
    if (!near) return;
    nearest.replaceChildren(list("dot", near.dot), list("cosine", near.cosine));
    const lines = near.pairs.map(({ guess, word, other, cosine, less }) =>
      words(`guess_${guess}`, { word, other, cosine: asFixed(cosine, 2), less: asShare(less) }),
    );
    guesses.textContent = asText(lines);
    section.showLesson(words("lesson_words", { word: near.word, dot: near.dot[0].word, cosine: near.cosine[0].word }));
  };
  return { node, paint };
};

const addCheck = (section, { people, films, held: [i, j] }) => {
  const { words, live: demo } = section;
  const names = { person: people[i], film: films[j] };
  const answer = async () => {
    const { predicted } = await demo.answered("learned");
    const share = predicted.at(-1)[i][j];
    const right = share > 0.6 ? 0 : share < 0.4 ? 1 : 2;
    return { right, said: words("answer", { ...names, share: asShare(share) }) };
  };
  section.check({
    shows: { show: "learn" },
    question: words("question", names),
    names: ["yes", "no", "even"],
    answer,
  });
};

export const mount = (section, props) => {
  const { words, panel } = section;
  const demo = section.demo(fieldsOf(props), { learned: ["likes", "seed"], near: ["word"] });
  const show = section.choice("show");
  const parts = [makeByHand(section, props), makeLearning(section, props), makeNearest(section, props)];
  const [hand, learned, nearest] = parts;
  panel.tools.append(show.node);
  panel.picture.append(...parts.map(({ node }) => node));

  const turned = pairs.parse(props.features).map((pair, i) => (i ? pair : [-0.9, 0.1]));
  section.tries({
    turn: [{ show: "hand", features: pairs.spell(turned) }, words("try_turn", { person: props.people[0] })],
    learn: ({ seed }) => (demo.set({ show: "learn", seed: (seed + 1) % props.seeds }), learned.run()),
    words: { show: "words", word: "wonderful" },
  });
  addCheck(section, props);
  section.links(() => [["explore", { model: props.model, text: words("sentence") }]]);
  const paint = section.parts({ hand: [hand], learn: [learned], words: [nearest] });
  section.needs({ learn: "learned", words: "near" });
  section.begin(eachFrame(paint));
};
