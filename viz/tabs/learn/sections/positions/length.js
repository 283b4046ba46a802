// The loss at each position, within the trained length and beyond, as it was measured for models of three kinds.

import { h } from "../../../../browser/lib/base.js";
import { makeChart } from "../../../../browser/lib/chart.js";
import { asFixed } from "../../../../browser/lib/numbers.js";

/** The sentence: bits at the end of the trained length and beyond, for models that go beyond it. */
const lesson = (words, { models, length }, ends) => {
  const { trained } = models[0];
  const said = Object.entries(ends)
    .filter(([positions]) => positions !== "learned")
    .flatMap(([positions, [end, beyond]]) => [
      [positions, asFixed(end, 2)],
      [`${positions}_beyond`, asFixed(beyond, 2)],
    ]);
  return words("lesson_length", { ...Object.fromEntries(said), trained, length });
};

/** {node, paint()}. */
export const makeLength = (section, { measured, ends, chart: figures }) => {
  const { words } = section;
  const { models } = measured;
  const { trained, steps } = models[0];
  const container = h("div.place");
  const node = h(
    "div.in-length",
    container,
    h("p", words("ends", { name: models.find(({ positions }) => positions === "learned").name, trained })),
    section.recorded(measured, { steps, trained }),
  );
  const curves = makeChart(container, { label: words("chart_length", { trained }) });
  const names = models.map(({ name, positions }) => words("line", { name, positions }));
  curves.draw({ figures, keep: "measured", x: words("read"), y: words("bits"), names });
  return { node, paint: () => section.showLesson(lesson(words, measured, ends)) };
};
