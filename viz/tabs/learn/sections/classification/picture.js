// The whole classifier, from left to right: words, blocks, pooling, a linear layer, the softmax.

import { sideways, svg } from "../../../../browser/lib/base.js";
import { cssOf, palette, signedAt } from "../../../../browser/lib/colour.js";
import { asNumber, asShare } from "../../../../browser/lib/numbers.js";

const [TOP, BOTTOM, MIDDLE] = [30, 146, 88]; // in units of the drawing
const NAMED = 14; // up to so many words are named, of more there are dots

const text = (x, y, words, kind = "") => svg("text", { x, y, class: kind }, words);
const wire = (d) => svg("path", { d, class: "wire" });
const box = (x, width, name, size) =>
  svg(
    "g",
    {},
    svg("rect", { x, y: TOP, width, height: BOTTOM - TOP, rx: 8, class: "box" }),
    text(x + width / 2, 20, name),
    text(x + width / 2, 164, size, "size"),
  );

/** The words, and a line from each to the pooling, as thick as its pull. */
const wordsOf = ({ labels, pooled }, pulls) => {
  const { scores } = palette();
  const most = Math.max(...pulls.map(Math.abs)) || 1;
  const at = (i) => TOP + 8 + ((BOTTOM - TOP - 16) * (i + 0.5)) / labels.length;
  const name = (label, i) =>
    labels.length <= NAMED
      ? text(112, at(i) + 3.5, label, "word")
      : svg("circle", { cx: 112, cy: at(i), r: 2.2, class: "dot" });
  const pull = (i) => {
    const line = svg("path", {
      d: `M330 ${at(i)}C390 ${at(i)} 380 ${MIDDLE} 436 ${MIDDLE}`,
      class: pooled[i] ? "pulled" : "out",
      "stroke-width": pooled[i] ? 1 + (5 * Math.abs(pulls[i])) / most : 1,
    });
    if (pooled[i]) line.style.stroke = cssOf(scores[signedAt(pulls[i] / most)]);
    return line;
  };
  return [...labels.map(name), ...labels.flatMap((_, i) => [wire(`M120 ${at(i)}H190`), pull(i)])];
};

const blocksOf = (words, t, depth, emb) => {
  const size = words("size_words", { t, emb });
  const layer = (_, i) => {
    const x = 200 + (120 * (i + 0.5)) / depth;
    return svg("path", { d: `M${x} ${TOP + 8}V${BOTTOM - 8}`, class: "layer" });
  };
  return [
    text(70, 20, words("embedded")),
    text(70, 164, size, "size"),
    box(190, 140, words("blocks", { depth }), size),
    ...Array.from({ length: depth }, layer),
  ];
};

const poolingOf = (words, pooling, emb) => [
  svg("circle", { cx: 456, cy: MIDDLE, r: 20, class: "box" }),
  text(456, MIDDLE + 5, pooling === "average" ? "x̄" : "max"),
  text(456, 20, words("pooled", { pooling })),
  text(456, 164, words("size_pooled", { emb }), "size"),
];

/** The linear layer with the logits, and the softmax with the shares. */
const outputsOf = (words, { logits, positive }) => {
  const shares = [1 - positive, positive];
  const bar = (share, i) =>
    svg("rect", {
      class: i ? "above" : "below",
      ...{ x: 716, y: 58 + 40 * i, width: Math.max(1, 70 * share), height: 12, rx: 2 },
    });
  const numbers = (name, i) => [
    text(590, 64 + 40 * i, words(`class_${name}`)),
    text(590, 80 + 40 * i, asNumber(logits[i], 3), "number"),
    text(751, 52 + 40 * i, words("outcome", { kind: name, share: asShare(shares[i]) }), "small"),
  ];
  return [
    wire(`M476 ${MIDDLE}H536`),
    box(536, 108, words("line"), words("size_line")),
    wire(`M644 ${MIDDLE}H700`),
    box(700, 102, "softmax", words("size_softmax")),
    ...shares.map(bar),
    ...["negative", "positive"].flatMap(numbers),
  ];
};

/** {node, draw(verdict, pooling)}. */
export const makePicture = ({ words }, { depth, emb }) => {
  const root = svg("svg", { class: "classifier", viewBox: "0 0 820 176", role: "img" });
  const draw = (verdict, pooling) => {
    const result = verdict[pooling];
    const t = verdict.labels.length;
    root.replaceChildren(
      ...wordsOf(verdict, result.pulls),
      ...blocksOf(words, t, depth, emb),
      ...poolingOf(words, pooling, emb),
      ...outputsOf(words, result),
    );
    root.setAttribute("aria-label", words("picture", { t, depth, share: asShare(result.positive) }));
  };
  return { node: sideways("whole", words("whole"), root), draw };
};
