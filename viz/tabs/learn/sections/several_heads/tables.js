// How much y changes in every case, and the parameters of the forms of multi-head attention, in tables.

import { h, tableHead, tableRow } from "../../../../browser/lib/base.js";
import { asFixed, asNumber, asWhole } from "../../../../browser/lib/numbers.js";

const row = (kind, name, cells) => tableRow({ class: kind }, name, ...cells.map((cell) => h("td", cell)));

const table = (caption, columns) => {
  const body = h("tbody");
  return { body, node: h("table.sizes", h("caption", caption), tableHead(...columns), body) };
};

export const asChange = (value) => (value === 0 ? asWhole(0) : asNumber(value, 2));

const FORMULAS = {
  narrow: (k) => 4 * k * k + k,
  wide: (k, heads) => 4 * heads * k * k + k,
  chunked: (k, heads) => (3 * k * k) / heads + k * k + k,
};

/** How much y moves, for each kind of matrices and number of heads; trained models either have positions or have none:
 *  {node, paint(result)}. */
export const makeMoves = ({ words, live: demo }) => {
  const { node, body } = table(words("moves"), [words("matrices"), words("heads"), words("without"), words("with")]);
  const cell = (result, { made, model, heads }, positions) => {
    const one = result.find(
      (each) => each.made === made && each.model === model && each.heads === heads && each.positions === positions,
    );
    const { view } = demo;
    const chosen = made === "hand" && `${heads}` === view.heads && positions === (view.positions === "on");
    return h(
      "span",
      { class: chosen ? "chosen" : null, "data-moved": one?.moved, "data-positions": positions ? "on" : "off" },
      one ? asChange(one.moved) : words("none"),
    );
  };
  const paint = (result) => {
    const kinds = new Map(result.map((each) => [[each.made, each.model, each.heads].join("|"), each]));
    const rows = [...kinds.values()].map((kind) => {
      const { made, model, heads } = kind;
      const name = words(`made_${made}`, { model });
      const cells = [false, true].map((positions) => cell(result, kind, positions));
      return row(made, name, [asWhole(heads), ...cells]);
    });
    body.replaceChildren(...rows);
  };
  return { node, paint };
};

/** The sizes of the forms: {node, paint(forms)}. */
export const makeForms = ({ words }) => {
  const heads = ["form", "size", "formula", "counted", "time"].map((name) => words(name));
  const { node, body } = table(words("forms"), heads);
  const timeOf = (seconds) =>
    seconds === null ? words("too_large") : words("milliseconds", { value: asNumber(1000 * seconds, 2) });
  const paint = ({ emb, count, forms, seconds }) => {
    const cells = ({ variant, size, maps, unify }, i) => {
      if (size === null) return [words("none"), words("divide"), words("none"), words("none")];
      const formula = words(`formula_${variant}`, { value: FORMULAS[variant](emb, count) });
      return [
        asWhole(size),
        formula,
        asWhole(maps + unify),
        h("span", { "data-seconds": seconds[i] }, timeOf(seconds[i])),
      ];
    };
    body.replaceChildren(
      ...forms.map((form, i) => {
        const name = h("span", { title: words(`${form.variant}_hint`) }, words(form.variant));
        return row(form.variant, name, cells(form, i));
      }),
    );
  };
  return { node, paint };
};

/** The trained models, and a sentence about their quality: {node, worth}. */
export const makeTrained = ({ words }, models) => {
  const heads = ["change", "parameters", "bits"].map((name) => words(name));
  const { node, body } = table(words("trained"), heads);
  for (const { change, name, parameters, bits } of models) {
    const message = h("span", { title: name }, words(`trained_${change}`));
    const cells = [asWhole(parameters), h("span", { "data-bits": bits }, asFixed(bits, 2))];
    body.append(row(`trained-${change}`, message, cells));
  }
  const of = Object.fromEntries(models.map((each) => [each.change, each]));
  const more = (change) => asFixed(of[change].bits - of.same.bits, 2);
  const worth = words("worth", {
    steps: of.same.steps,
    unify: more("unify"),
    maps: of.same.parameters - of.unify.parameters,
    one: more("one"),
    heads: of.same.heads,
  });
  return { node, worth };
};
