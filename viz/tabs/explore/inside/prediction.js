// The prediction: the next token of a generator, or the verdict of a classifier; under edits, before and after.

import { h } from "../../../browser/lib/base.js";
import { classInWords, say } from "../../../browser/lib/messages.js";
import { makePanel } from "../../../browser/lib/panel.js";
import { changeOf, outcome, outcomeLegend, outcomes } from "../lib/outcome.js";
import { store } from "../lib/store.js";

const bits = (value) => (value == null ? "–" : value.toFixed(3));

/** The answer of an encoder-decoder; with a typed answer, both that and its own; under edits, also the new one. */
const told = ({ own, typed, edited }) =>
  h(
    "p",
    { class: "answer" },
    say(typed === null ? "answer_own" : "answer_typed"),
    " ",
    h("b", {}, typed ?? own),
    " ",
    h("span", { class: "quiet" }, typed === null ? say("answer_hint") : say("answer_instead", { text: own })),
    edited == null
      ? null
      : h(
          "span",
          { class: "under" },
          say("answer_under"),
          " ",
          h("b", {}, edited),
          " ",
          edited === own ? say("answer_same") : "",
        ),
  );

export const mount = ({ element }) => {
  const { title, body } = makePanel(element, say("prediction"));

  const generator = ({ output, baseline, unit, answer }) => {
    title.textContent = say("prediction_next");
    const rows = outcomes(output.next, baseline?.next);
    const moved = baseline && output.bitsPerToken != null ? output.bitsPerToken - baseline.bitsPerToken : 0;
    const verdict =
      Math.abs(moved) < 0.0005 ? "" : say(moved > 0 ? "bits_worse" : "bits_better", { by: Math.abs(moved).toFixed(3) });
    return [
      answer && told(answer),
      h("div", { class: "rows", role: "group", "aria-label": say("prediction_next") }, ...rows),
      h(
        "p",
        { class: "total" },
        say(`bits_per_${unit}`),
        " ",
        h("span", { class: "number" }, changeOf(baseline?.bitsPerToken, output.bitsPerToken, bits)),
        verdict && ` ${verdict}`,
      ),
    ].filter(Boolean);
  };

  const classifier = ({ output, baseline }) => {
    title.textContent = say("prediction_verdict");
    const { probs } = output;
    const classes = output.classes.map(classInWords);
    const chosen = probs.indexOf(Math.max(...probs));
    const was = baseline?.probs.indexOf(Math.max(...baseline.probs));
    const turned = baseline && was !== chosen;
    return [
      h(
        "p",
        { class: "verdict" },
        turned ? h("span", { class: "before" }, classes[was], " ") : null,
        turned ? "→ " : null,
        h("b", {}, classes[chosen]),
        " ",
        h("span", { class: "number" }, changeOf(baseline?.probs[chosen], probs[chosen])),
      ),
      h(
        "div",
        { class: "rows" },
        ...classes.map((label, i) => outcome(label, baseline?.probs[i], probs[i], 1, i === chosen)),
      ),
    ];
  };

  store.subscribe(element, (changed) => {
    if (!changed.has("pass") || !store.pass) return;
    const { header } = store.pass;
    const { classes, next } = header.output;
    element.hidden = !classes && !next; // it fills in words
    if (element.hidden) return void (element.dataset.rev = store.rev);
    body.replaceChildren(
      ...[...(classes ? classifier(header) : generator(header)), outcomeLegend(header)].filter(Boolean),
    );
    element.dataset.rev = store.rev;
  });
};
