// The sentence of each tab that says what to look at, set by the tab's own scripts.

import { listeners, setText } from "./base.js";
import { say } from "./messages.js";

const said = {}; // tab → sentence
const places = {}; // tab → its elements {sentence, anchor}
const links = {}; // tab → {article, href}
const { subscribe, publish } = listeners(["sentence"]);

export const lessons = {
  subscribe, // to every tab's sentence
  /** Sets the sentence of a tab. */
  tell: (tab, sentence) => {
    said[tab] = sentence;
    const place = places[tab]?.sentence;
    if (place) setText(place, sentence);
    publish("sentence");
  },
  of: (tab) => said[tab] ?? "",
  /** Sets the part of the article that the front view of a tab links to: {article: its heading, href}. */
  link: (tab, { article, href }) => {
    links[tab] = { article, href };
    if (!places[tab]) return;
    places[tab].anchor.href = href;
    places[tab].anchor.textContent = say("lesson_article", { section: article });
  },
  attach: (tab, sentence, anchor) => {
    places[tab] = { sentence, anchor };
    sentence.textContent = said[tab] ?? "";
    if (links[tab]) lessons.link(tab, links[tab]);
  },
};
