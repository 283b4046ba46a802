// A text and its answer, character by character: what a head of the cross-attention attends to, row by row; the
// probability of each target character after the correct prefix and after the model's own; and the date written back in
// several forms.

import { h, sideways, tableRow } from "../../../../browser/lib/base.js";
import { ground, palette, variable } from "../../../../browser/lib/colour.js";
import { makeHeatMap } from "../../../../browser/lib/heat_map.js";
import { asFixed, asShare, asWhole } from "../../../../browser/lib/numbers.js";

const PREFIXES = ["true", "own"];
const PACE = 500; // ms between two characters while playing

const fieldsOf = (props) => ({
  text: { initial: props.text, longest: 200 },
  target: { initial: "", longest: 200 },
  prefix: { initial: "true", choices: PREFIXES },
  layer: { initial: props.layer, min: 0, max: props.layers - 1 },
  head: { initial: props.head, min: 0, max: props.heads - 1 },
  step: { initial: props.most, min: 0, max: props.most },
  seed: { initial: 0, min: 0, max: props.seeds - 1 },
});

/** The decoder's answer after the prefix of the view, up to its step: {weights, output, last, now}; `output` has the
 *  characters to write at each step, the target's or the model's. */
const makeDecoding = (demo) => {
  const weights = () => demo.answers.decoded[demo.view.prefix].weights;
  const last = () => weights().length;
  return {
    weights,
    last,
    now: () => Math.min(demo.view.step, last()),
    output: () => demo.answers.decoded[demo.view.prefix === "true" ? "targets" : "writes"],
  };
};

/** The weights of a cross-attention head, row by row: {node, paint}. */
const makeMap = (section, decoding) => {
  const { words, live: demo } = section;
  const container = h("div.map");
  const readout = h("p.told", { role: "status" });
  const point = (at) => {
    const { decoded } = demo.answers;
    if (!decoded || !at || at.row >= decoding.now()) return void (readout.textContent = "");
    const share = asShare(decoding.weights()[at.row][at.column]);
    readout.textContent = words("cell", { row: decoding.output()[at.row], column: decoded.source[at.column], share });
  };
  const map = makeHeatMap(container, { label: words("map"), onpoint: point, onpick: point });
  const paint = ({ source, memory }) => {
    const [weights, now, colours] = [decoding.weights(), decoding.now(), palette()];
    map.draw({
      labels: decoding.output().slice(0, weights.length),
      across: source,
      titles: [words("rows"), words("columns", { rows: memory[0], emb: memory[1] })],
      fill: true,
      pixel: (row, column) => (row < now ? colours.weights[Math.round(255 * weights[row][column])] : colours.masked),
      rows: now && now < weights.length ? [{ at: now - 1, colour: variable("mark") }] : [],
    });
  };
  return { node: h("div.looks", container, readout), paint };
};

/** The probability of each target character after either prefix: {node, paint}. */
const makePlaces = (section, decoding) => {
  const { words, panel, live: demo } = section;
  const rows = h("tbody");
  const table = h("table", { "aria-label": words("places") }, rows);
  const places = h("div.places", h("h3", words("places")), sideways("scrolled", words("places"), table));
  const node = h("div.with-equation", places, panel.equation());

  const row = (name, label, cells, end = "", kind = "") => {
    const bits = h("td.bits", { title: end && words("bits_hint") }, end);
    return tableRow({ "data-row": name, class: kind }, label, ...cells, bits);
  };
  const letters = (of) => of.map((letter) => h("td.letter", letter));
  /** The cell of one target character; `to` is how many are shown. */
  const cell = ({ probs, says }, reads, target, i, to) => {
    if (i >= probs.length) return h("td.share", { title: words("ended") }, "–");
    if (i >= to) return h("td.share", "");
    const message = words("character", { read: reads[i], target, share: asShare(probs[i]), says: says[i] });
    const own = h("td.share", { title: message, "data-prob": probs[i] }, asWhole(Math.round(100 * probs[i])));
    ground(own, palette().weights[Math.round(255 * probs[i])]);
    return own;
  };
  const lines = (name, /** @type {any} */ { targets, writes, [name]: result }) => {
    const { probs } = result;
    const reads = ["▸", ...(name === "true" ? targets : writes)];
    const chosen = name === demo.view.prefix;
    const to = chosen ? Math.min(decoding.now(), probs.length) : probs.length;
    const kind = chosen ? "chosen" : "";
    const cells = targets.map((letter, i) => cell(result, reads, letter, i, to));
    const prefixes = targets.map((_, i) => h("td.letter", i < probs.length ? reads[i] : ""));
    const bits = words("bits", { bits: asFixed(to ? result.bits[to - 1] : 0, 1) });
    return [
      row(`${name}-reads`, words("after", { prefix: name }), prefixes, "", kind),
      row(name, words("given"), cells, bits, kind),
    ];
  };
  const paint = (decoded) =>
    rows.replaceChildren(
      row("target", words("to_write"), letters(decoded.targets)),
      ...PREFIXES.flatMap((name) => lines(name, decoded)),
    );
  return { node, paint };
};

