// The article's three lines, each with its input and output tensors, and their time compared with a plain loop.

import { eachFrame, h } from "../../../../browser/lib/base.js";
import { makeBar, makeImage, palette, signedAt } from "../../../../browser/lib/colour.js";
import { makeHeatMap } from "../../../../browser/lib/heat_map.js";
import { asFixed, asNumber, asShare, asWhole } from "../../../../browser/lib/numbers.js";

const LINES = {
  raw: "raw_weights = torch.bmm(x, x.transpose(1, 2))",
  weights: "weights = F.softmax(raw_weights, dim=2)",
  y: "y = torch.bmm(weights, x)",
};

export const mount = (section, props) => {
  const { words, panel } = section;
  const demo = section.demo(
    {
      text: { initial: props.text, longest: 10000 },
      factor: { initial: props.factor, min: 1, max: Math.max(...props.factors) },
      copies: { initial: 1, min: 1, max: Math.max(...props.copies) },
      run: { initial: 0, min: 0, max: props.runs - 1 },
    },
    { tensors: ["text", "factor"], plain: ["text"], timed: ["text", "factor", "copies", "run"] },
  );

  // --- the tensors ---------------------------------------------------------------------------------------------------

  const text = section.line("text", words("text_field", { most: props.most }));
  panel.tools.append(text.node);
  const reading = h("p.readout", { "aria-live": "polite" });
  const shapes = {};

  /** A tensor of words × numbers: a pixel for each number. */
  const strip = (name, question = "tensors") => {
    const canvas = h("canvas.strip");
    const labels = h("div.labels");
    const point = (event) => {
      const rows = demo.answers[question]?.[name];
      if (!rows) return;
      const box = canvas.getBoundingClientRect();
      const column = Math.floor(((event.clientX - box.left) / box.width) * rows[0].length);
      const row = Math.floor(((event.clientY - box.top) / box.height) * rows.length);
      if (rows[row]?.[column] !== undefined) read(name, row, column, question);
    };
    canvas.addEventListener("pointermove", point);
    const draw = (/** @type {any} */ { labels: named, [name]: rows }) => {
      const colours = palette().scores;
      const most = Math.max(...rows.flat().map(Math.abs));
      makeImage(rows[0].length, rows.length, (x, y) => colours[signedAt(rows[y][x] / most)], canvas);
      labels.replaceChildren(...named.map((word) => h("span", word)));
      canvas.style.height = labels.style.height = `${Math.max(110, 15 * rows.length)}px`;
    };
    return { node: h("div.rows", labels, canvas), draw };
  };

  /** A tensor of words × words. */
  const map = (name, scale, question = "tensors") => {
    const place = h("div.map");
    const label = words(`${name}_label`);
    const picture = makeHeatMap(place, {
      label,
      onpoint: (at) => at && read(name, at.row, at.column, question),
      onpick: () => {},
    });
    const draw = (/** @type {any} */ { labels, [name]: rows }) => {
      const colours = palette()[scale];
      const most = scale === "scores" ? Math.max(...rows.flat().map(Math.abs)) : 1;
      const at = (value) => (scale === "scores" ? signedAt(value / most) : Math.round(255 * value));
      picture.draw({ labels, pixel: (row, column) => colours[at(rows[row][column])] });
    };
    return { node: place, draw };
  };

  const tensor = (name, line, picture) => {
    shapes[name] = h("span.shape");
    const caption = h("figcaption", h("code", line), shapes[name]);
    if (!plain[name]) return h("figure", { "data-tensor": name }, caption, picture.node);
    const [one, times] = ["one", "times"].map((kind) => h("div", { class: `of-${kind}` }, h("b")));
    one.append(plain[name].node);
    times.append(picture.node);
    const figure = h("figure", { "data-tensor": name }, caption, h("div.both", one, times));
    if (name === "y") figure.append(panel.equation());
    return figure;
  };
  const pictures = { x: strip("x"), raw: map("raw", "scores"), weights: map("weights", "weights"), y: strip("y") };
  const plain = { weights: map("weights", "weights", "plain"), y: strip("y", "plain") }; // of the vectors as they are
  const flow = h(
    "div.flow",
    tensor("x", words("x", { model: props.model }), pictures.x),
    ...Object.entries(LINES).map(([name, line]) => tensor(name, line, pictures[name])),
  );

  /** The number under the pointer. */
  const read = (name, row, column, question = "tensors") => {
    const { labels, [name]: rows } = demo.answers[question];
    const square = name === "raw" || name === "weights";
    const values = {
      name: name === "raw" ? "raw_weights" : name,
      row,
      column,
      value: asNumber(rows[row][column]),
      word: labels[row],
      other: labels[column],
    };
    reading.textContent = words(square ? "read_pair" : "read", values);
    Object.assign(reading.dataset, { name, row, column, value: rows[row][column] });
  };

  // --- the time ------------------------------------------------------------------------------------------------------

  const clock = h("div.clock", { "aria-live": "polite" });
  const again = h(
    "button.field-button",
    { onclick: () => demo.set({ run: (demo.view.run + 1) % props.runs }) },
    words("measure"),
  );
  panel.picture.append(flow, reading, h("div.times", clock, again));

  const duration = (seconds) =>
    seconds < 0.001
      ? words("microseconds", { value: asNumber(seconds * 1e6, 3) })
      : words("milliseconds", { value: asNumber(seconds * 1e3, 3) });
  const bar = (name, seconds, most) =>
    h(
      "p",
      { "data-time": name, "data-seconds": seconds },
      h("span", words(`time_${name}`)),
      h("span.bar", makeBar(seconds / most)),
      h("b", duration(seconds)),
    );
  const paintClock = () => {
    const { timed } = demo.answers;
    if (!timed) return;
    const { lines, loop, words: count, error } = timed;
    const message = words("times", {
      factor: asWhole(Math.round(loop / lines)),
      words: count,
      error: asNumber(error, 2),
    });
    clock.replaceChildren(bar("loop", loop, loop), bar("lines", lines, loop), h("p.quiet", message));
  };

  // --- what can be tried ---------------------------------------------------------------------------------------------

  section.tries({
    swap: { text: props.swapped },
    factor1: [{ factor: 1 }, words("try_longer", { factor: 1 })],
    copies: [{ copies: 8 }, words("try_copies", { copies: 8 })],
  });

  section.check({
    names: ["rows", "columns", "both"],
    answer: async () => {
      const { weights } = await demo.answered("tensors");
      const rows = weights.map((row) => row.reduce((one, other) => one + other, 0));
      const columns = weights[0].map((_, j) => weights.reduce((all, row) => all + row[j], 0));
      const off = (sums) => Math.max(...sums.map((sum) => Math.abs(sum - 1)));
      const right = off(columns) < 1e-4 ? 2 : off(rows) < 1e-4 ? 0 : 1;
      const range = (sums) => `${asFixed(Math.min(...sums), 3)} … ${asFixed(Math.max(...sums), 3)}`;
      return { right, said: words("answer", { rows: range(rows), columns: range(columns) }) };
    },
  });
  section.links(() =>
    ["explore", "permute"].map((tab) => [
      tab,
      { ...(tab === "explore" && { model: props.model }), text: demo.view.text },
    ]),
  );

  const paint = eachFrame(() => {
    const { tensors } = demo.answers;
    if (!tensors) return;
    const [t, e] = [tensors.x.length, tensors.x[0].length];
    for (const [name, picture] of Object.entries(pictures)) {
      picture.draw(tensors);
      shapes[name].textContent = name === "x" || name === "y" ? `(1, ${t}, ${e})` : `(1, ${t}, ${t})`;
    }
    const { factor } = demo.view;
    for (const node of section.node.querySelectorAll(".both")) {
      node.classList.toggle("same", factor === 1);
      node.querySelector(".of-one > b").textContent = words("times_factor", { factor: 1 });
      node.querySelector(".of-times > b").textContent = words("times_factor", { factor });
    }
    if (factor !== 1 && demo.answers.plain) for (const each of Object.values(plain)) each.draw(demo.answers.plain);
    if (!reading.textContent) reading.textContent = words("point");
    tell(tensors);
    section.node.dataset.rev = demo.rev;
  });

  const tell = ({ labels, weights }) => {
    // a word's weight on another one; a single word has only itself
    const others = weights.map((row, i) => row.map((value, j) => (i === j && weights.length > 1 ? 0 : value)));
    const most = Math.max(...others.flat());
    const row = others.findIndex((values) => values.includes(most));
    const column = others[row].indexOf(most);
    section.tell(
      words("lesson", {
        word: labels[row],
        other: labels[column],
        share: asShare(most),
        even: asShare(1 / labels.length),
        factor: demo.view.factor,
        plain: asShare(Math.max(...(demo.answers.plain ?? { weights }).weights.flat())),
      }),
    );
  };

  section.begin((changed) => {
    if (changed.has("timed")) paintClock();
    paint();
  });
};
