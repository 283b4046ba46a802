// A sparse pattern over some tokens: the computed cells, and the reach after each layer; then the recorded time and
// memory of sparse and dense methods.

import { h, tableRow } from "../../../../browser/lib/base.js";
import { makeChart } from "../../../../browser/lib/chart.js";
import { ground, palette } from "../../../../browser/lib/colour.js";
import { makeHeatMap } from "../../../../browser/lib/heat_map.js";
import { asFixed, asNumber, asShare, asWhole } from "../../../../browser/lib/numbers.js";

const SHOWS = ["pattern", "time", "memory"];
const NUMBERS = { time: "milliseconds", memory: "megabytes" };
const WAYS = {
  strided: "strided",
  fixed: "fixed",
  "fused, causal": "causal",
  "fused, masked": "masked",
  equation: "equation",
};
const PACE = 900; // ms between two layers while playing

/** After how many layers all pairs are connected; null if the counted layers are not enough. */
const joining = ({ reached }) => reached.indexOf(1) + 1 || null;

/** The colour of a cell by the layer that reaches it; cells of the pattern itself are strongest. */
const strength = (needed) => Math.round(needed === 1 ? 255 : Math.max(40, 150 - 35 * (needed - 2)));

const number = (value) => (value === null ? "–" : value < 1000 ? asNumber(value, 3) : asWhole(Math.round(value)));

