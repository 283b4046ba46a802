// The switch between the page's languages.

import { writeBeside } from "./address.js";
import { h } from "./base.js";
import { language, say } from "./messages.js";
import { page } from "./page.js";
import { storage } from "./storage.js";

/** Reloads the page in another language, with its current view. */
const speak = (/** @type {string} */ tag) => {
  storage.always.set("former-language", tag); // language.js reads it
  page.keepOver();
  writeBeside({ lang: tag });
  location.reload();
};

/** A button for each language, labelled in that language. */
export const languageSwitch = () => {
  const button = (/** @type {[string, { name: string }]} */ [tag, { name }]) =>
    h("button", { lang: tag, "aria-pressed": `${tag === language}`, onclick: () => speak(tag) }, name);
  const buttons = Object.entries(window.formerLanguages).map(button);
  return h("div.languages", { role: "group", "aria-label": say("language_choose") }, ...buttons);
};
