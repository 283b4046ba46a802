// A text and its answer, character by character: what a head of the cross-attention attends to, row by row; the
// probability of each target character after the correct prefix and after the model's own; and the date written back in
// several forms.

import { h, tableRow } from "../../../../browser/lib/base.js";
import { ground, palette, variable } from "../../../../browser/lib/colour.js";
import { makeHeatMap } from "../../../../browser/lib/heat_map.js";
import { asFixed, asShare, asWhole } from "../../../../browser/lib/numbers.js";

const PREFIXES = ["true", "own"];
const PACE = 500; // ms between two characters while playing
const bitsOf = (probs) => probs.reduce((sum, prob) => sum - Math.log2(prob), 0);

export const mount = (section, props) => {
  const { words, panel } = section;
  const demo = section.demo(
    {
      text: { initial: props.text, longest: 200 },
      target: { initial: "", longest: 200 },
      prefix: { initial: "true", choices: PREFIXES },
      layer: { initial: props.layer, min: 0, max: props.layers - 1 },
      head: { initial: props.head, min: 0, max: props.heads - 1 },
      step: { initial: props.most, min: 0, max: props.most },
      seed: { initial: 0, min: 0, max: props.seeds - 1 },
    },
    { decoded: ["text", "target", "layer", "head"], written: ["text", "target", "seed"] },
  );
  const decoding = () => demo.answers.decoded[demo.view.prefix];
  /** The characters to write at each step: the target's, or the model's. */
  const rowsOf = () => demo.answers.decoded[demo.view.prefix === "true" ? "targets" : "writes"];
  const last = () => decoding().weights.length;
  const now = () => Math.min(demo.view.step, last());

  // --- what is shown -------------------------------------------------------------------------------------------------

  const text = section.line("text", words("field"));
  const target = section.line("target", words("target"), words("target_hint"));
  // another text has another target
  text.node.addEventListener("input", () => demo.set({ target: "", step: props.most }));
  panel.tools.append(text.node, target.node);

  const prefix = section.choice("prefix", PREFIXES);
  const steppers = ["layer", "head"].map((name) => section.stepper(name));
  const player = section.player({
    last,
    now,
    pace: PACE,
    ready: () => Boolean(demo.answers.decoded),
  });
  const { play, slider } = player;
  const step = h("output");
  const place = h("div.map");
  const readout = h("p.told", { role: "status" });
  const forms = h("div.forms");
  const rows = h("tbody");
  const table = h("table", { "aria-label": words("places") }, rows);
  panel.picture.append(
    h("div.course", prefix.node, ...steppers.map(({ node }) => node)),
    h("div.course", play, slider, step),
    h("div.both", h("div.looks", place, readout), forms),
    h(
      "div.with-equation",
      h(
        "div.places",
        h("h3", words("places")),
        h("div.scrolled", { tabindex: 0, role: "region", "aria-label": words("places") }, table),
      ),
      panel.equation(),
    ),
  );

  const point = (at) => {
    if (!demo.answers.decoded || !at || at.row >= now()) return void (readout.textContent = "");
    const { source } = demo.answers.decoded;
    readout.textContent = words("cell", {
      row: rowsOf()[at.row],
      column: source[at.column],
      share: asShare(decoding().weights[at.row][at.column]),
    });
  };
  const map = makeHeatMap(place, { label: words("map"), onpoint: point, onpick: point });

  const paintMap = () => {
    const { source, memory } = demo.answers.decoded;
    const { weights } = decoding();
    const colours = palette();
    map.draw({
      labels: rowsOf().slice(0, weights.length),
      across: source,
      titles: [words("rows"), words("columns", { rows: memory[0], emb: memory[1] })],
      fill: true,
      pixel: (row, column) => (row < now() ? colours.weights[Math.round(255 * weights[row][column])] : colours.masked),
      rows: now() && now() < weights.length ? [{ at: now() - 1, colour: variable("mark") }] : [],
    });
  };

  const paintTable = () => {
    const { targets, writes } = demo.answers.decoded;
    const colours = palette().weights;
    const row = (name, label, cells, end = "", kind = "") =>
      tableRow(
        { "data-row": name, class: kind },
        label,
        ...cells,
        h("td.bits", { title: end && words("bits_hint") }, end),
      );
    const letters = (of) => of.map((letter) => h("td.letter", letter));
    const lines = PREFIXES.flatMap((name) => {
      const { probs, says } = demo.answers.decoded[name];
      const reads = ["▸", ...(name === "true" ? targets : writes)];
      const given = name === demo.view.prefix ? Math.min(now(), probs.length) : probs.length;
      const kind = name === demo.view.prefix ? "chosen" : "";
      const cells = targets.map((letter, i) => {
        if (i >= given)
          return h("td.share", { title: i < probs.length ? null : words("ended") }, i < probs.length ? "" : "–");
        const message = words("place", { read: reads[i], target: letter, share: asShare(probs[i]), says: says[i] });
        const cell = h("td.share", { title: message, "data-prob": probs[i] }, asWhole(Math.round(100 * probs[i])));
        ground(cell, colours[Math.round(255 * probs[i])]);
        return cell;
      });
      const prefixes = targets.map((_, i) => h("td.letter", i < probs.length ? reads[i] : ""));
      const bits = words("bits", { bits: asFixed(bitsOf(probs.slice(0, given)), 1) });
      return [
        row(`${name}-reads`, words("after", { prefix: name }), prefixes, "", kind),
        row(name, words("given"), cells, bits, kind),
      ];
    });
    rows.replaceChildren(row("target", words("to_write"), letters(targets)), ...lines);
  };

  const paintForms = () => {
    const { date, forms: result } = demo.answers.written;
    const item = ({ text: form, right }) =>
      h(
        "li",
        { "data-right": right ? "yes" : "no" },
        h("span.written", form),
        h("small", words("right", { right: right ? "yes" : "no" })),
      );
    forms.replaceChildren(
      h("h3", words("forms", { date })),
      date ? h("ul", ...result.map(item)) : h("p.quiet", words("no_date")),
      h("p.quiet", words("judged")),
    );
  };

  const tell = () => {
    const { targets, writes, true: after, own } = demo.answers.decoded;
    const [bits, given] = [after, own].map(({ probs }) => asFixed(bitsOf(probs), 1));
    const same = targets.join(" ") === writes.join(" ");
    const short = own.probs.length < targets.length ? "yes" : "no";
    section.tell(
      same
        ? words("lesson_same", { bits })
        : words("lesson_other", { own: writes.slice(0, -1).join(""), bits, given, short }),
    );
  };

  const paint = () => {
    if (demo.answers.written) paintForms();
    if (!demo.answers.decoded) return;
    step.textContent = words("step_is", { step: now(), last: last() });
    slider.setAttribute("aria-valuetext", step.textContent);
    paintMap();
    paintTable();
    tell();
  };

  // --- what can be tried ---------------------------------------------------------------------------------------------

  section.tries({
    read: { text: props.read, target: "", prefix: "true", step: props.most },
    back: { text: props.plain, target: "", prefix: "own", step: props.most },
    forms: ({ seed }) => demo.set({ seed: (seed + 1) % props.seeds }),
  });
  section.check({
    names: ["one", "each", "written"],
    answer: async () => {
      const { source, memory } = await demo.answered("decoded");
      const [rows, emb] = memory;
      return {
        right: [1, source.length].indexOf(rows) === -1 ? 2 : [1, source.length].indexOf(rows),
        said: words("answer", { tokens: source.length, rows, emb }),
      };
    },
  });
  section.links(() => [["explore", { model: props.model, text: demo.view.text }]]);

  section.begin(paint);
};
