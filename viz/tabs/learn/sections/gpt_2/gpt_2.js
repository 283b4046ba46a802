// A text in byte-pair pieces, merge by merge, and the bits of each piece; pieces compared with bytes by the models'
// cards; and the numbers of parameters of the published sizes and of the visitor's own.

import { h, sideways, tableHead, tableRow } from "../../../../browser/lib/base.js";
import { makeBar, palette, tokenSpans } from "../../../../browser/lib/colour.js";
import { readable } from "../../../../browser/lib/hint.js";
import { asFixed, asShare, asWhole } from "../../../../browser/lib/numbers.js";

const COSTLY = 16; // bits at the darkest background
const bitsText = (bits) => asFixed(bits, 4);

const COLUMNS = ["name", "depth", "emb", "heads", "tokens", "positions", "blocks", "total", "reported"];

const fieldsOf = (props) => {
  const last = props.levels.length - 1;
  return {
    show: { initial: "pieces", choices: ["pieces", "bits", "sizes"] },
    text: { initial: props.text, longest: 400 },
    level: { initial: last, min: 0, max: last },
    depth: { initial: 12, min: 1, max: props.limits.depth },
    heads: { initial: 8, min: 1, max: props.limits.heads },
  };
};

/** The text in pieces, merge by merge, with the bits of each: {node, paint}. */
const makePieces = (section, { levels, worth }) => {
  const { words, panel, live: demo } = section;
  const level = section.slider("level", (at) => words("level_is", { merges: levels[at] }));
  const counted = h("p.counted", { role: "status" });
  const chips = readable(h("p.pieces"));
  const ground = h("p.quiet");
  const onText = h("div.on-text");
  const node = h(
    "div.in-pieces",
    h("div.course", h("span.quiet", words("level")), level.range, level.value),
    counted,
    chips,
    ground,
    h("div.with-equation", onText, panel.equation(0)),
  );

  const paintChips = ({ labels, ids, bytes }, bits) => {
    const colours = palette().weights;
    const spanOf = (i) => {
      const own = bits && i ? bits[i - 1] : null;
      const about = { label: labels[i], id: ids[i], bytes: bytes[i], bits: own === null ? "none" : asFixed(own, 1) };
      const pixel = own === null ? undefined : colours[Math.round(255 * Math.min(1, own / COSTLY))];
      return { title: words("piece", about), kind: "piece", pixel };
    };
    chips.replaceChildren(...tokenSpans(labels, spanOf));
    ground.textContent = words(bits ? "coloured" : "uncoloured");
  };
  const paintScored = (scored) => {
    const most = Math.max(...worth.map(({ name }) => scored[name]));
    const bar = ({ name }) =>
      h(
        "p",
        { "data-model": name, "data-bits": scored[name] },
        h("span", name),
        h("span.bar", makeBar(scored[name] / most)),
        h("b", words("bits_of", { bits: asFixed(scored[name], 3) })),
      );
    onText.replaceChildren(h("h3", words("on_text", { bytes: scored.bytes })), ...worth.map(bar));
  };
  const paint = () => {
    const { pieces, scored } = demo.answers;
    if (!pieces) return;
    const bytes = pieces.bytes.reduce((one, other) => one + other, 0);
    const count = pieces.ids.length;
    const merges = levels[demo.view.level];
    const whole = merges === levels.at(-1) && scored?.pieces.length === count - 1;
    counted.textContent = words("pieces", { bytes, pieces: count, each: asFixed(bytes / count, 2) });
    paintChips(pieces, whole ? scored.pieces : null);
    if (!scored) return;
    paintScored(scored);
    const [gpt, generator] = [scored.gpt, scored.generator].map((bits) => asFixed(bits, 2));
    section.showLesson(words("lesson_pieces", { merges, bytes, pieces: count, gpt, generator }));
  };
  return { node, paint };
};

