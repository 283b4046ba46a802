// The loss at each position, within the trained length and beyond, as it was measured for models of three kinds.

import { h } from "../../../../browser/lib/base.js";
import { makeChart } from "../../../../browser/lib/chart.js";
import { asFixed } from "../../../../browser/lib/numbers.js";

const mean = (bits) => bits.reduce((one, two) => one + two, 0) / bits.length;

/** The sentence: bits at the end of the trained length and beyond, for models that go beyond it. */
const lesson = (words, { models, length, width }) => {
  const { trained } = models[0];
  const ends = models
    .filter(({ positions }) => positions !== "learned")
    .flatMap(({ positions, bits }) => [
      [positions, asFixed(bits.slice(0, trained / width).at(-1), 2)],
      [`${positions}_beyond`, asFixed(mean(bits.slice(-4)), 2)],
    ]);
  return words("lesson_length", { ...Object.fromEntries(ends), trained, length });
};

/** {node, paint()}. */
export const makeLength = (section, { measured, chart: figures }) => {
  const { words, live: demo } = section;
  const { models, length, windows, width, date, machine, command } = measured;
  const { trained, steps } = models[0];
  const { cpu, torch } = machine;
  const container = h("div.place");
  const message = words("measured", { windows, length, width, date, steps, trained, cpu, torch });
  const node = h(
    "div.in-length",
    container,
    h("p", words("ends", { name: models.find(({ positions }) => positions === "learned").name, trained })),
    section.measured(message, command),
  );
  const curves = makeChart(container, { label: words("chart_length", { trained }) });
  const names = models.map(({ name, positions }) => words("line", { name, positions }));
  curves.draw({ figures, keep: "measured", x: words("read"), y: words("bits"), names });
  const paint = () => demo.view.show === "length" && section.showLesson(lesson(words, measured));
  return { node, paint };
};
