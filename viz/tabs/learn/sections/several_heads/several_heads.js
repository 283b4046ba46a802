// mary gave roses to susan: what each head of "gave" attends to, and the part of y it writes; the same with swapped
// words. Below, how much y changes in every case, and the parameters of the three forms of multi-head attention.

import { h, svg } from "../../../../browser/lib/base.js";
import { asFixed, asNumber, asShare, asWhole } from "../../../../browser/lib/numbers.js";
import { numbersTable } from "../../lib/numbers_table.js";

const SHOWS = ["gave", "sizes"];
const NAMES = { 1: "one", 4: "four" };
const [WIDTH, TOP, BOTTOM, THICK] = [420, 24, 128, 14]; // of the drawing, and a line of the weight 1
const row = (cells, tag = "td") =>
  h("tr", ...cells.map((cell, i) => h(i && tag === "td" ? "td" : "th", { scope: tag === "td" ? "row" : "col" }, cell)));

const table = (caption, columns) => {
  const body = h("tbody");
  return {
    body,
    node: h("table.sizes", h("caption", caption), h("thead", row(columns, "th")), body),
  };
};

const asChange = (value) => (value === 0 ? asWhole(0) : asNumber(value, 2));

export const mount = (section, props) => {
  const { words, panel } = section;
  const demo = section.demo(
    {
      show: { initial: "gave", choices: SHOWS },
      heads: { initial: "4", choices: Object.keys(props.heads) },
      positions: { initial: "on", choices: ["off", "on"] },
      emb: { initial: 256, min: 1, max: props.most.emb },
      count: { initial: 8, min: 1, max: props.most.count },
    },
    { swapped: ["heads", "positions"], moves: [], forms: ["emb", "count"] },
  );

  // --- the sentence, twice -------------------------------------------------------------------------------------------

  const show = section.choice("show", SHOWS);
  const heads = section.choice("heads", ["1", "4"], (value) => `heads_${NAMES[value]}`);
  const positions = section.choice("positions", ["off", "on"]);
  panel.tools.append(show.node, heads.node, positions.node);

  /** Words above, the parts of y below, and between them a line for every weight, as thick as the weight. */
  const drawing = ({ words: list, weights }) => {
    const word = (j) => ((j + 0.5) * WIDTH) / list.length;
    const part = (r) => ((r + 0.5) * WIDTH) / weights.length;
    const line = (weight, r, j) => {
      const d = `M${word(j)} ${TOP}C${word(j)} ${BOTTOM - 50} ${part(r)} ${TOP + 50} ${part(r)} ${BOTTOM}`;
      return svg("path", {
        class: `hue-${r + 1}`,
        d,
        "stroke-width": THICK * weight,
        "stroke-opacity": 0.35 + 0.5 * weight,
        "data-head": r,
        "data-weight": weight,
      });
    };
    const width = WIDTH / weights.length - 6;
    return svg(
      "svg",
      { viewBox: `0 0 ${WIDTH} 168`, role: "img", "aria-label": words("picture", { sentence: list.join(" ") }) },
      ...weights.flatMap((row, r) => row.map((weight, j) => line(weight, r, j))),
      ...list.map((text, j) => svg("text", { x: word(j), y: TOP - 8 }, text)),
      ...weights.map((_, r) =>
        svg("rect", { class: `hue-${r + 1}`, x: part(r) - width / 2, y: BOTTOM, width, height: 8, rx: 3 }),
      ),
      ...weights.map((_, r) => svg("text", { class: "part", x: part(r), y: BOTTOM + 26 }, nameOf(weights.length, r))),
    );
  };
  const nameOf = (count, r) => words(props.heads[count][r]);

  /** One order of the words: the drawing, and the parts of y as numbers. */
  const order = (name) => {
    const place = h("div");
    const numbers = numbersTable("");
    const caption = numbers.node.querySelector("caption");
    const draw = ({ words: list, weights, y }, columns) => {
      place.replaceChildren(drawing({ words: list, weights }));
      caption.textContent = words("parts", { count: y.length });
      numbers.draw({ rows: y.map((_, r) => nameOf(y.length, r)), columns, values: y, scale: "weights" });
    };
    return { node: h("figure", { "data-order": name }, h("figcaption", words(name)), place, numbers.node), draw };
  };
  const orders = { before: order("before"), after: order("after") };

  // --- tables --------------------------------------------------------------------------------------------------------

  const moves = table(words("moves"), [words("matrices"), words("heads"), words("without"), words("with")]);
  const forms = table(
    words("forms"),
    ["form", "size", "formula", "counted", "time"].map((name) => words(name)),
  );
  const trained = table(
    words("trained"),
    ["change", "parameters", "bits"].map((name) => words(name)),
  );
  trained.body.append(
    ...props.trained.map(({ change, name, parameters, bits }) => {
      const message = h("span", { title: name }, words(`trained_${change}`));
      return Object.assign(row([message, asWhole(parameters), h("span", { "data-bits": bits }, asFixed(bits, 2))]), {
        className: `trained-${change}`,
      });
    }),
  );
  /** The quality of the trained models on their cards. */
  const worth = () => {
    const of = Object.fromEntries(props.trained.map((each) => [each.change, each]));
    const more = (change) => asFixed(of[change].bits - of.same.bits, 2);
    return words("worth", {
      steps: of.same.steps,
      unify: more("unify"),
      maps: of.same.parameters - of.unify.parameters,
      one: more("one"),
      heads: of.same.heads,
    });
  };
  const [emb, count] = ["emb", "count"].map((name) => section.stepper(name));
  const gave = h(
    "div.gave",
    orders.before.node,
    orders.after.node,
    h("div.with-equation", h("div.sizes-place", moves.node), panel.equation()),
  );
  const sizes = h(
    "div.costs",
    h(
      "div.sizes-place",
      forms.node,
      h("div.inputs", emb.node, count.node),
      h("p.quiet", words("unify", { words: props.timed })),
      panel.equation(),
    ),
    h("div.sizes-place", trained.node, h("p.quiet.worth", worth())),
  );
  panel.picture.append(gave, sizes);

  /** A row for each kind of matrices and number of heads; trained models either have positions or have none. */
  const paintMoves = () => {
    const { table: result } = demo.answers.moves;
    const known = demo.view.positions === "on";
    const names = [...new Set(result.map(({ made, model, heads: number }) => [made, model, number].join("|")))];
    const rows = names.map((name) => {
      const [made, model, number] = name.split("|");
      const cell = (positions) => {
        const one = result.find(
          (case_) =>
            case_.made === made &&
            case_.model === model &&
            `${case_.heads}` === number &&
            case_.positions === positions,
        );
        const chosen = made === "hand" && number === demo.view.heads && positions === known;
        return h(
          "span",
          { class: chosen ? "chosen" : null, "data-moved": one?.moved, "data-positions": positions ? "on" : "off" },
          one ? asChange(one.moved) : words("none"),
        );
      };
      return Object.assign(row([words(`made_${made}`, { model }), asWhole(Number(number)), cell(false), cell(true)]), {
        className: made,
      });
    });
    moves.body.replaceChildren(...rows);
  };

  const FORMULA = {
    narrow: (k) => 4 * k * k + k,
    wide: (k, heads) => 4 * heads * k * k + k,
    chunked: (k, heads) => (3 * k * k) / heads + k * k + k,
  };
  const paintForms = () => {
    const { emb: k, count: number, forms: result, seconds: times } = demo.answers.forms;
    forms.body.replaceChildren(
      ...result.map(({ variant, size, maps, unify }, i) => {
        const seconds = times[i];
        const name = h("span", { title: words(`${variant}_hint`) }, words(variant));
        const time =
          seconds === null ? words("too_large") : words("milliseconds", { value: asNumber(1000 * seconds, 2) });
        const cells =
          size === null
            ? [words("none"), words("divide"), words("none"), words("none")]
            : [
                asWhole(size),
                words(`formula_${variant}`, { value: FORMULA[variant](k, number) }),
                asWhole(maps + unify),
                h("span", { "data-seconds": seconds }, time),
              ];
        return Object.assign(row([name, ...cells]), { className: variant });
      }),
    );
  };

  const tellForms = () => {
    const { emb: k, count: heads, forms: result } = demo.answers.forms;
    const counted = Object.fromEntries(
      result.map(({ variant, size, maps, unify }) => [variant, size === null ? null : asWhole(maps + unify)]),
    );
    section.tell(words("lesson_forms", { k, heads, divides: counted.narrow ? "yes" : "no", ...counted }));
  };

  // --- what is shown -------------------------------------------------------------------------------------------------

  const tell = ({ before, after, positions: known }) => {
    const one = before.y.length === 1;
    const at = before.words.indexOf("mary");
    if (known === "off") return section.tell(words("lesson_same", { count: before.y.length }));
    const other = before.words.indexOf("susan");
    const [first, second] = one ? [before.y[0][at], before.y[0][other]] : [before.y[0][at], after.y[0][other]];
    section.tell(words(one ? "lesson_amounts" : "lesson_parts", { first: asShare(first), second: asShare(second) }));
  };

  const paint = () => {
    const costs = demo.view.show === "sizes";

    if (demo.answers.forms) paintForms();
    if (costs && demo.answers.forms) tellForms();
    if (!demo.answers.swapped) return;
    const result = demo.answers.swapped;
    for (const name of ["before", "after"]) orders[name].draw(result[name], result.before.words);
    if (!costs) tell(result);
    if (demo.answers.moves) paintMoves();
  };

  section.tries({
    one: { show: "gave", heads: "1", positions: "on" },
    off: { show: "gave", heads: "4", positions: "off" },
    paper: { show: "sizes", emb: 512, count: 8 },
  });

  section.check({
    shows: { show: "gave" },
    choices: ["never", "heads", "training"].map((name) => words(`answer_${name}`)),
    answer: async () => {
      const { table: result } = await demo.answered("moves");
      const most = (positions) =>
        Math.max(...result.filter((one) => one.positions === positions).map((one) => one.moved));
      return {
        right: most(false) < 1e-4 ? 0 : 1,
        said: words("answer", { without: asChange(most(false)), with: asChange(most(true)) }),
      };
    },
  });
  section.links(() => [
    ["explore", { model: props.model, text: props.text }],
    ["permute", { text: props.text }],
  ]);

  section.parts({ gave: [gave, heads.node, positions.node], sizes: [sizes] });
  section.begin(paint);
};
