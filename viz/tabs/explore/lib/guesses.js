// Hidden words: the words of a text as buttons, the model's predictions for each hidden piece, and whether the second
// of two texts follows the first.

import { h, refill } from "../../../browser/lib/base.js";
import { disable } from "../../../browser/lib/fields.js";
import { asList, inQuotes, say } from "../../../browser/lib/messages.js";
import { quote } from "./labels.js";
import { changeOf, outcomes } from "./outcome.js";

const bare = (text) => text.replace(/^\[|\]$/g, "");
/** Whether a word was typed as [MASK], so that the correct word is unknown. */
const isUnknown = (word) => word.hidden && word.pieces.every((piece) => piece === "[MASK]");
/** Whether the model's vocabulary lacks a word and it reads [UNK]. */
const isForeign = (word) => word.pieces.includes("[UNK]");

/**
 * Returns {words, foreign, answers, verdict, reset: elements, draw(header)}. A header is that of a pass:
 * viz/passes/said.py. Pressing a word adds or removes its brackets in the text, and calls rewrite(text).
 */
export const blanks = (rewrite) => {
  const words = h("div.blanks-words", { role: "group", "aria-label": say("blanks_words") });
  const foreign = h("p.quiet", { role: "status" }); // the words that the model does not know
  const answers = h("div.blanks-answers");
  const verdict = h("p.blanks-verdict", { role: "status" });
  const reset = h("button.f-button", { disabled: true, onclick: () => show(hidden()) }, say("blanks_reset"));
  let header = null;

  const hidden = () => header.words.filter((word) => word.hidden);
  /** Writes some words, from the last to the first, otherwise: write(word as typed). */
  const change = (changed, write) => {
    const letters = [...header.text]; // characters, counted as in Python
    for (const { from, to } of [...changed].reverse())
      letters.splice(from, to - from, write(letters.slice(from, to).join("")));
    rewrite(letters.join(""));
  };
  const show = (changed) =>
    change(
      changed.filter((word) => !isUnknown(word)),
      bare,
    );

  /** A word as typed, without the brackets that hide it. */
  const typedAs = (word) => {
    const typed = [...header.text].slice(word.from, word.to).join("");
    return word.hidden ? bare(typed) : typed;
  };

  const wordOf = (word) => {
    const typed = typedAs(word);
    const press = () => (word.hidden ? show([word]) : change([word], (text) => `[${text}]`));
    const label = say(word.hidden ? "blanks_show" : "blanks_hide", { word: typed });
    const pieces = word.pieces.length > 1 || word.hidden || isForeign(word) ? word.pieces.join(" ") : "";
    return h(
      "button.token",
      {
        "data-token": word.tokens[0],
        "aria-pressed": `${word.hidden}`,
        "aria-label": label,
        disabled: isUnknown(word) || typed !== bare(typed) || null, // further brackets would not hide [PAD], or a [
        onclick: press,
      },
      h("span.typed", word.hidden ? "[MASK]" : typed),
      h("span.pieces", pieces),
    );
  };

  const answer = (blank, before) => {
    const { labels } = header;
    const { truth, next, token } = blank;
    const known = truth
      ? h("p.truth", say("blanks_truth", { label: truth.label }), " ", changeOf(before?.truth.prob, truth.prob))
      : h("p.truth.quiet", say("blanks_unknown"));
    return h(
      "div.blank",
      { "data-token": token },
      h("h3", say("blanks_at", { token: quote(token, labels) })),
      known,
      h("div.rows", { role: "group", "aria-label": quote(token, labels) }, ...outcomes(next, before?.next)),
    );
  };

  const draw = (drawn) => {
    header = drawn;
    const { output, baseline } = header;
    const blanks = (output.blanks ?? []).map((blank, i) => answer(blank, baseline?.blanks[i]));
    const none = say(output.blanks ? "blanks_none" : "no_head");
    words.hidden = reset.hidden = !output.blanks;
    refill(words, header.words.map(wordOf));
    const lacking = [...new Set(header.words.filter(isForeign).map((word) => inQuotes(typedAs(word))))];
    const values = { words: asList(lacking, true), count: lacking.length };
    foreign.textContent = lacking.length ? say("blanks_foreign", values) : "";
    answers.replaceChildren(...(blanks.length ? blanks : [h("p.quiet", none)]));
    const others = [...words.querySelectorAll("button:enabled")];
    disable([reset, !hidden().some((word) => !isUnknown(word))], ...others.map((button) => [button, false]));
    const { follows, pairs } = output;
    if (follows === null) verdict.textContent = !pairs || header.segments.includes(1) ? "" : say("blanks_one_text");
    else
      verdict.replaceChildren(
        say("blanks_follows", { likelier: follows >= 0.5 ? "yes" : "no" }),
        " ",
        changeOf(baseline?.follows, follows),
      );
  };
  return { words, foreign, answers, verdict, reset, draw };
};
