// Charts: everything with axes is a figure of viz/figures, drawn by Plotly, which is loaded when the first chart comes
// into view.

import { h, isDark, setAttributes, url } from "./base.js";
import { keys } from "./keys.js";
import { language, say } from "./messages.js";
import { makeDrawing, onAppearance } from "./panel.js";
import { site } from "./site.js";

const TEXT = 12; // pixels, without zoom
const BUTTONS = ["toImage", "zoomIn2d", "zoomOut2d", "resetScale2d"]; // no button sends the chart anywhere
/** @type {Promise<any> | null} */ let library = null; // of Plotly
/** @type {Set<{ waits: () => any, see: () => void }>} */ const unseen = new Set(); // charts that were never in view

/** @typedef {import("./panel.js").Size} Size */
/** @typedef {{ figures: { light: any, dark: any }, keep: string, x?: string, y?: string, names?: string[],
 *              change?: (data: any[], layout: any) => void }} Content of a chart, see makeChart */

const load = () => {
  library ??= new Promise((resolve, reject) => {
    document.head.append(h("script", { src: url(site.plotly), onload: () => resolve(window.Plotly), onerror: reject }));
  }).catch(() => (library = null)); // the next draw tries again
  return library;
};

/** Loads Plotly before anything else happens: the page is printed as it is then. */
const loadNow = () => {
  const request = new XMLHttpRequest();
  request.open("GET", url(site.plotly), false);
  try {
    request.send();
  } catch {
    return; // there is no network
  }
  if (request.status !== 200) return;
  document.head.append(h("script", request.responseText));
  library = Promise.resolve(window.Plotly);
};

/** Draws all charts that have something to draw, in view or not. */
export const showCharts = () => {
  const charts = [...unseen].filter(({ waits }) => waits());
  if (charts.length && !window.Plotly) loadNow();
  if (window.Plotly) charts.forEach(({ see }) => see());
};

/** Plotly's own labels in the page's language. */
const toolbar = () => ({
  "Download plot as a PNG": say("chart_save"),
  "Zoom in": say("chart_zoom_in"),
  "Zoom out": say("chart_zoom_out"),
  "Reset axes": say("chart_reset"),
  "Double-click to zoom back out": say("chart_zoomed"),
  "Double-click on legend to isolate one trace": say("chart_legend"),
});

/** The traces and layout of a figure from Python, in a size and zoom, with the page's words.
 *  @type {(content: Content, size: Size, zoom: number) => { data: any[], layout: any }} */
const plotOf = ({ figures, keep, x, y, names = [], change }, size, zoom) => {
  const { data, layout } = structuredClone(figures[isDark() ? "dark" : "light"]);
  Object.assign(layout, {
    width: size.width * zoom,
    height: size.height * zoom,
    uirevision: keep,
    font: { size: TEXT * zoom },
    // next to the plot, not above it
    margin: { ...layout.template.layout.margin, t: 8, r: 36 },
    modebar: { orientation: "v" },
    dragmode: matchMedia("(pointer: coarse)").matches ? false : "zoom", // a finger scrolls the page
  });
  if (x) layout.xaxis.title = { ...layout.xaxis.title, text: x };
  if (y) layout.yaxis.title = { ...layout.yaxis.title, text: y };
  names.forEach((words, i) => (data[i].name = words));
  change?.(data, layout);
  return { data, layout };
};

const name = (/** @type {Element} */ node, /** @type {string} */ role, /** @type {any} */ words) =>
  setAttributes(node, { role, tabindex: 0, "aria-label": words });

/** Makes buttons and legend usable by keyboard: Plotly makes them for the mouse only. */
const reach = (/** @type {any} */ root) => {
  for (const button of root.querySelectorAll(".modebar-btn"))
    name(button, "button", button.dataset.title ?? button.dataset.attr);
  for (const toggle of root.querySelectorAll(".legendtoggle")) {
    const item = toggle.closest(".traces");
    name(toggle, "checkbox", item.textContent);
    toggle.setAttribute("aria-checked", item.style.opacity !== "0.5");
  }
};

/** Presses a button or an item of the legend by Enter or Space.
 *  @type {(root: any, event: any) => void} */
const press = (root, event) => {
  if (event.key !== "Enter" && event.key !== " ") return;
  event.preventDefault();
  const { target } = event;
  if (target.matches(".modebar-btn")) return target.click();
  const words = target.getAttribute("aria-label");
  root.once("plotly_afterplot", () =>
    [...root.querySelectorAll(".legendtoggle")].find((one) => one.getAttribute("aria-label") === words)?.focus(),
  );
  for (const type of ["mousedown", "mouseup"]) target.dispatchEvent(new MouseEvent(type, { bubbles: true }));
};

