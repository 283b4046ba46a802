// Which tab is in front.

import { followers, leftOut, OVER, opened, reopen, tabOf, viewNow, withModel, writeAddress } from "./address.js";
import { catchUp, listeners } from "./base.js";
import { kept } from "./kept.js";
import { site } from "./site.js";

const { subscribe, publish } = listeners(["tab"]);
export const page = { tab: tabOf(opened), subscribe };

/** A tab came to the front. The page opens with its first; a link's own follows, and until then nothing changes. */
page.show = (tab) => {
  if (toCome && tab !== toCome) return;
  toCome = null;
  arrive();
  if (tab === page.tab) return;
  catchUp(); // the address of the tab that is left has all that was chosen in it
  page.tab = tab;
  publish("tab");
};

const bring = async (tab) => {
  if (page.tab === tab) return;
  page.asked = tab;
  page.select();
  for (let frames = 0; frames < 300 && page.tab !== tab; frames++) await new Promise(requestAnimationFrame);
};

let before = null; // a promise: of the tab that was asked for before

/** Brings a tab to the front, as a click on it would; resolves when it is there. One that is still to come, a link's or
 *  one asked for before, would take its place: it is waited for. */
page.open = (tab) => {
  before = Promise.all([page.arrived, before]).then(() => bring(tab));
  return before;
};

page.go = (tab) => page.open(tab); // and to a panel, while one is presented: presenter.js
page.select = () => {}; // has Gradio select the tab that is asked for: class_bar.js says how

/** tab → {step(by), place()}, of a tab that shows one section at a time: step turns to another, or returns false; place
 *  says {at, count}. */
page.turns = {};

/** tab → shows at once all that the tab shows one after the other; resolves when it is drawn. */
page.showAll = {};

let leaving = null; // the tab that a link is taken up from: its address is no longer that of the page
const beyonds = {}; // tab → see keep

/** What the tab in front shows and a link to it does not hold: a list of {view: as a room has it, note: that says
 *  so}. */
page.beyond = () => [leftOut, beyonds[page.tab]?.()].filter(Boolean);

/** What this page shows, whole, as the parameters of a link: with what a link does not hold. */
page.whole = () => {
  const params = viewNow();
  params.delete("left_out");
  for (const { view } of page.beyond()) for (const [name, value] of Object.entries(view)) params.set(name, value);
  return params.toString();
};

/** Has the page show what it shows now when it is loaded next. */
page.keepOver = () => kept.session.set(OVER, page.whole());

/** Keeps a tab's view in the address bar while it is in front: link() gives it, {name: value}, or null for not yet;
 *  beyond() gives what it never holds, as page.beyond does, or null. Returns what to call when the view has changed. */
page.keep = (tab, link, beyond) => {
  beyonds[tab] = beyond;
  const write = () => {
    const view = page.tab === tab && tab !== leaving && link();
    if (view) writeAddress(tab, view);
  };
  subscribe(document.documentElement, write);
  return write;
};

/** Shows the view of a link, URLSearchParams, as if the page had been opened with it. */
page.follow = async (params) => {
  const tab = tabOf(withModel(params));
  reopen(params); // a tab that was never opened reads its link when it is
  leaving = tab === page.tab ? null : page.tab;
  await page.go(tab, params.get("panel"));
  leaving = null;
  for (let frames = 0; frames < 300 && !followers[tab]; frames++) await new Promise(requestAnimationFrame);
  followers[tab]?.(params);
};

let toCome = page.tab === site.tabs[0] ? null : page.tab;
/** @type {(value?: unknown) => void} */
let arrive;
page.arrived = new Promise((done) => (arrive = done)); // when the tab that the page opens with is in front
if (!toCome) arrive();
window.addEventListener("popstate", () => page.follow(new URL(location.href).searchParams)); // as address.js has put it
