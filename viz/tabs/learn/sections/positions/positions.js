// The effect of positions: the verdicts on a text and on its words in another order; the score of a trained head as the
// sum of four terms of tokens and positions; and the loss at each position, within the trained length and beyond.

import { answerTo } from "../../../../browser/lib/ask.js";
import { eachFrame, h, tableHead, tableRow } from "../../../../browser/lib/base.js";
import { makeChart } from "../../../../browser/lib/chart.js";
import { makeBar } from "../../../../browser/lib/colour.js";
import { say } from "../../../../browser/lib/messages.js";
import { asFixed, asNumber, asShare, asSigned } from "../../../../browser/lib/numbers.js";

const SHOWS = ["order", "score", "length"];
const isOrder = (text) => /^(typed|\d{1,2}(\.\d{1,2})*)$/.test(text);
const percent = (part) => say("number_share", { value: (100 * part).toFixed(2) });
const moveOf = (before, after) => Math.max(...before.map((share, i) => Math.abs(share - after[i])));
const mean = (bits) => bits.reduce((one, two) => one + two, 0) / bits.length;

export const mount = (section, props) => {
  const { words, panel } = section;
  const demo = section.demo(
    {
      show: { initial: "order", choices: SHOWS },
      text: { initial: props.text, longest: 1000 },
      order: { initial: props.order, longest: 80, valid: isOrder, eager: true },
      head: { initial: props.byPlace, min: 0, max: props.heads - 1 },
      at: { initial: props.most - 1, min: 0, max: props.most - 1 },
      key: { initial: null, min: 0, max: props.most - 1, optional: true },
    },
    { verdicts: ["text", "order"], scored: ["text", "at", "head"] },
  );

  const show = section.choice("show", SHOWS);
  const text = section.line("text", words("field", { most: props.most }));
  text.node.addEventListener("input", () => demo.set({ order: "typed", key: null }));
  panel.tools.append(show.node, text.node);

  // --- another order -------------------------------------------------------------------------------------------------

  const [typed, other] = ["typed", "other"].map((name) =>
    h("p.chips-of", { role: "group", "aria-label": words(name) }),
  );
  const cards = h("div.cards");
  let lifted = null; // the position of the word that the next click swaps
  const shuffle = () => {
    const { order } = demo.answers.verdicts;
    const moved = order
      .map((place) => [Math.random(), place])
      .sort(([one], [two]) => one - two)
      .map(([, place]) => place);
    demo.set({ order: moved.join(".") });
  };
  const again = h("button.field-button", { disabled: true, onclick: shuffle }, words("shuffle"));
  const inOrder = h(
    "div.in-order",
    h("h3", words("typed")),
    typed,
    h("h3", words("other")),
    other,
    h("p.quiet", words("swap"), " ", again),
    cards,
    panel.equation(),
  );

  const lift = (place) => {
    const { order } = demo.answers.verdicts;
    if (lifted === null || lifted === place) {
      lifted = lifted === place ? null : place;
      return paintOrder();
    }
    const swapped = [...order];
    [swapped[lifted], swapped[place]] = [order[place], order[lifted]];
    lifted = null;
    demo.set({ order: swapped.join(".") });
  };

  const bar = (name, share) =>
    h(
      "p",
      { "data-order": name, "data-share": share },
      h("span.quiet", words(name)),
      h("span.bar", makeBar(share)),
      h("b", words("positive", { share: percent(share) })),
    );
  const card = ({ name, positions, before, after, moved, equal }) =>
    h(
      "article",
      { "data-model": name, class: equal ? "card equal" : "card" },
      h("h3", words("classifier", { name, positions })),
      bar("typed", before.at(-1)),
      bar("other", after.at(-1)),
      h("p", words("moved", { kind: equal ? "equal" : "moved", by: asNumber(100 * moved, 2) })),
    );

  const paintOrder = () => {
    const { labels, order, names, trained: positions, probs, same } = demo.answers.verdicts;
    const verdicts = names.map((name, i) => {
      const [before, after] = probs[i];
      return { name, positions: positions[i], before, after, moved: moveOf(before, after), equal: same[i] };
    });
    const focused = document.activeElement?.dataset.place;
    typed.replaceChildren(...labels.map((label) => h("span", label)));
    other.replaceChildren(
      ...order.map((word, place) =>
        h(
          "button",
          {
            "data-place": place,
            "aria-pressed": `${place === lifted}`,
            class: word === place ? null : "moved",
            onclick: () => lift(place),
          },
          labels[word],
        ),
      ),
    );
    if (focused !== undefined) other.children[focused]?.focus();
    cards.replaceChildren(...verdicts.map(card));
    if (demo.view.show !== "order") return;
    const still = order.every((word, place) => word === place);
    const shares = ({ before, after }) => ({ before: percent(before.at(-1)), after: percent(after.at(-1)) });
    const [first, bag] = [
      verdicts.find(({ positions }) => positions !== "none"),
      verdicts.find(({ positions }) => positions === "none"),
    ];
    section.tell(
      still || !first || !bag
        ? words("lesson_still")
        : words("lesson_order", { ...shares(first), name: first.name, bag: bag.name }),
    );
  };

  // --- four terms ----------------------------------------------------------------------------------------------------

  const head = section.stepper("head", words("head", { model: props.model }));
  const tokens = h("ol.tokens");
  const place = h("div.place");
  const sum = h("div.sum");
  const inScore = h(
    "div.in-score",
    h("div.asking", head.node, h("p.quiet", words("query"))),
    tokens,
    place,
    h("div.with-equation", sum, panel.equation()),
  );
  const chart = makeChart(place, { label: words("chart_score"), onclick: (key) => demo.set({ key }) });

  /** The key whose score is split: the selected one, or the one with the largest weight. */
  const keyOf = ({ weights }) =>
    demo.view.key === null || demo.view.key >= weights.length ? weights.indexOf(Math.max(...weights)) : demo.view.key;

  const paintScore = () => {
    const { scored } = demo.answers;
    const { labels, at, scores, weights, error } = scored;
    const key = keyOf(scored);
    const focused = document.activeElement?.dataset.token;
    tokens.replaceChildren(
      ...labels.map((label, i) => {
        const message = words("token", { label, place: i });
        return h(
          "li",
          h(
            "button",
            {
              "aria-pressed": `${i === at}`,
              "aria-label": message,
              title: message,
              "data-token": i,
              class: i === key ? "key" : null,
              onclick: () => demo.set({ at: i, key: null }),
            },
            label,
          ),
        );
      }),
    );
    if (focused !== undefined) tokens.children[focused]?.firstChild.focus();
    chart.draw({
      figures: scored.chart,
      keep: `${scored.text} ${at} ${scored.head}`,
      ...{ x: words("keys"), y: words("score") },
      names: [...props.terms, "score"].map((name) => words(name)),
      change: (data, layout) => {
        const [chosen] = data[0].x.slice(key);
        layout.annotations = [{ x: chosen, y: scores[key], text: "▼", showarrow: false, yshift: 16 }];
      },
    });
    const cell = (name) =>
      h("td", { "data-term": name, "data-value": scored[name][key] }, asSigned(scored[name][key], 3));
    const row = (of) => tableRow(words(`query_${of}`), ...["token", "place"].map((by) => cell(`${of}_${by}`)));
    const total = props.terms.reduce((all, name) => all + scored[name][key], 0);
    sum.replaceChildren(
      h(
        "table",
        h("caption", words("pair", { query: labels[at], at, key: labels[key], place: key })),
        tableHead("", ...["token", "place"].map((by) => words(`key_${by}`))),
        h("tbody", row("token"), row("place")),
      ),
      h(
        "p",
        { "data-sum": total, "data-score": scores[key] },
        words("together", {
          sum: asSigned(total, 3),
          score: asSigned(scores[key], 3),
          weight: asShare(weights[key]),
          error: asNumber(error, 2),
        }),
      ),
    );
    if (demo.view.show !== "score") return;
    const largest = props.terms.reduce((one, two) =>
      Math.abs(scored[two][key]) > Math.abs(scored[one][key]) ? two : one,
    );
    section.tell(
      words("lesson_score", {
        head: scored.head,
        query: labels[at],
        key: labels[key],
        back: at - key,
        where: { 0: "self", 1: "one" }[at - key] ?? "more",
        share: asShare(weights[key]),
        score: asSigned(scores[key], 2),
        term: words(largest),
        value: asSigned(scored[largest][key], 2),
      }),
    );
  };

  // --- beyond the trained length -------------------------------------------------------------------------------------

  const { models, length: read, windows, width, date, machine, command } = props.measured;
  const { trained, steps } = models[0];
  const lengths = h("div.place");
  const { cpu, torch } = machine;
  const message = words("measured", { windows, length: read, width, date, steps, trained, cpu, torch });
  const inLength = h(
    "div.in-length",
    lengths,
    h("p", words("ends", { name: models.find(({ positions }) => positions === "learned").name, trained })),
    section.measured(message, command),
  );
  const curves = makeChart(lengths, { label: words("chart_length", { trained }) });
  const labels = {
    ...{ x: words("read"), y: words("bits") },
    names: models.map(({ name, positions }) => words("line", { name, positions })),
  };
  const tellLength = () => {
    const values = Object.fromEntries(
      models
        .filter(({ positions }) => positions !== "learned")
        .flatMap(({ positions, bits }) => {
          const within = bits.slice(0, trained / width).at(-1);
          return [
            [positions, asFixed(within, 2)],
            [`${positions}_beyond`, asFixed(mean(bits.slice(-4)), 2)],
          ];
        }),
    );
    section.tell(words("lesson_length", { ...values, trained, length: read }));
  };
  panel.picture.append(inOrder, inScore, inLength);

  // --- what can be tried ---------------------------------------------------------------------------------------------

  section.tries(
    {
      place: { show: "score", head: props.byPlace, key: null },
      token: { show: "score", head: props.byToken, key: null },
      beyond: { show: "length" },
    },
    () => ((lifted = null), demo.reset()),
  );
  section.check({
    shows: { show: "score", head: props.byPlace, key: null },
    question: words("question", { model: props.model, head: props.byPlace }),
    names: ["same", "other"],
    answer: async () => {
      const { text: typedText, at } = demo.view;
      const message = await answerTo("/ask/learn-positions/scored", { text: typedText, at, head: props.byPlace });
      const best = (values) => values.indexOf(Math.max(...values));
      const [whole, alone] = [best(message.scores), best(message.token_token)];
      return {
        right: whole === alone ? 0 : 1,
        said: words("answer", {
          query: message.labels[message.at],
          whole: message.labels[whole],
          place: whole,
          alone: message.labels[alone],
          other: alone,
        }),
      };
    },
  });
  section.links(() => [
    ["permute", { text: demo.view.text, order: demo.view.order }],
    ["explore", { model: props.model, text: demo.view.text, layer: 0, head: demo.view.head }],
  ]);

  const paint = eachFrame(() => {
    again.disabled = !demo.answers.verdicts;
    if (demo.answers.verdicts) paintOrder();
    if (demo.answers.scored) paintScore();
    if (demo.view.show === "length") tellLength();
    section.node.dataset.rev = demo.rev;
  });
  curves.draw({ figures: props.chart, keep: "measured", ...labels });
  section.parts({ order: [inOrder, text.node], score: [inScore, text.node], length: [inLength] });
  section.begin((changed) => {
    if (changed.has("verdicts")) lifted = null;
    paint();
  });
};
