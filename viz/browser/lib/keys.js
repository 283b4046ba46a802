// The keyboard as the whole page hears it: which keys are somebody's writing, where the arrows go, and shortcuts of a
// single letter, which can be switched off, for those whose speech or hands press keys that they did not mean.

import { kept } from "./kept.js";

const OFF = "former-single-keys-off"; // kept for this browser
const PRESSED = ["radio", "checkbox", "range", "button", "submit"].map((type) => `[type=${type}]`);
const WRITTEN = `textarea, [contenteditable=true], input:not(${PRESSED})`;

export const keys = {};

/** Whether single letters are shortcuts. */
keys.on = () => !kept.always.get(OFF);
keys.turn = (on) => kept.always.set(OFF, on ? null : "1");

/** Whether an element takes keys as text: there arrows move within it. */
keys.writes = (element) => Boolean(element.closest?.(WRITTEN));

/** [down, right] of each arrow key. */
keys.arrows = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** The place nearest to `i` among `count`. */
keys.inside = (i, count) => Math.max(0, Math.min(count - 1, i));

/** Where a key goes from place `now` among `count` beside each other; undefined where it does not. */
keys.along = (event, now, count) => {
  const to = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: count - 1 }[event.key];
  return to === undefined ? undefined : keys.inside(to, count);
};

keys.modified = (event) => event.ctrlKey || event.metaKey || event.altKey;

/** Whether an event is the shortcut of a letter; a list takes letters too, to choose by. */
keys.is = (event, letter) =>
  event.key.toLowerCase() === letter &&
  keys.on() &&
  !keys.modified(event) &&
  !keys.writes(event.target) &&
  !event.target.closest?.("select");
