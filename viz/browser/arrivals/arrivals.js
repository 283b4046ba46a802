// Models that are being downloaded: a line for each, which says how far it is, that it has come, or why it failed.

import { answerTo } from "../lib/ask.js";
import { h } from "../lib/base.js";
import { say } from "../lib/messages.js";
import { asWhole } from "../lib/numbers.js";

const EVERY = 2000; // ms between two requests
const MB = 1e6;

/** @typedef {{ name: string, state: string, done: number, total: number, why: string }} Arrival */

const line = (/** @type {Arrival} */ { name, state, done, total, why }) => {
  const sizes = {
    known: total > 0 ? "yes" : "no",
    done: asWhole(Math.floor(done / MB)),
    total: asWhole(Math.ceil(total / MB)),
  };
  return say(`arrival_${state}`, { name, why, ...sizes });
};

export const mount = (/** @type {import("../mount.js").Mounted} */ { element }) => {
  const reload = () => h("button.f-button", { onclick: () => location.reload() }, say("arrival_reload"));

  const draw = (/** @type {Arrival[]} */ arrivals) => {
    const lines = arrivals.map((each) =>
      h("p.quiet", { "data-state": each.state }, line(each), ...(each.state === "here" ? [" ", reload()] : [])),
    );
    const said = lines.map((each) => each.textContent).join("\n");
    if (said === element.dataset.said) return; // a screen reader would read it out again
    element.dataset.said = said;
    element.replaceChildren(...lines);
  };

  const ask = async () => {
    let arrivals = /** @type {Arrival[] | null} */ (null);
    try {
      draw((arrivals = await answerTo("/arrivals")));
    } catch {
      // a server that is gone is reported by the bar of the room
    }
    if (!arrivals || arrivals.some(({ state }) => state === "fetching" || state === "opening")) setTimeout(ask, EVERY);
  };
  element.setAttribute("role", "status");
  ask();
};
