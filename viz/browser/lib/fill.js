// The size of a panel that fills the window: its text is as large as possible with everything visible.

import { eachFrame, isPresenting } from "./base.js";

const DESIGN = [1280, 720]; // CSS pixels of the window that a picture's --design-zoom refers to
const [LEAST, MOST] = [0.8, 6];
const STEP = 1.02; // two zooms this close look the same
/** @type {any} */ let section = null; // the panel that fills the window
/** @type {HTMLElement | null} */ let controls = null; // the controls of its tab

/** The size of the panel's content at this zoom, as a share of the panel: above 1 if part of it is beyond the edge. One
 *  pixel may be the rounding of a zoomed size.
 *  @type {(zoom: number | string) => number} */
const share = (zoom) => {
  section.style.setProperty("--zoom", zoom);
  const parts = [section, ...section.querySelectorAll(":scope > .panel-body, :scope > header")];
  const below = Math.max(...parts.map((part) => part.scrollHeight - part.clientHeight));
  const aside = Math.max(...parts.map((part) => part.scrollWidth - part.clientWidth));
  return 1 + Math.max((below - 1) / section.clientHeight, (aside - 1) / section.clientWidth);
};

/** Pictures fill their room, so --design-zoom sets the size of their labels; text is as large as possible with all of
 *  it visible, up to --most-zoom if it is next to a picture. */
const fit = () => {
  if (!section?.isConnected) return;
  const scale = Math.min(innerWidth / DESIGN[0], innerHeight / DESIGN[1]);
  document.body.style.setProperty("--scale", `${Math.max(1, scale)}`);
  const [design, most] = ["--design-zoom", "--most-zoom"].map(
    (name) => scale * parseFloat(getComputedStyle(section).getPropertyValue(name)),
  );
  if (design) return section.style.setProperty("--zoom", Math.max(LEAST, design));
  const limit = Math.max(LEAST, most || MOST);
  const before = parseFloat(section.style.getPropertyValue("--zoom")) || limit;
  section.style.setProperty("--zoom", largest(limit, Math.min(before, limit)));
};

/** The largest zoom up to a limit at which everything is visible, to within STEP. Each zoom that is tried costs a
 *  layout of the panel: it begins with the likely one, and the size of the content at one says what to try next.
 *  @type {(limit: number, likely: number) => number} */
const largest = (limit, likely) => {
  let [low, high, zoom, up] = [LEAST, limit * STEP, likely, STEP];
  for (let time = 0; time < 9 && high > low * STEP; time++) {
    if (zoom <= low || zoom >= high) zoom = Math.sqrt(low * high);
    const size = share(zoom);
    if (size > 1) {
      [high, up] = [zoom, STEP];
      zoom /= Math.max(STEP, size ** 0.8); // between one line of text, which grows with the zoom, and wrapped text
    } else if (zoom === limit) {
      return limit;
    } else {
      low = zoom;
      zoom = Math.min(limit, low * up);
      up **= 2;
    }
  }
  return low;
};

// Content may grow later. The zoom only shrinks, so the panel does not jump while the pointer moves and its text
// changes.
const shrink = eachFrame(() => {
  if (section?.isConnected && share(section.style.getPropertyValue("--zoom")) > 1) fit();
});
const refit = eachFrame(fit);
window.addEventListener("resize", refit);
const changes = new MutationObserver((/** @type {any[]} */ records) => {
  const turned = records.some(
    ({ type, target, oldValue }) => type === "attributes" && target.hidden === (oldValue === null),
  );
  if (turned)
    refit(); // other parts of it became visible
  else shrink();
});

// The tab's controls are above the panel, which leaves room for their height.
const above = new ResizeObserver(([{ target }]) => {
  document.body.style.setProperty("--controls", `${target.getBoundingClientRect().height}px`);
  fit();
});

/** Stays as it is from one panel of a tab to the next: a change costs a style of every element on the page. */
const leaveRoomFor = (/** @type {HTMLElement | null} */ bar) => {
  if (bar === controls) return;
  above.disconnect();
  document.body.style.removeProperty("--controls");
  controls?.classList.remove("beside");
  controls = bar;
  if (controls) above.observe(controls);
  controls?.classList.add("beside");
};

/** The largest ratio of a picture's width to its height; a presented picture fills the window.
 *  @type {(usual: number) => number} */
export const maxAspect = (usual) => (isPresenting() ? 2.4 : usual);

/** Makes a panel fill the window except for its tab's controls, and adapts to its content; null ends this.
 *  @type {(panel: HTMLElement | null) => void} */
export const fillWindow = (panel) => {
  changes.disconnect();
  section?.style.removeProperty("--zoom");
  section = panel;
  leaveRoomFor(section?.closest("[role=tabpanel]").querySelector(".tab-controls") ?? null);
  if (!section) return;
  fit();
  changes.observe(section, {
    subtree: true,
    childList: true,
    characterData: true,
    attributeFilter: ["hidden"],
    attributeOldValue: true,
  });
};
