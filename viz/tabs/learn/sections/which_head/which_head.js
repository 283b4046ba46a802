// Each head measured twice, in two texts that differ: ablated in the first, and patched from it into the second. Two
// grids of layers and heads show what is lost and what comes back, in percent.

import { h, sideways, tableHead, tableRow } from "../../../../browser/lib/base.js";
import { ground, palette, signedAt } from "../../../../browser/lib/colour.js";
import { say } from "../../../../browser/lib/messages.js";
import { asShare, asSigned } from "../../../../browser/lib/numbers.js";

const WAYS = ["lost", "returned"];

/** The head with the largest value of a measure: {layer, head, value, next: the largest of the others}. */
const most = (values) => {
  const each = values.flatMap((row, layer) => row.map((value, head) => ({ layer, head, value })));
  const [best, next] = each.sort((a, b) => b.value - a.value);
  return { ...best, next: next.value };
};

const percent = (value) => `${Math.round(100 * value)}`.replace("-", "−");

export const mount = (section, props) => {
  const { words, panel } = section;
  const [[, begin], ...others] = Object.entries(props.pairs);
  const demo = section.demo(
    { pinned: { initial: begin[0], longest: 400 }, text: { initial: begin[1], longest: 400 } },
    { heads: ["pinned", "text"] },
  );

  const first = section.line("pinned", words("pinned"));
  const second = section.line("text", words("other"));
  panel.tools.append(first.node, second.node);
  const metric = h("p.source");
  const readout = h("p.readout", { role: "status" });
  const grids = WAYS.map((name, i) => {
    const table = h("table", { "data-way": name });
    return {
      name,
      table,
      node: h("figure", h("figcaption", words(name), panel.equation(i)), sideways("sheet", words(name), table)),
    };
  });
  panel.picture.append(
    h("div.grids", ...grids.map(({ node }) => node)),
    readout,
    h("div.with-equation", metric, panel.equation(2)),
  );

  const describe = ({ layer, head }) => {
    const { lost, returned } = demo.answers.heads;
    return words("cell", { layer, head, lost: asShare(lost[layer][head]), returned: asShare(returned[layer][head]) });
  };

  const paintGrid = ({ name, table }, result, best) => {
    const { scores } = palette();
    const cell = (value, layer, head) => {
      const at = layer === best.layer && head === best.head;
      const node = h(
        "td",
        {
          class: at ? "at" : null,
          "data-share": value,
          title: describe({ layer, head }),
          onpointerenter: () => (readout.textContent = describe({ layer, head })),
        },
        percent(value),
      );
      ground(node, scores[signedAt(value)]);
      return node;
    };
    const rows = result[name].map((row, layer) =>
      tableRow(result.rows[layer], ...row.map((value, head) => cell(value, layer, head))),
    );
    table.replaceChildren(tableHead(words("axes"), ...result.columns), h("tbody", ...rows));
  };

  const paint = () => {
    const { heads: result } = demo.answers;
    if (!result) return;
    const best = most(result.returned);
    for (const grid of grids) paintGrid(grid, result, best);
    readout.textContent = describe(best);
    const [one, other] = result.values.map((value) => asSigned(value, 2));
    metric.textContent = words("metric", { answer: result.answer, rival: result.rival, first: one, second: other });
    const lost = asShare(result.lost[best.layer][best.head]);
    section.showLesson(words("lesson", { layer: best.layer, head: best.head, returned: asShare(best.value), lost }));
  };

  const pairOf = ([name, [pinned, text]]) => [name, [{ pinned, text }, words("pair", { pair: name })]];
  section.tries(Object.fromEntries(others.map(pairOf)));
  const pair = { pinned: begin[0], text: begin[1] }; // whatever is on the screen: the choices are of these texts
  section.check({
    question: words("question", { model: props.model }),
    shows: pair,
    choices: props.choices.map(([layer, head]) => say("head_name", { layer, head })),
    answer: async () => {
      demo.set(pair);
      const { returned } = await demo.answered("heads");
      const { layer, head, value, next } = most(returned);
      const right = props.choices.findIndex(([i, j]) => i === layer && j === head);
      return { right, said: words("answer", { layer, head, returned: asShare(value), second: asShare(next) }) };
    },
  });
  section.links(() => {
    const { pinned, text, returned } = demo.answers.heads ?? demo.view;
    const head = returned && most(returned); // the head that the section names
    const shown = head && { layer: head.layer, head: head.head };
    return [["explore", { model: props.model, text, ...shown, pin: props.model, pin_text: pinned }]];
  });

  section.needs("heads");
  section.begin(paint);
};
