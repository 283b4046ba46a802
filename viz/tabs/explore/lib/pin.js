// The pinned pass, to compare the next ones with: its request, its numbers, and its part of the link.

import { opened, tabOf } from "../../../browser/lib/address.js";
import { answerTo, bytes, newest, whyNot } from "../../../browser/lib/ask.js";
import { listeners, must } from "../../../browser/lib/base.js";
import { viewOf } from "../../../browser/lib/python.js";
import { decodeExact, decodePass, editsInLink, viewOfPass } from "./pass.js";
import { pairOf, shownNow, weightsOf } from "./selection.js";
import { store } from "./store.js";

const EDITS = 1000; // characters of edits in a link; more than 32 edits fit

const { subscribe, publish } = listeners(["pinned", "exact"]);

/** asked: {model, text, edits as in a link, layer, head}, or null; pass: the pass, once it has arrived; exact: as in
 *  the store, for its view; refused: why there is none. */
export const beside = {
  /** @type {any} */ asked: null,
  /** @type {import("./pass.js").Pass | null} */ pass: null,
  /** The header of the pinned pass; throws without one. @returns {any} */
  get header() {
    return must(beside.pass, "pinned pass").header;
  },
  /** @type {any} */ exact: null,
  /** @type {string | null} */ refused: null,
  subscribe, // listen(changed) gets a Set of "pinned" and "exact"
};

const setPinned = (asked, pass = /** @type {typeof beside.pass} */ (null)) => {
  passes.stop();
  exact.stop();
  Object.assign(beside, { asked, pass, exact: null, refused: null });
  store.writeLink();
  publish("pinned");
};

/** Pins the current pass with the selected head. */
beside.pin = () => {
  const { pass, view } = store;
  if (!pass) return;
  const { model, text, edits } = pass.header;
  setPinned({ model, text, edits: editsInLink(edits), layer: view.layer, head: view.head }, pass);
};
beside.unpin = () => setPinned(null);

// --- the link -----------------------------------------------------------------------------------------------------

/** The pinned pass's part of a link; a text that equals the current one is left out. */
beside.link = (text) => {
  if (!beside.asked) return {};
  const { model, edits, layer, head, text: own } = beside.asked;
  return { pin: model, pin_text: own === text ? "" : own, pin_edits: edits, pin_head: `${layer}.${head}` };
};

/** Pins what a link (URLSearchParams) asks for, unless the link had no room for the pinned text. */
beside.read = (params) => {
  const model = params.get("pin");
  const lacking = params.has("pin_text") ? [] : (params.get("left_out") ?? "").split(".");
  const text = params.get("pin_text") ?? params.get("text") ?? store.pass?.header.text;
  if (!model || !text || lacking.includes("pin_text") || lacking.includes("text"))
    return beside.asked && beside.unpin();
  const [, layer = "0", head = "0"] = /^(\d{1,4})\.(\d{1,4})$/.exec(params.get("pin_head") ?? "") ?? [];
  const asked = {
    model,
    text,
    edits: (params.get("pin_edits") ?? "").slice(0, EDITS),
    layer: Number(layer),
    head: Number(head),
  };
  if (JSON.stringify(asked) === JSON.stringify(beside.asked)) return;
  setPinned(asked);
  load(asked);
};

/** Requests the pinned pass and its key. An unreachable server is asked again as long as the pass is pinned. */
const passes = newest({
  take: (pass) => {
    Object.assign(beside, { pass, refused: null });
    publish("pinned");
  },
  fail: (error) => {
    beside.refused = whyNot(error);
    publish("pinned");
  },
});
const load = ({ model, text, edits }) =>
  passes.ask({}, async (signal) => {
    const { key } = await answerTo("/attention", { model, text, edits }, signal);
    return decodePass(await bytes(`/attention/${key}`, signal));
  });

// --- what of it is shown ------------------------------------------------------------------------------------------

/** Like shownNow, for the pinned pass: the same head or, in a model with other layers and heads, the one selected when
 *  it was pinned. Null without a pinned pass. */
beside.shown = () => {
  const { pass, asked, exact } = beside;
  if (!pass || !store.pass) return null;
  const map = pass.maps.find(({ name }) => name === store.map.name) ?? pass.maps[0];
  const alike = map.layers === store.map.layers && map.heads === store.map.heads;
  const chosen = alike ? store.view : asked;
  const [layer, head] = [Math.min(chosen.layer, map.layers - 1), Math.min(chosen.head, map.heads - 1)];
  const of = store.view.of === "rollout" && !map.square ? "mean" : store.view.of;
  const path = [pass.header.key, map.name, layer, of === "head" ? head : of].join("/");
  const sure = exact?.path === path ? exact : null;
  return { map, of, layer, head, path, weights: sure?.weights ?? weightsOf(map, of, layer, head), exact: sure };
};

/** Requests the exact values of its view. Until then the packed weights are kept and marked as approximate. */
beside.loadExact = () => {
  const shown = beside.shown();
  if (!shown || shown.exact) return;
  const { path, map, of } = shown;
  exact.ask(path, async (signal) => ({
    path,
    ...decodeExact(map, of, await bytes(`/attention/${path}`, signal)),
  }));
};
const exact = newest({
  take: (decoded) => {
    beside.exact = decoded;
    publish("exact");
  },
  fail: () => {},
});

store.pinned = beside;
if (tabOf(opened) === "explore") beside.read(opened);

/** The two heads of an arc: the layers and heads of reader and writer; empty without an arc. */
const ends = (arc) => {
  if (!arc) return {};
  const [reader_layer, reader_head, writer_layer, writer_head] = arc.split(/[.-]/).map(Number);
  return { reader_layer, reader_head, writer_layer, writer_head };
};

viewOf.explore = () => {
  if (!store.pass) return null;
  const { header, map, view } = store;
  const shown = beside.shown();
  const { layer, head, of } = shown ?? {};
  return {
    ...view,
    ...viewOfPass(header),
    map: map.name,
    beside: shown && { ...viewOfPass(beside.header), map: shown.map.name, layer, head, of },
    part: view.carry,
    answer: view.carry_answer,
    rival: view.carry_rival,
    from_layer: view.carry_layer,
    from: view.carry_from,
    ...ends(view.reads_arc),
    ...pairOf(shownNow()),
  };
};
