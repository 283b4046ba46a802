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

const { attention } = arithmetic;
const { spell, parse } = pairs;

const areWords =
  ({ letters, most }) =>
  (text) =>
    text.length <= letters && wordsOf(text).length >= 1 && wordsOf(text).length <= most;

const fieldsOf = (props) => ({
  words: { initial: props.words, longest: props.letters, valid: areWords(props) },
  vectors: {
    initial: props.vectors,
    longest: 200,
    valid: (text) => pairs.valid(text, props.most, props.reach),
    eager: true,
  },
  row: { initial: 2, min: 0, max: props.most - 1 },
});

/** The field for the words: {node, update}. */
const makeField = (section, props) => {
  const { words, live: demo } = section;
  const isValid = areWords(props);
  const input = h("input", {
    type: "text",
    maxlength: props.letters,
    spellcheck: "false",
    autocomplete: "off",
    "aria-label": words("words"),
  });
  const type = (text) => {
    demo.complain(isValid(text) ? null : say("learn_words_limit", { most: props.most, letters: props.letters }));
    demo.set({ words: wordsOf(text).join(" ") });
  };
  const update = typedInto(input, type, () => demo.view.words);
  return { node: h("label.field-line", h("span.name", words("words")), input), update };
};

/** The sentence, with the arrow of each different word: while dragging, arrows are newer than the view. */
const makeSentence = (demo) => {
  let arrows = parse(demo.view.vectors);
  const list = () => wordsOf(demo.view.words);
  return {
    list,
    row: () => Math.min(demo.view.row, list().length - 1),
    arrows: () => arrows,
    /** The arrow of each word of the sentence: equal words share one. */
    inputs: () => hueOf(list()).map((i) => arrows[i]),
    move: (i, to) => (arrows[i] = to),
    take: () => (arrows = parse(demo.view.vectors)),
  };
};

/** The words, the outputs, and one output as a chain of scaled arrows, in a plane: {node, paint(x, row, y)}. */
const makeArrows = (section, reach, sentence, onchange) => {
  const { words, live: demo } = section;
  const node = h("div");
  const ondrag = (id, to, over) => {
    sentence.move(Number(id.slice(4)), to);
    onchange();
    if (over) demo.set({ vectors: spell(sentence.arrows()) });
  };
  const plane = makePlane(node, { label: words("plane"), reach, ondrag });
  const paint = (x, shares, y) => {
    const list = sentence.list();
    const hues = hueOf(list);
    const row = sentence.row();
    const arrow = (word, i) => {
      const to = sentence.arrows()[i];
      const grip = words("tip", { word, x: asFixed(to[0], 2), y: asFixed(to[1], 2) });
      return { id: `word${i}`, to, hue: i, kind: word === list[row] ? "word asked" : "word", label: word, grip };
    };
    const output = { id: "y", to: y[row], kind: "output", label: "y" };
    plane.draw({
      arrows: [...[...new Set(list)].map(arrow), ...chain(x, shares, hues), output],
      dots: y.map((at, i) => ({ id: `y${i}`, at, hue: hues[i] })),
    });
  };
  return { node, paint };
};

/** The tables of the dot products and the weights, and the sum of one output: {node, paint(answer)}. */
const makeTables = (section, sentence) => {
  const { words, panel, live: demo } = section;
  const products = numbersTable(words("products"));
  const weights = numbersTable(words("weights"), {
    onrow: (row) => demo.set({ row }),
    sayRow: (i) => words("row", { word: sentence.list()[i] }),
  });
  const sum = h("p.readout.sum");
  const sumPlace = h("div.with-equation", sum, panel.equation(0));
  const node = h("div.tables", products.node, panel.equation(1), weights.node, sumPlace);
  const paint = ({ scores, weights: shares, y }) => {
    const list = sentence.list();
    const row = sentence.row();
    const shared = { rows: list, chosen: row, hue: hueOf(list) };
    const most = Math.max(1, ...scores.flat().map(Math.abs));
    products.draw({ ...shared, values: scores, scale: "scores", most });
    weights.draw({ ...shared, values: shares, scale: "weights" });
    const terms = list.map((word, j) => `${asFixed(shares[row][j], 2)} ${word}`).join(" + ");
    sum.textContent = words("sum", { terms, x: asFixed(y[row][0], 2), y: asFixed(y[row][1], 2) });
  };
  return { node, paint };
};

