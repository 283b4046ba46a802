// Hidden words and the model's predictions, as in Explore; two texts, with the attention and the verdict of [CLS]; and
// the measurements on the models' cards.

import { answerTo } from "../../../../browser/lib/ask.js";
import { h, tableHead, tableRow } from "../../../../browser/lib/base.js";
import { makeBar, palette, tokenSpans } from "../../../../browser/lib/colour.js";
import { readable } from "../../../../browser/lib/hint.js";
import { inWords, say } from "../../../../browser/lib/messages.js";
import { asFixed, asNumber, asShare } from "../../../../browser/lib/numbers.js";
import { blanks } from "../../../explore/lib/guesses.js";
import { outcome } from "../../../explore/lib/outcome.js";

/** The tokens of the model's input; attributesOf(i) as in tokenSpans. */
const strip = () => {
  const container = h("p.reads");
  const draw = ({ labels, segments }, attributesOf) =>
    container.replaceChildren(
      ...tokenSpans(labels, (i) => ({
        kind: ["piece", labels[i] === "[MASK]" && "hidden", segments[i] && !segments[i - 1] && "begins"]
          .filter(Boolean)
          .join(" "),
        ...attributesOf(i),
      })),
    );
  return { container, draw };
};

/** The remarks on a text: {node, draw(answer)}. */
const makeRemarks = () => {
  const node = h("p.quiet.remarks", { role: "status" });
  return { node, draw: ({ remarks }) => (node.textContent = remarks.map(inWords).join(" ")) };
};

/** A share as precise as on the cards: trainings differ by less than a point. */
const exact = (share) => say("number_share", { value: asFixed(100 * share, 2) });

/** A row with its share as a bar; `base` is the share without reading the text. */
const bar = (name, label, share, base = null) =>
  tableRow(
    { "data-row": name, "data-share": share },
    label,
    h("td.drawn", h("span.bar", makeBar(share))),
    h("td", exact(share)),
    base === null ? null : h("td.quiet", exact(base)),
  );

const fieldsOf = (props) => ({
  show: { initial: "words", choices: ["words", "texts", "figures"] },
  text: { initial: props.text, longest: 400 },
  first: { initial: props.first, longest: 300 },
  second: { initial: props.second, longest: 300 },
});

/** Hidden words and the model's predictions: {node, paint}. */
const makeWords = (section) => {
  const { words, panel, live: demo } = section;
  const gaps = blanks((typed) => demo.set({ text: typed }));
  const [read, remarks] = [strip(), makeRemarks()];
  const node = h(
    "div.in-words",
    gaps.words,
    remarks.node,
    h("h3", words("read")),
    read.container,
    h("div.with-equation", h("p.quiet", words("hidden"), " ", gaps.reset), panel.equation(0)),
    gaps.answers,
  );

  const lesson = ({ output: { blanks: hidden } }) => {
    const [blank] = hidden;
    if (!blank) return words("lesson_none");
    const { truth } = blank;
    const [{ label, prob }] = blank.next;
    const known = !truth ? "no" : truth.label === label ? "right" : "yes";
    const right = { known, truth: truth?.label ?? "", chance: asShare(truth?.prob ?? 0) };
    return words("lesson_word", { count: hidden.length, said: label, share: asShare(prob), ...right });
  };
  const paint = () => {
    const { filled } = demo.answers;
    if (!filled) return;
    gaps.draw(filled);
    remarks.draw(filled);
    read.draw(filled, () => ({}));
    section.showLesson(lesson(filled));
  };
  return { node, paint };
};

/** Two texts, with the attention and the verdict of [CLS]: {node, paint}. */
const makeTexts = (section) => {
  const { words, panel, live: demo } = section;
  const [first, second] = ["first", "second"].map((name) => section.line(name, words(name)));
  const [pair, remarks] = [strip(), makeRemarks()];
  readable(pair.container);
  const verdict = h("div.rows", { role: "group", "aria-label": words("verdict") });
  const node = h(
    "div.in-texts",
    first.node,
    second.node,
    remarks.node,
    h("h3", words("read")),
    pair.container,
    h("p.quiet", words("ground")),
    h("h3", words("verdict")),
    h("div.with-equation", verdict, panel.equation(1)),
  );

  const paintVerdict = (follows) => {
    const outcomes = Object.entries({ follows, other: 1 - follows });
    verdict.replaceChildren(
      ...(follows === null
        ? [h("p", words("no_judge"))]
        : outcomes.map(([name, prob]) => outcome(words(name), null, prob, 1, prob >= 0.5))),
    );
  };
  const paint = () => {
    const { judged } = demo.answers;
    if (!judged) return;
    const { labels, segments, looks } = judged;
    const { follows } = judged.output;
    const colours = palette().weights;
    pair.draw(judged, (i) => ({
      pixel: colours[Math.round(255 * Math.sqrt(Math.min(1, looks[i])))],
      title: words("piece", { label: labels[i], second: segments[i] ? "yes" : "no", share: asShare(looks[i]) }),
    }));
    remarks.draw(judged);
    paintVerdict(follows);
    section.showLesson(follows === null ? words("no_judge") : words("lesson_texts", { share: asShare(follows) }));
  };
  return { node, paint };
};

