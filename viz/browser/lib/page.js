// The tabs: which one is in front.

import { followers, leftOut, OVER, opened, reopen, tabOf, viewNow, withModel, writeAddress } from "./address.js";
import { flushDeferred, listeners } from "./base.js";
import { storage } from "./storage.js";

/** @typedef {import("./address.js").View} View */
/** @typedef {{ view: View, note: import("./messages.js").Note }} Beyond a part of a view that its link cannot have */
/** @typedef {{ step: (by: number) => boolean, position: () => { at: number, count: number } }} Turns see page.turns */
/**
 * @typedef {{
 *   tab: string, asked?: string, arrived: Promise<null>,
 *   subscribe: (element: Element, listen: (changed: Set<string>) => void) => () => void,
 *   show: (tab: string) => void,
 *   open: (tab: string) => Promise<void>,
 *   go: (tab: string, panel?: string | null) => Promise<void>,
 *   select: () => void,
 *   turns: { [tab: string]: Turns },
 *   showAll: { [tab: string]: () => any },
 *   beyond: () => Beyond[],
 *   whole: () => string,
 *   keepOver: () => void,
 *   keep: (tab: string, link: () => View | null, beyond?: () => Beyond | null) => () => void,
 *   follow: (params: URLSearchParams) => Promise<void>,
 * }} Page the tab in front, and what is done with it, described below
 */

const { subscribe, publish } = listeners(["tab"]);
export const page = /** @type {Page} */ ({ tab: tabOf(opened), subscribe });

/** Called when a tab comes to the front. If the page is to show another tab than it began with, nothing changes until
 *  then. */
page.show = (/** @type {string} */ tab) => {
  if (toCome && tab !== toCome) return;
  toCome = null;
  arrive();
  if (tab === page.tab) return;
  flushDeferred(); // writes all choices into the address of the tab that is left
  page.tab = tab;
  publish("tab");
};

const bring = async (/** @type {string} */ tab) => {
  if (page.tab === tab) return;
  page.asked = tab;
  page.select();
  for (let frames = 0; frames < 300 && page.tab !== tab; frames++) await new Promise(requestAnimationFrame);
};

/** @type {Promise<void> | null} */ let before = null; // of the previously requested tab

/** Brings a tab to the front, like a click; resolves when it is there. Waits for a tab that was requested before, as it
 *  would replace this one. */
page.open = (/** @type {string} */ tab) => {
  before = Promise.all([page.arrived, before]).then(() => bring(tab));
  return before;
};

page.go = (/** @type {string} */ tab) => page.open(tab); // presenter.js replaces it, to open a panel too
page.select = () => {}; // makes Gradio select the requested tab; class_bar.js sets it

/** tab → {step(by), position()}, for a tab that shows one section at a time: step shows another one, or returns false;
 *  position returns {at, count}. */
page.turns = {};

/** tab → shows at once all that the tab shows one after the other; resolves when it is drawn. */
page.showAll = {};

/** The tab of a link while the page goes to it: the address is already this tab's, which alone may write it.
 *  @type {string | null} */
let coming = null;
let follows = 0; // counts links: a tab that loads late may belong to an earlier one
/** @type {{ [tab: string]: (() => Beyond | null) | undefined }} */ const beyonds = {}; // see page.keep

/** The parts of the front tab's view that its link cannot have: a list of {view: as in a room, note: its message}. */
page.beyond = () => [leftOut, beyonds[page.tab]?.()].filter((part) => part != null);

/** The whole view of this page as the parameters of a link, including the parts that a link cannot have. */
page.whole = () => {
  const params = viewNow();
  params.delete("left_out");
  for (const { view } of page.beyond()) for (const [name, value] of Object.entries(view)) params.set(name, value);
  return params.toString();
};

/** Makes the page show its current view after the next load. */
page.keepOver = () => storage.session.set(OVER, page.whole());

/** Keeps a tab's view in the address bar while the tab is in front: link() returns it, {name: value}, or null if it is
 *  not ready; beyond() returns the part that a link never has, as in page.beyond, or null. Returns a function to call
 *  when the view has changed.
 *  @type {Page["keep"]} */
const keep = (tab, link, beyond) => {
  beyonds[tab] = beyond;
  const write = () => {
    const view = page.tab === tab && (coming ?? tab) === tab && link();
    if (view) writeAddress(tab, view);
  };
  subscribe(document.documentElement, write);
  return write;
};
page.keep = keep;

/** Shows the view of a link (URLSearchParams) as if the page had been opened with it. */
page.follow = async (/** @type {URLSearchParams} */ params) => {
  const own = ++follows;
  const tab = tabOf(withModel(params));
  reopen(params); // a tab that is not open yet reads its link when it is opened
  coming = tab;
  await page.go(tab, params.get("panel"));
  if (own !== follows) return;
  coming = null;
  for (let frames = 0; frames < 300 && !followers[tab]; frames++) await new Promise(requestAnimationFrame);
  if (own === follows) followers[tab]?.(params);
};

let toCome = page.tab === window.formerBegins ? null : page.tab;
let arrive = () => {};
// resolves when the tab that the page opens with is in front
page.arrived = new Promise((done) => (arrive = () => done(null)));
if (!toCome) arrive();
// address.js has already set it
window.addEventListener("popstate", () => page.follow(new URL(location.href).searchParams));
