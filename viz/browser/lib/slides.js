// A teacher's own slides: a list of views. It is stored in the link after its #, so that it opens anywhere and no
// server stores it.

import { addressWith, opened, viewNow, writeAfter, writeBeside } from "./address.js";
import { copyText } from "./ask.js";
import { h, listeners, refill } from "./base.js";
import { inWords, say } from "./messages.js";
import { page } from "./page.js";
import { presenter } from "./presenter.js";
import { room } from "./room.js";

const MOST = 40; // the largest number of slides
const LONGEST = 8000; // most characters of the list in a link: what mail and messengers do not break

/** @typedef {[title: string, view: string]} Slide with a link's parameters */

const { subscribe, publish } = listeners(["slides"]);

// --- the link ----------------------------------------------------------------------------------------------------

/** @type {(stream: CompressionStream | DecompressionStream, content: BlobPart) => Response} */
const through = (stream, content) => new Response(new Blob([content]).stream().pipeThrough(stream));

const encode = async (/** @type {Slide[]} */ list) => {
  if (!list.length) return "";
  const bytes = new Uint8Array(await through(new CompressionStream("deflate-raw"), JSON.stringify(list)).arrayBuffer());
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
};

const isSlide = (/** @type {any} */ one) =>
  Array.isArray(one) && one.length === 2 && one.every((text) => typeof text === "string");

/** The list in a link; null if the link has no valid one.
 *  @type {(text: string) => Promise<Slide[] | null>} */
const decode = async (text) => {
  if (text.length > LONGEST) return null;
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) =>
      character.charCodeAt(0),
    );
    const list = JSON.parse(await through(new DecompressionStream("deflate-raw"), bytes).text());
    return Array.isArray(list) && list.length <= MOST && list.every(isSlide) ? list : null;
  } catch {
    return null;
  }
};

/** Replaces the list; returns a note if the link cannot have it.
 *  @type {(list: Slide[]) => Promise<import("./messages.js").Note | null>} */
const change = async (list) => {
  if (list.length > MOST) return { key: "slides_full", values: { most: MOST } };
  const text = await encode(list);
  if (text.length > LONGEST) return { key: "slides_long", values: { limit: LONGEST } };
  Object.assign(slides, { list, size: text.length });
  writeAfter(text && `slides=${text}`);
  publish("slides");
  return null;
};

const read = async () => {
  const text = new URLSearchParams(location.hash.slice(1)).get("slides");
  if (text === null) return;
  const list = await decode(text);
  if (!list) return room.showMessage(say("slides_bad"));
  Object.assign(slides, { list, size: text.length });
  publish("slides");
};

// --- actions -----------------------------------------------------------------------------------------------------

/** Adds the current view, with the panel that fills the window, or else the tab's first. */
const add = () => {
  const view = viewNow();
  const panels = presenter.panels();
  const { name, title } = panels.find((panel) => panel.name === presenter.panel) ?? panels[0];
  view.set("panel", name);
  return change([...slides.list, [say("slides_title", { tab: say(`tab_${page.tab}`), panel: title }), `${view}`]]);
};

const remove = (/** @type {number} */ at) => change(slides.list.filter((_, i) => i !== at));

/** Moves a slide up by one. */
const raise = (/** @type {number} */ at) =>
  change(slides.list.with(at - 1, slides.list[at]).with(at, slides.list[at - 1]));

/** Presents a slide; ignores an index without a slide, as after the last. */
const go = async (/** @type {number} */ at) => {
  if (!slides.list[at]) return;
  slides.at = at;
  presenter.on = true;
  writeBeside({ slide: `${at}` });
  await page.follow(new URLSearchParams(slides.list[at][1]));
  presenter.showCaption();
};

/** The link that presents the slides from the first one. */
const linkToFirst = () =>
  addressWith([...new URLSearchParams(slides.list[0][1]), ["present", "1"], ["slide", "0"]]) + location.hash;

/** Called once, when the page is ready: a link may contain slides and present one of them. */
const start = async () => {
  await read();
  const at = opened.get("present") === "1" ? opened.get("slide") : null;
  if (at !== null && slides.list[Number(at)]) slides.at = Number(at);
  presenter.showCaption();
};
window.addEventListener("hashchange", read);

// --- in the menu -------------------------------------------------------------------------------------------------

/** The part of the menu about slides. */
const makeSheet = () => {
  /** @type {(words: string, act: () => void, more?: object) => HTMLElement} */
  const button = (words, act, more = {}) => h("button", { onclick: act, ...more }, words);
  const status = h("p", { role: "status" });
  const list = h("ol");
  const link = h("input", { type: "text", readonly: true, "aria-label": say("slides_link") });
  const showStatus = (refused = /** @type {import("./messages.js").Note | null} */ (null)) =>
    (status.textContent = refused
      ? inWords(refused)
      : say("slides_count", { count: slides.list.length, most: MOST, size: slides.size, limit: LONGEST }));
  const copy = async () => (status.textContent = say((await copyText(link)) ? "class_room_copied" : "link_refused"));
  const some = h(
    "div.shared",
    button(say("slides_present"), () => go(0)),
    link,
    button(say("class_room_copy"), copy),
  );
  const item = (/** @type {Slide} */ [title], /** @type {number} */ at) =>
    h(
      "li",
      button(title, () => go(at)),
      button("↑", () => raise(at), { "aria-label": say("slides_raise", { title }), disabled: at === 0 }),
      button("✕", () => remove(at), { "aria-label": say("slides_remove", { title }) }),
    );
  const sheet = h(
    "div.slides",
    h("b", say("slides")),
    button(say("slides_add"), async () => showStatus(await add())),
    list,
    some,
    status,
  );
  subscribe(document.documentElement, () => {
    refill(list, slides.list.map(item));
    some.hidden = !slides.list.length;
    if (slides.list.length) link.value = linkToFirst();
    showStatus();
  });
  return sheet;
};

/** at: the presented slide, null while going through panels; size: characters of the list in the link. */
export const slides = {
  /** @type {Slide[]} */ list: [],
  /** @type {number | null} */ at: null,
  size: 0,
  add,
  go,
  start,
  sheet: makeSheet,
};
presenter.slides = slides;
