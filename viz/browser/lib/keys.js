// The keyboard for the whole page: which elements take keys as text, how the arrows move, and shortcuts of a single
// letter. Those can be switched off, for people whose speech input or hands press keys by accident.

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
