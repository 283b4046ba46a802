// Which parts of a block are not linear: how much it misses additivity with some of them left out.

import { h, sideways, tableHead } from "../../../../browser/lib/base.js";
import { makeBar } from "../../../../browser/lib/colour.js";
import { asNumber } from "../../../../browser/lib/numbers.js";

const PARTS = ["softmax", "activation", "norm"];

/** The view "Not linear" of the section "The block": {node, paint}. */
export const makeLinear = (section, props) => {
  const { words, live: demo } = section;
  const activation = words(`activation_${props.activation}`);
  const cases = h("tbody");
  const node = h(
    "div.in-linear",
    h("p", words("linear", { model: props.model })),
    sideways(
      "cases-place",
      words("cases"),
      h(
        "table.cases",
        h("caption", words("cases")),
        tableHead(...PARTS.map((part) => words(`part_${part}`, { activation })), words("off")),
        cases,
      ),
    ),
    h("p.quiet", words("linear_how")),
  );

  const row = ({ left, off }) => {
    const cell = (part) =>
      h("td", { class: left.includes(part) ? "in" : "out" }, words(left.includes(part) ? "in" : `out_${part}`));
    const filled = makeBar(Math.max(0, 1 + Math.log10(Math.max(off, 1e-9)) / 8)); // from 10⁻⁸ to 1
    const number = h("td.off", { "data-off": off }, h("div", h("b", asNumber(off, 2)), h("span.bar", filled)));
    return h("tr", { "data-left": left.join(" ") }, ...PARTS.map(cell), number);
  };
  const paint = () => {
    const { linear } = demo.answers;
    if (!linear) return;
    cases.replaceChildren(...linear.cases.map(row));
    const of = (...left) => linear.cases.find((each) => each.left.join() === left.join()).off;
    const [whole, least, none] = [of(...PARTS), Math.min(...PARTS.map((part) => of(part))), of()].map((off) =>
      asNumber(off, 2),
    );
    section.showLesson(words("lesson_linear", { whole, least, none, activation }));
  };
  return { node, paint };
};