/** Pieces compared with bytes, by the models' cards: {node, paint, figures}, with the bits of both as words. */
const makeWorth = (section, { worth }) => {
  const { words, panel } = section;
  const [gpt, generator] = worth;
  const cells = {
    reads: ({ unit }) => words("unit", { unit }),
    vocabulary: ({ vocabulary }) => asWhole(vocabulary),
    parameters: ({ parameters }) => asWhole(parameters),
    context: ({ context, unit }) => words("in_view", { count: context, unit }),
    bytes: ({ bytes }) => asWhole(bytes),
    seconds: ({ seconds, runs }) => words("minutes", { minutes: Math.round(seconds / 60), runs }),
    bits: ({ bits }) => bitsText(bits),
    equal: ({ equal }) => bitsText(equal),
  };
  const table = h(
    "table.worth",
    tableHead("", ...worth.map(({ name }) => name)),
    h(
      "tbody",
      ...Object.entries(cells).map(([name, cell]) =>
        tableRow(
          { "data-row": name },
          words(`row_${name}`),
          ...worth.map((card) => h("td", { "data-value": card[name] }, cell(card))),
        ),
      ),
    ),
  );
  const ahead = gpt.equal < generator.equal;
  const better = {
    pieces: gpt.name,
    ahead: ahead ? "yes" : "no",
    sooner: ahead && gpt.seconds <= generator.seconds ? "yes" : "no",
  };
  const node = h(
    "div.in-bits",
    table,
    h("div.with-equation", h("p.winner", words("winner", better)), panel.equation(0)),
    h("p.quiet", words("reported")),
    section.measured(words("source"), gpt.command),
  );
  const figures = { gpt: bitsText(gpt.equal), generator: bitsText(generator.equal) };
  return { node, paint: () => section.showLesson(words("lesson_bits", figures)), figures };
};

/** The numbers of parameters of the published sizes, and of the visitor's own: {node, paint}. */
const makeSizes = (section, props) => {
  const { words, panel, live: demo } = section;
  const steppers = ["depth", "heads"].map((name) => section.stepper(name));
  const sizes = h("tbody");
  const node = h(
    "div.in-sizes",
    h("div.with-equation", h("div.asking", ...steppers.map(({ node }) => node)), panel.equation(1)),
    sideways(
      "scrolled",
      words("show_sizes_hint"),
      h("table.counts", tableHead(...COLUMNS.map((name) => words(`column_${name}`))), sizes),
    ),
    h("p.quiet", words("counted")),
    h("p.quiet", words("reported")),
  );

  const row = ({ name, depth, emb, heads, total, parts, reported }) => {
    const numbers = [depth, emb, heads, parts.tokens, parts.positions, parts.blocks, total].map((value) =>
      h("td", { "data-value": value }, asWhole(value)),
    );
    return tableRow(
      { "data-size": name, class: name === "own" ? "own" : null },
      name === "own" ? words("own") : name,
      ...numbers,
      h("td", reported ? asFixed(reported, 2) : "–"),
    );
  };
  const paint = () => {
    const { sized } = demo.answers;
    if (!sized) return;
    sizes.replaceChildren(...[...props.sizes, { ...sized, name: "own" }].map(row));
    const { depth, emb, total, parts } = sized;
    section.showLesson(
      words("lesson_sizes", { depth, emb, total: asWhole(total), share: asShare(parts.blocks / total) }),
    );
  };
  return { node, paint };
};

export const mount = (section, props) => {
  const { words, panel } = section;
  const [gpt, generator] = props.worth;
  const demo = section.demo(fieldsOf(props), {
    pieces: ["text", "level"],
    scored: ["text"],
    sized: ["depth", "heads"],
  });
  const show = section.choice("show");
  const text = section.line("text", words("field"));
  const [pieces, worth, sizes] = [makePieces(section, props), makeWorth(section, props), makeSizes(section, props)];
  panel.tools.append(show.node, text.node);
  panel.picture.append(pieces.node, worth.node, sizes.node);

  section.tries({
    bytes: { show: "pieces", level: 0 },
    foreign: { show: "pieces", text: props.foreign, level: props.levels.length - 1 },
    bits: { show: "bits" },
  });
  section.check({
    shows: { show: "bits" },
    names: ["pieces", "bytes"],
    answer: async () => ({ right: gpt.equal < generator.equal ? 0 : 1, said: words("answer", worth.figures) }),
  });
  section.links(() => [
    ["generate", { model: gpt.name, text: demo.view.text }],
    ["explore", { model: gpt.name, text: demo.view.text }],
  ]);

  const paint = section.parts({ pieces: [pieces], bits: [worth], sizes: [sizes] });
  section.needs({ pieces: "pieces", sizes: "sized" });
  section.begin(paint);
};
