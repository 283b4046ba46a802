// Hidden words, which the model fills in. A hidden word is in brackets in the text, so that links, rooms and the text
// box keep it.

import { followers } from "../../../browser/lib/address.js";
import { h } from "../../../browser/lib/base.js";
import { makeHint } from "../../../browser/lib/hint.js";
import { say } from "../../../browser/lib/messages.js";
import { makePanel } from "../../../browser/lib/panel.js";
import { blanks } from "../lib/guesses.js";
import { outcomeLegend } from "../lib/outcome.js";
import { applies } from "../lib/store/applies.js";
import { store } from "../lib/store.js";

export const mount = ({ element }) => {
  const { tools, body, foot } = makePanel(element, say("blanks"));
  const { words, foreign, answers, verdict, reset, draw } = blanks((text) => {
    const params = new URLSearchParams(location.search);
    params.set("text", text);
    followers.explore(params);
  });
  tools.append(makeHint("?", say("blanks_hint"), say("blanks")), reset);
  body.append(words, foreign, answers, verdict);
  const legend = h("div");
  foot.append(legend, h("p.quiet", say("blanks_no_surprise")));

  words.addEventListener("pointerover", ({ target }) => {
    const token = target.closest?.("[data-token]")?.dataset.token;
    if (token !== undefined) store.point({ token: Number(token) });
  });
  words.addEventListener("pointerleave", () => store.point(null));

  store.subscribe(element, (changed) => {
    element.hidden = !applies("blanks");
    if (!changed.has("pass") || !store.pass || element.hidden) return;
    draw(store.header);
    legend.replaceChildren(...[outcomeLegend(store.header)].filter(Boolean));
  });
};
