// Which parts of a block are not linear: how much it misses additivity with some of them left out.

import { h, tableHead } from "../../../browser/lib/base.js";
import { makeBar } from "../../../browser/lib/colour.js";
import { asNumber } from "../../../browser/lib/numbers.js";

const PARTS = ["softmax", "activation", "norm"];

/** The view "Not linear" of the section "The block": {node, paint(answers)}. */
export const makeLinear = ({ section, demo, props }) => {
  const { words } = section;
  const activation = words(`activation_${props.activation}`);
  const cases = h("tbody");
  const node = h(
    "div.in-linear",
    h("p", words("linear", { model: props.model })),
    h(
      "div.cases-place",
      h(
        "table.cases",
        h("caption", words("cases")),
        tableHead(...PARTS.map((part) => words(`part_${part}`, { activation })), words("off")),
        cases,
      ),
    ),
    h("p.quiet", words("linear_how")),
  );

  const paint = ({ linear }) => {
    if (!linear) return;
    cases.replaceChildren(
      ...linear.cases.map(({ left, off }) => {
        const cell = (part) =>
          h("td", { class: left.includes(part) ? "in" : "out" }, words(left.includes(part) ? "in" : `out_${part}`));
        const filled = makeBar(Math.max(0, 1 + Math.log10(Math.max(off, 1e-9)) / 8)); // from 10⁻⁸ to 1
        return h(
          "tr",
          { "data-left": left.join(" ") },
          ...PARTS.map(cell),
          h("td.off", { "data-off": off }, h("div", h("b", asNumber(off, 2)), h("span.bar", filled))),
        );
      }),
    );
    const of = (...left) => linear.cases.find((each) => each.left.join() === left.join()).off;
    const [least] = PARTS.map((part) => of(part)).sort((one, other) => one - other);
    if (demo.view.show === "linear")
      section.tell(
        words("lesson_linear", {
          whole: asNumber(of(...PARTS), 2),
          least: asNumber(least, 2),
          none: asNumber(of(), 2),
          activation,
        }),
      );
  };
  return { node, paint };
};
