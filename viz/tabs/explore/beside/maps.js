// The selected head of two passes: its maps, their difference cell by cell, and the pair under the pointer.

import { isPresenting } from "../../../browser/lib/base.js";
import { gradient, palette, variable } from "../../../browser/lib/colour.js";
import { asText, say } from "../../../browser/lib/messages.js";
import { asNumber, asShare, asSigned } from "../../../browser/lib/numbers.js";
import { axisLabels, axisWords, quote, viewName } from "../lib/labels.js";
import { pixelOf } from "../lib/paint.js";
import { beside } from "../lib/pin.js";
import { isPending, rowOf } from "../lib/selection.js";
import { store } from "../lib/store.js";
import { lockPair } from "../lib/tokens.js";
import { alignedAt, eachDifference } from "./difference.js";
import { diverging, LEAST, makeFrame, SAME } from "./frames.js";

const sides = ({ queries, keys }, unit) => ({
  labels: axisLabels(queries, unit),
  across: axisLabels(keys, unit),
  words: axisWords(queries, unit),
  wordsAcross: axisWords(keys, unit),
});

/** The words formed by aligned bytes with these labels, with both names where they differ; null as axisWords. */
const joinedWords = (was, now, pairs, labels, unit) =>
  axisWords(labels, unit)?.map((word) => {
    const part = pairs.slice(word.from, word.to + 1);
    const [old, own] = [was, now].map((labels, side) => part.map((pair) => labels[pair[side]] ?? "").join(""));
    return old === own ? word : { ...word, name: `${old || "–"}|${own || "–"}` };
  });

/** The same as `sides` for the difference of two maps. */
const joinedSides = (was, now, { rows, columns, queries, keys }, unit) => ({
  ...sides({ queries, keys }, unit),
  words: joinedWords(was.queries, now.queries, rows, queries, unit),
  wordsAcross: joinedWords(was.keys, now.keys, columns, keys, unit),
});

/** Marks the pair under the pointer or locked: cellOf(at) is the cell in a picture for one of the map on screen, or
 *  null. */
const marks = (cellOf) => {
  const { hover, view } = store;
  const pair = hover?.query != null ? hover : view.key !== null ? { query: view.token, key: view.key } : null;
  const at = pair && cellOf({ row: pair.query, column: pair.key });
  if (!at) return {};
  const colour = variable("mark");
  return {
    rows: [{ at: at.row, colour }],
    columns: [{ at: at.column, colour }],
    at: isPresenting() ? at : null,
  };
};

const drawMap = (part, shown, header, cellOf) => {
  const { map, weights } = shown;
  part.canvas.classList.toggle("late", isPending(shown));
  if (isPending(shown)) return; // the canvas shows another
  const pixel = pixelOf(map, weights, 0);
  part.draw({
    ...sides(map, header.unit),
    pixel,
    hidden: map.hides ? (query, key) => map.hidden(query, key) : null,
    ...marks(cellOf),
  });
};

const weightAt = (shown, query, key) => (query === null || key === null ? 0 : (rowOf(shown, query)[key] ?? 0));

/** The difference of the selected head of two passes: the answer of `compare_maps` in map/maps.py, with the `values` of
 *  all cells, row by row, for their colours. */
const changeOf = (was, now, answer) => {
  const values = new Float32Array(answer.rows.length * answer.columns.length);
  eachDifference(was.map, was.weights, now.map, now.weights, answer, (row, column, value) => {
    values[row * answer.columns.length + column] = value;
  });
  return { ...answer, was, now, values };
};

/** Writes a number, with ≈ until the exact ones have arrived. */
const about = ({ was, now }, number) => (was.exact && now.exact ? number : `≈ ${number}`);

/** {hidden(row, column), gaps}: the cells that neither map has, and whether there are tokens that only one has. */
const gapsOf = ({ was, now, rows, columns }) => {
  const within = (map, query, key) => query !== null && key !== null && key < map.lengths[query];
  const gap = (row) => rows[row].includes(null);
  const hidden = (row, column) =>
    gap(row) || [was, now].every(({ map }, side) => !within(map, rows[row][side], columns[column][side]));
  return { hidden, gaps: rows.some((_, row) => gap(row)) || columns.some((pair) => pair.includes(null)) };
};

/** The scale of the differences: {less, bar, more} are elements that it is written into. */
const paintLegend = ({ less, bar, more }, size) => {
  bar.style.background = gradient(palette().scores);
  less.textContent = asSigned(-size, 2);
  more.textContent = asSigned(size, 2);
};

/** {compare(was, now, answer), clear(), draw(), describeHead(was, now), pair()}: compare draws all, with the answer of
 *  `compare_maps` or null; draw draws again what marks the pair under the pointer; pair() is that pair with its
 *  numbers, {words, data}. */
