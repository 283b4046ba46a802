// The article's three lines, each with its input and output tensors, and their time compared with a plain loop.

import { eachFrame, h } from "../../../../browser/lib/base.js";
import { makeBar } from "../../../../browser/lib/colour.js";
import { asFixed, asNumber, asShare, asWhole } from "../../../../browser/lib/numbers.js";
import { makeTensors } from "./tensors.js";

const fieldsOf = (props) => ({
  text: { initial: props.text, longest: 10000 },
  factor: { initial: props.factor, min: 1, max: Math.max(...props.factors) },
  copies: { initial: 1, min: 1, max: Math.max(...props.copies) },
  run: { initial: 0, min: 0, max: props.runs - 1 },
});
const QUESTIONS = { tensors: ["text", "factor"], plain: ["text"], timed: ["text", "factor", "copies", "run"] };

/** The time of the three lines and of a plain loop: {node, paint}. */
const makeClock = (section, { runs }) => {
  const { words, live: demo } = section;
  const clock = h("div.clock", { "aria-live": "polite" });
  const restart = h(
    "button.field-button",
    { onclick: () => demo.set({ run: (demo.view.run + 1) % runs }) },
    words("measure"),
  );
  const duration = (seconds) =>
    seconds < 0.001
      ? words("microseconds", { value: asNumber(seconds * 1e6, 3) })
      : words("milliseconds", { value: asNumber(seconds * 1e3, 3) });
  const bar = (name, seconds, most) =>
    h(
      "p",
      { "data-time": name, "data-seconds": seconds },
      h("span", words(`time_${name}`)),
      h("span.bar", makeBar(seconds / most)),
      h("b", duration(seconds)),
    );
  const paint = () => {
    const { timed } = demo.answers;
    if (!timed) return;
    const { lines, loop, words: count, error } = timed;
    const message = words("times", {
      factor: asWhole(Math.round(loop / lines)),
      words: count,
      error: asNumber(error, 2),
    });
    clock.replaceChildren(bar("loop", loop, loop), bar("lines", lines, loop), h("p.quiet", message));
  };

  return { node: h("div.times", clock, restart), paint };
};

const addCheck = (section) => {
  const answer = async () => {
    const { rows, columns } = await section.live.answered("tensors");
    const off = (sums) => Math.max(...sums.map((sum) => Math.abs(sum - 1)));
    const right = off(columns) < 1e-4 ? 2 : off(rows) < 1e-4 ? 0 : 1;
    const range = ([least, most]) => `${asFixed(least, 3)} … ${asFixed(most, 3)}`;
    return { right, said: section.words("answer", { rows: range(rows), columns: range(columns) }) };
  };
  section.check({ names: ["rows", "columns", "both"], answer });
};

/** The sentence: the largest weight of a word on another one; a single word has only itself. */
const lesson = ({ words, live: demo }, { labels, weights, factor }) => {
  const others = weights.map((row, i) => row.map((value, j) => (i === j && weights.length > 1 ? 0 : value)));
  const most = Math.max(...others.flat());
  const row = others.findIndex((values) => values.includes(most));
  return words("lesson", {
    word: labels[row],
    other: labels[others[row].indexOf(most)],
    share: asShare(most),
    even: asShare(1 / labels.length),
    factor,
    plain: asShare(Math.max(...(demo.answers.plain ?? { weights }).weights.flat())),
  });
};

export const mount = (section, props) => {
  const { words, panel } = section;
  const demo = section.demo(fieldsOf(props), QUESTIONS);
  const text = section.line("text", words("text_field", { most: props.most }));
  const [tensors, clock] = [makeTensors(section, props), makeClock(section, props)];
  panel.tools.append(text.node);
  panel.picture.append(...tensors.nodes, clock.node);

  section.tries({
    swap: { text: props.swapped },
    factor1: [{ factor: 1 }, words("try_longer", { factor: 1 })],
    copies: [{ copies: 8 }, words("try_copies", { copies: 8 })],
  });

  addCheck(section);
  section.links(() =>
    ["explore", "permute"].map((tab) => [
      tab,
      { ...(tab === "explore" && { model: props.model }), text: demo.view.text },
    ]),
  );

  const paint = eachFrame(() => {
    const { tensors: answer, plain } = demo.answers;
    if (!answer) return;
    tensors.paint(answer, plain);
    section.showLesson(lesson(section, answer));
  });
  section.needs("tensors");
  section.begin((changed) => {
    if (changed.has("timed")) clock.paint();
    paint();
  });
};
