// Features of films and people that are set by hand, and their dot products.

import { h, tableHead, tableRow } from "../../../../browser/lib/base.js";
import { asNumber, asSigned } from "../../../../browser/lib/numbers.js";
import { arithmetic } from "../../lib/arithmetic.js";
import { numbersTable } from "../../lib/numbers_table.js";
import { pairs } from "../../lib/plane.js";

const REACH = 1; // of a feature
const FEATURES = [0, 1];

/** The people and films whose features are set by hand. */
const membersOf = ({ people, films }) => ({
  people: people.slice(0, 3),
  films: films.filter((_, i) => [0, 3, 4, 5].includes(i)),
});

/** Whether a text has the features of all of them. */
export const areFeatures = (props) => {
  const { people, films } = membersOf(props);
  return (text) => pairs.valid(text, people.length + films.length, REACH);
};

/** A cell with a slider for one feature of one member: {node, update}. */
const makeFeature = (section, name, i, c) => {
  const { words, live: demo } = section;
  const features = () => pairs.parse(demo.view.features);
  const message = h("output");
  const set = () => {
    const changed = features();
    changed[i][c] = Number(input.value);
    demo.set({ features: pairs.spell(changed) });
  };
  const input = h("input", {
    type: "range",
    min: -REACH,
    max: REACH,
    step: 0.1,
    "aria-label": words("feature", { name, feature: words(`feature_${c}`) }),
    "data-at": `${i} ${c}`,
    oninput: set,
  });
  const update = () => {
    const value = features()[i][c];
    input.value = value;
    message.textContent = asSigned(value, 1);
  };
  return { node: h("td", input, message), update };
};

/** {node, paint}. */
export const makeByHand = (section, props) => {
  const { words, panel, live: demo } = section;
  const { people, films } = membersOf(props);
  const inputs = [...people, ...films].map((name, i) => FEATURES.map((c) => makeFeature(section, name, i, c)));
  const table = (names, from, caption) =>
    h(
      "table.features",
      h("caption", caption),
      tableHead("", ...FEATURES.map((c) => words(`feature_${c}`))),
      h("tbody", ...names.map((name, i) => tableRow(name, ...inputs[from + i].map(({ node }) => node)))),
    );
  const products = numbersTable(words("products"));
  const node = h(
    "div.by-hand",
    table(people, 0, words("people")),
    table(films, people.length, words("films")),
    h("div.with-equation", products.node, panel.equation()),
  );

  const paint = () => {
    for (const { update } of inputs.flat()) update();
    const all = pairs.parse(demo.view.features);
    const ofFilms = all.slice(people.length);
    const scores = all.slice(0, people.length).map((person) => ofFilms.map((film) => arithmetic.dot(person, film)));
    products.draw({ rows: people, columns: films, values: scores, scale: "scores", most: 2 });
    section.node.dataset.scores = JSON.stringify(scores);
    const best = scores[0].indexOf(Math.max(...scores[0]));
    const score = asNumber(scores[0][best], 3);
    section.showLesson(words("lesson_hand", { person: people[0], film: films[best], score }));
  };
  return { node, paint };
};