/**
 * A chart in `container`. onread(index of the point, or null) is called for the point under the pointer or chosen
 * by the arrow keys, onclick(index) at a click or Enter.
 *
 * Returns {root, draw}: draw({figures, keep, x, y, names, change}), with figures {light, dark} from Python; x and y are
 * the axes' titles and `names` those of the traces, in order; change(data, layout) may replace labels and numbers. A
 * visitor's zoom and hidden traces are kept as long as `keep` is the same.
 *
 * @param {HTMLElement} container
 * @param {{ label: string, onread?: (at: number | null) => void, onclick?: (at: number) => void }} options
 */
export const makeChart = (container, options) => {
  const { label, onread, onclick } = options;
  const root = h("div.chart", { role: "application", tabindex: 0, "aria-label": label });
  const missing = h("p.quiet", { hidden: true }, say("offline"));
  container.classList.add("chart-place");
  container.append(root, missing);
  let [inView, busy] = [false, false];
  // the point that is read, and whether by keyboard: the pointer then does not end it
  let [read, byKey] = [null, false];

  const paint = async (/** @type {Content} */ what, /** @type {Size} */ size) => {
    if (busy || !(inView || root.data)) return;
    busy = true;
    root.toggleAttribute("data-drawing", true);
    const Plotly = await load();
    missing.hidden = Boolean(Plotly);
    if (Plotly) {
      await show(Plotly, what, size);
      root.dataset.keep = what.keep;
    }
    busy = false;
    root.toggleAttribute("data-drawing", false);
    if (Plotly && (drawing.what !== what || drawing.size.width !== size.width || drawing.size.height !== size.height))
      drawing.draw(drawing.what); // a newer figure was requested meanwhile
  };
  const drawing = makeDrawing(container, (what, size) => paint(what, { ...size }));
  const see = () => {
    inView = true;
    drawing.draw(drawing.what);
  };
  const unseenChart = { waits: () => drawing.what && container.checkVisibility(), see };
  unseen.add(unseenChart);

  /** @type {(Plotly: any, what: Content, size: Size) => Promise<void>} */
  const show = async (Plotly, what, size) => {
    const zoom = container.currentCSSZoom ?? 1; // of a presented panel; Plotly does not know CSS zoom, so it is undone
    root.style.zoom = 1 / zoom;
    const { data, layout } = plotOf(what, size, zoom);
    const words = label.split(/\. |。/, 1)[0]; // the rest is for the keyboard
    const saved = { filename: words.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-"), scale: 2 };
    const first = !root.data;
    await Plotly.react(root, data, layout, {
      displaylogo: false,
      modeBarButtons: [BUTTONS],
      toImageButtonOptions: saved,
      locale: language,
      locales: { [language]: { dictionary: toolbar() } },
      typesetMath: false,
    });
    reach(root);
    unseen.delete(unseenChart);
    if (first) listen();
  };

  const listen = () => {
    root.on("plotly_hover", (/** @type {any} */ { points }) => readAt(points[0].pointNumber));
    root.on("plotly_unhover", () => byKey || readAt(null));
    root.on("plotly_click", (/** @type {any} */ { points }) => onclick?.(points[0].pointNumber));
    root.on("plotly_afterplot", () => reach(root));
    root.addEventListener("pointermove", () => (byKey = false));
    root.addEventListener("blur", () => {
      if (!byKey) return;
      byKey = false;
      window.Plotly.Fx.unhover(root);
      readAt(null);
    });
    root.addEventListener("keydown", (/** @type {any} */ event) => {
      if (event.target !== root) return press(root, event);
      const last = root.data[0].x.length - 1;
      /** @type {{ [key: string]: number }} */
      const steps = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };
      const step = steps[event.key];
      if (keys.modified(event)) return;
      if (step) point(Math.max(0, Math.min(last, (read ?? marked()) + step)));
      else if (event.key === "Enter" && read !== null) onclick?.(read);
      else return;
      event.preventDefault();
    });
  };

  /** The point that the figure marks, from which the arrow keys start. */
  const marked = () => {
    const mark = root.data.find((/** @type {any} */ { name }) => name === "at");
    return mark ? [...root.data[0].x].indexOf(mark.x[0]) : 0;
  };

  const readAt = (/** @type {any} */ at) => {
    read = at;
    onread?.(at);
  };
  /** Reads a point as if the pointer were on it. */
  const point = (/** @type {number} */ at) => {
    byKey = true;
    readAt(at);
    const lines = root.data.flatMap((/** @type {any} */ { x, visible }, /** @type {number} */ i) =>
      x.length > at && visible !== "legendonly" ? [{ curveNumber: i, pointNumber: at }] : [],
    );
    window.Plotly.Fx.hover(root, lines, ["xy"]);
  };

  // While the page is laid out a chart may be in view for a moment, before it has anything to draw: Plotly is not
  // loaded for that.
  new IntersectionObserver((entries, observer) => {
    if (root.data) return observer.disconnect();
    inView = Boolean(entries.at(-1)?.isIntersecting);
    if (inView) see();
  }).observe(container);
  onAppearance(() => drawing.draw(drawing.what));
  return { root, draw: drawing.draw };
};
