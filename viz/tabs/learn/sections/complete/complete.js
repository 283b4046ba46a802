// The article's module of multi-head self-attention, line by line beside ours, and the tensor after the line that is
// chosen: two sentences, their heads beside each other, then each head as a sequence of the batch.

import { eachFrame, h, tableHead, tableRow } from "../../../../browser/lib/base.js";
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

export const mount = (section, props) => {
  const { words, panel } = section;
  const demo = section.demo(
    {
      text: { initial: props.text, longest: 1000 },
      step: { initial: 3, min: 0, max: props.steps.length - 1 },
    },
    { lines: ["text"] },
  );
  const text = section.line("text", words("field", { most: props.most }));
  panel.tools.append(text.node);

  const player = section.player({
    last: () => props.steps.length - 1,
    now: () => demo.view.step,
    pace: PACE,
    ready: () => Boolean(demo.answers.lines),
  });
  const output = h("output");
  const rows = h("tbody");
  const buttons = props.steps.map((name, i) => {
    const [article, ours, shape] = LINES[name];
    const button = h("button", { onclick: player.put({ step: i }) }, h("code", article));
    const cell = h("td.shape");
    const row = tableRow({ "data-step": name }, button, h("td", h("code", ours)), cell);
    rows.append(row);
    return { row, button, cell, shape };
  });
  const table = h("table.lines", tableHead(...["article", "ours", "shape"].map((name) => words(name))), rows);
  const title = h("h3");
  const tensor = h("div.tensor");
  const reading = h("p.readout", { "aria-live": "polite" });
  const agrees = h("p.quiet");
  panel.picture.append(
    h("div.course", player.play, player.slider, output),
    h("div.scrolled", { tabindex: 0, role: "region", "aria-label": words("lines") }, table),
    panel.equation(),
    title,
    tensor,
    reading,
    agrees,
  );

  /** Rows of numbers as an image, with a name for each row; index(row, column) is how PyTorch indexes a number. */
  const image = (numbers, labels, scale, most, name, index) => {
    const colours = palette()[scale];
    const at = (value) => (scale === "weights" ? 255 * value : 127.5 + (127.5 * value) / most);
    const canvas = makeImage(numbers[0].length, numbers.length, (x, y) => colours[Math.round(at(numbers[y][x]))]);
    canvas.addEventListener("pointermove", (event) => {
      const box = canvas.getBoundingClientRect();
      const column = Math.min(
        numbers[0].length - 1,
        Math.floor(((event.clientX - box.left) / box.width) * numbers[0].length),
      );
      const row = Math.min(numbers.length - 1, Math.floor(((event.clientY - box.top) / box.height) * numbers.length));
      const at = [...index(row, column)].join(", ");
      reading.textContent = words("read", {
        name,
        index: at,
        value: asNumber(numbers[row][column], 4),
        word: labels[row],
      });
    });
    return h("div.rows", h("div.labels", ...labels.map((word) => h("span", word))), canvas);
  };

  /** The tensor of a step as figures, {caption, kind, node}. */
  const figuresOf = (name, lines) => {
    const { labels, heads: count } = lines;
    const kind = LINES[name][3];
    // folded are the queries of each head, cut from those of the sentence
    const given = name === "folded" ? lines.split : lines[name];
    const flat = given.flat(Number.POSITIVE_INFINITY);
    const most = Math.max(...flat.map(Math.abs)) || 1;
    const scale = name === "weights" ? "weights" : "scores";
    const shown = { joined: "out", folded: "queries", split: "queries", scaled: "dot", weights: "dot" }[name] ?? name;
    if (kind === "whole" || kind === "parts")
      return given.map((sentence, b) => {
        const matrix = name === "split" ? sentence.map((row) => row.flat()) : sentence;
        const size = matrix[0].length / count;
        const index = (row, column) =>
          name === "split" ? [b, row, Math.floor(column / size), column % size] : [b, row, column];
        return h(
          "figure",
          { class: kind, style: `--heads: ${count}` },
          h("figcaption", words("sentence", { number: b })),
          kind === "parts" ? headBar(count) : null,
          image(matrix, labels[b], scale, most, shown, index),
        );
      });
    return labels.flatMap((sentence, b) =>
      Array.from({ length: count }, (_, r) => {
        const number = b * count + r;
        const matrix = name === "folded" ? given[b].map((row) => row[r]) : name === "out" ? given[b][r] : given[number];
        const index = (row, column) => (name === "out" ? [b, r, row, column] : [number, row, column]);
        return h(
          "figure",
          { class: `${kind} hue-${(r % 4) + 1}` },
          h("figcaption", words(name === "out" ? "head" : "folded", { number, sentence: b, head: r })),
          image(matrix, sentence, scale, most, shown, index),
        );
      }),
    );
  };
  const headBar = (count) =>
    h(
      "div.head-bar",
      ...Array.from({ length: count }, (_, r) =>
        h("i", { class: `hue-${(r % 4) + 1}` }, words("head_short", { head: r })),
      ),
    );

  const paint = eachFrame(() => {
    const { lines } = demo.answers;
    if (!lines) return;
    const { step } = demo.view;
    const name = props.steps[step];
    const [b, t, k] = lines.shapes.x;
    const values = { b, t, k, h: lines.heads, s: k / lines.heads, batch: b * lines.heads };
    buttons.forEach(({ row, button, cell, shape }, i) => {
      row.classList.toggle("chosen", i === step);
      button.setAttribute("aria-pressed", `${i === step}`);
      const actual = `(${lines.shapes[props.steps[i]].join(", ")})`;
      cell.replaceChildren(h("code", shape), " ", h("b", actual));
    });
    output.textContent = words("step_is", { step: step + 1, count: props.steps.length });
    player.slider.setAttribute("aria-valuetext", output.textContent);
    title.replaceChildren(words("tensor"), " ", h("code", `${LINES[name][2]} = (${lines.shapes[name].join(", ")})`));
    const nodes = figuresOf(name, lines);
    tensor.className = `tensor ${LINES[name][3]}`;
    tensor.style.setProperty("--heads", lines.heads);
    tensor.replaceChildren(...nodes);
    reading.textContent = words("point");
    agrees.textContent = words("agrees", { error: asNumber(lines.ours, 2), model: props.model });
    section.tell(words(`says_${name}`, values));
    section.node.dataset.rev = demo.rev;
  });

  section.tries({
    weights: { step: 6 },
    join: { step: 8 },
  });
  section.check({
    names: ["sentences", "heads", "both"],
    answer: async () => {
      const { shapes, heads: count } = await demo.answered("lines");
      const [sentences] = shapes.x;
      const right = [sentences, count, sentences * count].indexOf(shapes.dot[0]);
      return { right, said: words("answer", { shape: asList(shapes.dot.map(String)), sentences, heads: count }) };
    },
  });
  section.links(() => [["explore", { model: props.model, text: demo.view.text, layer: 0 }]]);

  section.begin(paint);
};
