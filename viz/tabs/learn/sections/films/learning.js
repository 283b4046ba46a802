// Features that are learned from likes: a table of likes, the course of the training, and where it puts films and
// people.

import { h, reducedMotion, tableHead, tableRow } from "../../../../browser/lib/base.js";
import { makeChart } from "../../../../browser/lib/chart.js";
import { asNumber, asShare } from "../../../../browser/lib/numbers.js";

const PACE = 60; // ms between two frames of the training

/** Whether a text has a like, 1 or 0, of each person for each film. */
export const areLikes = ({ people, films }) => {
  const lengths = people.map(() => films.length).join();
  return (text) =>
    /^[01]+(,[01]+)*$/.test(text) &&
    text
      .split(",")
      .map((row) => row.length)
      .join() === lengths;
};

/** A cell of the table of likes: {node, update(value, share)}. Its button is kept while the training changes its label:
 *  a button replaced under a finger would miss the click. */
const makeLike = (words, person, film, held, ondo, at) => {
  const [sign, predicted] = [h("span"), h("small")];
  const button = h("button", { "data-like": at, onclick: () => held || ondo() }, sign, predicted);
  const update = (value, share) => {
    const message = words("like", { person, film, held: held ? "yes" : "no", share });
    sign.textContent = held ? "?" : value ? "♥" : "·";
    predicted.textContent = share;
    button.title = message;
    button.setAttribute("aria-label", message);
    button.setAttribute("aria-pressed", `${Boolean(value)}`);
  };
  return { node: h("td", { class: held ? "held" : "" }, button), update };
};

/** The table of likes, with what is predicted: {node, paint(predicted)}. */
const makeLikes = (section, { people, films, held }) => {
  const { words, live: demo } = section;
  const readLikes = () => demo.view.likes.split(",").map((row) => [...row].map(Number));
  const toggle = (i, j) => {
    const changed = readLikes();
    changed[i][j] = 1 - changed[i][j];
    demo.set({ likes: changed.map((row) => row.join("")).join(",") });
  };
  const likes = people.map((person, i) =>
    films.map((film, j) => {
      const isHeld = i === held[0] && j === held[1];
      return makeLike(words, person, film, isHeld, () => toggle(i, j), `${i} ${j}`);
    }),
  );
  const node = h(
    "table.likes",
    tableHead("", ...films),
    h("tbody", ...people.map((person, i) => tableRow(person, ...likes[i].map((like) => like.node)))),
  );
  const paint = (predicted) =>
    readLikes().forEach((row, i) => row.forEach((value, j) => likes[i][j].update(value, asShare(predicted[i][j]))));
  return { node, paint };
};

/** The slider over the frames of the training, which plays, with onchange() at each frame: {play, slider, frame(),
 *  run()}. */
const makeCourse = (words, frames, onchange) => {
  let playing = 0;
  const slider = h("input", {
    type: "range",
    min: 0,
    max: frames,
    value: frames,
    "aria-label": words("step"),
    oninput: () => (playing++, onchange()),
  });
  const run = () => {
    slider.value = 0;
    const own = ++playing;
    const step = () => {
      if (own !== playing) return;
      onchange();
      if (Number(slider.value) >= frames) return;
      slider.value = Number(slider.value) + 1;
      setTimeout(step, PACE);
    };
    if (reducedMotion()) slider.value = frames;
    step();
  };
  const play = h("button.field-button", { onclick: run }, words("play"));
  return { play, slider, frame: () => Number(slider.value), run };
};

/** {node, paint, run}: run() plays the training from its start. */
export const makeLearning = (section, props) => {
  const { words, panel, live: demo } = section;
  const { people, films, held, steps, frames } = props;
  const likes = makeLikes(section, props);
  const course = makeCourse(words, frames, () => paint());
  const loss = h("output");
  const seed = section.stepper("seed");
  const container = h("div.place");
  const node = h(
    "div.learn.sideways",
    likes.node,
    h("p.quiet", words("like_how")),
    h("div.course", course.play, course.slider, loss, seed.node, panel.equation()),
    container,
  );
  const chart = makeChart(container, { label: words("chart") });

  const paintChart = ({ chart: figures, course, together }, at) => {
    const parts = { people: [0, people.length], films: [people.length] };
    const change = (data) => {
      for (const trace of data) {
        const part = parts[trace.name];
        if (!part) continue;
        [trace.x, trace.y] = [0, 1].map((c) => course[at].slice(...part).map((pair) => pair[c]));
        trace.text = together[at].slice(...part);
        trace.name = words(trace.name);
      }
    };
    const [x, y] = [1, 2].map((number) => words("learned_feature", { number }));
    chart.draw({ figures, keep: "films", x, y, change });
  };
  const paint = () => {
    const { learned } = demo.answers;
    if (!learned) return;
    const at = course.frame();
    const predicted = learned.predicted[at];
    const step = (at * steps) / frames;
    likes.paint(predicted);
    loss.textContent = words("loss", { step, loss: asNumber(learned.losses[Math.max(0, step - 1)], 3) });
    paintChart(learned, at);
    section.node.dataset.predicted = JSON.stringify(predicted);
    if (demo.view.show !== "learn") return;
    const [i, j] = held;
    section.showLesson(words("lesson_learn", { person: people[i], film: films[j], share: asShare(predicted[i][j]) }));
  };
  return { node, paint, run: course.run };
};
