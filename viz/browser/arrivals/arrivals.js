// Models that are being downloaded: a line for each, which says how far it is, that it has come, or why it failed.

import { answerTo } from "../lib/ask.js";
import { h, refill, setText } from "../lib/base.js";
import { say } from "../lib/messages.js";
import { asWhole } from "../lib/numbers.js";

const EVERY = 2000; // ms between two requests
const MB = 1e6;

/** @typedef {{ name: string, state: string, done: number, total: number, why: string }} Arrival */

const line = (/** @type {Arrival} */ { name, state, done, total, why }) =>
  say(`arrival_${state}`, {
    name,
    why,
    known: total > 0 ? "yes" : "no",
    done: asWhole(Math.floor(done / MB)),
    total: asWhole(Math.ceil(total / MB)),
  });

export const mount = (/** @type {import("../mount.js").Mounted} */ { element }) => {
  const reload = () => h("button.f-button", { onclick: () => location.reload() }, say("arrival_reload"));

  const lines = h("div");
  let shown = "";
  const spoken = h("p.spoken", { role: "status" }); // the same without megabytes, which change every two seconds

  const draw = (/** @type {Arrival[]} */ arrivals) => {
    const said = arrivals.map(line).join("\n");
    if (said === shown) return; // what a visitor has selected there stays so
    shown = said;
    if (!lines.isConnected) element.append(lines, spoken); // the empty part takes no place
    refill(
      lines,
      arrivals.map((each) => h("p.quiet", line(each), ...(each.state === "here" ? [" ", reload()] : []))),
    );
    setText(spoken, arrivals.map((each) => line({ ...each, total: 0 })).join(" "));
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
  ask();
};
