// Hidden words and the model's predictions, as in Explore; two texts, with the attention and the verdict of [CLS]; and
// the measurements on the models' cards.

import { answerTo } from "../../../../browser/lib/ask.js";
import { h, tableHead, tableRow } from "../../../../browser/lib/base.js";
import { makeBar, palette, tokenSpans } from "../../../../browser/lib/colour.js";
import { readable } from "../../../../browser/lib/hint.js";
import { say } from "../../../../browser/lib/messages.js";
import { asFixed, asNumber, asShare } from "../../../../browser/lib/numbers.js";
import { blanks } from "../../../explore/lib/guesses.js";
import { outcome } from "../../../explore/lib/outcome.js";

const SHOWS = ["words", "texts", "figures"];

/** The tokens of the model's input; look(i) as in tokenSpans. */
const strip = () => {
  const place = h("p.reads");
  const draw = ({ labels, segments }, look) =>
    place.replaceChildren(
      ...tokenSpans(labels, (i) => ({
        kind: ["piece", labels[i] === "[MASK]" && "hidden", segments[i] && !segments[i - 1] && "begins"]
          .filter(Boolean)
          .join(" "),
        ...look(i),
      })),
    );
  return { place, draw };
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

export const mount = (section, props) => {
  const { words, panel } = section;
  const demo = section.demo(
    {
      show: { initial: "words", choices: SHOWS },
      text: { initial: props.text, longest: 400 },
      first: { initial: props.first, longest: 300 },
      second: { initial: props.second, longest: 300 },
    },
    { filled: ["text"], judged: ["first", "second"] },
  );
  const show = section.choice("show", SHOWS);
  const [text, first, second] = [
    ["text", "field"],
    ["first", "first"],
    ["second", "second"],
  ].map(([name, label]) => section.line(name, words(label)));
  panel.tools.append(show.node, text.node);

  // --- words ---------------------------------------------------------------------------------------------------------

  const gaps = blanks((typed) => demo.set({ text: typed }));
  const read = strip();
  const inWords = h(
    "div.in-words",
    gaps.words,
    gaps.foreign,
    h("h3", words("read")),
    read.place,
    h("div.with-equation", h("p.quiet", words("hidden"), " ", gaps.reset), panel.equation(0)),
    gaps.answers,
  );

  const paintWords = () => {
    const { filled } = demo.answers;
    gaps.draw(filled);
    read.draw(filled, () => ({}));
    if (demo.view.show !== "words") return;
    const [blank] = filled.output.blanks;
    if (!blank) return section.tell(words("lesson_none"));
    const [{ label, prob }] = blank.next;
    const { truth } = blank;
    section.tell(
      words("lesson_word", {
        count: filled.output.blanks.length,
        said: label,
        share: asShare(prob),
        known: !truth ? "no" : truth.label === label ? "right" : "yes",
        truth: truth?.label ?? "",
        chance: asShare(truth?.prob ?? 0),
      }),
    );
  };

  // --- two texts -----------------------------------------------------------------------------------------------------

  const pair = strip();
  readable(pair.place);
  const verdict = h("div.rows", { role: "group", "aria-label": words("verdict") });
  const inTexts = h(
    "div.in-texts",
    first.node,
    second.node,
    h("h3", words("read")),
    pair.place,
    h("p.quiet", words("ground")),
    h("h3", words("verdict")),
    h("div.with-equation", verdict, panel.equation(1)),
  );

  const paintTexts = () => {
    const { judged } = demo.answers;
    const { labels, segments, looks, output } = judged;
    const { follows } = output;
    const colours = palette().weights;
    pair.draw(judged, (i) => ({
      pixel: colours[Math.round(255 * Math.sqrt(Math.min(1, looks[i])))],
      title: words("piece", { label: labels[i], second: segments[i] ? "yes" : "no", share: asShare(looks[i]) }),
    }));
    if (follows === null) verdict.replaceChildren(h("p", words("no_judge")));
    else
      verdict.replaceChildren(
        ...[
          ["follows", follows],
          ["other", 1 - follows],
        ].map(([name, prob]) => outcome(words(name), null, prob, 1, prob >= 0.5)),
      );
    if (demo.view.show === "texts")
      section.tell(follows === null ? words("no_judge") : words("lesson_texts", { share: asShare(follows) }));
  };

  // --- figures -------------------------------------------------------------------------------------------------------

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
  const inFigures = h("div.in-figures", ...card(), ...masks(), ...fineTuned());
  panel.picture.append(inWords, inTexts, inFigures);

  const tellFigures = () => {
    const { measured } = props;
    section.tell(
      measured
        ? words("lesson_figures", {
            found: asShare(measured.masked_accuracy),
            commonest: asShare(measured.commonest),
            causal: asShare(props.masks?.rows.at(-1).accuracy ?? 0),
            known: props.masks ? "yes" : "no",
          })
        : words("no_card", { model: props.model }),
    );
  };

  // --- what can be tried ---------------------------------------------------------------------------------------------

  section.tries({
    pieces: { show: "words", text: props.pieces },
    other: { show: "texts", second: props.other },
    figures: { show: "figures" },
  });
  section.check({
    shows: { show: "words" },
    names: ["before", "after", "both"],
    answer: async () => {
      const { before, after } = await answerTo("/ask/learn-bert/sides", { text: demo.view.text });
      const right = before && after ? 2 : after ? 1 : 0;
      return { right, said: words("answer", { before: asNumber(before, 2), after: asNumber(after, 2) }) };
    },
  });
  section.links(() => [
    [
      "explore",
      {
        model: props.model,
        text: demo.view.show === "texts" ? `${demo.view.first} [SEP] ${demo.view.second}` : demo.view.text,
      },
    ],
  ]);

  const paint = () => {
    if (demo.answers.filled) paintWords();
    if (demo.answers.judged) paintTexts();
    if (demo.view.show === "figures") tellFigures();
  };
  section.parts({ words: [inWords, text.node], texts: [inTexts], figures: [inFigures] });
  section.begin(paint);
};