/** The sentence of the section: the word that the selected one attends to most, equal words together. */
const lesson = ({ words }, list, at, shares) => {
  const together = list.map((word) => list.reduce((all, other, j) => all + (other === word ? shares[j] : 0), 0));
  const best = together.indexOf(Math.max(...together));
  return words("lesson", {
    word: list[at],
    most: list[best] === list[at] ? "self" : "other",
    other: list[best],
    share: asShare(together[best]),
  });
};

const addTries = (section, props) => {
  const { words, live: demo } = section;
  const put = (change, row = demo.fields.row.initial) =>
    demo.set({ words: props.words, vectors: spell(parse(props.vectors).map(change)), row });
  const [cat, walks] = ["cat", "walks"].map((word) => [...new Set(wordsOf(props.words))].indexOf(word));
  section.tries(
    {
      long: [
        () => put((pair, i) => (i === 3 ? pair.map((value) => 2 * value) : pair), 3),
        words("try_long", { word: "on" }),
      ],
      square: [
        () => put((pair, i, all) => (i === cat ? [all[walks][1], -all[walks][0]] : pair), 2),
        words("try_square", { word: "cat", other: "walks" }),
      ],
      short: () => put((pair) => pair.map((value) => 0.1 * value)),
    },
    () => put((pair) => pair),
  );
};

const addCheck = (section, sentence) => {
  const range = (rows) => [Math.min(...rows.flat()), Math.max(...rows.flat())];
  const answer = async () => {
    const x = sentence.inputs();
    const small = x.map((pair) => pair.map((value) => value / 10));
    const [before, after] = [x, small].map((vectors) => attention(vectors, vectors, vectors));
    const [least, most] = range(after.scores);
    const [low, high] = range(after.weights);
    const changes = after.weights.map((row, i) => row.map((weight, j) => Math.abs(weight - before.weights[i][j])));
    const right = high < 0.05 ? 2 : range(changes)[1] < 0.01 ? 0 : 1;
    const scores = { least: asFixed(least, 3), most: asFixed(most, 3) };
    return { right, said: section.words("answer", { ...scores, low: asShare(low), high: asShare(high) }) };
  };
  section.check({ choices: ["same", "even", "zero"].map((name) => section.words(name)), answer });
};

/** Whether the word attends more to the other than to itself, and was not moved. */
const isSolved = (list, weights, arrows, start) => {
  const { word, other } = puzzleWords(list);
  const [i, j] = [list.indexOf(word), list.indexOf(other)];
  const hue = hueOf(list)[i];
  return word !== other && weights[i][j] > weights[i][i] && spell([arrows[hue]]) === spell([start[hue]]);
};

export const mount = (section, props) => {
  const { words, panel } = section;
  const demo = section.demo(fieldsOf(props));
  const sentence = makeSentence(demo);
  const field = makeField(section, props);
  const arrows = makeArrows(section, props.reach, sentence, () => paint());
  const tables = makeTables(section, sentence);
  const paintPuzzle = section.puzzle();
  panel.tools.append(field.node);
  panel.picture.append(arrows.node, tables.node);

  const paint = () => {
    const [list, row, x] = [sentence.list(), sentence.row(), sentence.inputs()];
    const answer = attention(x, x, x);
    const { weights, y } = answer;
    arrows.paint(x, weights[row], y);
    tables.paint(answer);
    section.showLesson(lesson(section, list, row, weights[row]));
    const solved = isSolved(list, weights, sentence.arrows(), parse(props.vectors));
    paintPuzzle({ words: words("puzzle", puzzleWords(list)), solved });
    section.node.dataset.y = JSON.stringify(y);
  };
  addTries(section, props);
  addCheck(section, sentence);
  section.links(() => [
    ["explore", { model: props.model, text: demo.view.words }],
    ["permute", { text: demo.view.words }],
  ]);

  section.begin((changed) => {
    if (changed.has("vectors") || changed.has("words")) {
      sentence.take();
      field.update();
    }
    paint();
  });
};
