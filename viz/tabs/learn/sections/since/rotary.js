// The rotary positions of one query and one key: the pair in one plane, the parts of their score, and the curve over
// distances.

import { h } from "../../../../browser/lib/base.js";
import { makeChart } from "../../../../browser/lib/chart.js";
import { asNumber, asSigned } from "../../../../browser/lib/numbers.js";
import { numbersTable } from "../../lib/numbers_table.js";
import { makePlane } from "../../lib/plane.js";

const DEGREES = 180 / Math.PI;

/** {node, paint(turned)}. */
export const makeRotary = (section) => {
  const { words, panel, live: demo } = section;
  const [headOf, back] = ["head", "back"].map((name) => section.stepper(name));
  const shift = section.slider("shift", (value) => words("places", { count: value }));
  const planePlace = h("div");
  const plane = makePlane(planePlace, { label: words("plane"), reach: 1, ondrag: () => {} });
  const onPlane = (i) => words("plane_hint", { plane: i + 1 });
  const parts = numbersTable(words("parts"), { onrow: (i) => demo.set({ plane: i }), sayRow: onPlane });
  const curve = h("div.place");
  const scored = h("p.result", { role: "status" });

  const node = h(
    "div.rotary",
    h("div.asking", headOf.node, back.node, shift.node),
    h("div.turning", planePlace, parts.node, curve),
    h("div.with-equation", scored, panel.equation(0)),
  );
  const chart = makeChart(curve, { label: words("curve") });

  const paintPlane = ({ planes }) => {
    const longest = Math.max(...planes.flat().map(([x, y]) => Math.hypot(x, y)), 1e-9);
    const arrows = planes[demo.view.plane].map((tip, i) => ({
      id: `arrow${i}`,
      to: tip.map((value) => value / longest),
      hue: [3, 1][i],
      label: "qk"[i],
    }));
    plane.draw({ arrows });
  };
  const paint = (turned) => {
    const { text, labels, at, key, head, shift, distance, moved, score } = turned;
    paintPlane(turned);
    parts.draw({
      rows: turned.angles.map((angle, i) => words("angle", { plane: i + 1, degrees: asNumber(angle * DEGREES, 3) })),
      columns: [words("part")],
      values: turned.parts.map((value) => [value]),
      scale: "scores",
      chosen: demo.view.plane,
    });
    const keep = `${text} ${at} ${key} ${head}`;
    chart.draw({ figures: turned.chart, keep, x: words("distance"), y: words("score") });
    const values = { query: labels[at], key: labels[key], count: distance, score: asSigned(moved, 3) };
    scored.textContent = words("scored", { ...values, at: at + shift, position: key + shift });
    Object.assign(scored.dataset, { moved, score });
    section.showLesson(words("lesson_rotary", values));
  };
  return { node, paint };
};
