// The address bar. It has the whole view of the front tab, so that a copied link opens the view again, next to the
// parameters that belong to no tab (presenting, a room, the theme). The browser's Back returns to the previous tab.
// Every change is announced by the event "former-address".

import { flushDeferred } from "./base.js";
import { asList, inQuotes } from "./messages.js";
import { storage } from "./storage.js";

/** @typedef {{ [name: string]: any }} View a tab's part of a link, by the names of its parameters */
/** @typedef {[string, any]} Entry of a view */

const OF_PAGE = ["present", "slide", "room", "lead", "embed", "print", "lang", "__theme"]; // of no view
const OF_NO_TAB = [...OF_PAGE, "panel"];

// bytes of an address before its #; the server reads 62,000, and the parameters that belong to no tab are added
const LONGEST = 60000;

const HUB = "https://huggingface.co"; // a Space's page, which hands its query in at the first load and takes one so

/** Whether the page is in another page's frame: the visitor then sees another address than the page's own. */
const embedded = window.parent !== window;

/** The tab that a link (URLSearchParams) opens, see first_tab.js.
 * @type {(params: URLSearchParams) => string} */
export const tabOf = window.formerTabOf;

const BEFORE = "generator"; // the first model, until `gpt` was

/** Adds the model to a link (URLSearchParams): old links to Explore or Generate without a model were made for the first
 *  model of that time. Returns the same object.
 *  @type {(params: URLSearchParams) => URLSearchParams} */
export const withModel = (params) => {
  const shows = [...params.keys()].some((name) => name !== "tab" && !OF_NO_TAB.includes(name));
  if (shows && !params.has("model") && ["explore", "generate"].includes(tabOf(params))) params.set("model", BEFORE);
  return params;
};

/** The parameters (URLSearchParams) of the current view, as far as a link can have them. */
export const viewNow = () => {
  flushDeferred(); // the latest choices may not be in the address yet
  const params = new URLSearchParams(location.search);
  for (const name of OF_PAGE) params.delete(name);
  return params;
};

/** For each tab, a function that applies a link's view while the page is open.
 *  @type {{ [tab: string]: (params: URLSearchParams) => void }} */
export const followers = {};

/** The address of this page with these parameters, and the language if a link or the switch chose it.
 *  @type {(params: Iterable<string[]>) => string} */
export const addressWith = (params) => {
  const chosen = [...new URLSearchParams(location.search)].filter(([name]) => name === "lang");
  return `${location.origin}${location.pathname}?${new URLSearchParams([...params, ...chosen])}`;
};

/** In the page's session: what the page shows beyond its address, while it is reloaded in another language. */
export const OVER = "former-view";

/** The parameters that the page was opened with; later the last view it followed, for tabs that are opened after it. */
const address = new URL(location.href);
export let opened = withModel(address.searchParams);
/** The panel that the page shows alone in another page's frame; null for the whole page. */
export const embeddedPanel = opened.get("embed");
history.replaceState(history.state, "", address);
const over = storage.session.get(OVER);
storage.session.set(OVER, null);
if (over)
  opened = new URLSearchParams([
    ...[...opened].filter(([name]) => OF_PAGE.includes(name)),
    ...new URLSearchParams(over),
  ]);

/** A followed view replaces the one that the page was opened with.
 *  @type {(params: URLSearchParams) => void} */
export const reopen = (params) => {
  opened = params;
};

/** The part of the current view that the address has no room for, if any, with its message.
 *  @type {{ view: View, note: { key: string, values: import("./messages.js").Values } } | null} */
export let leftOut = null;

/** Puts a tab's view into the address bar; leaves out empty, null and undefined values, and the longest values of a
 *  view that is too long.
 *  @type {(tab: string, view: View) => void} */
export const writeAddress = (tab, view) => {
  const url = new URL(location.href);
  const others = OF_NO_TAB.filter((name) => url.searchParams.has(name)).map((name) => [
    name,
    `${url.searchParams.get(name)}`,
  ]);
  const filled = Object.entries(view).filter(([, value]) => value !== "" && value != null);
  /** @type {Entry[]} */
  const left = [];
  const fill = () => {
    const lacks = left.length ? [["left_out", left.map(([name]) => name).join(".")]] : [];
    const named = tabOf(new URLSearchParams(filled)) === tab ? [] : [["tab", tab]];
    url.search = `${new URLSearchParams([...named, ...filled, ...lacks, ...others])}`;
    return url.href.length - url.hash.length;
  };
  while (fill() > LONGEST && filled.length) {
    const sizes = filled.map(bytes);
    left.push(...filled.splice(sizes.indexOf(Math.max(...sizes)), 1));
  }
  tellLeft(left);
  put(url, tabOf(new URL(location.href).searchParams) !== tab);
};

/** The length of a parameter in an address.
 *  @type {(entry: Entry) => number} */
const bytes = (entry) => `${new URLSearchParams([entry])}`.length;

const tellLeft = (/** @type {Entry[]} */ left) => {
  const before = leftOut?.note.values.bytes;
  const values = {
    names: asList(left.map(([name]) => inQuotes(name))),
    bytes: left.map(bytes).reduce((a, b) => a + b, 0),
    limit: LONGEST,
  };
  leftOut = left.length ? { view: Object.fromEntries(left), note: { key: "link_left_out", values } } : null;
  // room.js shows the note
  if (leftOut?.note.values.bytes !== before) window.dispatchEvent(new Event("former-left-out"));
};

/** Changes parameters that belong to no tab: {present: "1"}; null removes one.
 *  @type {(values: { [name: string]: string | null }) => void} */
export const writeBeside = (values) => {
  const url = new URL(location.href);
  for (const [name, value] of Object.entries(values)) {
    if (value === null) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  put(url);
};

/** Puts a text after the address's #, which is never sent to a server; an empty text removes it. */
export const writeAfter = (/** @type {string} */ text) => {
  const url = new URL(location.href);
  url.hash = text;
  put(url);
};

const OWN = { former: true }; // the state of the history entries made here; all others were typed by the visitor

/** further: whether the browser's Back should return to the current address.
 *  @type {(url: URL, further?: boolean) => void} */
const put = (url, further = false) => {
  if (url.href === location.href) return;
  history[further ? "pushState" : "replaceState"](OWN, "", url);
  announceAddress();
};

let current = new URL(location.href);
const announceAddress = () => {
  current = new URL(location.href);
  const { searchParams, hash } = current;
  if (embedded && !searchParams.has("embed"))
    window.parent.postMessage({ queryString: searchParams.toString(), hash }, HUB);
  window.dispatchEvent(new Event("former-address"));
};

// Back and Forward go from tab to tab, each with its view; parameters that belong to no tab stay as they are.
window.addEventListener("popstate", ({ state }) => {
  const url = new URL(location.href);
  if (state?.former) url.hash = current.hash;
  for (const name of OF_NO_TAB) {
    url.searchParams.delete(name);
    for (const value of current.searchParams.getAll(name)) url.searchParams.set(name, value);
  }
  history.replaceState(OWN, "", url);
  announceAddress(); // page.js is notified afterwards
});
