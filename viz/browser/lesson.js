// One sentence for each tab: what to look at, with the numbers on the screen; and a link to the article.

import { h } from "./lib/base.js";
import { glossary } from "./lib/hint.js";
import { lessons } from "./lib/lessons.js";
import { say } from "./lib/messages.js";

export const mount = (/** @type {Pick<import("./mount.js").Mounted, "element" | "props">} */ { element, props }) => {
  const sentence = h("p.sentence", { "aria-live": "polite" });
  const { tab, section, href } = props.value;
  element.dataset.tab = tab;
  const anchor = h(
    "a",
    { href, target: "_blank", rel: "noopener noreferrer", title: say("lesson_hint") },
    say("lesson_article", { section }),
  );
  element.append(sentence, glossary(), anchor);
  lessons.attach(tab, sentence, anchor);
};
