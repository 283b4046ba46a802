// How large a panel is that fills the window: its type is as large as lets all of it be seen.

import { eachFrame, isPresenting } from "./base.js";

const DESIGN = [1280, 720]; // CSS pixels of the window for which a picture's --design-zoom is meant
const [LEAST, MOST] = [0.8, 6];
let section = null; // that fills the window
let controls = null; // of its tab

/** Whether anything of the panel, zoomed so, is beyond its edge. */
const overflows = (zoom) => {
  section.style.setProperty("--zoom", zoom);
  const parts = [section, ...section.querySelectorAll(":scope > .panel-body, :scope > header")];
  return parts.some((part) => part.scrollHeight > part.clientHeight + 1 || part.scrollWidth > part.clientWidth + 1);
};

/** Pictures take the room they get, so their --design-zoom says how large their labels are; words are as large as lets
 *  all of them be seen, up to a --most-zoom where they stand beside pictures. */
const fit = () => {
  if (!section?.isConnected) return;
  const scale = Math.min(innerWidth / DESIGN[0], innerHeight / DESIGN[1]);
  document.body.style.setProperty("--scale", `${Math.max(1, scale)}`);
  const [design, most] = ["--design-zoom", "--most-zoom"].map(
    (name) => scale * parseFloat(getComputedStyle(section).getPropertyValue(name)),
  );
  if (design) return section.style.setProperty("--zoom", Math.max(LEAST, design));
  section.style.setProperty("--zoom", most && !overflows(most) ? most : largest(LEAST, most || MOST));
};

/** The largest zoom at which all can be seen. */
const largest = (low, high) => {
  for (let time = 0; time < 7; time++) {
    const middle = (low + high) / 2;
    if (overflows(middle)) high = middle;
    else low = middle;
  }
  return low;
};
// What comes later may need more room. It never gets larger: it would jump as one points, and its words change.
const shrink = eachFrame(() => {
  if (section?.isConnected && overflows(section.style.getPropertyValue("--zoom"))) fit();
});
const again = eachFrame(fit);
window.addEventListener("resize", again);
const changes = new MutationObserver((/** @type {any[]} */ records) => {
  const turned = records.some(
    ({ type, target, oldValue }) => type === "attributes" && target.hidden === (oldValue === null),
  );
  if (turned)
    again(); // it shows other parts of itself
  else shrink();
});

// The tab's controls stand above the panel, as high as they are.
const above = new ResizeObserver(([{ target }]) => {
  document.body.style.setProperty("--controls", `${target.getBoundingClientRect().height}px`);
  fit();
});

/** A picture's width to its height, at most: one that is presented fills the window. */
export const widest = (usual) => (isPresenting() ? 2.4 : usual);

/** Lets a panel fill the window but for its tab's controls, and follows what it shows; null for none. */
export const fillWindow = (panel) => {
  changes.disconnect();
  above.disconnect();
  section?.style.removeProperty("--zoom");
  document.body.style.removeProperty("--controls");
  controls?.classList.remove("beside");
  section = panel;
  controls = section?.closest("[role=tabpanel]").querySelector(".tab-controls");
  if (!section) return;
  if (controls) above.observe(controls);
  controls?.classList.add("beside");
  fit();
  changes.observe(section, {
    subtree: true,
    childList: true,
    characterData: true,
    attributeFilter: ["hidden"],
    attributeOldValue: true,
  });
};
