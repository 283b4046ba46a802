// Words as arrows that can be dragged; the table of their dot products, its softmax, and one output as a sum of scaled
// arrows.

import { h, typedInto } from "../../../../browser/lib/base.js";
import { say } from "../../../../browser/lib/messages.js";
import { asFixed, asShare } from "../../../../browser/lib/numbers.js";
import { arithmetic } from "../../lib/arithmetic.js";
import { numbersTable } from "../../lib/numbers_table.js";
import { makePlane, pairs } from "../../lib/plane.js";

const wordsOf = (text) => text.split(/\s+/).filter(Boolean);
const hueOf = (list) => list.map((word) => [...new Set(list)].indexOf(word));

/** Each scaled arrow begins where the previous one ends; the last ends at y. */
const chain = (x, row, hues) => {
  let from = [0, 0];
  return x.map((vector, j) => {
    const to = vector.map((value, c) => from[c] + row[j] * value);
    const arrow = { id: `part${j}`, from, to, hue: hues[j], kind: "part" };
    from = to;
    return arrow;
  });
};

/** The word that must not be moved, and the one that it should attend to: the first two different ones. */
const puzzleWords = (list) => {
  const [word, other] =
    list.includes("cat") && list.includes("walks")
      ? ["walks", "cat"]
      : [list[0], list.find((one) => one !== list[0]) ?? list[0]];
  return { word, other };
};

