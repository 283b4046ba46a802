// The pinned pass and the current pass side by side, with their differences: over all heads, and cell by cell for the
// selected head. Hidden while nothing is pinned. After a choice of another head, it is drawn when the page is idle.

import { eachFrame, h, isDark, isPresenting, shorten } from "../../../browser/lib/base.js";
import { gradient, makeImage, palette, signedAt, variable } from "../../../browser/lib/colour.js";
import { makeHeatMap } from "../../../browser/lib/heat_map.js";
import { asText, classInWords, quoted, say } from "../../../browser/lib/messages.js";
import { asNumber, asShare, asSigned } from "../../../browser/lib/numbers.js";
import { makePanel, onTheme, whileInView } from "../../../browser/lib/panel.js";
import { axisLabels, axisWords, quote } from "../lib/labels.js";
import { pixelOf } from "../lib/paint.js";
import { beside } from "../lib/pinned.js";
import { rowOf, shownNow } from "../lib/shown.js";
import { store } from "../lib/store.js";
import { lockPair } from "../lib/tokens.js";
import { alignedAt, joined } from "./align.js";

const LEAST = 0.02; // smallest end of the scale, as packed weights are no more exact
const SAME = 1e-5; // a difference below it is rounding
const TILE = 40; // most pixels of a head's side among all heads
const QUOTED = 60; // characters of a text
const place = ({ row, column }) => ({ query: row, key: column });
const isSame = () => beside.pass?.header.key === store.header.key;

/** Describes a pass in one line: its model, text, edits and prediction. */
const described = ({ model, text, edits, output, answer }) => {
  const changed = edits.length ? say("picture_edits", { count: edits.length }) : "";
  const verdicts = output?.classes
    ?.map((label, i) => ({ label: classInWords(label), prob: output.probs[i] }))
    .sort((a, b) => b.prob - a.prob);
  const [best] = verdicts ?? output?.next ?? [];
  const says = answer
    ? say("beside_answers", { text: answer.typed ?? answer.own })
    : best && say("beside_says", { says: verdicts ? "class" : "next", label: best.label, share: asShare(best.prob) });
  return [model, quoted(shorten(text, QUOTED)), changed, says].filter(Boolean).join(" · ");
};

const sides = ({ queries, keys }, unit) => ({
  labels: axisLabels(queries, unit),
  across: axisLabels(keys, unit),
  words: axisWords(queries, unit),
  wordsAcross: axisWords(keys, unit),
});

/** Converts signed numbers to pixels: 0 is in the middle of the scale. */
const diverging = (size) => {
  const { scores } = palette();
  return (value) => scores[signedAt(value / size)];
};

const headName = ({ layer, head }) => say("head_name", { layer, head });
const nameOf = ({ of, layer, head }) => (of === "head" ? headName({ layer, head }) : say(`of_${of}_name`, { layer }));

const drawMap = (part, { map, weights }, header) => {
  part.figure.hidden = false;
  const pixel = pixelOf(map, weights, 0);
  part.draw({
    ...sides(map, header.unit),
    pixel,
    hidden: map.hides ? (query, key) => key >= map.rowLength(query) : null,
    ...marks(map),
  });
};

/** The pair under the pointer or locked, in pictures that have this pair. */
const marks = (map, aligned = /** @type {any} */ (null)) => {
  const { hover, view } = store;
  let at = hover?.query != null ? hover : view.key !== null ? { query: view.token, key: view.key } : null;
  if (!at || at.query >= map.queries.length || at.key >= map.keys.length) return {};
  if (aligned) at = { query: alignedAt(aligned.rows, at.query), key: alignedAt(aligned.columns, at.key) };
  const colour = variable("mark");
  return {
    rows: [{ at: at.query, colour }],
    columns: [{ at: at.key, colour }],
    at: isPresenting() ? { row: at.query, column: at.key } : null,
  };
};

const weightAt = (shown, query, key) => (query === null || key === null ? 0 : (rowOf(shown, query)[key] ?? 0));

