// The address bar. The tab in front keeps its whole view there, so that a copied link opens it again; what belongs to
// no tab (presenting, a room, the theme) stays beside it. The browser's Back returns to the tab before. Tells of every
// change by the event "former-address".

import { catchUp } from "./base.js";
import { kept } from "./kept.js";
import { asList } from "./messages.js";
import { site } from "./site.js";

const OF_PAGE = ["present", "slide", "room", "lead", "embed", "print", "lang", "__theme"]; // of no view
const OF_NO_TAB = [...OF_PAGE, "panel"];

// bytes of an address before its #; the server reads 62,000, and what belongs to no tab comes on top
const LONGEST = 60000;

const HUB = "https://huggingface.co"; // a Space's page, which hands its query in at the first load and takes one so

/** Whether the page stands in another's frame: the address that a visitor sees is then not its own. */
export const embedded = window.parent !== window;

// Tab Explore was once the first, and links to it named no tab: whatever of its view a link holds says that it is one.
const EXPLORE = ["model", "text", "edits", "map", "layer", "head", "token", "key", "of", "view", "scale", "show"];

/** The tab that a link, URLSearchParams, opens: the one it names, or else Explore for a view of it, or the first. */
export const tabOf = (params) => {
  const named = site.panels[params.get("embed")] ?? params.get("tab");
  if (site.tabs.includes(named)) return named;
  const known = site.tabs.includes("explore") && EXPLORE.some((name) => params.has(name));
  return known ? "explore" : site.tabs[0];
};

const BEFORE = "generator"; // the first model, until `gpt` was

/** A link, URLSearchParams, with its model: one to Explore or Generate that shows something of a view and names none
 *  was made for the first model of then. Returns the same object. */
export const withModel = (params) => {
  const shows = [...params.keys()].some((name) => name !== "tab" && !OF_NO_TAB.includes(name));
  if (shows && !params.has("model") && ["explore", "generate"].includes(tabOf(params))) params.set("model", BEFORE);
  return params;
};

/** What the page shows, as far as a link holds it: URLSearchParams. */
export const viewNow = () => {
  catchUp(); // what was chosen last may not stand there yet
  const params = new URLSearchParams(location.search);
  for (const name of OF_PAGE) params.delete(name);
  return params;
};

/** For each tab, a function that takes up the view of a link, URLSearchParams, while the page is open. */
export const followers = {};

/** The language in a link, [["lang", …]], where it was chosen by one or by the switch. */
export const chosenLanguage = () => [...new URLSearchParams(location.search)].filter(([name]) => name === "lang");

/** In the page's session: what it shows beyond its address, while it is loaded in another language. */
export const OVER = "former-view";

/** What the page was opened with; what it followed last, for tabs that are opened after. */
const address = new URL(location.href);
export let opened = withModel(address.searchParams);
/** The panel that the page shows alone, in another's page; null of a whole page. */
export const embeddedPanel = opened.get("embed");
history.replaceState(history.state, "", address);
const over = kept.session.get(OVER);
kept.session.set(OVER, null);
if (over)
  opened = new URLSearchParams([
    ...[...opened].filter(([name]) => OF_PAGE.includes(name)),
    ...new URLSearchParams(over),
  ]);

/** What is followed takes the place of what the page was opened with. */
export const reopen = (params) => {
  opened = params;
};

/** Of the view on the screen, what the address has no room for: null, or {view: {name: value}, note: that says so}. */
export let leftOut = null;

/** Puts a tab's view into the address bar: {name: value}; what is empty, null or undefined is left out, and of a view
 *  that is too long its longest values. */
export const writeAddress = (tab, view) => {
  const url = new URL(location.href);
  const kept = OF_NO_TAB.filter((name) => url.searchParams.has(name)).map((name) => [name, url.searchParams.get(name)]);
  const filled = Object.entries(view).filter(([, value]) => value !== "" && value != null);
  const left = [];
  const fill = () => {
    const lacks = left.length ? [["left_out", left.map(([name]) => name).join(".")]] : [];
    const named = tabOf(new URLSearchParams(filled)) === tab ? [] : [["tab", tab]];
    url.search = `${new URLSearchParams([...named, ...filled, ...lacks, ...kept])}`;
    return url.href.length - url.hash.length;
  };
  while (fill() > LONGEST && filled.length) {
    const sizes = filled.map(bytes);
    left.push(...filled.splice(sizes.indexOf(Math.max(...sizes)), 1));
  }
  tellLeft(left);
  put(url, tabOf(new URL(location.href).searchParams) !== tab);
};

/** How long a parameter, [name, value], is in an address. */
const bytes = (entry) => `${new URLSearchParams([entry])}`.length;

const tellLeft = (left) => {
  const before = leftOut?.note.values.bytes;
  const values = {
    names: asList(left.map(([name]) => `“${name}”`)),
    bytes: left.map(bytes).reduce((a, b) => a + b, 0),
    limit: LONGEST,
  };
  leftOut = left.length ? { view: Object.fromEntries(left), note: { key: "link_left_out", values } } : null;
  if (leftOut?.note.values.bytes !== before) window.dispatchEvent(new Event("former-left-out")); // room.js says so
};

/** Changes parameters that belong to no tab: {present: "1"}; null takes one out. */
export const writeBeside = (values) => {
  const url = new URL(location.href);
  for (const [name, value] of Object.entries(values)) {
    if (value === null) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  put(url);
};

/** Puts a text after the address's #, which no server is sent; an empty one takes it out. */
export const writeAfter = (text) => {
  const url = new URL(location.href);
  url.hash = text;
  put(url);
};

const OWN = { former: true }; // the state of the entries that are made here: other ones a visitor typed

/** further: whether the browser's Back comes back to what the address is now. */
const put = (url, further = false) => {
  if (url.href === location.href) return;
  history[further ? "pushState" : "replaceState"](OWN, "", url);
  tell();
};

let current = new URL(location.href);
const tell = () => {
  current = new URL(location.href);
  const { searchParams, hash } = current;
  if (embedded && !searchParams.has("embed"))
    window.parent.postMessage({ queryString: searchParams.toString(), hash }, HUB);
  window.dispatchEvent(new Event("former-address"));
};

// Back and Forward go from tab to tab, each with the view it had; what belongs to no tab stays as it is.
window.addEventListener("popstate", ({ state }) => {
  const url = new URL(location.href);
  if (state?.former) url.hash = current.hash;
  for (const name of OF_NO_TAB) {
    url.searchParams.delete(name);
    if (current.searchParams.has(name)) url.searchParams.set(name, current.searchParams.get(name));
  }
  history.replaceState(OWN, "", url);
  tell(); // page.js hears of it after
});
