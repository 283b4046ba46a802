// The verdict on a review, split into the contribution of each word, for average and for maximum pooling.

import { answerTo } from "../../../../browser/lib/ask.js";
import { eachFrame, h, refill } from "../../../../browser/lib/base.js";
import { ground, makeBar, palette, signedAt } from "../../../../browser/lib/colour.js";
import { asList } from "../../../../browser/lib/messages.js";
import { asShare, asSigned } from "../../../../browser/lib/numbers.js";
import { makePicture } from "./picture.js";

const STRONGEST = 8; // number of listed pulls
const SOURCES = 3; // number of words named that the strongest one reads
const areNumbers = (text) => /^(\d+(,\d+)*)?$/.test(text);

const largest = (values) => Math.max(...values.map(Math.abs)) || 1;
const total = (values) => values.reduce((one, other) => one + other, 0);

/** A bar from the middle: to the right above 0, to the left below; `alone`, if any, is outlined. */
const pullBar = (word, pull, most, alone = null) => {
  const bar = (value, kind) => {
    const filled = h("i", { class: `${value < 0 ? "below" : "above"} ${kind}` });
    filled.style.width = `${Math.min(50, (50 * Math.abs(value)) / most)}%`;
    return filled;
  };
  return h(
    "p",
    h("span.name", word),
    h("span.pull", bar(pull, ""), alone === null ? null : bar(alone, "alone")),
    h("b", asSigned(pull, 3)),
  );
};

const strongestWord = ({ average: { pulls } }) => pulls.map(Math.abs).indexOf(Math.max(...pulls.map(Math.abs)));

/** The verdict with either pooling, of which one is selected: {node, paint(verdict)}. */
const makeVerdicts = ({ words, live: demo }, poolings) => {
  const verdicts = poolings.map((pooling) => {
    const [bar, share] = [h("span.bar"), h("b")];
    const name = h("span", words(pooling));
    const select = () => demo.set({ pooling });
    const button = h("button", { "data-pooling": pooling, onclick: select }, name, bar, share);
    return { pooling, bar, share, button };
  });
  const buttons = verdicts.map(({ button }) => button);
  const paint = (verdict) => {
    for (const { pooling, bar, share, button } of verdicts) {
      const { positive } = verdict[pooling];
      button.setAttribute("aria-pressed", pooling === demo.view.pooling);
      bar.replaceChildren(makeBar(positive));
      share.textContent = words("positive", { share: asShare(positive) });
    }
  };
  return { node: h("div.verdicts", { role: "group", "aria-label": words("verdicts") }, ...buttons), paint };
};

/** Takes a word out of the pooling, or back into it. */
const toggle = (demo, i) => {
  const out = new Set(demo.view.out ? demo.view.out.split(",").map(Number) : []);
  if (!out.delete(i)) out.add(i);
  demo.set({ out: [...out].sort((a, b) => a - b).join() });
};

/** The words, coloured by their pulls; a click takes one out: {node, paint(verdict, pulls)}. */
const makeReview = ({ words, live: demo }) => {
  const node = h("p.review", { role: "group", "aria-label": words("review") });
  const paint = ({ labels, pooled }, pulls) => {
    const { scores } = palette();
    const most = largest(pulls);
    const button = (word, i) => {
      const title = words("word", { word, pull: asSigned(pulls[i], 3), kind: pooled[i] ? "in" : "out" });
      const press = () => toggle(demo, i);
      const own = h("button", { title, "aria-pressed": `${!pooled[i]}`, "data-word": i, onclick: press }, word);
      if (pooled[i]) ground(own, scores[signedAt(pulls[i] / most)]);
      return own;
    };
    refill(node, labels.map(button));
  };
  return { node, paint };
};

/** The bars of the strongest pulls, `order` from the strongest on, and of the rest together. */
const pullBars = (words, { labels, alone }, pulls, order, averaged) => {
  const rest = total(order.slice(STRONGEST).map((i) => pulls[i]));
  const longest = Math.max(largest(pulls), Math.abs(rest)); // of all bars
  return [
    ...order.slice(0, STRONGEST).map((i) => pullBar(labels[i], pulls[i], longest, averaged ? alone[i] : null)),
    pullBar(words("rest", { count: Math.max(0, order.length - STRONGEST) }), rest, longest),
  ];
};

/** Why the first word of `order` pulls as it does: what it reads, and the word with the largest pull alone. "" where it
 *  reads no other. */
