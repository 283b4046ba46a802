// Films and people as vectors: first with features set by hand, then learned from likes on the page; then the nearest
// words.

import { eachFrame, h, reducedMotion, tableHead, tableRow } from "../../../../browser/lib/base.js";
import { makeChart } from "../../../../browser/lib/chart.js";
import { asText } from "../../../../browser/lib/messages.js";
import { asFixed, asNumber, asShare, asSigned } from "../../../../browser/lib/numbers.js";
import { arithmetic } from "../../lib/arithmetic.js";
import { numbersTable } from "../../lib/numbers_table.js";
import { pairs } from "../../lib/plane.js";

const SHOWS = ["hand", "learn", "words"];

export const mount = (section, props) => {
  const { words, panel } = section;
  const { dot } = arithmetic;
  const BY_HAND = { people: props.people.slice(0, 3), films: props.films.filter((_, i) => [0, 3, 4, 5].includes(i)) };
  const reach = 1;

  const { parse, spell } = pairs;
  const areFeatures = (text) => pairs.valid(text, BY_HAND.people.length + BY_HAND.films.length, reach);
  const areLikes = (text) =>
    /^[01]+(,[01]+)*$/.test(text) &&
    text
      .split(",")
      .map((row) => row.length)
      .join() === props.people.map(() => props.films.length).join();
  const demo = section.demo(
    {
      show: { initial: "hand", choices: SHOWS },
      features: { initial: props.features, longest: 120, valid: areFeatures, eager: true },
      likes: { initial: props.likes, longest: 80, valid: areLikes, eager: true },
      seed: { initial: 1, min: 0, max: props.seeds - 1 },
      word: { initial: "bad", longest: props.letters },
    },
    { learned: ["likes", "seed"], near: ["word"] },
  );
  const show = section.choice("show", SHOWS);
  panel.tools.append(show.node);

  // --- by hand -------------------------------------------------------------------------------------------------------

  const features = () => parse(demo.view.features);
  const number = (i, c) => {
    const name = [...BY_HAND.people, ...BY_HAND.films][i];
    const label = words("feature", { name, feature: words(`feature_${c}`) });
    const message = h("output");
    const input = h("input", {
      type: "range",
      min: -reach,
      max: reach,
      step: 0.1,
      "aria-label": label,
      "data-at": `${i} ${c}`,
    });
    input.addEventListener("input", () =>
      demo.set({
        features: spell(
          features().map((pair, j) => pair.map((value, d) => (j === i && d === c ? Number(input.value) : value))),
        ),
      }),
    );
    return {
      node: h("td", input, message),
      update: () => ((input.value = features()[i][c]), (message.textContent = asSigned(features()[i][c], 1))),
    };
  };
  const inputs = [...BY_HAND.people, ...BY_HAND.films].map((_, i) => [0, 1].map((c) => number(i, c)));
  const table = (names, from, caption) =>
    h(
      "table.features",
      h("caption", caption),
      tableHead("", ...[0, 1].map((c) => words(`feature_${c}`))),
      h("tbody", ...names.map((name, i) => tableRow(name, ...inputs[from + i].map(({ node }) => node)))),
    );
  const products = numbersTable(words("products"));
  const byHand = h(
    "div.by-hand",
    table(BY_HAND.people, 0, words("people")),
    table(BY_HAND.films, BY_HAND.people.length, words("films")),
    h("div.with-equation", products.node, panel.equation()),
  );

  const paintHand = () => {
    inputs.flat().forEach(({ update }) => update());
    const all = features();
    const [people, films] = [all.slice(0, BY_HAND.people.length), all.slice(BY_HAND.people.length)];
    const scores = people.map((person) => films.map((film) => dot(person, film)));
    products.draw({ rows: BY_HAND.people, columns: BY_HAND.films, values: scores, scale: "scores", most: 2 });
    section.node.dataset.scores = JSON.stringify(scores);
    if (demo.view.show !== "hand") return;
    const best = scores[0].indexOf(Math.max(...scores[0]));
    section.tell(
      words("lesson_hand", {
        person: BY_HAND.people[0],
        film: BY_HAND.films[best],
        score: asNumber(scores[0][best], 3),
      }),
    );
  };

  // --- learned -------------------------------------------------------------------------------------------------------

  const grid = h("table.likes");
  const place = h("div.place");
  const frame = h("input", {
    type: "range",
    min: 0,
    max: props.frames,
    value: props.frames,
    "aria-label": words("step"),
    oninput: () => ((playing = 0), paintLearned()),
  });
  const loss = h("output");
  const play = h("button.field-button", { onclick: () => ((frame.value = 0), run()) }, words("play"));
  const seed = section.stepper("seed");
  const learn = h(
    "div.learn",
    grid,
    h("p.quiet", words("like_how")),
    h("div.course", play, frame, loss, seed.node, panel.equation()),
    place,
  );
  const chart = makeChart(place, { label: words("chart") });
  let playing = 0;
  const run = () => {
    const mine = ++playing;
    const step = () => {
      if (mine !== playing) return;
      paintLearned();
      if (Number(frame.value) >= props.frames) return;
      frame.value = Number(frame.value) + 1;
      setTimeout(step, 60);
    };
    if (reducedMotion()) frame.value = props.frames;
    step();
  };

  const liked = () => demo.view.likes.split(",").map((row) => [...row].map(Number));
  const toggle = (i, j) =>
    demo.set({
      likes: liked()
        .map((row, p) => row.map((value, f) => (p === i && f === j ? 1 - value : value)).join(""))
        .join(","),
    });
  const isHeld = (i, j) => i === props.held[0] && j === props.held[1];
  /** The table of likes. Its buttons are kept while the training changes their labels: a button replaced under a finger
   *  would miss the click. */
  const likes = props.people.map((person, i) =>
    props.films.map((film, j) => {
      const held = isHeld(i, j);
      const [sign, predicted] = [h("span"), h("small")];
      const button = h("button", { "data-like": `${i} ${j}`, onclick: () => held || toggle(i, j) }, sign, predicted);
      const update = (value, share) => {
        const message = words("like", { person, film, held: held ? "yes" : "no", share });
        sign.textContent = held ? "?" : value ? "♥" : "·";
        predicted.textContent = share;
        button.title = message;
        button.setAttribute("aria-label", message);
        button.setAttribute("aria-pressed", `${Boolean(value)}`);
      };
      return { node: h("td", { class: held ? "held" : "" }, button), update };
    }),
  );
  grid.append(
    tableHead("", ...props.films.map((film) => film)),
    h("tbody", ...props.people.map((person, i) => tableRow(person, ...likes[i].map(({ node }) => node)))),
  );
  const paintLikes = (predicted) =>
    liked().forEach((row, i) => row.forEach((value, j) => likes[i][j].update(value, asShare(predicted[i][j]))));

  const paintLearned = () => {
    const { learned } = demo.answers;
    if (!learned) return;
    const at = Number(frame.value);
    const [people, films] = [
      learned.course[at].slice(0, props.people.length),
      learned.course[at].slice(props.people.length),
    ];
    const predicted = people.map((person) => films.map((film) => 1 / (1 + Math.exp(-dot(person, film)))));
    paintLikes(predicted);
    const step = (at * props.steps) / props.frames;
    loss.textContent = words("loss", { step, loss: asNumber(learned.losses[Math.max(0, step - 1)], 3) });
    chart.draw({
      figures: learned.chart,
      keep: "films",
      ...{ x: words("learned_feature", { number: 1 }), y: words("learned_feature", { number: 2 }) },
      change: (data) => {
        const now = { people, films };
        for (const trace of data) {
          if (!now[trace.name]) continue;
          [trace.x, trace.y] = [0, 1].map((c) => now[trace.name].map((pair) => pair[c]));
          trace.text =
            trace.name === "people"
              ? learned.together[at].slice(0, people.length)
              : learned.together[at].slice(people.length);
          trace.name = words(trace.name);
        }
      },
    });
    const [i, j] = props.held;
    section.node.dataset.predicted = JSON.stringify(predicted);
    if (demo.view.show === "learn")
      section.tell(
        words("lesson_learn", { person: props.people[i], film: props.films[j], share: asShare(predicted[i][j]) }),
      );
  };

  // --- words ---------------------------------------------------------------------------------------------------------

  const field = section.line("word", words("word", { model: props.model }), "");
  const nearest = h("div.nearest");
  const guesses = h("p.readout");
  const inWords = h("div.in-words", field.node, nearest, h("p.quiet", words("near_how")), guesses);
  panel.picture.append(byHand, learn, inWords);

  const paintWords = () => {
    const { near } = demo.answers;
    if (!near) return;
    const list = (name) =>
      h(
        "div",
        { "data-by": name },
        h("b", words(`by_${name}`)),
        h(
          "ol",
          ...near[name].map(({ word, value, length }) =>
            h(
              "li",
              h("span", word),
              " ",
              h("small", words("near", { value: asFixed(value, 3), length: asFixed(length, 2) })),
            ),
          ),
        ),
      );
    nearest.replaceChildren(list("dot"), list("cosine"));
    guesses.textContent = asText(
      near.pairs.map(({ guess, word, other, cosine, less }) =>
        words(`guess_${guess}`, { word, other, cosine: asFixed(cosine, 2), less: asShare(less) }),
      ),
    );
    if (demo.view.show === "words")
      section.tell(words("lesson_words", { word: near.word, dot: near.dot[0].word, cosine: near.cosine[0].word }));
  };

  // --- what can be tried ---------------------------------------------------------------------------------------------

  section.tries({
    turn: [
      { show: "hand", features: spell(parse(props.features).map((pair, i) => (i ? pair : [-0.9, 0.1]))) },
      words("try_turn", { person: props.people[0] }),
    ],
    learn: ({ seed }) => (demo.set({ show: "learn", seed: (seed + 1) % props.seeds }), run()),
    words: { show: "words", word: "wonderful" },
  });
  section.check({
    shows: { show: "learn" },
    question: words("question", { person: props.people[props.held[0]], film: props.films[props.held[1]] }),
    names: ["yes", "no", "even"],
    answer: async () => {
      const learned = await demo.answered("learned");
      const [i, j] = props.held;
      const share = learned.predicted[i][j];
      return {
        right: share > 0.6 ? 0 : share < 0.4 ? 1 : 2,
        said: words("answer", { person: props.people[i], film: props.films[j], share: asShare(share) }),
      };
    },
  });
  section.links(() => [["explore", { model: props.model, text: words("sentence") }]]);

  const paint = eachFrame(() => {
    paintHand();
    paintLearned();
    paintWords();
  });
  section.parts({ hand: [byHand], learn: [learn], words: [inWords] });
  section.begin(paint);
};
