// A sequence of steps with a slider, and a button that plays it while it is on the screen.

import { h, reducedMotion } from "./base.js";
import { say } from "./messages.js";

/**
 * For an object {words, shown}, such as a section of tab Learn: words(name) returns its messages play_hint and
 * step, shown() whether it is on the screen. demo.set({step}) goes to a step.
 *
 * last(): the last step; now(): the current step; pace: ms between two steps; ready(): whether it can be played;
 * held(): whether the previous step is still pending; paint: called when playing starts and stops. Returns {play,
 * slider, stop, put, update}: put(changes) returns a handler that stops and changes the view.
 *
 * @param {{ words: (name: string) => string, shown: () => boolean }} owner
 * @param {{ set: (changes: any) => void }} demo
 * @param {{ last: () => number, now: () => number, pace: number, ready?: () => boolean, held?: () => boolean,
 *           paint: () => void }} steps
 */
export const makePlayer = (
  { words, shown },
  demo,
  { last, now, pace, ready = () => true, held = () => false, paint },
) => {
  let playing = 0; // the timer while it plays
  const stop = () => {
    clearTimeout(playing);
    playing = 0;
    paint();
  };
  const put = (/** @type {any} */ changes) => () => (stop(), demo.set(changes));
  const further = () => demo.set({ step: (now() + 1) % (last() + 1) });
  const advance = () => {
    if (!shown() || now() === last()) return stop();
    if (!held()) further();
    playing = setTimeout(advance, pace);
  };
  const run = () => {
    if (!ready()) return;
    if (reducedMotion()) return further();
    if (now() === last()) demo.set({ step: 0 });
    playing = setTimeout(advance, pace);
    paint();
  };
  const play = h("button.field-button", {
    title: words("play_hint"),
    onclick: () => (playing ? stop() : run()),
  });
  const slider = h("input", {
    type: "range",
    min: 0,
    step: 1,
    "aria-label": words("step"),
    oninput: () => put({ step: Number(slider.value) })(),
  });
  const update = () => {
    play.textContent = say("player_play", { running: playing ? "yes" : "no" });
    if (!ready()) return;
    slider.max = last();
    slider.value = now();
  };
  return { play, slider, stop, put, update };
};
