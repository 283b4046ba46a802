// The verdict on a review, split into the contribution of each word, for average and for maximum pooling.

import { answerTo } from "../../../../browser/lib/ask.js";
import { eachFrame, h } from "../../../../browser/lib/base.js";
import { ground, makeBar, palette, signedAt } from "../../../../browser/lib/colour.js";
import { fields } from "../../../../browser/lib/fields.js";
import { say } from "../../../../browser/lib/messages.js";
import { asShare, asSigned } from "../../../../browser/lib/numbers.js";
import { onTheme } from "../../../../browser/lib/panel.js";

const STRONGEST = 8; // number of listed pulls
const areNumbers = (text) => /^(\d+(,\d+)*)?$/.test(text);

/** A bar from the middle: to the right above 0, to the left below. */
const pullBar = (word, pull, most) => {
  const filled = h("i", { class: pull < 0 ? "below" : "above" });
  filled.style.width = `${(50 * Math.abs(pull)) / most}%`;
  return h(
    "p",
    {},
    h("span", { class: "name" }, word),
    h("span", { class: "pull" }, filled),
    h("b", {}, asSigned(pull, 3)),
  );
};

const strongestWord = ({ average: { pulls } }) => pulls.map(Math.abs).indexOf(Math.max(...pulls.map(Math.abs)));

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
  const text = fields.line(demo, "text", words("text_field", { most: props.most }), say("text_hint"));
  text.node.addEventListener("input", () => demo.set({ out: "" }));
  panel.tools.append(text.node);

  // --- what is shown -------------------------------------------------------------------------------------------------

  const review = h("p", { class: "review", role: "group", "aria-label": words("review") });
  const hint = h("p", { class: "quiet" }, words("hint"));
  const strongest = h("div", { class: "strongest" });
  const sum = h("p", { class: "readout" });
  const choose = (how) => {
    const [bar, share] = [h("span", { class: "bar" }), h("b")];
    const button = h(
      "button",
      { "data-pooling": how, onclick: () => demo.set({ pooling: how }) },
      h("span", {}, words(how)),
      bar,
      share,
    );
    return { how, bar, share, button };
  };
  const verdicts = props.poolings.map(choose);
  const supplied = h("p", { class: "quiet" });
  panel.picture.append(
    h(
      "div",
      { class: "verdicts", role: "group", "aria-label": words("verdicts") },
      ...verdicts.map(({ button }) => button),
    ),
    review,
    hint,
    h("h3", {}, words("strongest")),
    strongest,
    sum,
    supplied,
  );

  const out = () => new Set(demo.view.out ? demo.view.out.split(",").map(Number) : []);
  const toggle = (i) => {
    const set = out();
    if (!set.delete(i)) set.add(i);
    demo.set({ out: [...set].sort((a, b) => a - b).join() });
  };

  const paintReview = ({ labels, pooled }, pulls, most) => {
    const { scores } = palette();
    const title = (i) =>
      words("word", { word: labels[i], pull: asSigned(pulls[i], 3), kind: pooled[i] ? "in" : "out" });
    const button = (label, i) => {
      const node = h(
        "button",
        { title: title(i), "aria-pressed": `${!pooled[i]}`, "data-word": i, onclick: () => toggle(i) },
        label,
      );
      if (pooled[i]) ground(node, scores[signedAt(pulls[i] / most)]);
      return node;
    };
    const at = document.activeElement?.dataset.word;
    review.replaceChildren(...labels.map(button));
    if (at !== undefined) review.children[at]?.focus();
  };

  const paint = eachFrame(() => {
    const { verdict } = demo.answers;
    if (!verdict) return;
    const { labels, bias, numbers, size } = verdict;
    const { pulls, difference, positive } = verdict[demo.view.pooling];
    const most = Math.max(...pulls.map(Math.abs)) || 1;
    for (const { how, bar, share, button } of verdicts) {
      button.setAttribute("aria-pressed", how === demo.view.pooling);
      bar.replaceChildren(makeBar(verdict[how].positive));
      share.textContent = words("positive", { share: asShare(verdict[how].positive) });
    }
    paintReview(verdict, pulls, most);
    const order = [...pulls.keys()]
      .filter((i) => verdict.pooled[i])
      .sort((i, j) => Math.abs(pulls[j]) - Math.abs(pulls[i]));
    const rest = order.slice(STRONGEST).reduce((all, i) => all + pulls[i], 0);
    const longest = Math.max(most, Math.abs(rest)); // of all bars
    strongest.replaceChildren(
      ...order.slice(0, STRONGEST).map((i) => pullBar(labels[i], pulls[i], longest)),
      pullBar(words("rest", { count: Math.max(0, order.length - STRONGEST) }), rest, longest),
    );
    const total = pulls.reduce((one, other) => one + other, 0);
    sum.textContent = words("sum", {
      pulls: asSigned(total, 3),
      bias: asSigned(bias, 3),
      difference: asSigned(difference, 3),
      share: asShare(positive),
    });
    const used = numbers.filter((count) => count > 0).length;
    const top = numbers.indexOf(Math.max(...numbers));
    supplied.textContent = words("supplied", {
      size,
      used,
      words: order.length,
      word: labels[top],
      count: numbers[top],
    });
    section.tell(
      words("lesson", {
        pooling: demo.view.pooling,
        kind: positive > 0.5 ? "positive" : "negative",
        share: asShare(Math.max(positive, 1 - positive)),
        word: labels[order[0]],
        pull: asSigned(pulls[order[0]], 2),
        side: pulls[order[0]] > 0 ? "positive" : "negative",
      }),
    );
    section.node.dataset.rev = demo.rev;
  });

  // --- what can be tried ---------------------------------------------------------------------------------------------

  section.tries([
    { name: "mixed", words: words("try_mixed"), act: () => demo.set({ ...demo.initial(), text: props.mixed }) },
    { name: "max", words: words("try_max"), act: () => demo.set({ pooling: "max" }) },
    {
      name: "without",
      words: words("try_without"),
      act: () => demo.answers.verdict && toggle(strongestWord(demo.answers.verdict)),
    },
  ]);
  section.check({
    question: words("question"),
    choices: ["stays", "turns"].map((name) => words(`choice_${name}`)),
    answer: async () => {
      const ask = (taken) => answerTo("/ask/learn-classification/verdict", { text: demo.view.text, out: taken });
      const whole = await ask("");
      const word = strongestWord(whole);
      const without = await ask(`${word}`);
      const [before, after] = [whole, without].map((found) => found.average.positive);
      const right = before > 0.5 === after > 0.5 ? 0 : 1;
      return {
        right,
        said: words("answer", { word: whole.labels[word], before: asShare(before), after: asShare(after) }),
      };
    },
  });
  section.links(() => [
    ["explore", { model: props.model, text: demo.view.text }],
    ["permute", { text: demo.view.text }],
  ]);

  demo.subscribe(section.node, (changed) => {
    if (changed.has("text")) text.update();
    paint();
  });
  onTheme(paint);
  demo.start();
};
