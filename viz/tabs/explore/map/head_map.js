// The selected map in large: queries down, keys across.

import { eachFrame, h, isDark, isPresenting, setText } from "../../../browser/lib/base.js";
import { makeImage, variable } from "../../../browser/lib/colour.js";
import { makeLegend } from "../../../browser/lib/heat_map/legend.js";
import { makeHeatMap } from "../../../browser/lib/heat_map.js";
import { keys } from "../../../browser/lib/keys.js";
import { say } from "../../../browser/lib/messages.js";
import { makePanel, onAppearance } from "../../../browser/lib/panel.js";
import { axisLabels, axisWords, quote, viewName } from "../lib/labels.js";
import { readingOf } from "../lib/legend.js";
import { pixelOf, valuesOf } from "../lib/paint.js";
import { isOff } from "../lib/pass.js";
import { isPending, pairOf, rowOf, shownNow } from "../lib/selection.js";
import { store } from "../lib/store.js";
import { lockPair } from "../lib/tokens.js";

const FAINT = 0.25; // a row whose largest weight is smaller is hardly visible on the scale from 0 to 1

const press = (event) => {
  const { arrows, clamp } = keys;
  const shown = shownNow();
  if (!shown || keys.modified(event)) return;
  const { query, key } = pairOf(shown);
  const arrow = arrows[event.key];
  if (arrow) {
    const [down, right] = arrow;
    store.point({
      query: clamp(query + down, shown.map.queries.length),
      key: clamp(key + right, shown.map.keys.length),
    });
  } else if (event.key === "Enter" || event.key === " ") lockPair({ query, key });
  else return;
  event.preventDefault();
};

/** Whether scores are shown: they are requested, and the view has some; a mean and a rollout have none. */
const mode = () => (store.view.show === "scores" && store.view.of === "head" ? "scores" : "weights");

/** The surroundings of a map's cells, the same for all its heads. */
const aroundOf = (map) => ({
  labels: axisLabels(map.queries),
  across: axisLabels(map.keys),
  words: axisWords(map.queries),
  wordsAcross: axisWords(map.keys),
  titles: [`← ${say("query")}`, map.memory ? say("key_memory", { count: map.memory.columns }) : `${say("key")} →`],
  edge: map.memory && { column: map.memory.columns },
  hidden: map.hides ? (query, key) => map.hidden(query, key) : null,
  fill: !map.square, // rows and columns are different tokens, so cells need not be square
});

/** The mark on the locked row, the crosshair on the pair under the pointer. */
const bands = () => {
  const { hover, view } = store;
  const [mark, ink] = [variable("mark"), variable("text")];
  const [rows, columns] = /** @type {any[][]} */ ([[], []]);
  const band = (query, key, colour, line) => {
    rows.push({ at: query, colour, line });
    if (key != null) columns.push({ at: key, colour, line });
  };
  if (view.token !== null) band(view.token, view.key, mark, 2);
  if (hover?.query != null) band(hover.query, hover.key, ink, 1);
  else if (hover && view.token === null) band(hover.token, store.map.square ? hover.token : null, ink, 1);
  const at = hover?.query != null ? hover : view.key !== null ? { query: view.token, key: view.key } : null;
  return { rows, columns, at: isPresenting() && at ? { row: at.query, column: at.key } : null };
};

/** Whether most rows are so even that the scale from 0 to 1 hardly shows them. */
const isFaint = (shown) => {
  const faint = shown.map.queries.filter((_, query) => rowOf(shown, query).every((weight) => weight < FAINT));
  return faint.length > 0.7 * shown.map.queries.length;
};

/** Whether a pair is under the pointer or locked. */
const pairShown = () => Boolean(store.hover) || store.view.token !== null;

export const mount = ({ element }) => {
  const { title, tools, body, foot } = makePanel(element, say("map"));
  const readout = h("p.readout", { "aria-live": "polite" });
  const legend = makeLegend(tools);
  const offer = h(
    "p.quiet.offer",
    say("map_faint"),
    " ",
    h("button.f-link", { onclick: () => store.set({ scale: "row" }) }, say("map_per_row")),
  );
  // always exactly one of them: a further line would change the map's height from head to head
  foot.append(offer, readout);

  const picture = makeHeatMap(body, {
    label: say("map_label"),
    onpoint: (at) => store.point(at && { query: at.row, key: at.column }),
    onpick: ({ row, column }) => lockPair({ query: row, key: column }),
    onkey: press,
  });
  picture.canvas.setAttribute("aria-roledescription", say("map"));

  let painted = null; // {what, image}: the last painted cells

  /** The cells of the view as an image, painted once for each choice, and the largest score. */
  const paintCells = (shown) => {
    const what = [
      store.header.key,
      shown.map.name,
      shown.of,
      shown.layer,
      shown.head,
      mode(),
      store.view.scale,
      isDark(),
      Boolean(shown.exact),
    ].join();
    if (painted?.what === what) return painted;
    const { values, size } = valuesOf(shown);
    const pixel = pixelOf(shown.map, values, size);
    const image = makeImage(
      shown.map.keys.length,
      shown.map.queries.length,
      (key, query) => pixel(query, key),
      painted?.image,
    );
    return (painted = { what, image, size });
  };

  const paint = eachFrame(() => {
    const shown = shownNow();
    element.hidden = store.view.view !== "map";
    if (!shown || element.hidden) return;
    const { layer, head, of, scale } = store.view;
    const name = viewName(store.view);
    const off = of === "head" && isOff(store.header, shown.map, layer, head);
    setText(title, off ? say("head_off", { name }) : name);
    const late = isPending(shown) || (mode() === "scores" && !shown.vectors); // the canvas shows another map
    picture.canvas.classList.toggle("late", late);
    describe(shown);
    if (late) return; // painted as soon as the weights, or q and k, arrive
    const { image, size } = paintCells(shown);
    const { map } = shown;
    legend(mode(), scale, size, map);
    if (around?.map !== map) around = { map, ...aroundOf(map) };
    offer.hidden = pairShown() || scale !== "linear" || mode() === "scores" || !isFaint(shown);
    readout.hidden = !offer.hidden;
    picture.draw({
      ...around,
      image,
      ...bands(),
    });
    element.dataset.shown = [of, layer, head, mode(), scale, shown.exact ? "exact" : "approximate"].join(" ");
    element.dataset.rev = store.rev;
  });

  let around = null; // the surroundings of the last painted map

  /** Describes the pair with the exact numbers, or with ≈ until they arrive. */
  const describe = (shown) => {
    const pair = pairShown() ? pairOf(shown) : null;
    for (const name of ["query", "key", "weight", "score"]) delete readout.dataset[name];
    if (!pair) return setText(readout, say("map_hint"));
    const { query, key } = pair;
    const reading = readingOf(shown, query, key);
    Object.assign(readout.dataset, reading.data);
    const label = `${quote(query, shown.map.queries)} → ${quote(key, shown.map.keys)}`;
    setText(readout, say("labelled", { label, value: reading.words }));
  };

  store.subscribe(element, paint);
  onAppearance(paint);
};
