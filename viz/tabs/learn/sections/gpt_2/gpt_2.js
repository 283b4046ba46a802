// A text in byte-pair pieces, merge by merge, and the bits of each piece; pieces compared with bytes by the models'
// cards; and the numbers of parameters of the published sizes and of the visitor's own.

import { h, tableHead, tableRow } from "../../../../browser/lib/base.js";
import { makeBar, palette, tokenSpans } from "../../../../browser/lib/colour.js";
import { readable } from "../../../../browser/lib/hint.js";
import { asFixed, asShare, asWhole } from "../../../../browser/lib/numbers.js";

const SHOWS = ["pieces", "bits", "sizes"];
const COSTLY = 16; // bits at the darkest background
const bitsText = (bits) => asFixed(bits, 4);

const COLUMNS = ["name", "depth", "emb", "heads", "tokens", "positions", "blocks", "total", "reported"];

export const mount = (section, props) => {
  const { words, panel } = section;
  const all = props.levels.length - 1;
  const [gpt, generator] = props.worth;
  const demo = section.demo(
    {
      show: { initial: "pieces", choices: SHOWS },
      text: { initial: props.text, longest: 400 },
      level: { initial: all, min: 0, max: all },
      depth: { initial: 12, min: 1, max: props.limits.depth },
      heads: { initial: 8, min: 1, max: props.limits.heads },
    },
    { pieces: ["text", "level"], scored: ["text"], sized: ["depth", "heads"] },
  );

  // --- pieces --------------------------------------------------------------------------------------------------------

  const show = section.choice("show", SHOWS);
  const text = section.line("text", words("field"));
  panel.tools.append(show.node, text.node);

  const level = section.slider("level", (at) => words("level_is", { merges: props.levels[at] }));
  const counted = h("p.counted", { role: "status" });
  const chips = readable(h("p.pieces"));
  const ground = h("p.quiet");
  const onText = h("div.on-text");
  const inPieces = h(
    "div.in-pieces",
    h("div.course", h("span.quiet", words("level")), level.range, level.value),
    counted,
    chips,
    ground,
    h("div.with-equation", onText, panel.equation(0)),
  );

  const paintPieces = () => {
    const { pieces, scored } = demo.answers;
    const merges = props.levels[demo.view.level];

    if (!pieces) return;
    const bytes = pieces.bytes.reduce((one, other) => one + other, 0);
    const count = pieces.ids.length;
    counted.textContent = words("pieces", { bytes, pieces: count, each: asFixed(bytes / count, 2) });
    const whole = merges === props.levels[all] && scored?.pieces.length === count - 1;
    const colours = palette().weights;
    const look = (i) => {
      const bits = whole && i ? scored.pieces[i - 1] : null;
      const message = words("piece", {
        label: pieces.labels[i],
        id: pieces.ids[i],
        bytes: pieces.bytes[i],
        bits: bits === null ? "none" : asFixed(bits, 1),
      });
      return {
        title: message,
        kind: "piece",
        pixel: bits === null ? undefined : colours[Math.round(255 * Math.min(1, bits / COSTLY))],
      };
    };
    chips.replaceChildren(...tokenSpans(pieces.labels, look));
    ground.textContent = words(whole ? "coloured" : "uncoloured");
    if (!scored) return;
    const most = Math.max(...props.worth.map(({ name }) => scored[name]));
    const bar = ({ name }) =>
      h(
        "p",
        { "data-model": name, "data-bits": scored[name] },
        h("span", name),
        h("span.bar", makeBar(scored[name] / most)),
        h("b", words("bits_of", { bits: asFixed(scored[name], 3) })),
      );
    onText.replaceChildren(h("h3", words("on_text", { bytes: scored.bytes })), ...props.worth.map(bar));
    if (demo.view.show === "pieces")
      section.tell(
        words("lesson_pieces", {
          merges,
          bytes,
          pieces: count,
          gpt: asFixed(scored.gpt, 2),
          generator: asFixed(scored.generator, 2),
        }),
      );
  };

  // --- bits ----------------------------------------------------------------------------------------------------------

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
  const worth = h(
    "table.worth",
    tableHead("", ...props.worth.map(({ name }) => name)),
    h(
      "tbody",
      ...Object.entries(cells).map(([name, cell]) =>
        tableRow(
          { "data-row": name },
          words(`row_${name}`),
          ...props.worth.map((card) => h("td", { "data-value": card[name] }, cell(card))),
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
  const inBits = h(
    "div.in-bits",
    worth,
    h("div.with-equation", h("p.winner", words("winner", better)), panel.equation(0)),
    h("p.quiet", words("reported")),
    section.measured(words("source"), gpt.command),
  );

  // --- sizes ---------------------------------------------------------------------------------------------------------

  const steppers = ["depth", "heads"].map((name) => section.stepper(name));
  const sizes = h("tbody");
  const inSizes = h(
    "div.in-sizes",
    h("div.with-equation", h("div.asking", ...steppers.map(({ node }) => node)), panel.equation(1)),
    h(
      "div.scrolled",
      { tabindex: 0, role: "region", "aria-label": words("show_sizes_hint") },
      h("table.counts", tableHead(...COLUMNS.map((name) => words(`column_${name}`))), sizes),
    ),
    h("p.quiet", words("counted")),
    h("p.quiet", words("reported")),
  );

  const sizeRow = ({ name, depth, emb, heads, total, parts, reported }) => {
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
  const paintSizes = () => {
    const { sized } = demo.answers;
    if (!sized) return;
    sizes.replaceChildren(...[...props.sizes, { ...sized, name: "own" }].map(sizeRow));
    if (demo.view.show !== "sizes") return;
    section.tell(
      words("lesson_sizes", {
        depth: sized.depth,
        emb: sized.emb,
        total: asWhole(sized.total),
        share: asShare(sized.parts.blocks / sized.total),
      }),
    );
  };
  panel.picture.append(inPieces, inBits, inSizes);

  // --- what can be tried ---------------------------------------------------------------------------------------------

  section.tries({
    bytes: { show: "pieces", level: 0 },
    foreign: { show: "pieces", text: props.foreign, level: all },
    bits: { show: "bits" },
  });
  const figures = { gpt: bitsText(gpt.equal), generator: bitsText(generator.equal) };
  section.check({
    shows: { show: "bits" },
    names: ["pieces", "bytes"],
    answer: async () => ({ right: gpt.equal < generator.equal ? 0 : 1, said: words("answer", figures) }),
  });
  section.links(() => [
    ["generate", { model: gpt.name, text: demo.view.text }],
    ["explore", { model: gpt.name, text: demo.view.text }],
  ]);

  const paint = () => {
    paintPieces();
    paintSizes();
    if (demo.view.show === "bits") section.tell(words("lesson_bits", figures));
  };
  section.parts({ pieces: [inPieces], bits: [inBits], sizes: [inSizes] });
  section.begin(paint);
};