export const mount = (section, props) => {
  const { words, panel } = section;
  const demo = section.demo(
    {
      show: { initial: "pattern", choices: SHOWS },
      kind: { initial: "strided", choices: props.kinds },
      t: { initial: props.t, min: 2, max: props.limits.t },
      size: { initial: props.size, min: 1, max: props.limits.size },
      step: { initial: 1, min: 0, max: props.layers - 1 },
    },
    { patterned: ["kind", "t", "size"] },
  );
  const layers = () => demo.view.step + 1;

  // --- the pattern ---------------------------------------------------------------------------------------------------

  const [show, kind] = [section.choice("show", SHOWS), section.choice("kind", props.kinds)];
  const steppers = ["t", "size"].map((name) => section.stepper(name));
  panel.tools.append(show.node);

  const player = section.player({
    last: () => props.layers - 1,
    now: () => demo.view.step,
    pace: PACE,
    ready: () => Boolean(demo.answers.patterned),
  });
  const { play, slider } = player;
  const step = h("output");
  const place = h("div.map");
  const readout = h("p.told", { role: "status" });
  const shares = h("table.reached");
  const cells = h("p.quiet");
  const swatch = (name) => h("p", { class: `swatch ${name}` }, h("i"), words(`legend_${name}`));
  const beside = h("div.beside", swatch("one"), swatch("more"), shares, cells, panel.equation());
  const inPattern = h(
    "div.in-pattern",
    h("div.course", kind.node, ...steppers.map(({ node }) => node)),
    h("div.course", play, slider, step),
    h("div.both", h("div.looks", place, readout), beside),
  );

  const point = (at) => {
    const { patterned } = demo.answers;
    if (!patterned || !at) return void (readout.textContent = "");
    const needed = patterned.needs[at.row][at.column];
    const when = at.column > at.row ? "never" : needed === 1 ? "now" : needed > props.layers ? "long" : "later";
    readout.textContent = words("cell", {
      when,
      row: at.row,
      column: at.column,
      layers: Math.min(needed, props.layers),
    });
  };
  const map = makeHeatMap(place, { label: words("map"), onpoint: point, onpick: point });

  const paintPattern = () => {
    const { needs, cells: count, causal, reached, error } = demo.answers.patterned;
    const colours = palette();
    map.draw({
      labels: needs.map((_, i) => `${i}`),
      titles: [words("outputs"), words("inputs")],
      pixel: (row, column) =>
        column > row
          ? colours.masked
          : colours.weights[needs[row][column] <= layers() ? strength(needs[row][column]) : 0],
      hidden: (row, column) => column > row,
    });
    for (const [name, needed] of [
      ["one", 1],
      ["more", 2],
    ])
      ground(beside.querySelector(`.${name} i`), colours.weights[strength(needed)]);
    const row = (share, i) =>
      tableRow(
        { class: i + 1 === layers() ? "chosen" : null },
        words("after", { layers: i + 1 }),
        h("td", { "data-share": share }, asShare(share)),
      );
    shares.replaceChildren(
      h("caption", words("reached")),
      h("tbody", ...reached.slice(0, joining({ reached }) ?? props.layers).map(row)),
    );
    cells.textContent = words("cells", {
      cells: asWhole(count),
      causal: asWhole(causal),
      share: asShare(count / causal),
      keys: asFixed(count / needs.length, 1),
      error: asNumber(error, 2),
    });
  };

  // --- what it costs -------------------------------------------------------------------------------------------------

  const { lengths, ways, date, machine, command, shape } = props.measured;
  const final = lengths.length - 1;
  const costs = Object.fromEntries(
    Object.keys(NUMBERS).map((name) => {
      const spot = h("div.place");
      const chart = makeChart(spot, { label: words(`chart_${name}`) });
      const row = ([way, key]) =>
        tableRow(
          { "data-way": key },
          words(`way_${key}`),
          ...ways[way][NUMBERS[name]].map((value) => h("td", { "data-value": value }, number(value))),
        );
      const top = h(
        "tr",
        h("th", { scope: "col" }, words(`axis_${name}`)),
        ...lengths.map((t) => h("th", { scope: "col" }, asWhole(t))),
      );
      const message = words("measured", {
        date,
        cpu: machine.cpu,
        threads: machine.threads,
        torch: machine.torch,
        heads: shape.heads,
        size: shape.size,
      });
      const node = h(
        "div.charted",
        { "data-show": name },
        spot,
        h("table", h("thead", top), h("tbody", ...Object.entries(WAYS).map(row))),
        h(
          "p.quiet",
          words("long", Object.fromEntries(Object.entries(props.cells).map(([of, count]) => [of, asWhole(count)]))),
        ),
        panel.equation(2),
        section.measured(message, command),
      );
      const names = props.charted.map((way) => words(`way_${WAYS[way]}`));
      const figure = { figures: props.charts[name], keep: name, x: words("tokens"), y: words(`axis_${name}`), names };
      return [name, { node, draw: () => chart.draw(figure) }];
    }),
  );
  panel.picture.append(inPattern, ...Object.values(costs).map(({ node }) => node));

  const tell = () => {
    const { view } = demo;
    if (view.show === "pattern") {
      const { cells: count, causal, reached } = demo.answers.patterned;
      const all = joining({ reached }) ?? "none";
      return section.tell(
        words("lesson_pattern", {
          cells: asWhole(count),
          causal: asWhole(causal),
          layers: layers(),
          share: asShare(reached[layers() - 1]),
          all,
          most: props.layers,
        }),
      );
    }
    const of = (way, i = final) => ways[way][NUMBERS[view.show]][i];
    const [strided, dense] = [of("strided"), of("fused, causal")];
    const at = ways.equation.megabytes.findLastIndex((value) => value !== null);
    section.tell(
      words(`lesson_${view.show}`, {
        t: lengths[final],
        strided: number(strided),
        dense: number(dense),
        times: asNumber(dense / strided, 2),
        at: lengths[at],
        equation: number(of("equation", at)),
      }),
    );
  };

  // --- what can be tried ---------------------------------------------------------------------------------------------

  section.tries({
    fixed: { show: "pattern", kind: "fixed" },
    local: { show: "pattern", kind: "local", step: 2 },
    time: { show: "time" },
  });
  section.check({
    shows: { show: "pattern" },
    names: ["one", "two", "more"],
    answer: async () => {
      const { reached } = await demo.answered("patterned");
      const [first, second] = reached.map(asShare);
      return {
        right: Math.min(joining({ reached }) ?? 3, 3) - 1,
        said: words("answer", { kind: demo.view.kind, size: demo.view.size, t: demo.view.t, share: first, second }),
      };
    },
  });
  section.links(() => [["mask", { mask: demo.view.kind }]]);

  const paint = () => {
    inPattern.hidden = demo.view.show !== "pattern";
    for (const [name, { node, draw }] of Object.entries(costs)) {
      node.hidden = demo.view.show !== name;
      if (!node.hidden) draw();
    }
    step.textContent = words("step_is", { layers: layers() });
    slider.setAttribute("aria-valuetext", step.textContent);
    if (!demo.answers.patterned) return;
    paintPattern();
    tell();
  };
  section.begin(paint);
};
