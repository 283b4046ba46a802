// The size of a panel that fills the window: its text is as large as possible with everything visible.

import { eachFrame, isPresenting } from "./base.js";

const DESIGN = [1280, 720]; // CSS pixels of the window that a picture's --design-zoom refers to
const [LEAST, MOST] = [0.8, 6];
/** @type {any} */ let section = null; // the panel that fills the window
/** @type {HTMLElement | null} */ let controls = null; // the controls of its tab

/** Whether part of the panel is beyond its edge at this zoom.
 *  @type {(zoom: number | string) => boolean} */
const overflows = (zoom) => {
  section.style.setProperty("--zoom", zoom);
  const parts = [section, ...section.querySelectorAll(":scope > .panel-body, :scope > header")];
  return parts.some((part) => part.scrollHeight > part.clientHeight || part.scrollWidth > part.clientWidth);
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
  section.style.setProperty("--zoom", overflows(limit) ? largest(LEAST, limit) : limit);
};

/** The largest zoom at which everything is visible.
 *  @type {(low: number, high: number) => number} */
const largest = (low, high) => {
  for (let time = 0; time < 7; time++) {
    const middle = (low + high) / 2;
    if (overflows(middle)) high = middle;
    else low = middle;
  }
  return low;
};
// Content may grow later. The zoom only shrinks, so the panel does not jump while the pointer moves and its text
// changes.
const shrink = eachFrame(() => {
  if (section?.isConnected && overflows(section.style.getPropertyValue("--zoom"))) fit();
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
