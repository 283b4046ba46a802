// The prediction: the next token of a generator, or the verdict of a classifier; under edits, before and after. Two
// next tokens can be chosen to compare.

import { newest, whyNot } from "../../../browser/lib/ask.js";
import { h } from "../../../browser/lib/base.js";
import { classInWords, inQuotes, say } from "../../../browser/lib/messages.js";
import { asNumber, asSigned } from "../../../browser/lib/numbers.js";
import { makePanel } from "../../../browser/lib/panel.js";
import { post } from "../lib/asking.js";
import { changeOf, outcome, outcomeLegend, outcomes } from "../lib/outcome.js";
import { viewOfPass } from "../lib/pass.js";
import { applies } from "../lib/store/applies.js";
import { chooseRival, rivals } from "../lib/store/rivals.js";
import { store } from "../lib/store.js";

const bits = (value) => (value == null ? "–" : value.toFixed(3));

/** The answer of an encoder-decoder; with a typed answer, both that and its own; under edits, also the new one. */
const answerOf = ({ own, typed, edited }) =>
  h(
    "p.answer",
    say(typed === null ? "answer_own" : "answer_typed"),
    " ",
    h("b", typed ?? own),
    " ",
    h("span.quiet", typed === null ? say("answer_hint") : say("answer_instead", { text: own })),
    edited == null
      ? null
      : h("span.under", say("answer_under"), " ", h("b", edited), " ", edited === own ? say("answer_same") : ""),
  );

/** The two choices in the line of a next token: as the answer, A, and as its rival, B. */
const choices = ({ id, label }) =>
  h(
    "span.rivals",
    ...["A", "B"].map((side) =>
      h(
        "button",
        {
          "data-id": id,
          "data-side": side,
          title: say("rivals_choose", { token: inQuotes(label), side }),
          "aria-label": say("rivals_choose", { token: inQuotes(label), side }),
          onclick: () => chooseRival(id, side === "B", store.header.output.next.find((each) => each.id !== id).id),
        },
        side,
      ),
    ),
  );

/** The next tokens, and the bits of the whole text. */
const nextTokens = ({ output, baseline, unit, answer }) => {
  const rows = outcomes(output.next, baseline?.next, choices);
  const change = baseline && output.bitsPerToken != null ? output.bitsPerToken - baseline.bitsPerToken : 0;
  const verdict =
    Math.abs(change) < 0.0005
      ? ""
      : say(change > 0 ? "bits_worse" : "bits_better", { by: Math.abs(change).toFixed(3) });
  return [
    answer && answerOf(answer),
    h("div.rows", { role: "group", "aria-label": say("prediction_next") }, ...rows),
    h(
      "p.total",
      say("labelled", { label: say(`bits_per_${unit}`), value: "" }),
      h("span.number", changeOf(baseline?.bitsPerToken, output.bitsPerToken, bits)),
      verdict && ` ${verdict}`,
    ),
  ].filter(Boolean);
};

/** The verdict, and the probability of each class. */
const verdict = ({ output, baseline }) => {
  const { probs } = output;
  const classes = output.classes.map(classInWords);
  const chosen = probs.indexOf(Math.max(...probs));
  const was = baseline?.probs.indexOf(Math.max(...baseline.probs));
  const turned = baseline && was !== chosen;
  return [
    h(
      "p.verdict",
      turned ? h("span.before", classes[was], " ") : null,
      turned ? "→ " : null,
      h("b", classes[chosen]),
      " ",
      h("span.number", changeOf(baseline?.probs[chosen], probs[chosen])),
    ),
    h("div.rows", ...classes.map((label, i) => outcome(label, baseline?.probs[i], probs[i], 1, i === chosen))),
  ];
};

export const mount = ({ element }) => {
  const { title, body, foot } = makePanel(element, say("prediction"));
  const compared = h("p.finding", { role: "status" });
  foot.append(compared);

  const mark = () => {
    const { answer, rival } = rivals();
    for (const button of body.querySelectorAll(".rivals button"))
      button.setAttribute(
        "aria-pressed",
        `${Number(button.dataset.id) === (button.dataset.side === "A" ? answer : rival)}`,
      );
  };

  const questions = newest({
    take: ({ tokens: [answer, rival], difference, times }) => {
      const values = {
        answer: inQuotes(answer),
        rival: inQuotes(rival),
        logits: asSigned(difference, 2),
        times: asNumber(times, 3),
        likelier: difference >= 0 ? "answer" : "rival",
      };
      const release = () => store.set({ carry_answer: null, carry_rival: null });
      const clear = h("button.f-link", { onclick: release }, say("rivals_clear"));
      compared.replaceChildren(say("rivals_compared", values), " ", clear);
    },
    fail: (error) => compared.replaceChildren(whyNot(error)),
  });

  /** Compares the chosen tokens, or says how to choose them. */
  const compare = () => {
    const { answer, rival } = rivals();
    const { next } = store.header.output;
    mark();
    if (!next || answer === null || rival === null) {
      questions.stop();
      return void compared.replaceChildren(next ? say("rivals_none") : "");
    }
    post(questions, "/ask/prediction/pair", { ...viewOfPass(store.header), answer, rival });
  };

  const draw = (header) => {
    const { classes, next } = header.output;
    title.textContent = say(classes ? "prediction_verdict" : next ? "prediction_next" : "prediction");
    const parts = classes ? verdict(header) : next ? nextTokens(header) : [h("p.quiet", say("no_head"))];
    body.replaceChildren(...[...parts, outcomeLegend(header)].filter(Boolean));
  };
  store.subscribe(element, (changed) => {
    element.hidden = !applies("prediction");
    if (!store.pass || element.hidden) return;
    if (changed.has("pass")) draw(store.header);
    if (["pass", "carry_answer", "carry_rival"].some((name) => changed.has(name))) compare();
  });
};