export const mount = (section, props) => {
  const { words, panel } = section;
  const { attention } = arithmetic;
  const { spell, parse } = pairs;

  const areWords = (text) =>
    text.length <= props.letters && wordsOf(text).length >= 1 && wordsOf(text).length <= props.most;
  const areVectors = (text) => pairs.valid(text, props.most, props.reach);
  const demo = section.demo({
    words: { initial: props.words, longest: props.letters, valid: areWords },
    vectors: { initial: props.vectors, longest: 200, valid: areVectors, eager: true },
    row: { initial: 2, min: 0, max: props.most - 1 },
  });
  let arrows = []; // the current arrow of each different word: while dragging, newer than the view

  // --- what is shown -------------------------------------------------------------------------------------------------

  const wordsInput = h("input", {
    type: "text",
    maxlength: props.letters,
    spellcheck: "false",
    autocomplete: "off",
    "aria-label": words("words"),
  });
  const type = (text) => {
    demo.complain(areWords(text) ? null : say("learn_words_limit", { most: props.most, letters: props.letters }));
    demo.set({ words: wordsOf(text).join(" ") });
  };
  const showTyped = typedInto(wordsInput, type, () => demo.view.words);
  panel.tools.append(h("label.field-line", h("span.name", words("words")), wordsInput));

  const place = h("div");
  const products = numbersTable(words("products"));
  const choose = (row) => demo.set({ row });
  const weights = numbersTable(words("weights"), {
    onrow: choose,
    sayRow: (i) => words("row", { word: sentence()[i] }),
  });
  const sum = h("p.readout.sum");
  panel.picture.append(
    place,
    h("div.tables", products.node, panel.equation(1), weights.node, h("div.with-equation", sum, panel.equation(0))),
  );

  const sentence = () => wordsOf(demo.view.words);

  /** The arrow of each word of the sentence: equal words share one. */
  const inputs = (from = arrows) => hueOf(sentence()).map((i) => from[i]);

  const drag = (id, to, over) => {
    arrows[Number(id.slice(4))] = to;
    paint();
    if (over) demo.set({ vectors: spell(arrows) });
  };
  const plane = makePlane(place, { label: words("plane"), reach: props.reach, ondrag: drag });

  const paint = () => {
    const list = sentence();
    const hues = hueOf(list);
    const x = inputs();
    const { scores, weights: w, y } = attention(x, x, x);
    const row = Math.min(demo.view.row, list.length - 1);
    const unique = [...new Set(list)];
    plane.draw({
      arrows: [
        ...unique.map((word, i) => ({
          id: `word${i}`,
          to: arrows[i],
          hue: i,
          kind: word === list[row] ? "word asked" : "word",
          label: word,
          grip: words("tip", { word, x: asFixed(arrows[i][0], 2), y: asFixed(arrows[i][1], 2) }),
        })),
        ...chain(x, w[row], hues),
        { id: "y", to: y[row], kind: "output", label: "y" },
      ],
      dots: y.map((at, i) => ({ id: `y${i}`, at, hue: hues[i] })),
    });
    products.draw({
      rows: list,
      values: scores,
      scale: "scores",
      most: Math.max(1, ...scores.flat().map(Math.abs)),
      chosen: row,
      hue: hues,
    });
    weights.draw({ rows: list, values: w, scale: "weights", chosen: row, hue: hues });
    const terms = list.map((word, j) => `${asFixed(w[row][j], 2)} ${word}`).join(" + ");
    sum.textContent = words("sum", { terms, x: asFixed(y[row][0], 2), y: asFixed(y[row][1], 2) });
    tell(list, w[row], row);
    paintPuzzle({ words: words("puzzle", puzzleWords(list)), solved: isSolved(list, w) });
    section.node.dataset.y = JSON.stringify(y);
  };

  const tell = (list, row, at) => {
    // of equal words together
    const shares = list.map((word) => list.reduce((all, other, j) => all + (other === word ? row[j] : 0), 0));
    const best = shares.indexOf(Math.max(...shares));
    section.tell(
      words("lesson", {
        word: list[at],
        most: list[best] === list[at] ? "self" : "other",
        other: list[best],
        share: asShare(shares[best]),
      }),
    );
  };

  // --- what can be tried ---------------------------------------------------------------------------------------------

  const start = () => parse(props.vectors);
  const put = (vectors, more = {}) => demo.set({ words: props.words, vectors: spell(vectors), ...more });
  const [cat, walks] = ["cat", "walks"].map((word) => [...new Set(wordsOf(props.words))].indexOf(word));
  section.tries(
    {
      long: [
        () =>
          put(
            start().map((pair, i) => (i === 3 ? pair.map((value) => 2 * value) : pair)),
            { row: 3 },
          ),
        words("try_long", { word: "on" }),
      ],
      square: [
        () =>
          put(
            start().map((pair, i, all) => (i === cat ? [all[walks][1], -all[walks][0]] : pair)),
            { row: 2 },
          ),
        words("try_square", { word: "cat", other: "walks" }),
      ],
      short: () => put(start().map((pair) => pair.map((value) => 0.1 * value))),
    },
    () => put(start(), { row: demo.fields.row.initial }),
  );

  const isSolved = (list, w) => {
    const { word, other } = puzzleWords(list);
    const [i, j] = [list.indexOf(word), list.indexOf(other)];
    return word !== other && w[i][j] > w[i][i] && spell([arrows[hueOf(list)[i]]]) === spell([start()[hueOf(list)[i]]]);
  };
  const paintPuzzle = section.puzzle();

  section.check({
    choices: ["same", "even", "zero"].map((name) => words(name)),
    answer: async () => {
      const now = inputs();
      const small = now.map((pair) => pair.map((value) => value / 10));
      const [before, after] = [now, small].map((x) => attention(x, x, x));
      const [least, most] = [Math.min, Math.max].map((of) => of(...after.scores.flat()));
      const [low, high] = [Math.min, Math.max].map((of) => of(...after.weights.flat()));
      const apart = Math.max(
        ...after.weights.flatMap((row, i) => row.map((weight, j) => Math.abs(weight - before.weights[i][j]))),
      );
      const right = high < 0.05 ? 2 : apart < 0.01 ? 0 : 1;
      return {
        right,
        said: words("answer", {
          least: asFixed(least, 3),
          most: asFixed(most, 3),
          low: asShare(low),
          high: asShare(high),
        }),
      };
    },
  });
  section.links(() => [
    ["explore", { model: props.model, text: demo.view.words }],
    ["permute", { text: demo.view.words }],
  ]);

  const take = () => {
    arrows = parse(demo.view.vectors);
    showTyped();
    paint();
  };
  const shows = ["vectors", "words"]; // the fields that reset the arrows to the view
  section.begin((changed) => (shows.some((name) => changed.has(name)) ? take() : paint()));
  take(); // applies a link's view
};
