// The words behind a classifier's verdict, by two methods that need not agree: removing each word, and attention.

import { lines, newest, whyNot } from "../../../browser/lib/ask.js";
import { h } from "../../../browser/lib/base.js";
import { barLine, cssOf, makeBar, palette, signedAt, tokenSpans } from "../../../browser/lib/colour.js";
import { say } from "../../../browser/lib/messages.js";
import { asFixed, asShare, asSigned } from "../../../browser/lib/numbers.js";
import { makePanel, onAppearance } from "../../../browser/lib/panel.js";
import { site } from "../../../browser/lib/site.js";
import { tokenLabel } from "../lib/labels.js";
import { viewOfPass } from "../lib/pass.js";
import { applies } from "../lib/store/applies.js";
import { store } from "../lib/store.js";
import { marksTokens, pointsAtTokens } from "../lib/tokens.js";

const PAUSE = 300; // ms: the automatic measurement waits for a pause in typing

/** The pixel for a fraction of the largest effect: blue for the verdict, orange against it. */
const colour = (part) => palette().scores[signedAt(0.63 * part)];

const fill = ({ text, top }, values, write) => {
  const most = Math.max(...values.map(Math.abs), 1e-9);
  const spanOf = (i) => ({
    title: say("labelled", { label: tokenLabel(i), value: values[i] === undefined ? "…" : write(values[i]) }),
    pixel: values[i] === undefined ? undefined : colour(values[i] / most),
  });
  text.replaceChildren(...tokenSpans(store.header.labels, spanOf).flatMap((span) => [span, " "]));
  const ranked = values
    .map((_, i) => i)
    .sort((a, b) => Math.abs(values[b]) - Math.abs(values[a]))
    .slice(0, 5);
  top.replaceChildren(
    ...ranked.map((i) => {
      const bar = makeBar(Math.abs(values[i]) / most);
      bar.style.background = cssOf(colour(Math.sign(values[i])));
      return h("li", ...barLine(tokenLabel(i), bar, write(values[i])));
    }),
  );
};

/** A sentence about a rank correlation; null if there is none. */
const agreementOf = (value) => {
  if (value === null) return say("words_agree_none");
  const size = Math.abs(value);
  const kind = value < -0.3 ? "against" : size < 0.3 ? "little" : size < 0.7 ? "partly" : "much";
  return say(`words_agree_${kind}`, { number: asFixed(value, 2), tokens: store.header.tokens });
};

export const mount = ({ element }) => {
  const { tools, body, foot } = makePanel(element, say("words"));
  const start = h("button.f-button", { disabled: true, onclick: () => (running ? stop() : run(true)) });
  const progress = h("progress", { max: 1, value: 0, hidden: true, "aria-label": say("words") });
  tools.append(progress, start);
  const columns = ["ablation", "attention"].map((kind) => {
    const text = h("p.words-text");
    const top = h("ol.bar-lines.words-top");
    const how = h("p.quiet", kind === "attention" ? say("words_attention_how") : "");
    return {
      how,
      text,
      top,
      column: h("div.words-column", h("h3", say(`words_${kind}`)), how, text, top),
    };
  });
  for (const { text } of columns) pointsAtTokens(text);
  body.append(h("div.words-columns", ...columns.map(({ column }) => column)));
  const agreement = h("p.finding", { role: "status" });
  foot.append(agreement, h("p.quiet", say("words_caution")));

  let running = false;
  let asked = false; // by the visitor
  const nothing = () => ({ attention: [], changes: [] });
  let result = /** @type {any} */ (nothing());

  const stop = () => {
    questions.stop();
    running = false;
    progress.hidden = true;
    start.textContent = say("words_measure", { count: store.pass?.header.tokens ?? "" });
  };
  const questions = newest({
    take: () => {
      stop();
      start.hidden = true;
      element.dataset.measured = store.header.key;
    },
    fail: (error) => {
      if (!error.passing) stop();
      agreement.textContent = error.busy && !asked ? "" : whyNot(error);
    },
  });

  /** Runs the measurement. An automatic run retries silently while the server is busy. */
  const run = (byVisitor, delay = 0) => {
    asked = byVisitor;
    const { tokens } = store.header;
    const begin = (signal) => {
      running = true;
      result = nothing();
      start.hidden = false;
      start.textContent = say("effects_stop");
      progress.hidden = false;
      progress.value = 0;
      agreement.textContent = say("words_running");
      const take = ({ changes = [], ...more }) => {
        Object.assign(result, more);
        for (const change of changes) result.changes.push(...Array(result.size).fill(change));
        progress.value = Math.min(1, result.changes.length / tokens);
        draw();
      };
      return lines("/ask/words/words", signal, take, viewOfPass(store.header));
    };
    questions.ask({}, begin, delay);
  };

  const draw = () => {
    const [ablation, attention] = columns;
    fill(ablation, result.changes.slice(0, store.header.tokens), (value) => asSigned(value, 2));
    const { size: together, blank } = result;
    if (blank)
      ablation.how.textContent =
        together > 1 ? say("words_together", { size: together, blank }) : say("words_ablation_how", { blank });
    fill(attention, result.attention, asShare);
    if ("agreement" in result) agreement.textContent = agreementOf(result.agreement);
    mark();
  };
  const mark = () => {
    for (const { text } of columns) marksTokens([...text.querySelectorAll(".token")]);
  };

  store.subscribe(element, (changed) => {
    element.hidden = !applies("words");
    if (!store.pass) return;
    start.disabled = false;
    if (changed.has("pass")) {
      stop();
      result = nothing();
      agreement.textContent = "";
      if (element.hidden) return;
      draw();
      const short = store.header.tokens <= site.limits.words_unasked;
      start.hidden = short;
      if (short) run(false, PAUSE);
    }
    if (["hover", "token"].some((name) => changed.has(name))) mark();
  });
  onAppearance(() => store.pass?.header.output.classes && draw());
};
