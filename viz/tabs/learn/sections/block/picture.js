// A block as the article draws it, from below: what a token's vector goes through, lit up as far as it has come.

import { h, svg } from "../../../../browser/lib/base.js";
import { asFixed } from "../../../../browser/lib/numbers.js";

const [WIDTH, HEIGHT, MIDDLE, AROUND, BOX, HALF] = [280, 330, 138, 238, 108, 14]; // in units of the drawing
const FIRST = 306; // where the vector comes in; half-way between two sublayers a residual branches off
const ROWS = { pre: [272, 226, 182, 144, 98, 54], post: [262, 216, 178, 134, 88, 50] }; // a height for each stage

const isSum = (stage) => stage.startsWith("sum");

const wire = (d, lit, kind = "") => svg("path", { class: `wire ${kind} ${lit ? "lit" : ""}`, d });

/** A stage of the block: pick() when it is pressed. */
const makeStage = ({ words, pick }, name, y, length, state) => {
  const kind = name.replace(/\d/, "");
  const shape = isSum(name)
    ? [svg("circle", { cx: MIDDLE, cy: y, r: 12 }), svg("text", { x: MIDDLE, y: y + 6, class: "plus" }, "+")]
    : [
        svg("rect", { x: MIDDLE - BOX / 2, y: y - HALF, width: BOX, height: 2 * HALF, rx: 6 }),
        svg("text", { x: MIDDLE, y: y + 4.5 }, words(`stage_${kind}`)),
      ];
  const x = isSum(name) ? MIDDLE - 18 : MIDDLE + BOX / 2 + 6;
  const message = words("stage", { stage: words(`stage_${kind}`), length: asFixed(length, 1) });
  const node = svg(
    "g",
    {
      class: `stage ${kind} ${state}`,
      role: "button",
      tabindex: 0,
      "aria-label": message,
      "data-stage": name,
      "data-length": length,
    },
    ...shape,
    // left of a sum, whose other side a residual reaches
    svg("text", { class: `length ${isSum(name) ? "before" : ""}`, x, y: y + 4.5 }, asFixed(length, 1)),
  );
  node.addEventListener("click", pick);
  node.addEventListener("keydown", (event) => {
    if (!["Enter", " "].includes(event.key)) return;
    event.preventDefault();
    pick();
  });
  return node;
};

/**
 * words(name, values): the section's messages; pick(stage): called with the number of a stage that is pressed.
 * Returns {node, draw({norms, names, lengths, reached, layer, mixes})}: names of the six stages, the vector's length
 * after each, how many are done; `mixes` says whether attention brings something from other tokens.
 */
export const blockPicture = ({ words, pick }) => {
  const root = svg("svg", {
    class: "block-picture",
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    preserveAspectRatio: "xMidYMin",
    role: "group",
  });
  const title = h("h3");

  const draw = ({ norms, names, lengths, reached, layer, mixes }) => {
    const rows = ROWS[norms];
    const focused = [...root.querySelectorAll(".stage")].indexOf(document.activeElement);
    title.textContent = words("picture", { layer });
    const sums = names.map((name, i) => (isSum(name) ? i : -1)).filter((i) => i >= 0);
    const upright = rows.map((y, i) => {
      const from = i ? rows[i - 1] : FIRST + 18;
      return wire(`M${MIDDLE} ${from}V${y}`, reached > i);
    });
    // a residual begins below a sublayer (and its norm, where that comes first) and ends in the sum after it
    const starts = [FIRST, (rows[2] + rows[3]) / 2 + 2];
    const residuals = sums.map((i, n) =>
      wire(`M${MIDDLE} ${starts[n]}H${AROUND}V${rows[i]}H${MIDDLE + 12}`, reached > i, "residual"),
    );
    const others = rows[names.indexOf("attention")];
    root.replaceChildren(
      ...residuals,
      ...upright,
      wire(`M${MIDDLE} ${rows[5]}V22`, reached > 5),
      wire(`M2 ${others}H${MIDDLE - BOX / 2}`, mixes && reached > names.indexOf("attention"), mixes ? "others" : "cut"),
      svg("text", { class: "word", x: 2, y: others - 7 }, words("others")),
      svg("text", { class: "word end", x: MIDDLE + 8, y: 18 }, words("out")),
      svg("text", { class: "word end", x: MIDDLE + 8, y: HEIGHT - 4 }, words("in")),
      ...names.map((name, i) =>
        makeStage({ words, pick: () => pick(i) }, name, rows[i], lengths[i], i < reached ? "lit" : ""),
      ),
    );
    const now = root.querySelectorAll(".stage")[reached - 1];
    now?.classList.add("now");
    root.setAttribute("aria-label", title.textContent);
    if (focused >= 0) root.querySelectorAll(".stage")[focused].focus();
  };
  return { node: h("figure.block-figure", title, root), draw };
};