/** The measurements on the models' cards: {node, paint}. */
const makeFigures = (section, props) => {
  const { words } = section;
  const header = tableHead("", "", words("right"), words("without"));
  const card = () => {
    const { measured } = props;
    if (!measured) return [h("p", words("no_card", { model: props.model }))];
    const chance = { masked_accuracy: measured.commonest, next_sentence_other: 0.5, next_sentence_same: 0.5 };
    return [
      h(
        "table",
        h("caption", words("card")),
        header,
        h("tbody", ...Object.entries(chance).map(([name, base]) => bar(name, words(name), measured[name], base))),
      ),
      section.measured(words("source", measured), measured.command),
    ];
  };
  const fineTuned = () => {
    const { tuned } = props;
    if (!tuned) return [h("p", words("not_tuned"))];
    return [
      h(
        "table",
        h("caption", words("tuned", tuned)),
        h("tbody", ...tuned.rows.map(({ name, accuracy }) => bar(name, words("row", { name }), accuracy))),
      ),
      tuned.rows.length > 1 ? null : h("p", words("alone")),
      section.measured("", tuned.command),
    ].filter(Boolean);
  };
  const masks = () => {
    if (!props.masks) return [];
    const { steps, rows, commands } = props.masks;
    return [
      h(
        "table.masks",
        h("caption", words("masks", { steps })),
        h("tbody", ...rows.map(({ name, accuracy }) => bar(name, words("mask", { name }), accuracy))),
      ),
      h("p.quiet", words("masks_note")),
      h("p.quiet.source", ...commands.flatMap((command) => [h("code", command), " "])),
    ];
  };
  const lesson = () => {
    const { measured, masks: compared, model } = props;
    if (!measured) return words("no_card", { model });
    return words("lesson_figures", {
      found: asShare(measured.masked_accuracy),
      commonest: asShare(measured.commonest),
      causal: asShare(compared?.rows.at(-1).accuracy ?? 0),
      known: compared ? "yes" : "no",
    });
  };
  const node = h("div.in-figures", ...card(), ...masks(), ...fineTuned());
  return { node, paint: () => section.showLesson(lesson()) };
};

const addCheck = (section) => {
  const { words, live: demo } = section;
  const answer = async () => {
    const { before, after } = await answerTo("/ask/learn-bert/sides", { text: demo.view.text });
    const right = before && after ? 2 : after ? 1 : 0;
    return { right, said: words("answer", { before: asNumber(before, 2), after: asNumber(after, 2) }) };
  };
  section.check({ shows: { show: "words" }, names: ["before", "after", "both"], answer });
};

export const mount = (section, props) => {
  const { words, panel } = section;
  const demo = section.demo(fieldsOf(props), { filled: ["text"], judged: ["first", "second"] });
  const show = section.choice("show");
  const text = section.line("text", words("field"));
  const parts = [makeWords(section), makeTexts(section), makeFigures(section, props)];
  const [inWords, inTexts, inFigures] = parts;
  panel.tools.append(show.node, text.node);
  panel.picture.append(...parts.map(({ node }) => node));

  section.tries({
    pieces: { show: "words", text: props.pieces },
    other: { show: "texts", second: props.other },
    figures: { show: "figures" },
  });
  addCheck(section);
  section.links(() => {
    const { show: what, text: typed, first, second } = demo.view;
    return [["explore", { model: props.model, text: what === "texts" ? `${first} [SEP] ${second}` : typed }]];
  });
  const paint = section.parts({ words: [inWords, text.node], texts: [inTexts], figures: [inFigures] });
  section.needs({ words: "filled", texts: "judged" });
  section.begin(paint);
};
