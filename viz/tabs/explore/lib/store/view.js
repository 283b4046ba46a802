// The view of the current pass, which a link stores. Choosing a head, a layer, a token or a scale changes this and
// never calls Python.

import { opened, tabOf } from "../../../../browser/lib/address.js";
import { defer, isPresenting } from "../../../../browser/lib/base.js";
import { page } from "../../../../browser/lib/page.js";
import { badLink } from "../../../../browser/lib/settings.js";
import { site } from "../../../../browser/lib/site.js";
import { editsInLink, lengthOf } from "../pass.js";
import { exact } from "./exact.js";
import { ALL, foldsOf, withFold } from "./folds.js";
import { FIELDS, publish, settings, state } from "./state.js";

const SHOWS = ["map", "of", "layer", "head"]; // the fields that select a part of a pass

/** Changes the view: set({layer: 2, head: 1}). Values that the pass does not have are ignored; choosing the same again
 *  repeats a request that failed. */
export const set = (partial) => {
  const changed = "map" in partial ? settings.change({ map: partial.map }) : [];
  if (changed.length) {
    changed.push("hover", ...fitView());
    state.hover = null; // it was a place of another map
  }
  changed.push(...settings.change(partial)); // by the limits of that map
  if (changed.length) writeLinkSoon();
  if (SHOWS.some((name) => changed.includes(name) || (name in partial && !state.exact))) {
    exact.forget();
    changed.push("exact");
    exact.fetch();
  }
  if (changed.length) publish(...changed);
};

/** Sets what the pointer is on: {token}, {query, key}, or null. */
export const point = (hover) => {
  if (JSON.stringify(hover) === JSON.stringify(state.hover)) return;
  state.hover = hover;
  publish("hover");
};

/** The measured effects of the current pass's heads: {name of a map: [layer][head]}, or null. */
export const keepEffects = (effects) => {
  state.effects = effects;
  publish("effects");
};

/** The token whose attention is shown: the locked one, else the one under the pointer, else null. */
export const token = () => state.view.token ?? state.hover?.token ?? state.hover?.query ?? null;

/** Limits the choices to what a map of the pass has; without one, anything goes. */
export const limit = (map = state.pass && state.map) => {
  const most = {
    map: map ? state.header.maps.length : Infinity,
    layer: map?.layers ?? Infinity,
    head: map?.heads ?? Infinity,
    token: map?.queries.length ?? Infinity,
    key: map?.keys.length ?? Infinity,
  };
  for (const [name, count] of Object.entries(most)) FIELDS[name].max = count - 1;
  FIELDS.of.valid = (of) => of !== "rollout" || map?.square !== false;
};

/** After a new pass: resets whatever it does not have to the default, and reports it if a link asked for it. */
export const fitView = (ofLink = false) => {
  limit();
  const reset = Object.keys(FIELDS).filter((name) => !settings.allowed(name, state.view[name]));
  for (const name of reset) {
    if (ofLink) refuse(badLink(name, state.view[name], FIELDS[name].initial));
    state.view[name] = FIELDS[name].initial;
  }
  return reset;
};

/** The head to show first, as Python chose it. */
export const firstHead = () => {
  const [layer, head] = state.map.first_head;
  return { layer, head };
};

/** Shows the current pass with the view of a link. */
export const applyView = ({ values, named }) => set({ ...values, ...(named ? {} : firstHead()) });

// --- the link -----------------------------------------------------------------------------------------------------

/** The view for the address bar, with the requested model, text and edits, so that a reload before the answer loses
 *  nothing. */
export const writeLink = page.keep("explore", () => {
  if (!state.pass) return null;
  const { model, text, edits } = state.header;
  const held = state.open && state.asked.text.trim() && lengthOf(state.asked.text) <= site.limits.text;
  const link = held ? state.asked : { model, text, edits: editsInLink(edits) };
  const { layer, head } = state.view;
  const chosen = link.model === model ? { ...settings.link(), layer, head } : {};
  return { ...link, ...chosen, ...state.pinned.link(link.text) };
});
const writeLinkSoon = defer(writeLink);

/** Reports an invalid value of a link. */
export const refuse = (note) => state.notes.link.push({ kind: "error", ...note });

/** Parses the view of a link (URLSearchParams), as settings.read; a fold that it is about is opened. */
export const readView = (params) => {
  const { values, refused } = settings.read(params);
  const about = foldsOf(params);
  for (const name of about) values.open = withFold(values.open, name, true);
  const fills = params.has("present") || params.has("embed");
  state.reveal = (!fills && about.find((name) => name !== "forming")) || null; // that one is at the top
  return { values, refused };
};

page.showAll.explore = () => set({ open: ALL });

/** Reads the view of the link that the page was opened with; reports invalid values, which keep their initial value. */
const readLink = () => {
  const tab = opened.get("tab");
  if (tab !== null && !site.tabs.includes(tab)) refuse(badLink("tab", tab, site.tabs[0]));
  if (tabOf(opened) !== "explore") return;
  const { values, refused } = readView(opened);
  Object.assign(state.view, values);
  refused.forEach(refuse);
};

// Escape steps back once: out of a panel that fills the window (panel.js, which handles it first), else out of a lock.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.defaultPrevented || isPresenting() || page.tab !== "explore") return;
  if (!event.target?.closest?.("input, textarea, select")) set({ token: null, key: null });
});

readLink();
