// A sparse pattern over some tokens: the computed cells, and the reach after each layer; then the recorded time and
// memory of sparse and dense methods.

import { h, tableHead, tableRow } from "../../../../browser/lib/base.js";
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

const fieldsOf = (props) => ({
  show: { initial: "pattern", choices: SHOWS },
  kind: { initial: "strided", choices: props.kinds },
  t: { initial: props.t, min: 2, max: props.limits.t },
  size: { initial: props.size, min: 1, max: props.limits.size },
  step: { initial: 1, min: 0, max: props.layers - 1 },
});

/** The pattern over some tokens, and how far it reaches layer by layer: {node, paint}. */
const makePattern = (section, props) => {
  const { words, panel, live: demo } = section;
  const layers = () => demo.view.step + 1;
  const kind = section.choice("kind");
  const steppers = ["t", "size"].map((name) => section.stepper(name));
  const player = section.player({
    last: () => props.layers - 1,
    now: () => demo.view.step,
    pace: PACE,
    ready: () => Boolean(demo.answers.patterned),
    inWords: () => words("step_is", { layers: layers() }),
  });
  const container = h("div.map");
  const readout = h("p.told", { role: "status" });
  const shares = h("table.reached");
  const cells = h("p.quiet");
  const swatch = (name) => h("p", { class: `swatch ${name}` }, h("i"), words(`legend_${name}`));
  const beside = h("div.beside", swatch("one"), swatch("more"), shares, cells, panel.equation());
  const node = h(
    "div.in-pattern",
    h("div.course", kind.node, ...steppers.map((stepper) => stepper.node)),
    h("div.course", ...player.nodes),
    h("div.both", h("div.looks", container, readout), beside),
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
  const map = makeHeatMap(container, { label: words("map"), onpoint: point, onpick: point });

  const paintMap = ({ needs }) => {
    const { weights, masked } = palette();
    map.draw({
      labels: needs.map((_, i) => `${i}`),
      titles: [words("outputs"), words("inputs")],
      pixel: (row, column) => {
        const needed = needs[row][column];
        return column > row ? masked : weights[needed <= layers() ? strength(needed) : 0];
      },
      hidden: (row, column) => column > row,
    });
    ground(beside.querySelector(".one i"), weights[strength(1)]);
    ground(beside.querySelector(".more i"), weights[strength(2)]);
  };
  const paintShares = ({ needs, cells: count, causal, reached, error }) => {
    const row = (share, i) =>
      tableRow(
        { class: i + 1 === layers() ? "chosen" : null },
        words("after", { layers: i + 1 }),
        h("td", { "data-share": share }, asShare(share)),
      );
    const rows = reached.slice(0, joining({ reached }) ?? props.layers).map(row);
    shares.replaceChildren(h("caption", words("reached")), h("tbody", ...rows));
    cells.textContent = words("cells", {
      cells: asWhole(count),
      causal: asWhole(causal),
      share: asShare(count / causal),
      keys: asFixed(count / needs.length, 1),
      error: asNumber(error, 2),
    });
  };
  const describe = ({ cells: count, causal, reached }) => {
    const numbers = { cells: asWhole(count), causal: asWhole(causal), share: asShare(reached[layers() - 1]) };
    const all = joining({ reached });
    const joined = all === null ? "never" : all <= layers() ? "now" : "later";
    section.showLesson(
      words("lesson_pattern", { ...numbers, layers: layers(), joined, all: all ?? 0, most: props.layers }),
    );
  };
  const paint = () => {
    const { patterned } = demo.answers;
    if (!patterned) return;
    paintMap(patterned);
    paintShares(patterned);
    describe(patterned);
  };
  return { node, paint };
};

/** The table of a measure, "time" or "memory": a row for each way, a column for each length. */
const tableOf = (words, measure, { lengths, ways }) => {
  const row = ([way, key]) =>
    tableRow(
      { "data-way": key },
      words(`way_${key}`),
      ...ways[way][NUMBERS[measure]].map((value) => h("td", { "data-value": value }, number(value))),
    );
  const head = tableHead(words(`axis_${measure}`), ...lengths.map(asWhole));
  return h("table", head, h("tbody", ...Object.entries(WAYS).map(row)));
};

/** The measured cost of sparse and dense methods: {node, paint}. */
const makeCost = (section, props, measure) => {
  const { words, panel } = section;
  const { lengths, ways, shape } = props.measured;
  const container = h("div.place");
  const chart = makeChart(container, { label: words(`chart_${measure}`) });
  const counts = Object.entries(props.cells).map(([of, count]) => [of, asWhole(count)]);
  const node = h(
    "div.charted",
    container,
    tableOf(words, measure, props.measured),
    h("p.quiet", words("long", Object.fromEntries(counts))),
    panel.equation(2),
    section.recorded(props.measured, shape),
  );
  const names = props.charted.map((way) => words(`way_${WAYS[way]}`));
  const figure = {
    figures: props.charts[measure],
    keep: measure,
    x: words("tokens"),
    y: words(`axis_${measure}`),
    names,
  };
  const values = (way) => ways[way][NUMBERS[measure]];
  const [strided, dense] = ["strided", "fused, causal"].map((way) => values(way).at(-1));
  const at = ways.equation.megabytes.findLastIndex((value) => value !== null);
  const lesson = words(`lesson_${measure}`, {
    t: lengths.at(-1),
    strided: number(strided),
    dense: number(dense),
    times: asNumber(dense / strided, 2),
    at: lengths[at],
    equation: number(values("equation")[at]),
  });
  const paint = () => {
    chart.draw(figure);
    section.showLesson(lesson);
  };
  return { node, paint };
};

const addCheck = (section) => {
  const answer = async () => {
    const { reached } = await section.live.answered("patterned");
    const [share, second] = reached.map(asShare);
    const { kind, size, t } = section.live.view;
    const right = Math.min(joining({ reached }) ?? 3, 3) - 1;
    return { right, said: section.words("answer", { kind, size, t, share, second }) };
  };
  section.check({ shows: { show: "pattern" }, names: ["one", "two", "more"], answer });
};

export const mount = (section, props) => {
  const demo = section.demo(fieldsOf(props), { patterned: ["kind", "t", "size"] });
  const show = section.choice("show");
  const parts = {
    pattern: makePattern(section, props),
    time: makeCost(section, props, "time"),
    memory: makeCost(section, props, "memory"),
  };
  section.panel.tools.append(show.node);
  section.panel.picture.append(...Object.values(parts).map(({ node }) => node));

  section.tries({
    fixed: { show: "pattern", kind: "fixed" },
    local: { show: "pattern", kind: "local", step: 2 },
    time: { show: "time" },
  });
  addCheck(section);
  section.links(() => [["mask", { mask: demo.view.kind }]]);

  const paint = section.parts(Object.fromEntries(SHOWS.map((name) => [name, [parts[name]]])));
  section.needs({ pattern: "patterned" });
  section.begin(paint);
};
