// The selected map as lines: queries left, keys right, the strongest keys of each query up to a stated share of its
// attention. The canvas is as large as the panel and paints the visible part, so long texts cost no more than short
// ones.

import { eachFrame, fit, h, isolate, placeOn, shorten } from "../../../browser/lib/base.js";
import { variable } from "../../../browser/lib/colour.js";
import { keys } from "../../../browser/lib/keys.js";
import { say } from "../../../browser/lib/messages.js";
import { asShare } from "../../../browser/lib/numbers.js";
import { makePanel, onAppearance, watchSize } from "../../../browser/lib/panel.js";
import { site } from "../../../browser/lib/site.js";
import { tokenLabel, viewName } from "../lib/labels.js";
import { levelOf } from "../lib/paint.js";
import { isPending, LINES, linksOf, rowOf, shownNow } from "../lib/selection.js";
import { store } from "../lib/store.js";
import { lockToken } from "../lib/tokens.js";

const ROW = 15; // smallest height of a row in pixels
const LONGEST = 18; // characters of a name
const cut = (name) => isolate(shorten(name, LONGEST));
const fontOf = (weight = "") => `${weight} 12px ${site.style.font}`;

/** The highlighted query or key: {query, key}, either may be null. A token under the pointer is highlighted as both. */
const focus = () => {
  const { hover, view } = store;
  const both = (token) => ({ query: token, key: store.map.square ? token : null });
  if (view.token !== null)
    return view.key === null && !hover ? both(view.token) : { query: view.token, key: hover?.key ?? view.key };
  if (!hover) return null;
  return hover.token != null ? both(hover.token) : hover;
};

/** Paints the lines of a map, those of the highlighted token on top; `layout` says where. */
const paintLinks = (context, links, { left, right, height, yOf }) => {
  const stands = focus();
  const [from, to] = [variable("accent"), variable("mark")];
  const bend = (right - left) * 0.4;
  for (const strong of [false, true])
    for (const { query, key, weight, most } of links) {
      const isFrom = stands && query === stands.query;
      const isTo = stands && key === stands.key;
      if (strong !== Boolean(isFrom || isTo)) continue;
      const [start, end] = [yOf(query), yOf(key)];
      if ((start < -20 && end < -20) || (start > height + 20 && end > height + 20)) continue;
      const level = levelOf(weight, most);
      context.globalAlpha = stands && !strong ? level * 0.07 : 0.06 + 0.94 * level;
      context.strokeStyle = isTo && !isFrom ? to : from;
      context.lineWidth = 0.6 + 2.6 * level;
      context.beginPath();
      context.moveTo(left, start);
      context.bezierCurveTo(left + bend, start, right - bend, end, right, end);
      context.stroke();
    }
  context.globalAlpha = 1;
};

/** Paints the names of the queries and of the keys. */
const paintLabels = (context, names, { left, right, height, row, yOf }, shown) => {
  const stands = focus();
  const [text, quiet, mark, accent] = ["text", "quiet", "mark", "accent"].map(variable);
  const looked = stands && stands.query != null ? rowOf(shown, stands.query) : null;
  context.textBaseline = "middle";
  names.forEach((side, isKey) =>
    side.forEach((name, i) => {
      const y = yOf(i);
      if (y < -row || y > height + row) return;
      const on = stands && (isKey ? stands.key : stands.query) === i;
      const linked = stands && isKey && looked && looked[i] >= 0.05;
      const colour = on ? (store.view.token === i ? mark : accent) : stands && !linked ? quiet : text;
      Object.assign(context, {
        font: fontOf(on ? "700" : ""),
        fillStyle: colour,
        textAlign: isKey ? "left" : "right",
      });
      context.fillText(name, isKey ? right + 8 : left - 8, y);
    }),
  );
};

/** The drawing of a map: {shown, links, mass} of linksOf, the weakest first, so that strong ones are on top; the names
 *  of both sides, and the largest width of a name, measured by `pen`. */
const sheetOf = (shown, pen) => {
  const { links, mass } = linksOf(shown);
  links.sort((a, b) => a.weight - b.weight);
  const names = [shown.map.queries, shown.map.keys].map((labels) => labels.map((_, i) => cut(tokenLabel(i, labels))));
  pen.font = fontOf();
  const widest = Math.max(...names.flat().map((name) => pen.measureText(name).width));
  return { shown, links, mass, names, widest };
};

/** The rows of the tokens in a body that scrolls: {spread, yOf, at, reveal, row}. spread(count, height) divides the
 *  height among them; yOf(i) is the middle of a row on the canvas, and at(y) the row there; reveal(i, margin) scrolls
 *  to a row that is nearer than so many pixels to an edge. */
