// The chosen map, large: queries down, keys across. The cells are painted once a choice; the crosshair has a canvas of
// its own, so pointing costs little.
const { h, say, store, eachFrame } = former;
const { section, title, tools, body, foot } = former.panel(element, say("map"));
const cells = document.createElement("canvas"); // one pixel a cell, never on the page
const map = h("canvas", { "aria-hidden": "true" });
const cross = h("canvas", { tabindex: 0, role: "application", "aria-roledescription": say("map"), "aria-label": say("map_label") });
const readout = h("p", { class: "readout", "aria-live": "polite" });
const legend = former.legend(tools);
body.append(map, cross);
foot.append(readout);

let frame = null; // {left, top, width, height}: where the cells are, in CSS pixels
let axes = null; // see former.axes
let crossed = ""; // the size of the crosshair's canvas
let drawn = false; // whether there is anything on it
let framed = ""; // what the axes were drawn for

/** Raw scores where they are asked for and there are any: a mean and a rollout have none. */
const mode = () => (store.view.show === "scores" && store.view.of === "head" ? "scores" : "weights");

const paint = eachFrame(() => {
  const shown = former.shown();
  element.hidden = store.view.view !== "map";
  if (!shown || element.hidden || !size.width) return;
  const { layer, head, of, scale } = store.view;
  const named = of === "head" ? say("head_name", { layer, head }) : say(`of_${of}_name`, { layer });
  title.textContent = named;
  map.classList.toggle("late", mode() === "scores" && !shown.vectors); // what is on it is of another head
  if (mode() === "scores" && !shown.vectors) return; // painted as soon as q and k are here
  let most = 0;
  if (mode() === "scores") {
    const { scores } = former.recompute(shown.map, shown.vectors);
    most = scores.reduce((so, score) => Math.max(so, Math.abs(score)), 1e-9);
    former.paintMap(cells, shown.map, scores, most);
  } else former.paintMap(cells, shown.map, shown.weights);
  legend(mode(), scale, most, shown.map.hides);
  place(shown.map);
  element.dataset.shown = [of, layer, head, mode(), scale, shown.exact ? "exact" : "approximate"].join(" ");
  element.dataset.rev = store.rev;
  paintCross();
});

/** The cells inside their frame; the axes around it only where they are new. */
const place = (of) => {
  const { width } = size;
  const height = former.isStacked() && !section.classList.contains("maximised") ? Math.min(width, 440) : size.height;
  const ratio = former.pixelRatio(map);
  const context = map.getContext("2d");
  const wanted = [store.pass.header.key, of.name, width, height, former.isDark(), ratio].join();
  if (wanted !== framed) {
    framed = wanted;
    axes = former.axes(of, width, height);
    frame = axes.frame;
    former.fit(map, width, height);
    axes.draw(context);
  }
  context.imageSmoothingEnabled = of.keys.length > frame.width * ratio;
  context.drawImage(cells, frame.left, frame.top, frame.width, frame.height);
};

/** The crosshair on what is pointed at, the mark on what is locked. */
const paintCross = eachFrame(() => {
  const shown = former.shown();
  if (!shown || !frame || element.hidden) return;
  const wide = [map.width, map.height].join();
  const { hover, view } = store;
  if (wide === crossed && !drawn && !hover && view.token === null) return void tell(shown);
  [crossed, drawn] = [wide, Boolean(hover) || view.token !== null];
  const context = former.fit(cross, parseFloat(map.style.width), parseFloat(map.style.height));
  const { token, key } = view;
  if (token !== null) band(context, token, key, former.variable("mark"), 2);
  if (hover?.query != null) band(context, hover.query, hover.key, former.variable("text"), 1);
  else if (hover && token === null) band(context, hover.token, hover.token, former.variable("text"), 1);
  tell(shown);
});

const band = (context, query, key, colour, line) => {
  const { keys, queries } = store.map;
  const [w, hgt] = [frame.width / keys.length, frame.height / queries.length];
  context.strokeStyle = colour;
  context.lineWidth = line;
  context.strokeRect(frame.left, frame.top + query * hgt, frame.width, Math.max(hgt, 2));
  if (key != null) context.strokeRect(frame.left + key * w, frame.top, Math.max(w, 2), frame.height);
  axes.mark(context, query, key, colour);
  if (key != null) former.laser(context, frame.left + key * w, frame.top + query * hgt, w, hgt);
};

/** The pair in words, with the model's own numbers: ≈ until they are here. */
const tell = (shown) => {
  const { hover, view } = store;
  const pair = hover || view.token !== null ? former.pair(shown) : null;
  for (const name of ["query", "key", "weight", "score"]) delete readout.dataset[name];
  if (!pair) return void (readout.textContent = say("map_hint"));
  const { query, key } = pair;
  const reading = former.reading(shown, query, key);
  Object.assign(readout.dataset, reading.data);
  readout.textContent = `${former.quote(query, shown.map.queries)} → ${former.quote(key, shown.map.keys)}: ${reading.words}`;
};

/** The cell under the pointer, or null beside the map. */
const cellAt = (event) => {
  if (!frame) return null;
  const { queries, keys } = store.map;
  const at = former.cellAt(cross, event, frame, queries.length, keys.length);
  return at && { query: at.row, key: at.column };
};
const lock = ({ query, key }) => {
  const { view } = store;
  const off = view.token === query && view.key === key;
  store.set({ token: off ? null : query, key: off ? null : key });
};
cross.addEventListener("pointermove", (event) => store.point(cellAt(event)));
cross.addEventListener("pointerdown", (event) => store.point(cellAt(event)));
cross.addEventListener("pointerleave", () => store.point(null));
cross.addEventListener("click", (event) => {
  const at = store.hover?.query != null ? store.hover : cellAt(event); // a click knows whole pixels only
  if (at) lock(at);
});
cross.addEventListener("keydown", (event) => {
  const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  const shown = former.shown();
  if (!shown) return;
  const { query, key } = former.pair(shown);
  if (steps[event.key]) {
    const [down, right] = steps[event.key];
    const inside = (i, { length }) => Math.max(0, Math.min(length - 1, i));
    store.point({ query: inside(query + down, shown.map.queries), key: inside(key + right, shown.map.keys) });
  } else if (event.key === "Enter" || event.key === " ") lock({ query, key });
  else return;
  event.preventDefault();
});
cross.addEventListener("blur", () => store.point(null));

const size = former.sized(body, paint);
const CROSS = new Set(["hover", "token", "key"]);
store.subscribe(element, (changed) => ([...changed].every((name) => CROSS.has(name)) ? paintCross() : paint()));
former.onTheme(paint);