const reasonFor = (words, { labels, alone, reads }, pulls, order) => {
  const [first] = order;
  const sources = [...reads[first].keys()]
    .filter((i) => i !== first)
    .sort((i, j) => reads[first][j] - reads[first][i])
    .slice(0, SOURCES);
  if (!sources.length) return "";
  const top = order.reduce((one, other) => (Math.abs(alone[other]) > Math.abs(alone[one]) ? other : one));
  return words("why", {
    word: labels[first],
    pull: asSigned(pulls[first], 3),
    alone: asSigned(alone[first], 3),
    top: labels[top],
    same: labels[top] === labels[first] ? "yes" : "no",
    most: asSigned(alone[top], 3),
    share: asShare(total(sources.map((i) => reads[first][i]))),
    sources: asList(sources.map((i) => words("quoted", { word: labels[i] }))),
  });
};

/** The strongest pulls, and the sum of all: {nodes, paint(verdict, order)}. */
const makePulls = ({ words, live: demo }) => {
  const strongest = h("div.strongest");
  const why = h("p.why");
  const sum = h("p.readout");
  const supplied = h("p.quiet");
  const paint = (verdict, order) => {
    const averaged = demo.view.pooling === "average";
    const { pulls, difference, positive } = verdict[demo.view.pooling];
    const { labels, bias, numbers, size } = verdict;
    strongest.replaceChildren(...pullBars(words, verdict, pulls, order, averaged));
    why.textContent = averaged ? reasonFor(words, verdict, pulls, order) : "";
    why.hidden = !why.textContent;
    sum.textContent = words("sum", {
      pulls: asSigned(total(pulls), 3),
      bias: asSigned(bias, 3),
      difference: asSigned(difference, 3),
      share: asShare(positive),
    });
    const used = numbers.filter((count) => count > 0).length;
    const count = Math.max(...numbers);
    const word = labels[numbers.indexOf(count)];
    supplied.textContent = words("supplied", { size, used, words: order.length, word, count });
  };
  return { nodes: [strongest, why, sum, supplied], paint };
};

/** The sentence: the verdict, and the word with the strongest pull. */
const lesson = ({ words, live: demo }, verdict, strongest) => {
  const { pooling } = demo.view;
  const { pulls, positive } = verdict[pooling];
  return words("lesson", {
    pooling,
    kind: positive > 0.5 ? "positive" : "negative",
    share: asShare(Math.max(positive, 1 - positive)),
    word: verdict.labels[strongest],
    pull: asSigned(pulls[strongest], 2),
    side: pulls[strongest] > 0 ? "positive" : "negative",
  });
};

const addCheck = (section) => {
  const { words, live: demo } = section;
  const ask = (out) => answerTo("/ask/learn-classification/verdict", { text: demo.view.text, out });
  const answer = async () => {
    const whole = await ask("");
    const word = strongestWord(whole);
    const [before, after] = [whole, await ask(`${word}`)].map(({ average }) => average.positive);
    const values = { word: whole.labels[word], before: asShare(before), after: asShare(after) };
    return { right: before > 0.5 === after > 0.5 ? 0 : 1, said: words("answer", values) };
  };
  section.check({ names: ["stays", "turns"], answer });
};

export const mount = (section, props) => {
  const { words, panel } = section;
  const demo = section.demo(
    {
      text: { initial: props.text, longest: 4000 },
      out: { initial: "", longest: props.longest, valid: areNumbers, eager: true },
      pooling: { initial: props.poolings[0], choices: props.poolings },
    },
    { verdict: ["text", "out"] },
  );
  const text = section.line("text", words("text_field", { most: props.most }));
  text.node.addEventListener("input", () => demo.set({ out: "" }));
  const picture = makePicture(section, props);
  const [verdicts, review, pulls] = [makeVerdicts(section, props.poolings), makeReview(section), makePulls(section)];
  panel.tools.append(text.node);
  panel.picture.append(
    picture.node,
    verdicts.node,
    review.node,
    h("p.quiet", words("hint")),
    h("div.with-equation", h("h3", words("strongest")), panel.equation()),
    ...pulls.nodes,
  );

  section.tries({
    mixed: { text: props.mixed },
    max: { pooling: "max" },
    without: async () => toggle(demo, strongestWord(await demo.answered("verdict"))),
  });
  addCheck(section);
  section.links(() => [
    ["explore", { model: props.model, text: demo.view.text }],
    ["permute", { text: demo.view.text }],
  ]);

  section.needs("verdict");
  section.begin(
    eachFrame(() => {
      const { verdict } = demo.answers;
      if (!verdict) return;
      const { pooling } = demo.view;
      const own = verdict[pooling].pulls;
      const pooled = [...own.keys()].filter((i) => verdict.pooled[i]);
      const order = pooled.sort((i, j) => Math.abs(own[j]) - Math.abs(own[i]));
      verdicts.paint(verdict);
      review.paint(verdict, own);
      picture.draw(verdict, pooling);
      pulls.paint(verdict, order);
      section.showLesson(lesson(section, verdict, order[0]));
    }),
  );
};