const makeRows = (body) => {
  const spacer = h("div.spacer"); // as high as what the canvas does not show
  body.append(spacer);
  let [row, room] = [ROW, 0];
  const spread = (count, height) => {
    room = height;
    row = Math.min(30, Math.max(ROW, (height - 8) / count));
    spacer.style.height = `${Math.max(0, row * count + 8 - height)}px`;
  };
  const yOf = (i) => 4 + (i + 0.5) * row - body.scrollTop;
  const at = (y) => Math.floor((y - 4 + body.scrollTop) / row);
  const reveal = (i, margin = 0) => {
    const y = yOf(i);
    if (y < margin || y > room - margin) body.scrollTop += y - room / 2;
  };
  return { spread, yOf, at, reveal, row: () => row };
};

/** Lets the pointer and the keyboard point at tokens and lock them. */
const answersOn = (canvas, rows) => {
  /** The token under the pointer. */
  const tokenAt = (event) => {
    const i = rows.at(placeOn(canvas, event).y);
    return store.pass && i in store.map.queries ? i : null;
  };
  const point = (event) => {
    const i = tokenAt(event);
    store.point(i === null ? null : { token: i });
  };
  for (const type of ["pointermove", "pointerdown"]) canvas.addEventListener(type, point);
  for (const type of ["pointerleave", "blur"]) canvas.addEventListener(type, () => store.point(null));
  canvas.addEventListener("click", (event) => {
    const i = tokenAt(event);
    if (i !== null) lockToken(i);
  });
  canvas.addEventListener("keydown", (event) => {
    if (keys.modified(event)) return;
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const now = store.token();
    if (step) {
      const next = keys.clamp((now ?? -1) + step, store.map.queries.length);
      if (store.view.token === null) store.point({ token: next });
      else store.set({ token: next, key: null });
      rows.reveal(next, rows.row());
    } else if ((event.key === "Enter" || event.key === " ") && now !== null) lockToken(now);
    else return;
    event.preventDefault();
  });
};

export const mount = ({ element }) => {
  const { title, tools, body, foot } = makePanel(element, say("lines"));
  const canvas = h("canvas", {
    tabindex: 0,
    role: "application",
    "aria-roledescription": say("lines"),
    "aria-label": say("lines_label"),
  });
  const note = h("p.readout");
  body.append(canvas);
  const rows = makeRows(body);
  foot.append(note);
  tools.append(h("span.quiet", say("lines_axes")));

  let sheet = null; // see sheetOf
  let unseen = true; // whether the selected token may be out of view

  /** Scrolls to a token that was selected elsewhere on the page. */
  const follow = () => {
    const token = store.token();
    if (unseen && token !== null && !canvas.matches(":hover")) rows.reveal(token);
    unseen = false;
  };

  const paint = eachFrame(() => {
    element.hidden = store.view.view !== "lines";
    const shown = shownNow();
    if (!shown || element.hidden || !size.width) return;
    const { layer, head, of, scale } = store.view;
    title.textContent = viewName(store.view);
    canvas.classList.toggle("late", isPending(shown));
    if (isPending(shown)) return; // the canvas shows another map
    const { width, height } = size;
    rows.spread(Math.max(shown.map.queries.length, shown.map.keys.length), height);
    const context = fit(canvas, width, height);
    follow();
    if (sheet?.shown !== shown) sheet = sheetOf(shown, context);
    const { links, mass, names, widest } = sheet;
    const middle = Math.max(120, Math.min(width - 2 * widest - 40, 420));
    const [left, right] = [(width - middle) / 2, (width + middle) / 2];
    const layout = { left, right, height, row: rows.row(), yOf: rows.yOf };
    paintLinks(context, links, layout);
    paintLabels(context, names, layout, shown);
    note.textContent = say("lines_note", {
      mass: asShare(LINES.mass),
      most: LINES.most,
      count: links.length,
      carried: asShare(mass),
    });
    element.dataset.shown = [of, layer, head, "lines", scale, shown.exact ? "exact" : "approximate"].join(" ");
    element.dataset.lines = links.length;
    element.dataset.rev = store.rev;
  });

  answersOn(canvas, rows);
  body.addEventListener("scroll", paint);
  const size = watchSize(body, paint);
  store.subscribe(element, (changed) => {
    unseen ||= ["hover", "token", "view", "pass"].some((name) => changed.has(name));
    paint();
  });
  onAppearance(paint);
};
