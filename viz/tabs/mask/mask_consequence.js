// The quality of a model trained without a mask, next to one trained with it: both are measured on the visitor's text.

import { eachFrame, h, isDark } from "../../browser/lib/base.js";
import { ground, makeBar, palette } from "../../browser/lib/colour.js";
import { fields } from "../../browser/lib/fields.js";
import { readable } from "../../browser/lib/hint.js";
import { asList, asText, say } from "../../browser/lib/messages.js";
import { asNumber } from "../../browser/lib/numbers.js";
import { makePanel, onAppearance } from "../../browser/lib/panel.js";
import { masking } from "./lib/masking.js";

const MOST = 10; // bits at the dark end of a byte's background
const number = (bits) => asNumber(bits, bits < 0.995 && bits >= 0.001 ? 2 : 3);

/** Labels as a text with line breaks; spanOf(i) gives a byte's background, text colour and title. */
const bytes = (labels, kind, spanOf) =>
  h(
    "p",
    { class: `bytes ${kind}` },
    ...labels.map((label, i) => {
      const span = h("span", { "data-at": i }, { "␣": "\u00a0\u200b", "⏎": "⏎\u200b" }[label] ?? label);
      const { pixel, title } = spanOf?.(i) ?? {};
      ground(span, pixel);
      if (title) span.title = title;
      return span;
    }),
  );

const surprise = (labels, bits) => {
  const { weights } = palette();
  const spanOf = (i) => {
    if (!i) return null; // the first byte has no context
    const pixel = weights[Math.round(255 * Math.min(1, bits[i - 1] / MOST))];
    return { pixel, title: say("mask_bits_of", { token: labels[i], bits: number(bits[i - 1]) }) };
  };
  return readable(bytes(labels, "read", spanOf));
};

const change = ({ before, after }) => {
  const by = number(Math.abs(after - before));
  return say(after >= before ? "mask_consequence_worse" : "mask_consequence_better", { by });
};

export const mount = ({ element, props }) => {
  masking.begin(props.value);
  const { body, foot } = makePanel(element, say("mask_consequence"));
  // bits per byte of a random guess
  const { longest, missing, written, temperature, blind: BLIND } = masking.settings.consequence;

  const text = fields.line(masking, "long", say("mask_consequence_text", { limit: longest }), "");
  const seed = fields.stepper(masking, "seed", say("mask_consequence_seed"));
  const dice = h(
    "button.field-button",
    {
      title: say("mask_consequence_dice"),
      "aria-label": say("mask_consequence_dice"),
      onclick: () => masking.set({ seed: Math.floor(Math.random() * (masking.fields.seed.max + 1)) }),
    },
    "⚄",
  );
  const results = h("div.results");
  const switched = h("div.switched");
  body.append(h("div.given", text.node, seed.node, dice), results, switched);

  /** A bar for bits per byte; the line marks a random guess. */
  const bar = (name, label, bits, most) => {
    const fill = makeBar(bits / most, "fill");
    const blind = h("i.blind");
    blind.style.left = `${(100 * BLIND) / most}%`;
    return h(
      "div.bar",
      { "data-bits": bits, "data-bar": name },
      h("span.label", label),
      h("span.track", { "aria-hidden": "true" }, fill, blind),
      h("b", number(bits)),
      h("span.quiet", say("mask_bits")),
    );
  };

  /** The sentence about one model's numbers. */
  const sentenceOf = (one, other) => {
    if (one.masked) return say("mask_consequence_fair", { name: one.name });
    const [last, { rest, seen }] = [one.bits.at(-1), one];
    const values = {
      name: one.name,
      own: number(one.own),
      other: number(other.own),
      masked: other.name,
      hidden: number(one.hidden),
      blind: BLIND,
      bits: number(last),
      rest: number(rest),
    };
    const guessable = seen !== null && seen < 0.5; // bits per byte for the bytes that it could see: nearly 0
    const lasts = rest < 0.05 * last ? "mask_consequence_last" : "mask_consequence_last_part";
    return asText([say(guessable ? "mask_consequence_cheats" : "mask_consequence_rare", values), say(lasts, values)]);
  };

  const card = (answer, one, other, most) =>
    h(
      "article",
      { "data-model": one.name },
      h("h3", one.name, h("span.quiet", say(one.masked ? "mask_consequence_masked" : "mask_consequence_unmasked"))),
      bar("own", say("mask_consequence_task"), one.own, most),
      bar("hidden", say("mask_consequence_hidden"), one.hidden, most),
      surprise(answer.labels, one.bits),
      h("p.told", sentenceOf(one, other)),
      bytes(one.written, "written"),
    );

  const fill = (answer) => {
    const { pair, switched: trained } = answer;
    const all = [trained.before, trained.after, ...pair.flatMap(({ own, hidden }) => [own, hidden])];
    const most = Math.max(BLIND * 1.05, ...all);
    const none = h("p.quiet", say("mask_consequence_missing", { names: asList(missing, true), count: missing.length }));
    results.replaceChildren(...(pair.length ? pair.map((one, i) => card(answer, one, pair[1 - i], most)) : [none]));
    switched.replaceChildren(
      h("h3", say("mask_consequence_switched", { name: answer.model })),
      bar("before", say("mask_consequence_before"), trained.before, most),
      bar("after", say("mask_consequence_after"), trained.after, most),
      h("p.told", change(trained)),
    );
    const cut =
      answer.total > answer.labels.length ? say("mask_cut", { total: answer.total, limit: answer.labels.length }) : "";
    const how = say("mask_consequence_writes", { count: written, temperature });
    foot.replaceChildren(h("p.quiet", cut ? `${cut} ${how}` : how));
  };

  let filled = null; // the answer on the screen, and its theme
  const paint = eachFrame(() => {
    const { consequence } = masking.answers;
    text.update();
    seed.update();
    element.classList.toggle("waiting", !consequence);
    if (!consequence) return void results.replaceChildren(h("p.quiet", say("mask_waiting")));
    if (filled?.answer !== consequence || filled.dark !== isDark()) fill(consequence);
    filled = { answer: consequence, dark: isDark() };
    element.dataset.rev = masking.rev;
  });
  masking.paints(element, [], paint);
  onAppearance(paint);
};