/** The message if there is nothing to compare yet, or a link has no room for both texts. */
const words = (was) => {
  if (beside.refused) return say("beside_refused", { model: beside.asked.model, why: beside.refused });
  if (!was) return say("beside_coming");
  if (isSame()) return say("beside_pinned", { pass: described(beside.header) });
  return beside.fits(store.header.text) ? "" : say("beside_long");
};

const SHOWN = ["pass", "map", "exact", "of", "layer", "head", "scale", "rev"];

export const mount = ({ element }) => {
  const { section, tools, body, foot } = makePanel(element, say("beside"));

  const low = h("span");
  const bar = h("i");
  const high = h("span");
  const legend = h("div.legend", h("span", say("beside_less")), low, bar, high, h("span", say("beside_more")));
  tools.append(legend, h("button.f-button", { onclick: beside.unpin }, say("unpin")));
  const hint = h("p.quiet");
  const all = h("p.finding", { role: "status" });
  const one = h("p.finding", { role: "status" });
  const readout = h("p.readout");
  const toCarry = () => document.querySelector(".former-carry .panel")?.scrollIntoView({ block: "start" });
  const which = h("button.f-link", { onclick: toCarry }, say("carry_from_here"));
  foot.append(hint, all, one, readout, h("p", which));

  /** A picture with its title and the name of its pass. `cells`: whether its rows and columns are those of the current
   *  map. */
  const frame = (name, events = {}) => {
    const [title, about, spot] = [h("h3", say(`beside_${name}`)), h("p.quiet"), h("div.spot")];
    const figure = h("section.beside-part", { "data-part": name }, title, about, spot);
    body.append(figure);
    const { canvas, draw } = makeHeatMap(spot, {
      label: say(`beside_${name}`),
      onpoint: () => {},
      onpick: () => {},
      ...events,
    });
    return { figure, about, canvas, draw };
  };
  const onCells = { onpoint: (at) => store.point(at && place(at)), onpick: (at) => lockPair(place(at)) };
  let pointed = null; // {layer, head} in the overview
  const heads = frame("heads", {
    onpoint: (at) => {
      pointed = at && { layer: at.row, head: at.column };
      tellPlace();
    },
    onpick: ({ row, column }) => store.set({ of: "head", layer: row, head: column }),
  });
  const before = frame("before", {
    onpoint: (at) => both && onCells.onpoint(at),
    onpick: (at) => both && onCells.onpick(at),
  });
  const after = frame("after", onCells);
  /** The pair on screen at a cell of the aligned maps; null if the text on screen lacks one of its tokens. */
  const onScreen = (at) => {
    const [query, key] = at ? [both?.rows[at.row]?.[1], both?.columns[at.column]?.[1]] : [];
    return query == null || key == null ? null : { query, key };
  };
  const change = frame("change", {
    onpoint: (at) => store.point(onScreen(at)),
    onpick: (at) => lockPair(onScreen(at)),
  });

  let both = null; // the selected head's {was, now, rows, columns, values, size, at, moved}, if they can be compared
  let moved = null; // of all heads: {of: the passes, image: their differences, shares: [layer][head]}

  // --- all heads -----------------------------------------------------------------------------------------------------

  /** Computes the differences of all heads as one image, each pooled so that no cell is lost, and the share of each
   *  head's attention that moved. */
  const measureHeads = (was, now, aligned) => {
    const of = [was, now, isDark()];
    if (moved?.of.every((each, i) => each === of[i])) return moved;
    const [rows, columns] = [aligned.rows.length, aligned.columns.length];
    const [w, high] = [Math.min(TILE, columns), Math.min(TILE, rows)];
    const pooled = new Float32Array(now.layers * now.heads * w * high);
    const wide = now.heads * w;
    let size = LEAST;
    const shares = Array.from({ length: now.layers }, (_, layer) =>
      Array.from({ length: now.heads }, (_, head) => {
        const found = beside.difference(was, was.approximate(layer, head), now, now.approximate(layer, head), aligned);
        size = Math.max(size, found.size);
        for (let query = 0; query < rows; query++)
          for (let key = 0; key < columns; key++) {
            const value = found.values[query * columns + key];
            const cell =
              (layer * high + Math.floor((query * high) / rows)) * wide + head * w + Math.floor((key * w) / columns);
            if (Math.abs(value) > Math.abs(pooled[cell])) pooled[cell] = value;
          }
        return found.moved;
      }),
    );
    const pixel = diverging(size);
    const image = makeImage(wide, now.layers * high, (x, y) => pixel(pooled[y * wide + x]));
    return (moved = { of, image, shares });
  };

  const paintHeads = (was, now) => {
    const aligned = was.layers === now.layers && was.heads === now.heads && beside.alignment(was, now);
    heads.figure.hidden = !aligned;
    if (!aligned) return void (moved = null);
    const { image } = measureHeads(was, now, aligned);
    const { layer, head, of } = store.view;
    const numbers = (count) => Array.from({ length: count }, (_, i) => `${i}`);
    heads.about.textContent = say("overview_axes");
    heads.draw({
      labels: numbers(now.layers),
      across: numbers(now.heads),
      image,
      at: of === "head" ? { row: layer, column: head } : null,
    });
  };

  /** Shows which head changed most, with a button that selects it. */
  const tellHeads = (was, now) => {
    if (!moved) {
      const shape = ({ layers, heads: count }) => say("beside_shape", { layers, heads: count });
      const other = was.layers !== now.layers || was.heads !== now.heads;
      return void all.replaceChildren(
        other ? say("beside_heads_differ", { before: shape(was), after: shape(now) }) : "",
      );
    }
    const each = moved.shares.flatMap((row, layer) => row.map((part, head) => ({ layer, head, part })));
    const most = each.reduce((a, b) => (b.part > a.part ? b : a));
    if (most.part < SAME) return void all.replaceChildren(say("beside_none", { count: each.length }));
    const mean = each.reduce((sum, { part }) => sum + part, 0) / each.length;
    const show = h(
      "button.f-link",
      { onclick: () => store.set({ of: "head", layer: most.layer, head: most.head }) },
      say("effects_show"),
    );
    all.replaceChildren(
      say("beside_most", {
        name: headName(most).toLowerCase(),
        share: asShare(most.part),
        mean: asShare(mean),
        count: each.length,
      }),
      " ",
      show,
    );
  };

  // --- the one head --------------------------------------------------------------------------------------------------

  const drawChange = () => {
    change.figure.hidden = legend.hidden = !both;
    if (!both) return;
    const { was, now, rows, columns, values } = both;
    const size = Math.max(LEAST, both.size);
    const pixel = diverging(size);
    const within = (map, query, key) => query !== null && key !== null && key < map.rowLength(query);
    const gap = (row) => rows[row].includes(null);
    const hidden = (row, column) =>
      gap(row) || [was, now].every(({ map }, side) => !within(map, rows[row][side], columns[column][side]));
    const { unit } = store.header;
    const queries = joined(was.map.queries, now.map.queries, rows);
    const keys = joined(was.map.keys, now.map.keys, columns);
    const gaps = rows.some((_, row) => gap(row)) || columns.some((pair) => pair.includes(null));
    const { masked } = palette();
    change.about.textContent = asText([say("beside_scale", { size: asNumber(size, 2) }), gaps && say("beside_gaps")]);
    change.draw({
      ...sides({ queries, keys }, unit),
      pixel: (row, column) => (hidden(row, column) ? masked : pixel(values[row * columns.length + column])),
      hidden: gaps || (now.map.hides && was.map.hides) ? hidden : null,
      ...marks(now.map, both),
    });
    bar.style.background = gradient(palette().scores);
    low.textContent = asSigned(-size, 2);
    high.textContent = asSigned(size, 2);
  };

  /** Describes the difference of the head, or says why there is none. */
  const tellHead = (was, now) => {
    if (!both) {
      const [of, to] = [was, now].map(({ map }) =>
        say("beside_cells", { rows: map.queries.length, columns: map.keys.length }),
      );
      return say("beside_shapes_differ", { before: of, after: to });
    }
    const [queries, keys] = [both.rows[both.at.row], both.columns[both.at.column]];
    const weight = (shown, side) => about(asNumber(weightAt(shown, queries[side], keys[side]), 3));
    const values = {
      name: nameOf(now),
      share: asShare(both.moved),
      query: quote(queries[1], now.map.queries),
      key: keys[1] === null ? quote(keys[0], was.map.keys) : quote(keys[1], now.map.keys),
      before: weight(was, 0),
      after: weight(now, 1),
    };
    return both.size < SAME ? say("beside_still", values) : say("beside_moved", values);
  };

  /** Writes a number, with ≈ until the exact ones have arrived. */
  const about = (number) => (both.was.exact && both.now.exact ? number : `≈ ${number}`);

  /** Describes the pair under the pointer, or the head under the pointer in the overview, with its numbers. */
  const tellPlace = () => {
    const { hover } = store;
    for (const name of ["query", "key", "change"]) delete readout.dataset[name];
    if (pointed && moved)
      return void (readout.textContent = say("beside_head", {
        name: headName(pointed),
        share: asShare(moved.shares[pointed.layer][pointed.head]),
      }));
    const [row, column] =
      both && hover?.query != null ? [alignedAt(both.rows, hover.query), alignedAt(both.columns, hover.key)] : [];
    const then = both?.rows[row]?.[0] ?? null;
    if (then === null) return void (readout.textContent = "");
    const { query, key } = hover;
    const { was, now } = both;
    const [first, second] = [weightAt(was, then, both.columns[column][0]), weightAt(now, query, key)];
    Object.assign(readout.dataset, { query, key, change: second - first });
    readout.textContent = say("beside_pair", {
      query: quote(query, now.map.queries),
      key: quote(key, now.map.keys),
      before: about(asNumber(first)),
      after: about(asNumber(second)),
      change: about(asSigned(second - first, 4)),
    });
  };

  const paint = () => {
    waiting = 0;
    const [now, was] = [shownNow(), beside.shown()];
    if (!inView() || !beside.asked || !now) return;
    const compared = was && !isSame();
    body.hidden = !compared;
    for (const part of [all, one, readout]) part.hidden = !compared;
    hint.textContent = words(was);
    if (!compared) {
      both = moved = null;
      legend.hidden = true;
    } else {
      const { header } = store;
      const pinned = beside.header;
      const aligned = beside.alignment(was.map, now.map);
      both = aligned && {
        ...{ was, now, ...aligned },
        ...beside.difference(was.map, was.weights, now.map, now.weights, aligned),
      };
      before.about.textContent = `${nameOf(was)} · ${described(pinned)}`;
      after.about.textContent = `${nameOf(now)} · ${described(header)}`;
      drawMap(before, was, pinned);
      drawMap(after, now, header);
      drawChange();
      paintHeads(was.map, now.map);
      tellHeads(was.map, now.map);
      one.textContent = tellHead(was, now);
      tellPlace();
      beside.loadExact();
    }
    element.dataset.shown = [
      was?.place,
      was?.exact ? "exact" : "approximate",
      now.layer,
      now.head,
      now.exact ? "exact" : "approximate",
    ].join(" ");
    element.dataset.rev = store.rev;
  };

  let waiting = 0;
  const soon = () => {
    if (!waiting) waiting = window.requestIdleCallback?.(paint, { timeout: 500 }) ?? setTimeout(paint, 60);
  };
  const inView = whileInView(section, soon);
  const point = eachFrame(() => {
    if (!both || !inView()) return;
    drawMap(before, both.was, beside.header);
    drawMap(after, both.now, store.header);
    drawChange();
    tellPlace();
  });

  beside.subscribe(element, (changed) => {
    if (changed.has("pinned")) element.hidden = !beside.asked;
    soon();
  });
  store.subscribe(element, (changed) => {
    if (!beside.asked) return;
    if (SHOWN.some((name) => changed.has(name))) soon();
    else if (["hover", "token", "key"].some((name) => changed.has(name))) point();
  });
  onTheme(soon);
};
