// Position vectors as pictures: the vectors, the similarity of any two of them, and one position compared with all
// others.

import { answerTo, newest, whyNot } from "../../browser/lib/ask.js";
import { eachFrame, h, isPresenting } from "../../browser/lib/base.js";
import { makeChart } from "../../browser/lib/chart.js";
import { variable } from "../../browser/lib/colour.js";
import { makeHeatMap } from "../../browser/lib/heat_map.js";
import { keys } from "../../browser/lib/keys.js";
import { asList, asText, say } from "../../browser/lib/messages.js";
import { asNumber } from "../../browser/lib/numbers.js";
import { makePanel, onAppearance } from "../../browser/lib/panel.js";
import { site } from "../../browser/lib/site.js";
import { permuting } from "./lib/permuting.js";
import { alike, fetchVectors, mostAlike, picturesOf, span, vectorsOf } from "./lib/position_vectors.js";

const STEPS = { ArrowUp: -1, ArrowDown: 1, PageUp: -32, PageDown: 32 };

const numbers = (count, first = 0) => Array.from({ length: count }, (_, i) => i + first);

/** Describes the similarity of the selected position to near and far ones, as Python computes it. */
const neighbours = ({ at, near, product }) => {
  const said = near.map((value, i) =>
    say("permute_at_distance", { step: site.limits.near[i], value: asNumber(value, 3) }),
  );
  return say("permute_neighbours", { at, said: asList(said), unit: say(`permute_product_${product}`) });
};

/** The menu of the tables: {node, current() → the one that is shown}. */
const makeMenu = (tables) => {
  const onchange = () => permuting.set({ table: node.value });
  const option = ({ name, kind, trained, emb }) =>
    h("option", { value: name }, say(`permute_table_${kind}`, { name, trained, emb }));
  const node = h("select", { "aria-label": say("permute_table"), onchange }, ...tables.map(option));
  return { node, current: () => tables.find(({ name }) => name === permuting.view.table) ?? tables[0] };
};

/** A map of positions: a click or the keys select one, and the pair under the pointer is described. {node, heading,
 *  draw}. */
const makeFigure = (name, { point, choose, step }) => {
  const [heading, container] = [h("h3"), h("div.place")];
  const { canvas, draw } = makeHeatMap(container, {
    label: say(`permute_${name}_label`),
    onpoint: (at) => point(at && { map: name, position: at.row, other: at.column }),
    onpick: ({ row }) => choose(row),
    onkey: (event) => {
      if (!STEPS[event.key] || keys.modified(event)) return;
      event.preventDefault();
      step(STEPS[event.key]);
    },
  });
  canvas.dataset.map = name;
  return { heading, draw, node: h("figure", { class: name }, heading, container) };
};

/** The similarity of a position to all others as a curve: {node, heading, draw(table, row, at)}. */
const makeCurve = (handlers) => {
  const [heading, container] = [h("h3"), h("div.place")];
  const chart = makeChart(container, { label: say("permute_curve_label"), ...handlers });
  let drawn = ""; // the content of the curve
  /** Python's figure with this row: it follows the pointer, so it is computed here. */
  const draw = (table, row, at) => {
    const { product } = permuting.view;
    const now = `${table.key} ${product} ${at}`;
    if (now === drawn) return;
    drawn = now;
    const full = mostAlike(table);
    const change = ([line, mark], layout) => {
      [line.y, mark.x, mark.y] = [[...row], [at], [row[at]]];
      layout.yaxis.range = [-1.05 * full, 1.05 * full];
      for (const shape of layout.shapes)
        if (shape.type === "rect") shape.label = { text: say("permute_beyond_short"), textposition: "top center" };
    };
    const titles = { x: say("permute_position"), y: say(`permute_product_${product}`) };
    chart.draw({ figures: vectorsOf(table).figures, keep: `${table.key} ${product}`, ...titles, change });
  };
  return { node: h("figure.curve", heading, container), heading, draw };
};

/** Marks the position in a map, and the number under the pointer in its row. */
const marks = (at, other) => {
  const mark = (i) => ({ at: i, colour: variable("text"), line: 1 });
  if (other === null) return { rows: [mark(at)] };
  return { rows: [mark(at)], columns: [mark(other)], at: isPresenting() ? { row: at, column: other } : null };
};

/** Describes the cell under the pointer, {words, value}: a pair, or a number of a vector. Follows the pointer, so it is
 *  computed here. */
