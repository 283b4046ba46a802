// Position vectors as pictures: the vectors, the similarity of any two of them, and one position compared with all
// others.

import { answerTo, bytes, newest, whyNot } from "../../browser/lib/ask.js";
import { eachFrame, h, isDark, isPresenting } from "../../browser/lib/base.js";
import { makeChart } from "../../browser/lib/chart.js";
import { makeImage, palette, signedAt, variable } from "../../browser/lib/colour.js";
import { makeHeatMap } from "../../browser/lib/heat_map.js";
import { asList, asText, say } from "../../browser/lib/messages.js";
import { asNumber } from "../../browser/lib/numbers.js";
import { makePanel, onTheme } from "../../browser/lib/panel.js";
import { permuting } from "./lib/permuting.js";

/** The length of the axis: learned vectors end with the trained length, and the rest of the axis is empty. */
const span = ({ trained }) => 2 * trained;

const dot = (levels, { emb }, a, b) => {
  let sum = 0;
  for (let i = 0, [from, to] = [a * emb, b * emb]; i < emb; i++) sum += levels[from + i] * levels[to + i];
  return sum;
};

const numbers = (count, first = 0) => Array.from({ length: count }, (_, i) => i + first);

/** Describes the similarity of the selected position to near and far ones. */
const neighbours = (table, row, at) => {
  const said = [1, 10, 100]
    .filter((step) => at + step < table.rows)
    .map((step) => say("permute_at_distance", { step, value: asNumber(row[at + step], 3) }));
  return say("permute_neighbours", { at, said: asList(said), unit: say(`permute_product_${permuting.view.product}`) });
};

