// The article's module of multi-head self-attention, line by line beside ours, and the tensor after the line that is
// chosen: two sentences, their heads beside each other, then each head as a sequence of the batch.

import { eachFrame, h, numberAt, sideways, tableHead, tableRow } from "../../../../browser/lib/base.js";
import { makeImage, palette } from "../../../../browser/lib/colour.js";
import { asList } from "../../../../browser/lib/messages.js";
import { asNumber } from "../../../../browser/lib/numbers.js";

const PACE = 1500; // ms between two lines while it plays
/** For each step: the article's line, ours, the shape in letters, and how the tensor is shown. */
const LINES = {
  x: ["b, t, k = x.size()", "x", "(b, t, k)", "whole"],
  queries: ["queries = self.toqueries(x)", "self.toqueries(x)", "(b, t, h·s)", "whole"],
  split: ["queries.view(b, t, h, s)", "x.unflatten(-1, (-1, self.size))", "(b, t, h, s)", "parts"],
  folded: [
    "queries.transpose(1, 2).contiguous().view(b * h, t, s)",
    ".transpose(1, 2)  # b, h, t, s",
    "(b·h, t, s)",
    "heads",
  ],
  dot: [
    "dot = torch.bmm(queries, keys.transpose(1, 2))",
    "(q / root) @ (k / root).transpose(-2, -1)",
    "(b·h, t, t)",
    "maps",
  ],
  scaled: ["dot = dot / (k ** (1 / 2))", "root = s ** 0.25", "(b·h, t, t)", "maps"],
  weights: ["dot = F.softmax(dot, dim=2)", "weights = scores.softmax(-1)", "(b·h, t, t)", "maps"],
  out: ["out = torch.bmm(dot, values).view(b, h, t, s)", "out = weights @ v", "(b, h, t, s)", "heads"],
  joined: [
    "out.transpose(1, 2).contiguous().view(b, t, h * s)",
    "out.transpose(1, 2).flatten(2)",
    "(b, t, h·s)",
    "parts",
  ],
  y: ["return self.unifyheads(out)", "return self.unifyheads(…)", "(b, t, k)", "whole"],
};

/** The name in the code of the tensor after a step, where the step has another name. */
const VARIABLES = { joined: "out", folded: "queries", split: "queries", scaled: "dot", weights: "dot" };
const hueOf = (head) => `hue-${(head % 4) + 1}`;

/** The lines beside each other, of which a click selects one: {node, paint(shapes, step)}. */
const makeLines = (words, steps, pick) => {
  const body = h("tbody");
  const rows = steps.map((name, i) => {
    const [article, ours, shape] = LINES[name];
    const button = h("button", { onclick: pick(i) }, h("code", article));
    const cell = h("td.shape");
    const row = tableRow({ "data-step": name }, button, h("td", h("code", ours)), cell);
    body.append(row);
    return { name, row, button, cell, shape };
  });
  const table = h("table.lines", tableHead(...["article", "ours", "shape"].map((name) => words(name))), body);
  const paint = (shapes, step) =>
    rows.forEach(({ name, row, button, cell, shape }, i) => {
      row.classList.toggle("chosen", i === step);
      button.setAttribute("aria-pressed", `${i === step}`);
      cell.replaceChildren(h("code", shape), " ", h("b", `(${shapes[name].join(", ")})`));
    });
  return { node: sideways("scrolled", words("lines"), table), paint };
};

const headBar = (words, count) =>
  h(
    "div.head-bar",
    ...Array.from({ length: count }, (_, head) => h("i", { class: hueOf(head) }, words("head_short", { head }))),
  );

/** The matrices that a tensor consists of, {matrix, labels, index(row, column) of a number in it, about}: `about` has
 *  the caption and the attributes of its figure. */
const matricesOf = (words, name, { labels, heads, ...tensors }) => {
  const [, , , kind] = LINES[name];
  // folded are the queries of each head, cut from those of the sentence
  const tensor = tensors[name === "folded" ? "split" : name];
  if (kind === "whole" || kind === "parts")
    return tensor.map((sentence, b) => {
      const matrix = name === "split" ? sentence.map((row) => row.flat()) : sentence;
      const size = matrix[0].length / heads;
      const index = (row, column) =>
        name === "split" ? [b, row, Math.floor(column / size), column % size] : [b, row, column];
      const about = {
        caption: words("sentence", { number: b }),
        attributes: { class: kind, style: `--heads: ${heads}` },
      };
      return { matrix, labels: labels[b], index, about };
    });
  return labels.flatMap((sentence, b) =>
    Array.from({ length: heads }, (_, r) => {
      const number = b * heads + r;
      const out = name === "out";
      const matrix = name === "folded" ? tensor[b].map((row) => row[r]) : out ? tensor[b][r] : tensor[number];
      const index = (row, column) => (out ? [b, r, row, column] : [number, row, column]);
      const caption = words(out ? "head" : "folded", { number, sentence: b, head: r });
      return { matrix, labels: sentence, index, about: { caption, attributes: { class: `${kind} ${hueOf(r)}` } } };
    }),
  );
};

