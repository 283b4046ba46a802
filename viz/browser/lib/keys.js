// The keyboard as the whole page hears it: which keys are somebody's writing, and shortcuts of a single letter, which can be
// switched off, for those whose speech or hands press keys that they did not mean. Adds former.keys.
(() => {
  const former = window.former;
  const OFF = "former-single-keys-off"; // kept for this browser
  const PRESSED = ["radio", "checkbox", "range", "button", "submit"].map((type) => `[type=${type}]`);
  const WRITTEN = `textarea, [contenteditable=true], input:not(${PRESSED})`;

  const keys = (former.keys = {});

  /** Whether single letters are shortcuts. */
  keys.on = () => !former.kept.always.get(OFF);
  keys.turn = (on) => former.kept.always.set(OFF, on ? null : "1");

  /** Whether an element takes keys as text: there arrows move within it. */
  keys.writes = (element) => Boolean(element.closest?.(WRITTEN));

  keys.modified = (event) => event.ctrlKey || event.metaKey || event.altKey;

  /** Whether an event is the shortcut of a letter; a list takes letters too, to choose by. */
  keys.is = (event, letter) =>
    event.key.toLowerCase() === letter && keys.on() && !keys.modified(event) && !keys.writes(event.target) && !event.target.closest?.("select");
})();