export const mount = ({ element, props }) => {
  const { tools, body, foot } = makePanel(element, say("permute_tables"));
  const tables = props.value;
  const held = {}; // key → {levels, norms, maps, figures: of the curve}
  const source = h(
    "select",
    { "aria-label": say("permute_table"), onchange: () => permuting.set({ table: source.value }) },
    ...tables.map(({ name, kind, trained, emb }) =>
      h("option", { value: name }, say(`permute_table_${kind}`, { name, trained, emb })),
    ),
  );
  const product = permuting.choice("product", permuting.fields.product.choices);

  /** A map of positions: a click or the keys select one, and the pair under the pointer is described. */
  const figure = (name) => {
    const [heading, place] = [h("h3"), h("div.place")];
    const picture = makeHeatMap(place, {
      label: say(`permute_${name}_label`),
      onpoint: (at) => point(at && { map: name, position: at.row, other: at.column }),
      onpick: ({ row }) => choose(row),
      onkey: byKey,
    });
    picture.canvas.dataset.map = name;
    return { heading, picture, node: h("figure", { class: name }, heading, place) };
  };
  const byKey = (event) => {
    const step = { ArrowUp: -1, ArrowDown: 1, PageUp: -32, PageDown: 32 }[event.key];
    if (!step) return;
    event.preventDefault();
    hover = null;
    choose(permuting.view.at + step);
  };
  const [vectors, pairs] = [figure("vectors"), figure("pairs")];
  const curveHeading = h("h3");
  const curvePlace = h("div.place");
  const curve = makeChart(curvePlace, {
    label: say("permute_curve_label"),
    onread: (other) => point(other === null ? null : { map: "pairs", position: position(current()), other }),
    onclick: (other) => choose(other),
  });
  const readout = h("p.readout", { "aria-live": "polite" });
  const note = h("p.quiet");
  tools.append(source, product.node);
  body.append(h("div.figures", vectors.node, pairs.node, h("figure.curve", curveHeading, curvePlace)));
  foot.append(readout, note);
  let hover = null; // {map, position, other: of a pair, or the index of a number in a vector}

  const current = () => tables.find(({ name }) => name === permuting.view.table) ?? tables[0];

  const questions = newest({
    take: ({ key, ...table }) => {
      held[key] = table;
      permuting.complain(null, "error", "table");
      paint();
    },
    fail: (error) => permuting.complain(whyNot(error), "error", "table"),
  });
  const fetchTable = ({ key, rows, emb, scale }) =>
    questions.ask(key, async (signal) => {
      const path = `/positions/${key}`;
      const [numbers, figures] = await Promise.all([bytes(path, signal), answerTo(`${path}/chart`, null, signal)]);
      const levels = new Int16Array(numbers);
      const norms = Float64Array.from({ length: rows }, (_, row) => Math.sqrt(dot(levels, { emb }, row, row)) * scale);
      return { key, levels, norms, maps: {}, figures };
    });

  /** The similarity of two positions: the dot product of their vectors, or the cosine of the angle between them. */
  const alike = (table, a, b) => {
    const { levels, norms } = held[table.key];
    const product = dot(levels, table, a, b) * table.scale ** 2;
    return permuting.view.product === "dot" ? product : product / (norms[a] * norms[b] || 1);
  };
  const most = (table) => (permuting.view.product === "dot" ? Math.max(...held[table.key].norms) ** 2 : 1);

  /** The two pictures with one pixel per number; made once for each table, product and theme. */
  const draw = (table) => {
    const { levels, maps } = held[table.key];
    const { scores, masked } = palette();
    const theme = isDark();
    maps[`vectors ${theme}`] ??= makeImage(table.emb, span(table), (x, y) =>
      y < table.rows ? scores[signedAt(levels[y * table.emb + x] / 32767)] : masked,
    );
    const name = `pairs ${permuting.view.product} ${theme}`;
    if (!maps[name]) {
      const { rows } = table;
      const [full, all] = [most(table), new Uint8Array(rows * rows)];
      for (let a = 0; a < rows; a++)
        for (let b = 0; b <= a; b++) all[a * rows + b] = all[b * rows + a] = signedAt(alike(table, a, b) / full);
      maps[name] = makeImage(rows, rows, (x, y) => scores[all[y * rows + x]]);
    }
    return { vectors: maps[`vectors ${theme}`], pairs: maps[name] };
  };

  /** The position compared with all others: under the pointer, else selected. */
  const position = (table) => Math.min(hover?.position ?? permuting.view.at, table.rows - 1);

  const paint = eachFrame(() => {
    const table = current();
    if (!table) return void body.replaceChildren(h("p", say("permute_no_tables")));
    source.value = table.name;
    product.update();
    if (!held[table.key]) return void fetchTable(table);
    const made = draw(table);
    const at = position(table);
    const { emb, rows, trained } = table;
    const hidden = rows < span(table) ? (row) => row >= rows : null;
    vectors.picture.draw({
      fill: true,
      labels: numbers(span(table)),
      across: numbers(emb, 1),
      image: made.vectors,
      hidden,
      edge: { row: trained },
      ...marks("vectors", at),
    });
    const edge = rows > trained ? { row: trained, column: trained } : null;
    pairs.picture.draw({ fill: true, labels: numbers(rows), image: made.pairs, edge, ...marks("pairs", at) });
    tell(table, at);
    element.dataset.table = table.name;
    element.dataset.at = at;
    element.dataset.product = permuting.view.product;
  });

  /** Marks the position in a map, and the place under the pointer in its row. */
  const marks = (map, at) => {
    const [colour, other] = [variable("text"), hover?.map === map ? hover.other : null];
    const mark = (i) => ({ at: i, colour, line: 1 });
    if (other === null) return { rows: [mark(at)] };
    return { rows: [mark(at)], columns: [mark(other)], at: isPresenting() ? { row: at, column: other } : null };
  };

  const tell = (table, at) => {
    const unit = say(`permute_product_${permuting.view.product}`);
    vectors.heading.textContent = say("permute_vectors", { emb: table.emb });
    pairs.heading.textContent = say("permute_pairs_map", { unit });
    curveHeading.textContent = say("permute_curve", { unit, at });
    const row = Float64Array.from({ length: table.rows }, (_, other) => alike(table, at, other));
    drawCurve(table, row, at);
    const limits = { trained: table.trained, last: table.trained - 1, error: asNumber(table.error, 2) };
    note.textContent = asText([say(`permute_note_${table.kind}`, limits), say("permute_precision", limits)]);
    readout.dataset.value = "";
    if (!hover) return void (readout.textContent = neighbours(table, row, at));
    if (hover.position >= table.rows)
      return void (readout.textContent = say("permute_no_vector", { at: hover.position, last: table.rows - 1 }));
    const value =
      hover.map === "pairs" ? row[hover.other] : held[table.key].levels[at * table.emb + hover.other] * table.scale;
    readout.dataset.value = value;
    readout.textContent = say(`permute_${hover.map}_reading`, {
      at,
      other: hover.map === "pairs" ? hover.other : hover.other + 1,
      value: asNumber(value),
      unit,
    });
  };

  /** Python's figure with this row, which is computed here so that it follows the pointer. */
  const drawCurve = (table, row, at) => {
    const { product } = permuting.view;
    const shown = `${table.key} ${product} ${at}`;
    if (shown === drawn) return;
    drawn = shown;
    const full = most(table);
    const change = (data, layout) => {
      const [line, mark] = data;
      [line.y, mark.x, mark.y] = [[...row], [at], [row[at]]];
      layout.yaxis.range = [-1.05 * full, 1.05 * full];

      for (const shape of layout.shapes)
        if (shape.type === "rect") shape.label = { text: say("permute_beyond_short"), textposition: "top center" };
    };
    const titles = { x: say("permute_position"), y: say(`permute_product_${product}`) };
    curve.draw({ figures: held[table.key].figures, keep: `${table.key} ${product}`, ...titles, change });
  };
  let drawn = ""; // the content of the curve

  const point = (found) => {
    hover = found;
    paint();
  };
  const choose = (position) => permuting.set({ at: Math.max(0, Math.min(current().rows - 1, position)) });

  permuting.subscribe(element, (changed) => {
    if (changed.has("table")) hover = null;
    if (["table", "product", "at", "permuted"].some((name) => changed.has(name))) paint();
  });
  onTheme(paint);
};