/** The tensor after a step, and the number under the pointer: {nodes, paint(lines, name)}. */
const makeTensor = (words) => {
  const node = h("div.tensor");
  const reading = h("p.readout", { "aria-live": "polite" });

  /** A matrix as an image, with a name for each row. */
  const image = (name, { matrix, labels, index }, most) => {
    const scale = name === "weights" ? "weights" : "scores";
    const colours = palette()[scale];
    const at = (value) => (scale === "weights" ? 255 * value : 127.5 + (127.5 * value) / most);
    const canvas = makeImage(matrix[0].length, matrix.length, (x, y) => colours[Math.round(at(matrix[y][x]))]);
    canvas.addEventListener("pointermove", (event) => {
      const clicked = numberAt(canvas, event);
      const row = Math.min(matrix.length - 1, clicked.row);
      const column = Math.min(matrix[0].length - 1, clicked.column);
      const value = asNumber(matrix[row][column], 4);
      const variable = { name: VARIABLES[name] ?? name, index: index(row, column).join(", ") };
      reading.textContent = words("read", { ...variable, value, word: labels[row] });
    });
    return h("div.rows", h("div.labels", ...labels.map((word) => h("span", word))), canvas);
  };
  const paint = (lines, name) => {
    const [, , , kind] = LINES[name];
    const matrices = matricesOf(words, name, lines);
    const most = Math.max(...matrices.flatMap(({ matrix }) => matrix.flat().map(Math.abs))) || 1;
    const bar = () => (kind === "parts" ? headBar(words, lines.heads) : null);
    node.className = `tensor ${kind}`;
    node.style.setProperty("--heads", lines.heads);
    node.replaceChildren(
      ...matrices.map((each) =>
        h("figure", each.about.attributes, h("figcaption", each.about.caption), bar(), image(name, each, most)),
      ),
    );
    reading.textContent = words("point");
  };
  return { nodes: [node, reading], paint };
};

const addCheck = (section) => {
  const answer = async () => {
    const { shapes, heads } = await section.live.answered("lines");
    const [sentences] = shapes.x;
    const right = [sentences, heads, sentences * heads].indexOf(shapes.dot[0]);
    return { right, said: section.words("answer", { shape: asList(shapes.dot.map(String)), sentences, heads }) };
  };
  section.check({ names: ["sentences", "heads", "both"], answer });
};

export const mount = (section, props) => {
  const { words, panel } = section;
  const { steps } = props;
  const demo = section.demo(
    {
      text: { initial: props.text, longest: 1000 },
      step: { initial: 3, min: 0, max: steps.length - 1 },
    },
    { lines: ["text"] },
  );
  const text = section.line("text", words("field", { most: props.most }));
  const player = section.player({
    last: () => steps.length - 1,
    now: () => demo.view.step,
    pace: PACE,
    ready: () => Boolean(demo.answers.lines),
    inWords: () => words("step_is", { step: demo.view.step + 1, count: steps.length }),
  });
  const table = makeLines(words, steps, (i) => player.put({ step: i }));
  const title = h("h3");
  const tensor = makeTensor(words);
  const agrees = h("p.quiet");
  panel.tools.append(text.node);
  panel.picture.append(
    h("div.course", ...player.nodes),
    ...[table.node, panel.equation(), title, ...tensor.nodes, agrees],
  );

  section.tries({ weights: { step: 6 }, join: { step: 8 } });
  addCheck(section);
  section.links(() => [["explore", { model: props.model, text: demo.view.text, layer: 0 }]]);

  section.needs("lines");
  section.begin(
    eachFrame(() => {
      const { lines } = demo.answers;
      if (!lines) return;
      const { step } = demo.view;
      const name = steps[step];
      const { heads, shapes } = lines;
      const [b, t, k] = shapes.x;
      table.paint(shapes, step);
      title.replaceChildren(words("tensor"), " ", h("code", `${LINES[name][2]} = (${shapes[name].join(", ")})`));
      tensor.paint(lines, name);
      agrees.textContent = words("agrees", { error: asNumber(lines.ours, 2), model: props.model });
      section.showLesson(words(`says_${name}`, { b, t, k, h: heads, s: k / heads, batch: b * heads }));
    }),
  );
};
