// The keyboard for the whole page: which elements take keys as text, how the arrows move, where the focus goes when its
// control vanishes, and shortcuts of a single letter. Those can be switched off, for people whose speech input or hands
// press keys by accident.

import { storage } from "./storage.js";

const OFF = "former-single-keys-off"; // stored in this browser
const PRESSED = ["radio", "checkbox", "range", "button", "submit"].map((type) => `[type=${type}]`);
const WRITTEN = `textarea, [contenteditable=true], input:not(${PRESSED})`;

export const keys = {};

/** Whether single letters are shortcuts. */
keys.on = () => !storage.always.get(OFF);
keys.turn = (/** @type {boolean} */ on) => storage.always.set(OFF, on ? null : "1");

/** Whether an element takes keys as text, so that arrows move within it. */
keys.writes = (/** @type {any} */ element) => Boolean(element.closest?.(WRITTEN));

/** [down, right] of each arrow key. */
/** @type {{ [key: string]: number[] | undefined }} */
const arrows = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
keys.arrows = arrows;

/** The index nearest to `i` among `count`. */
keys.clamp = (/** @type {number} */ i, /** @type {number} */ count) => Math.max(0, Math.min(count - 1, i));

keys.modified = (/** @type {KeyboardEvent} */ event) => event.ctrlKey || event.metaKey || event.altKey;

/** The index after a key press, from index `now` among `count` neighbours; undefined for keys that do not move.
 *  @type {(event: KeyboardEvent, now: number, count: number) => number | undefined} */
keys.along = (event, now, count) => {
  if (keys.modified(event)) return undefined; // Back, or the page's beginning
  /** @type {{ [key: string]: number }} */
  const steps = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: count - 1 };
  const to = steps[event.key];
  return to === undefined ? undefined : keys.clamp(to, count);
};

/** Whether an event is a letter's shortcut; a list also takes letters, to select by.
 *  @type {(event: any, letter: string) => boolean} */
keys.is = (event, letter) =>
  event.key.toLowerCase() === letter &&
  keys.on() &&
  !keys.modified(event) &&
  !keys.writes(event.target) &&
  !event.target.closest?.("select");

// --- a control that vanishes ---------------------------------------------------------------------------------------

const CONTROLS = "a[href], button, input, select, textarea, summary, [tabindex]";
/** The control that the keyboard has focused, and the elements around it, the nearest first.
 *  @type {{ node: HTMLElement, around: HTMLElement[] } | null} */
let held = null;

const isGone = (/** @type {HTMLElement} */ node) => !node.isConnected || node.closest("[hidden]");

const takesFocus = (/** @type {any} */ node) =>
  node.tabIndex >= 0 &&
  !node.disabled &&
  !node.closest("[inert]") &&
  node.checkVisibility({ checkVisibilityCSS: true });

// A focused control that is hidden or removed hands the focus to the nearest one: the next in the smallest part of the
// page that has any. Browsers would go back to the beginning of the page.
const watch = new MutationObserver(() => {
  if (!held || !isGone(held.node)) return;
  const { node, around } = held;
  hold(null);
  const place = /** @type {Node} */ ([node, ...around].find((each) => each.isConnected));
  for (const part of around) {
    const all = part.isConnected ? [...part.querySelectorAll(CONTROLS)].filter(takesFocus) : [];
    const isNext = (/** @type {Node} */ each) => place.compareDocumentPosition(each) & Node.DOCUMENT_POSITION_FOLLOWING;
    if (all.length) return (all.find(isNext) ?? all.at(-1))?.focus({ preventScroll: true });
  }
});

/** Watches a control until it loses the focus; null for none. */
const hold = (/** @type {HTMLElement | null} */ node) => {
  watch.disconnect();
  held = node && { node, around: [] };
  for (let at = node?.parentElement; held && at; at = at.parentElement) held.around.push(at);
  if (held) watch.observe(document.body, { subtree: true, childList: true, attributeFilter: ["hidden"] });
};

document.addEventListener("focusin", (/** @type {any} */ { target }) =>
  hold(target.matches(":focus-visible") ? target : null),
);
document.addEventListener("focusout", (/** @type {any} */ { target }) =>
  queueMicrotask(() => {
    const left = held?.node === target && document.activeElement !== target; // for nothing else
    if (left && !isGone(target) && !target.closest("[inert]")) hold(null);
  }),
);
