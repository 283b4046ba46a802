// The verdict on a review, split into the contribution of each word, for average and for maximum pooling.

import { answerTo } from "../../../../browser/lib/ask.js";
import { eachFrame, h, svg } from "../../../../browser/lib/base.js";
import { cssOf, ground, makeBar, palette, signedAt } from "../../../../browser/lib/colour.js";
import { asList } from "../../../../browser/lib/messages.js";
import { asNumber, asShare, asSigned } from "../../../../browser/lib/numbers.js";

const STRONGEST = 8; // number of listed pulls
const areNumbers = (text) => /^(\d+(,\d+)*)?$/.test(text);

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

/** The whole classifier, from left to right: words, blocks, pooling, a linear layer, the softmax. */
const makePicture = ({ words, depth, emb }) => {
  const root = svg("svg", { class: "classifier", viewBox: "0 0 820 176", role: "img" });
  const [TOP, BOTTOM, MIDDLE] = [30, 146, 88];
  const text = (x, y, said, kind = "") => svg("text", { x, y, class: kind }, said);
  const box = (x, width, name, said) =>
    svg(
      "g",
      {},
      svg("rect", { x, y: TOP, width, height: BOTTOM - TOP, rx: 8, class: "box" }),
      text(x + width / 2, 20, name),
      text(x + width / 2, 164, said, "size"),
    );
  const draw = ({ labels, pooled }, { pulls, logits, positive }, pooling) => {
    const { scores } = palette();
    const most = Math.max(...pulls.map(Math.abs)) || 1;
    const at = (i) => TOP + 8 + ((BOTTOM - TOP - 16) * (i + 0.5)) / labels.length;
    const wires = labels.flatMap((_, i) => {
      const y = at(i);
      const share = Math.abs(pulls[i]) / most;
      const pulled = svg("path", {
        d: `M330 ${y}C390 ${y} 380 ${MIDDLE} 436 ${MIDDLE}`,
        class: pooled[i] ? "pulled" : "out",
        "stroke-width": pooled[i] ? 1 + 5 * share : 1,
      });
      pulled.style.stroke = pooled[i] ? cssOf(scores[signedAt(pulls[i] / most)]) : "";
      return [svg("path", { d: `M120 ${y}H190`, class: "wire" }), pulled];
    });
    const words_ = labels.map((label, i) => text(112, at(i) + 3.5, label, "word"));
    const shares = [1 - positive, positive].map((share, i) =>
      svg("rect", {
        class: i ? "above" : "below",
        x: 716,
        y: 58 + 40 * i,
        width: Math.max(1, 70 * share),
        height: 12,
        rx: 2,
      }),
    );
    const numbers = ["negative", "positive"].flatMap((name, i) => [
      text(590, 64 + 40 * i, words(`class_${name}`)),
      text(590, 80 + 40 * i, asNumber(logits[i], 3), "number"),
      text(751, 52 + 40 * i, words("outcome", { kind: name, share: asShare(i ? positive : 1 - positive) }), "small"),
    ]);
    root.replaceChildren(
      ...(labels.length <= 14
        ? words_
        : labels.map((_, i) => svg("circle", { cx: 112, cy: at(i), r: 2.2, class: "dot" }))),
      ...wires,
      text(70, 20, words("embedded")),
      text(70, 164, words("size_words", { t: labels.length, emb }), "size"),
      box(190, 140, words("blocks", { depth }), words("size_words", { t: labels.length, emb })),
      ...Array.from({ length: depth }, (_, i) =>
        svg("path", { d: `M${200 + (120 * (i + 0.5)) / depth} ${TOP + 8}V${BOTTOM - 8}`, class: "layer" }),
      ),
      svg("circle", { cx: 456, cy: MIDDLE, r: 20, class: "box" }),
      text(456, MIDDLE + 5, pooling === "average" ? "x̄" : "max"),
      text(456, 20, words("pooled", { pooling })),
      text(456, 164, words("size_pooled", { emb }), "size"),
      svg("path", { d: `M476 ${MIDDLE}H536`, class: "wire" }),
      box(536, 108, words("line"), words("size_line")),
      svg("path", { d: `M644 ${MIDDLE}H700`, class: "wire" }),
      box(700, 102, "softmax", words("size_softmax")),
      ...shares,
      ...numbers,
    );
    root.setAttribute("aria-label", words("picture", { t: labels.length, depth, share: asShare(positive) }));
  };
  return { node: h("div.whole", { tabindex: 0, role: "region", "aria-label": words("whole") }, root), draw };
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
  panel.tools.append(text.node);

  // --- what is shown -------------------------------------------------------------------------------------------------

  const review = h("p.review", { role: "group", "aria-label": words("review") });
  const hint = h("p.quiet", words("hint"));
  const strongest = h("div.strongest");
  const sum = h("p.readout");
  const choose = (how) => {
    const [bar, share] = [h("span.bar"), h("b")];
    const button = h(
      "button",
      { "data-pooling": how, onclick: () => demo.set({ pooling: how }) },
      h("span", words(how)),
      bar,
      share,
    );
    return { how, bar, share, button };
  };
  const verdicts = props.poolings.map(choose);
  const supplied = h("p.quiet");
  const why = h("p.why");
  const picture = makePicture({ words, depth: props.depth, emb: props.emb });
  panel.picture.append(
    picture.node,
    h("div.verdicts", { role: "group", "aria-label": words("verdicts") }, ...verdicts.map(({ button }) => button)),
    review,
    hint,
    h("div.with-equation", h("h3", words("strongest")), panel.equation()),
    strongest,
    why,
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
    const { labels, bias, numbers, size, alone, reads } = verdict;
    const { pulls, difference, positive } = verdict[demo.view.pooling];
    const most = Math.max(...pulls.map(Math.abs)) || 1;
    for (const { how, bar, share, button } of verdicts) {
      button.setAttribute("aria-pressed", how === demo.view.pooling);
      bar.replaceChildren(makeBar(verdict[how].positive));
      share.textContent = words("positive", { share: asShare(verdict[how].positive) });
    }
    paintReview(verdict, pulls, most);
    picture.draw(verdict, verdict[demo.view.pooling], demo.view.pooling);
    const order = [...pulls.keys()]
      .filter((i) => verdict.pooled[i])
      .sort((i, j) => Math.abs(pulls[j]) - Math.abs(pulls[i]));
    const rest = order.slice(STRONGEST).reduce((all, i) => all + pulls[i], 0);
    const averaged = demo.view.pooling === "average";
    const longest = Math.max(most, Math.abs(rest)); // of all bars
    strongest.replaceChildren(
      ...order.slice(0, STRONGEST).map((i) => pullBar(labels[i], pulls[i], longest, averaged ? alone[i] : null)),
      pullBar(words("rest", { count: Math.max(0, order.length - STRONGEST) }), rest, longest),
    );
    const [first] = order;
    const sources = [...reads[first].keys()]
      .filter((i) => i !== first)
      .sort((i, j) => reads[first][j] - reads[first][i])
      .slice(0, 3);
    const top = order.reduce((one, other) => (Math.abs(alone[other]) > Math.abs(alone[one]) ? other : one));
    why.hidden = !averaged || !sources.length;
    why.textContent = words("why", {
      word: labels[first],
      pull: asSigned(pulls[first], 3),
      alone: asSigned(alone[first], 3),
      top: labels[top],
      most: asSigned(alone[top], 3),
      share: asShare(sources.reduce((all, i) => all + reads[first][i], 0)),
      sources: asList(sources.map((i) => words("quoted", { word: labels[i] }))),
    });
    const total = pulls.reduce((one, other) => one + other, 0);
    sum.textContent = words("sum", {
      pulls: asSigned(total, 3),
      bias: asSigned(bias, 3),
      difference: asSigned(difference, 3),
      share: asShare(positive),
    });
    const used = numbers.filter((count) => count > 0).length;
    const giver = numbers.indexOf(Math.max(...numbers));
    supplied.textContent = words("supplied", {
      size,
      used,
      words: order.length,
      word: labels[giver],
      count: numbers[giver],
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

  section.tries({
    mixed: { text: props.mixed },
    max: { pooling: "max" },
    without: async () => toggle(strongestWord(await demo.answered("verdict"))),
  });
  section.check({
    names: ["stays", "turns"],
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

  section.begin(paint);
};