const readingOf = (table, row, at, hover) => {
  const unit = say(`permute_product_${permuting.view.product}`);
  const { map, position, other } = hover;
  if (position >= table.rows)
    return { words: say("permute_no_vector", { at: position, last: table.rows - 1 }), value: "" };
  const isPair = map === "pairs";
  const value = isPair ? row[other] : vectorsOf(table).levels[at * table.emb + other] * table.scale;
  const values = { at, other: isPair ? other : other + 1, value: asNumber(value), unit };
  return { words: say(`permute_${map}_reading`, values), value };
};

export const mount = ({ element, props }) => {
  const { tools, body, foot } = makePanel(element, say("permute_tables"));
  const menu = makeMenu(props.value);
  const { current } = menu;
  const product = permuting.choice("product");
  let hover = null; // {map, position, other: of a pair, or the index of a number in a vector}
  const point = (cell) => {
    hover = cell;
    paint();
  };
  const choose = (position) => permuting.set({ at: Math.max(0, Math.min(current().rows - 1, position)) });
  const step = (by) => {
    hover = null;
    choose(permuting.view.at + by);
  };
  const handlers = { point, choose, step };
  const [vectors, pairs] = ["vectors", "pairs"].map((name) => makeFigure(name, handlers));
  const curve = makeCurve({
    onread: (other) => point(other === null ? null : { map: "pairs", position: position(current()), other }),
    onclick: choose,
  });
  const readout = h("p.readout", { "aria-live": "polite" });
  const note = h("p.quiet");
  tools.append(menu.node, product.node);
  body.append(h("div.figures", vectors.node, pairs.node, curve.node));
  foot.append(readout, note);

  let compared = null; // Python's comparison of the position that was selected last, with its `name`
  const [questions, comparison] = ["table", "position"].map((name) =>
    newest({
      take: (answer) => {
        if (name === "position") compared = answer;
        permuting.complain(null, "error", name);
        paint();
      },
      fail: (error) => permuting.complain(whyNot(error), "error", name),
    }),
  );

  /** Requests the comparison of the selected position; returns whether it has arrived. */
  const compare = (table, at) => {
    const { product } = permuting.view;
    const name = [table.name, at, product].join(" ");
    if (compared?.name === name) return true;
    const view = { table: table.name, at, product };
    comparison.ask(name, async (signal) => ({
      ...view,
      ...(await answerTo("/ask/position-maps/similarity", view, signal)),
      name,
    }));
    return false;
  };

  /** The position compared with all others: under the pointer, else selected. */
  const position = (table) => Math.min(hover?.position ?? permuting.view.at, table.rows - 1);

  const drawMaps = (table, at) => {
    const { emb, rows, trained } = table;
    const pictures = picturesOf(table);
    const other = (name) => (hover?.map === name ? hover.other : null);
    vectors.draw({
      fill: true,
      labels: numbers(span(table)),
      across: numbers(emb, 1),
      image: pictures.vectors,
      hidden: rows < span(table) ? (row) => row >= rows : null,
      edge: { row: trained },
      ...marks(at, other("vectors")),
    });
    const edge = rows > trained ? { row: trained, column: trained } : null;
    const image = pictures.pairs;
    pairs.draw({ fill: true, labels: numbers(rows), image, edge, ...marks(at, other("pairs")) });
  };
  const describe = (table, row, at) => {
    const unit = say(`permute_product_${permuting.view.product}`);
    vectors.heading.textContent = say("permute_vectors", { emb: table.emb });
    pairs.heading.textContent = say("permute_pairs_map", { unit });
    curve.heading.textContent = say("permute_curve", { unit, at });
    const limits = { trained: table.trained, last: table.trained - 1, error: asNumber(table.error, 2) };
    note.textContent = asText([say(`permute_note_${table.kind}`, limits), say("permute_precision", limits)]);
    if (!hover && !compare(table, at)) return; // the text stays until the answer arrives
    const { words, value } = hover ? readingOf(table, row, at, hover) : { words: neighbours(compared), value: "" };
    Object.assign(readout.dataset, { value, compared: hover ? "" : compared.name });
    readout.textContent = words;
  };
  const paint = eachFrame(() => {
    const table = current();
    if (!table) return void body.replaceChildren(h("p", say("permute_no_tables")));
    menu.node.value = table.name;
    product.update();
    if (!vectorsOf(table)) return void questions.ask(table.key, (signal) => fetchVectors(table, signal));
    const at = position(table);
    const row = Float64Array.from({ length: table.rows }, (_, other) => alike(table, at, other));
    drawMaps(table, at);
    curve.draw(table, row, at);
    describe(table, row, at);
    Object.assign(element.dataset, { table: table.name, at, product: permuting.view.product });
  });

  permuting.subscribe(element, (changed) => {
    if (changed.has("table")) hover = null;
    if (["table", "product", "at", "permuted"].some((name) => changed.has(name))) paint();
  });
  onAppearance(paint);
};
