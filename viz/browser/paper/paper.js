// Paper: the tab in front as it is printed, or with ?print=1 all of it, as tab Learn's sections one after the other.
// Panels draw, and ask, for the size they have on screen once they are in view. So before it is printed the page is
// laid out as on paper, and all of it is in view until nothing more is drawn. The browser's own menu leaves no time for
// that: there what has its answer is printed, in light colours and as wide as the paper.

import { opened } from "../lib/address.js";
import { asking } from "../lib/ask.js";
import { drawNow, flushDeferred, h, hasDeferred, must } from "../lib/base.js";
import { showCharts } from "../lib/chart.js";
import { page } from "../lib/page.js";
import { measureNow } from "../lib/panel.js";

const WIDTH = 700; // CSS pixels of the text on A4 and Letter, as paper.css has it
const PAGE = 930; // and of its height on Letter, the shorter one, less the address
const SMALLEST = 0.7; // of the size on screen: smaller text is hard to read
const [QUIET, LATEST] = [500, 20000]; // ms: nothing waits longer than QUIET before it asks
const FRAMES = 10;
const BOOKLET = 120000; // ms that all of a tab may take, on a busy server too: nobody waits for a dialog meanwhile
const styles = /** @type {HTMLStyleElement} */ (document.getElementById("former-paper")); // paper.css, for print alone

/** All rules for some media among rules, also those inside others.
 *  @type {(rules?: Iterable<any>) => CSSMediaRule[]} */
const mediaRules = (rules = []) =>
  [...rules].flatMap((rule) => [...(rule instanceof CSSMediaRule ? [rule] : []), ...mediaRules(rule.cssRules)]);

/** Has rules for a width hold as on paper, whatever the window's; returns how to undo it. */
const asWideAsPaper = () => {
  const changed = mediaRules([...document.styleSheets].flatMap((sheet) => [...sheet.cssRules])).flatMap((rule) => {
    const before = rule.media.mediaText;
    const [, bound, pixels] = before.match(/\((min|max)-width: ([\d.]+)px\)/) ?? [];
    if (!bound) return [];
    const holds = bound === "max" ? WIDTH <= Number(pixels) : WIDTH >= Number(pixels);
    rule.media.mediaText = holds ? "all" : "not all";
    return [() => (rule.media.mediaText = before)];
  });
  return () => changed.forEach((undo) => undo());
};

/** Puts the text of each field that cuts it after the field, which cannot break lines; returns how to undo it. */
const wholeTexts = () => {
  /** @type {any[]} */
  const fields = [...document.querySelectorAll(".former input:not([type=radio], [type=checkbox], [type=range])")];
  const cut = fields.filter((field) => field.scrollWidth > field.clientWidth);
  const texts = cut.map((field) => {
    const text = h("span.paper-text", { hidden: true, dir: "auto" }, field.value);
    field.after(text);
    return text;
  });
  return () => texts.forEach((text) => text.remove());
};

/** @type {(() => void) | null} */ let restore = null; // undoes the changes for printing

/** Lays the page out as on paper, in light colours, with its address at the foot, or above a booklet. */
const layOut = () => {
  if (restore) return;
  flushDeferred();
  const dark = document.body.classList.contains("dark");
  const foot = h("p.paper-address", { hidden: true }, location.href);
  const undo = asWideAsPaper();
  const questions = [...document.querySelectorAll("details.check:not([open])")];
  for (const question of questions) question.toggleAttribute("open", true);
  styles.media = "all";
  document.body.classList.remove("dark");
  document.body[opened.has("print") ? "prepend" : "append"](foot); // below a booklet it might have a page to itself
  const shorten = wholeTexts();
  restore = () => {
    restore = null;
    styles.media = "print";
    undo();
    shorten();
    for (const question of questions) question.toggleAttribute("open", false);
    foot.remove();
    if (dark) document.body.classList.add("dark");
  };
};

const waits = () =>
  hasDeferred() ||
  asking() ||
  document.querySelector("[data-coming]") ||
  [...document.querySelectorAll(".former.late")].some((part) => part.checkVisibility()) ||
  document.querySelector("[data-drawing]");

/** @returns {HTMLElement | null | undefined} */
const shownTab = () => document.querySelector(`.former-lesson[data-tab=${page.tab}]`)?.closest("[role=tabpanel]");

/** Makes the tab in front ready to be printed; resolves when all of it is drawn, or after `latest` ms. */
const prepare = async (latest = LATEST) => {
  const tab = must(shownTab(), "tab in front");
  layOut();
  const limit = performance.now() + latest;
  let frames = 0; // without a pending request; on a slow machine one may take longer than QUIET
  for (let quiet = performance.now(); performance.now() < limit; frames++) {
    if (performance.now() > quiet + QUIET && frames > FRAMES) break;
    tab.style.cssText = `transform-origin: 0 0; transform: scale(${Math.min(1, innerHeight / tab.scrollHeight / 2)})`;
    scrollTo(0, 0);
    await new Promise(requestAnimationFrame);
    if (waits()) [quiet, frames] = [performance.now(), 0];
  }
  tab.style.cssText = "";
};

/** Makes each section of a booklet that is a little longer than a page as small as fits on it. */
const fitToPages = () => {
  /** @type {NodeListOf<HTMLElement>} */
  const sections = document.querySelectorAll(".booklet + .booklet"); // the first begins below the page's title
  for (const section of sections) {
    const scale = PAGE / section.offsetHeight;
    if (scale >= SMALLEST && scale < 1) section.style.zoom = `${scale}`;
  }
};

/** @type {Promise<void> | null} */ let preparing = null;
const print = async () => {
  if (preparing) return;
  preparing = prepare().finally(() => (preparing = null));
  await preparing;
  let printed = false;
  addEventListener("beforeprint", () => (printed = true), { once: true });
  window.print();
  if (!printed) restore?.(); // the browser cannot print
};

addEventListener("beforeprint", () => {
  layOut();
  measureNow();
  showCharts();
  drawNow(); // also what turned light meanwhile
});
addEventListener("afterprint", () => opened.has("print") || restore?.());
addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() !== "p" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
  event.preventDefault();
  print();
});

/** Once, when the page is there: a link may ask for all of a tab, on the screen as on paper. */
const start = async () => {
  if (!opened.has("print")) return;
  await page.arrived;
  while (document.querySelector("[data-coming]") || !shownTab()) await new Promise(requestAnimationFrame);
  await page.showAll[page.tab]?.();
  await prepare(BOOKLET);
  fitToPages();
  document.body.dataset.ready = "print";
};

export const paper = { prepare, start };