export const makeMaps = (body, scale) => {
  let both = null; // the difference of the passes that are shown
  let pending = false; // whether it is still to come
  /** The cell of the aligned maps at a cell of the map of one side, as in alignedAt. */
  const aligned = ({ row, column }, side) => ({
    row: alignedAt(both.rows, row, side),
    column: alignedAt(both.columns, column, side),
  });
  /** The cell of the map of one side at a cell of the aligned maps; null if that text lacks one of its tokens. */
  const cellOn = (side, at) => {
    const [row, column] = [both.rows[at.row]?.[side], both.columns[at.column]?.[side]];
    return row == null || column == null ? null : { row, column };
  };
  /** A picture whose cells select pairs on screen: onScreen(at) is the cell of the map on screen, or null. */
  const makeMap = (name, onScreen) => {
    const pairAt = (at) => {
      const cell = at && onScreen(at);
      return cell && { query: cell.row, key: cell.column };
    };
    return makeFrame(body, name, { onpoint: (at) => store.point(pairAt(at)), onpick: (at) => lockPair(pairAt(at)) });
  };
  const before = makeMap("before", (at) => both && cellOn(1, aligned(at, 0)));
  const after = makeMap("after", (at) => at);
  const change = makeMap("change", (at) => both && cellOn(1, at));

  const clear = () => {
    both = null;
    change.figure.hidden = scale.legend.hidden = true;
  };
  clear();

  const drawChange = () => {
    change.canvas.classList.toggle("late", pending); // it shows another difference, if any
    if (!pending) change.figure.hidden = scale.legend.hidden = !both;
    if (!both) return;
    const { was, now, columns, values } = both;
    const size = Math.max(LEAST, both.largest.size);
    const pixel = diverging(size);
    const { hidden, gaps } = gapsOf(both);
    const { masked } = palette();
    change.about.textContent = asText([say("beside_scale", { size: asNumber(size, 2) }), gaps && say("beside_gaps")]);
    change.draw({
      ...joinedSides(was.map, now.map, both, store.header.unit),
      pixel: (row, column) => (hidden(row, column) ? masked : pixel(values[row * columns.length + column])),
      hidden: gaps || (now.map.hides && was.map.hides) ? hidden : null,
      ...marks((at) => aligned(at, 1)),
    });
    paintLegend(scale, size);
  };
  const draw = (was, now) => {
    drawMap(before, was, beside.header, (at) => both && cellOn(0, aligned(at, 1)));
    drawMap(after, now, store.header, (at) => at);
    drawChange();
  };

  /** Describes the difference of the head, or says why there is none. */
  const describeHead = (was, now) => {
    if (pending) return "";
    if (!both) {
      const [of, to] = [was, now].map(({ map }) =>
        say("beside_cells", { rows: map.queries.length, columns: map.keys.length }),
      );
      return say("beside_shapes_differ", { before: of, after: to });
    }
    const { row, column, size } = both.largest;
    const [queries, keys] = [both.rows[row], both.columns[column]];
    return say(size < SAME ? "beside_still" : "beside_moved", {
      name: viewName(now),
      share: asShare(both.share),
      query: quote(queries[1], now.map.queries),
      key: keys[1] === null ? quote(keys[0], was.map.keys) : quote(keys[1], now.map.keys),
      before: asNumber(both.largest.before, 3),
      after: asNumber(both.largest.after, 3),
    });
  };

  const pair = () => {
    const { hover } = store;
    if (!both || hover?.query == null) return { words: "", data: {} };
    const { query, key } = hover;
    const { was, now, rows, columns } = both;
    const then = rows[alignedAt(rows, query)]?.[0] ?? null;
    if (then === null) return { words: "", data: {} };
    const first = weightAt(was, then, columns[alignedAt(columns, key)][0]);
    const second = weightAt(now, query, key);
    const names = { query: quote(query, now.map.queries), key: quote(key, now.map.keys) };
    const [earlier, later] = [first, second].map((weight) => about(both, asNumber(weight)));
    const change = about(both, asSigned(second - first, 4));
    const words = say("beside_pair", { ...names, before: earlier, after: later, change });
    return { words, data: { query, key, change: second - first } };
  };

  const compare = (was, now, answer, [ofWas, ofNow]) => {
    pending = !answer || isPending(was) || isPending(now);
    both = !pending && answer.rows ? changeOf(was, now, answer) : null;
    before.about.textContent = ofWas;
    after.about.textContent = ofNow;
    draw(was, now);
  };
  return { compare, describeHead, pair, draw: () => both && draw(both.was, both.now), clear };
};