/** The date written back in several forms: {node, paint}. */
const makeForms = ({ words }) => {
  const node = h("div.forms");
  const item = ({ text, right: isRight }) => {
    const right = isRight ? "yes" : "no";
    return h("li", { "data-right": right }, h("span.written", text), h("small", words("right", { right })));
  };
  const paint = ({ date, forms }) =>
    node.replaceChildren(
      h("h3", words("forms", { date })),
      date ? h("ul", ...forms.map(item)) : h("p.quiet", words("no_date")),
      h("p.quiet", words("judged")),
    );
  return { node, paint };
};

/** The sentence: the bits of the target after either prefix. */
const lesson = (words, { targets, writes, true: after, own }) => {
  const [bits, given] = [after, own].map((each) => asFixed(each.bits.at(-1), 1));
  const same = targets.join(" ") === writes.join(" ");
  const short = own.probs.length < targets.length ? "yes" : "no";
  if (same) return words("lesson_same", { bits });
  return words("lesson_other", { own: writes.slice(0, -1).join(""), bits, given, short });
};

const addCheck = (section) => {
  const answer = async () => {
    const { source, memory } = await section.live.answered("decoded");
    const [rows, emb] = memory;
    const right = rows === 1 ? 0 : rows === source.length ? 1 : 2;
    return { right, said: section.words("answer", { tokens: source.length, rows, emb }) };
  };
  section.check({ names: ["one", "each", "written"], answer });
};

export const mount = (section, props) => {
  const { words, panel } = section;
  const demo = section.demo(fieldsOf(props), {
    decoded: ["text", "target", "layer", "head"],
    written: ["text", "target", "seed"],
  });
  const decoding = makeDecoding(demo);
  const text = section.line("text", words("field"));
  const target = section.line("target", words("target"), words("target_hint"));
  // another text has another target
  text.node.addEventListener("input", () => demo.set({ target: "", step: props.most }));
  panel.tools.append(text.node, target.node);

  const prefix = section.choice("prefix");
  const steppers = ["layer", "head"].map((name) => section.stepper(name));
  const { last, now } = decoding;
  const player = section.player({
    last,
    now,
    pace: PACE,
    ready: () => Boolean(demo.answers.decoded),
    inWords: () => words("step_is", { step: now(), last: last() }),
  });
  const [map, places, forms] = [makeMap(section, decoding), makePlaces(section, decoding), makeForms(section)];
  panel.picture.append(
    h("div.course", prefix.node, ...steppers.map(({ node }) => node)),
    h("div.course", ...player.nodes),
    h("div.both", map.node, forms.node),
    places.node,
  );

  section.tries({
    read: { text: props.read, target: "", prefix: "true", step: props.most },
    back: { text: props.plain, target: "", prefix: "own", step: props.most },
    forms: ({ seed }) => demo.set({ seed: (seed + 1) % props.seeds }),
  });
  addCheck(section);
  section.links(() => [["explore", { model: props.model, text: demo.view.text }]]);

  section.needs("decoded");
  section.begin(() => {
    const { decoded, written } = demo.answers;
    if (written) forms.paint(written);
    if (!decoded) return;
    map.paint(decoded);
    places.paint(decoded);
    section.showLesson(lesson(words, decoded));
  });
};
