// The sentence of each tab that says what to look at, set by the tab's own scripts.

import { listeners, setText } from "./base.js";
import { say } from "./messages.js";

/** @typedef {{ article: string, href: string }} Link to a part of the article, by its heading */

/** @type {{ [tab: string]: string }} */ const said = {}; // the sentences
/** @type {{ [tab: string]: { sentence: HTMLElement, anchor: HTMLAnchorElement } }} */ const places = {}; // elements
/** @type {{ [tab: string]: Link }} */ const links = {};
const { subscribe, publish } = listeners(["sentence"]);

export const lessons = {
  subscribe, // to every tab's sentence
  /** Sets the sentence of a tab.
   *  @type {(tab: string, sentence: string) => void} */
  show: (tab, sentence) => {
    said[tab] = sentence;
    const element = places[tab]?.sentence;
    if (element) setText(element, sentence);
    publish("sentence");
  },
  of: (/** @type {string} */ tab) => said[tab] ?? "",
  /** Sets the part of the article that the front view of a tab links to.
   *  @type {(tab: string, link: Link) => void} */
  link: (tab, { article, href }) => {
    links[tab] = { article, href };
    if (!places[tab]) return;
    places[tab].anchor.href = href;
    places[tab].anchor.textContent = say("lesson_article", { section: article });
  },
  /** Gives a tab's elements.
   *  @type {(tab: string, sentence: HTMLElement, anchor: HTMLAnchorElement) => void} */
  attach: (tab, sentence, anchor) => {
    places[tab] = { sentence, anchor };
    sentence.textContent = said[tab] ?? "";
    if (links[tab]) lessons.link(tab, links[tab]);
  },
};
