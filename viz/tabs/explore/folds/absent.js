// The line at the end that names the panels which do not apply to the model on the screen.

import { asText, inQuotes, say } from "../../../browser/lib/messages.js";
import { absent } from "../lib/store/applies.js";
import { store } from "../lib/store.js";

const titles = { forming: "forming_title", prediction: "prediction_next" }; // the others are named as their panel

export const mount = ({ element }) =>
  store.subscribe(element, (changed) => {
    if (!store.pass || !changed.has("pass")) return;
    const names = absent().map((name) => inQuotes(say(titles[name] ?? name)));
    element.hidden = !names.length;
    const why = store.header.output.blanks === null ? say("no_head") : ""; // other kinds say it where they predict
    element.textContent = asText([say("panels_absent", { names }), why]);
  });
