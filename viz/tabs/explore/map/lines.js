// The selected map as lines: queries left, keys right, the strongest keys of each query up to a stated share of its
// attention. The canvas is as large as the panel and paints the visible part, so long texts cost no more than short
// ones.

import { eachFrame, fit, h, isolate, placeOn, shorten } from "../../../browser/lib/base.js";
import { variable } from "../../../browser/lib/colour.js";
import { say } from "../../../browser/lib/messages.js";
import { asShare } from "../../../browser/lib/numbers.js";
import { makePanel, onTheme, watchSize } from "../../../browser/lib/panel.js";
import { site } from "../../../browser/lib/site.js";
import { tokenLabel } from "../lib/labels.js";
import { levelOf } from "../lib/paint.js";
import { isPending, LINES, linksOf, rowOf, shownNow } from "../lib/selection.js";
import { store } from "../lib/store.js";

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

const lock = (i) => store.set({ token: store.view.token === i ? null : i, key: null });

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

export const mount = ({ element }) => {
  const { title, tools, body, foot } = makePanel(element, say("lines"));
  const canvas = h("canvas", {
    tabindex: 0,
    role: "application",
    "aria-roledescription": say("lines"),
    "aria-label": say("lines_label"),
  });
  const spacer = h("div.spacer");
  const note = h("p.readout");
  body.append(canvas, spacer);
  foot.append(note);
  tools.append(h("span.quiet", say("lines_axes")));

  let sheet = null; // see sheetOf
  let row = ROW; // pixels per token
  let unseen = true; // whether the selected token may be out of view

  /** The drawing of a map: {links, mass} of linksOf, the weakest first, so that strong ones are on top; the names of
   *  both sides, and the largest width of a name. */
  const sheetOf = (shown) => {
    if (sheet?.shown === shown) return sheet;
    const { links, mass } = linksOf(shown);
    links.sort((a, b) => a.weight - b.weight);
    const names = [shown.map.queries, shown.map.keys].map((labels) => labels.map((_, i) => cut(tokenLabel(i, labels))));
    const pen = canvas.getContext("2d");
    pen.font = fontOf();
    return (sheet = {
      shown,
      links,
      mass,
      names,
      widest: Math.max(...names.flat().map((name) => pen.measureText(name).width)),
    });
  };

  const paint = eachFrame(() => {
    element.hidden = store.view.view !== "lines";
    const shown = shownNow();
    if (!shown || element.hidden || !size.width) return;
    const { layer, head, of, scale } = store.view;
    title.textContent = of === "head" ? say("head_name", { layer, head }) : say(`of_${of}_name`, { layer });
    canvas.classList.toggle("late", isPending(shown));
    if (isPending(shown)) return; // the canvas shows another map
    const tokens = Math.max(shown.map.queries.length, shown.map.keys.length);
    const { width, height } = size;
    row = Math.min(30, Math.max(ROW, (height - 8) / tokens));
    spacer.style.height = `${Math.max(0, row * tokens + 8 - height)}px`;
    const context = fit(canvas, width, height);
    if (unseen) follow();
    unseen = false;
    const { links, mass, names, widest } = sheetOf(shown);
    const middle = Math.max(120, Math.min(width - 2 * widest - 40, 420));
    const layout = { left: (width - middle) / 2, right: (width + middle) / 2, height, row, yOf };
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

  const yOf = (i) => 4 + (i + 0.5) * row - body.scrollTop;

  /** The token under the pointer: a query left of the middle, a key right of it. */
  const tokenAt = (event) => {
    const i = Math.floor((placeOn(canvas, event).y - 4 + body.scrollTop) / row);
    return store.pass && i in store.map.queries ? i : null;
  };
  const point = (event) => {
    const i = tokenAt(event);
    store.point(i === null ? null : { token: i });
  };
  canvas.addEventListener("pointermove", point);
  canvas.addEventListener("pointerdown", point);
  canvas.addEventListener("pointerleave", () => store.point(null));
  canvas.addEventListener("blur", () => store.point(null));
  canvas.addEventListener("click", (event) => {
    const i = tokenAt(event);
    if (i !== null) lock(i);
  });
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const now = store.token();
    if (step) {
      const next = Math.max(0, Math.min(store.map.queries.length - 1, (now ?? -1) + step));
      if (store.view.token === null) store.point({ token: next });
      else store.set({ token: next, key: null });
      if (yOf(next) < row || yOf(next) > canvas.clientHeight - row)
        body.scrollTop += yOf(next) - canvas.clientHeight / 2;
    } else if ((event.key === "Enter" || event.key === " ") && now !== null) lock(now);
    else return;
    event.preventDefault();
  });
  body.addEventListener("scroll", paint);

  const size = watchSize(body, paint);

  /** Scrolls to a token that was selected elsewhere on the page. */
  const follow = () => {
    const token = store.token();
    if (token === null || canvas.matches(":hover")) return;
    const y = yOf(token);
    if (y < 0 || y > size.height) body.scrollTop += y - size.height / 2;
  };
  store.subscribe(element, (changed) => {
    unseen ||= ["hover", "token", "view", "pass"].some((name) => changed.has(name));
    paint();
  });
  onTheme(paint);
};
