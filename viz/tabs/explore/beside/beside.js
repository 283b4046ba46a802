// The pinned pass and the current pass side by side, with their differences: over all heads, and cell by cell for the
// selected head. Hidden while nothing is pinned. It is drawn after whatever shows the choice of another head.

import { defer, eachFrame, h, refill, shorten } from "../../../browser/lib/base.js";
import { classInWords, inQuotes, say } from "../../../browser/lib/messages.js";
import { asShare } from "../../../browser/lib/numbers.js";
import { makePanel, onAppearance, whileInView } from "../../../browser/lib/panel.js";
import { viewName } from "../lib/labels.js";
import { beside } from "../lib/pin.js";
import { shownNow } from "../lib/selection.js";
import { store } from "../lib/store.js";
import { makeComparison } from "./difference.js";
import { makeHeads } from "./heads.js";
import { makeMaps } from "./maps.js";

const QUOTED = 60; // characters of a text
const isSame = () => beside.pass?.header.key === store.header.key;

/** Describes a pass in one line: its model, text, edits and prediction. */
const passInWords = ({ model, text, edits, output, answer }) => {
  const changed = edits.length ? say("picture_edits", { count: edits.length }) : "";
  const verdicts = output.classes
    ?.map((label, i) => ({ label: classInWords(label), prob: output.probs[i] }))
    .sort((a, b) => b.prob - a.prob);
  const [best] = verdicts ?? output.next ?? [];
  const says = answer
    ? say("beside_answers", { text: answer.typed ?? answer.own })
    : best && say("beside_says", { says: verdicts ? "class" : "next", label: best.label, share: asShare(best.prob) });
  return [model, inQuotes(shorten(text, QUOTED)), changed, says].filter(Boolean).join(" · ");
};

/** The message if there is nothing to compare yet. */
const messageOf = (was) => {
  if (beside.refused) return say("beside_refused", { model: beside.asked.model, why: beside.refused });
  if (!was) return say("beside_coming");
  return isSame() ? say("beside_pinned", { pass: passInWords(beside.header) }) : "";
};

const SHOWN = ["pass", "map", "exact", "of", "layer", "head", "scale", "rev"];

const toCarry = () => document.querySelector(".former-carry .panel")?.scrollIntoView({ block: "start" });

export const mount = ({ element }) => {
  const { section, tools, body, foot } = makePanel(element, say("beside"));
  const [less, bar, more] = [h("span"), h("i"), h("span")];
  const legend = h("div.legend", h("span", say("beside_less")), less, bar, more, h("span", say("beside_more")));
  tools.append(legend, h("button.f-button", { onclick: beside.unpin }, say("unpin")));
  const hint = h("p.quiet");
  const [all, one] = [0, 1].map(() => h("p.finding", { role: "status" }));
  const readout = h("p.readout", { "aria-live": "polite" });
  foot.append(hint, all, one, readout, h("p", h("button.f-link", { onclick: toCarry }, say("carry_from_here"))));
  const [ofHeads, ofMaps] = ["heads", "vs"].map((question) => makeComparison(question, () => soon()));
  const heads = makeHeads(body, () => tellPlace());
  const maps = makeMaps(body, { legend, less, bar, more });

  /** Describes the head under the pointer in the overview, or the pair under the pointer. */
  const tellPlace = () => {
    for (const name of ["query", "key", "change"]) delete readout.dataset[name];
    const head = heads.pointed();
    const { words, data } = head ? { words: head, data: {} } : maps.pair();
    readout.textContent = words;
    Object.assign(readout.dataset, data);
  };
  const compare = (was, now) => {
    const passes = [was, now].map(({ map }, side) => `${[beside, store][side].header.key}/${map.name}`).join();
    const every = ofHeads.of(passes);
    const own = ofMaps.of([passes, was.path, now.of, now.layer, now.head].join());
    maps.compare(was, now, own.answer, [
      `${viewName(was)} · ${passInWords(beside.header)}`,
      `${viewName(now)} · ${passInWords(store.header)}`,
    ]);
    heads.paint(was.map, now.map, every.answer);
    const failure = every.failure || own.failure;
    refill(all, failure ? [failure] : heads.describeAll(was.map, now.map));
    one.textContent = maps.describeHead(was, now);
    tellPlace();
    beside.loadExact();
    return [every, own].every(({ answer, failure }) => answer || failure);
  };
  const clear = () => {
    maps.clear();
    ofHeads.stop();
    ofMaps.stop();
    return true;
  };
  const paint = () => {
    const [now, was] = [shownNow(), beside.shown()];
    if (!inView() || !beside.asked || !now) return;
    const apart = was && !isSame();
    for (const part of [body, all, one, readout]) part.hidden = !apart;
    hint.textContent = messageOf(was);
    const complete = apart ? compare(was, now) : clear();
    const [earlier, current] = [was, now].map((shown) => (shown?.exact ? "exact" : "approximate"));
    element.dataset.shown = [was?.path, earlier, now.layer, now.head, current].join(" ");
    if (complete) element.dataset.rev = store.rev;
    else delete element.dataset.rev;
  };

  const soon = defer(paint); // of heads that are only passed over nothing is asked
  const inView = whileInView(section, soon);
  const point = eachFrame(() => {
    if (!inView()) return;
    maps.draw();
    tellPlace();
  });
  beside.subscribe(element, (changed) => {
    if (changed.has("pinned")) element.hidden = !beside.asked;
    soon();
  });
  store.subscribe(element, (changed) => {
    if (!beside.asked) return;
    if (SHOWN.some((name) => changed.has(name))) soon();
    else if (["hover", "token", "key"].some((name) => changed.has(name))) point();
  });
  onAppearance(soon);
};
