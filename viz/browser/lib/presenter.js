// Presenting to a class: one panel at a time fills the window, in larger type with little around it. Arrow keys (and
// the Page keys of a remote control) go through the panels of all tabs, or through a teacher's own slides.

import { addressWith, embeddedPanel, opened, viewNow, writeBeside } from "./address.js";
import { copyText } from "./ask.js";
import { eachFrame, h, must } from "./base.js";
import { fillWindow } from "./fill.js";
import { keys } from "./keys.js";
import { lessons } from "./lessons.js";
import { inWords, say } from "./messages.js";
import { page } from "./page.js";
import { restoreLargest } from "./panel.js";
import { polls } from "./room/polls.js";
import { room } from "./room.js";
import { site } from "./site.js";

const lines = h("p", { "aria-live": "polite" });
const link = h("button", { onclick: () => copyLink() });
const add = h("button", { onclick: () => addSlide() });
const ask = h("button", { hidden: true, onclick: () => showQuestion(!asked) });
const caption = h("div.presenter-caption", lines, ask, link, add);
/** @type {any} */ let shown = null; // the presented section
/** @type {any} */ let asked = null; // the question shown over it
let turn = 0; // counts requests: a tab that loads late may belong to an earlier one
/** @type {Wanted} */ let missed = null; // a panel that was asked for and is not on the page yet

const nameOf = (/** @type {HTMLElement} */ section) => section.dataset.panel ?? "";
const titleOf = (/** @type {HTMLElement} */ section) => must(section.querySelector("h2"), "title").textContent;

/** The panels of the tab that is or will be in front, except those without content. */
const sections = () => {
  const tabpanel = document.querySelector(`.former-lesson[data-tab=${page.tab}]`)?.closest("[role=tabpanel]");
  const all = [...(tabpanel?.querySelectorAll(".former .panel") ?? [])];
  return all.filter((section) => !section.closest("[hidden], .former-export"));
};

/** The same as {name, title}. */
const panels = () => sections().map((section) => ({ name: nameOf(section), title: titleOf(section) }));

/** @type {(section: HTMLElement | null) => void} */
const show = (section) => {
  missed = null;
  shown?.classList.remove("presented", "maximised");
  showQuestion(false);
  section?.classList.add("presented", "maximised");
  fillWindow(section);
  shown = section;
  presenter.panel = section && nameOf(section);
  if (!section) return;
  section.tabIndex = -1;
  section.focus({ preventScroll: true });
  if (embeddedPanel !== null) return;
  showCaption();
  link.textContent = say("presenting_link");
  add.textContent = say("presenting_add");
  writeBeside({ present: "1", panel: presenter.panel });
};

/** Shows what to look at, the room, and the number of the panel or slide. */
const showCaption = () => {
  tellQuestion(); // a section's question loads later than its panel
  if (!presenter.on || !shown || !caption.isConnected) return;
  const { at, list } = presenter.slides;
  const all = sections();
  const here = page.turns[page.tab]?.position() ?? { at: all.indexOf(shown) + 1, count: all.length };
  const counted = at === null ? here : { at: at + 1, count: list.length };
  lines.replaceChildren(
    h("b", lessons.of(page.tab)),
    room.name ? h("span", say("presenting_room", { room: room.name })) : "",
    h(
      "span.place",
      say(at === null ? "presenting_at" : "presenting_slide", { ...counted, panel: titleOf(shown) }),
      h("small", say(at === null ? "presenting_keys" : "presenting_slide_keys")),
    ),
  );
  const sentence = lines.firstChild;
  sentence.classList.toggle("long", sentence.scrollHeight > sentence.clientHeight);
};

const questionOf = (/** @type {HTMLElement | null} */ section) => section?.closest("article")?.querySelector(".check");

/** Shows the section's question over the panel, or removes it; in a room, with the number of votes for each answer. */
const showQuestion = (/** @type {boolean} */ on) => {
  asked?.classList.remove("asked");
  asked = on ? questionOf(shown) : null;
  asked?.classList.add("asked");
  if (asked && !asked.open) asked.querySelector("summary").click();
  tellQuestion();
};
const tellQuestion = () => {
  const counts = room.votesOn(polls.asks());
  const count = counts?.reduce((/** @type {number} */ one, /** @type {number} */ other) => one + other, 0);
  ask.hidden = !questionOf(shown);
  ask.textContent = counts ? say("presenting_question_votes", { count }) : say("presenting_question");
  ask.setAttribute("aria-expanded", `${Boolean(asked)}`);
};

/** @typedef {string | number | null | undefined} Wanted a panel's name, Infinity for the last, or the first */

/** Starts with a panel; a tab that was just opened has its panels after a moment. */
const begin = async (/** @type {Wanted} */ wanted) => {
  const own = ++turn;
  restoreLargest();
  presenter.on = true;
  document.body.classList.add("presenting");
  if (!caption.isConnected && embeddedPanel === null) document.body.append(caption);
  const all = await settled(wanted);
  if (!presenter.on || own !== turn || !all.length) return;
  const found = all.find((section) => nameOf(section) === wanted);
  show(found ?? all[wanted === Infinity ? all.length - 1 : 0]);
  missed = found ? null : wanted;
  settled(Infinity).then(showCaption); // the wanted panel may come before others, which count too
};

/** Resolves with the panels once the wanted one is among them, no new ones have appeared for a while, or presenting has
 *  ended. */
const settled = async (/** @type {Wanted} */ wanted) => {
  let [count, still] = [0, 0];
  while (presenter.on && still < 20 && !sections().some((section) => nameOf(section) === wanted)) {
    await new Promise(requestAnimationFrame);
    const now = sections().length;
    still = now && now === count && !document.querySelector("[data-coming]") ? still + 1 : 0;
    count = now;
  }
  return sections();
};

const end = () => {
  turn++; // a tab on its way no longer presents
  presenter.on = false;
  document.body.classList.remove("presenting");
  presenter.slides.at = null;
  show(null);
  caption.remove();
  writeBeside({ present: null, panel: null, slide: null });
};

/** Goes to a tab, and to the named panel in it or the first; does nothing if that panel (or, without a name, any) is
 *  already shown. */
const go = async (/** @type {string} */ tab, /** @type {Wanted} */ panel) => {
  if (shown && tab === page.tab && (!panel || nameOf(shown) === panel)) return;
  const own = ++turn;
  show(null);
  await page.open(tab);
  if (own === turn) await begin(panel);
};

/** When a link is followed while presenting: goes to its panel. */
page.go = (tab, panel) => (presenter.on ? go(tab, panel) : page.open(tab));

const toggle = () => (presenter.on ? end() : begin(null));

/** Goes to the next or previous panel or slide; in a tab with sections through those, then to the next tab.
 *  @type {(by: number) => Promise<void>} */
const step = async (by) => {
  if (presenter.slides.at !== null) return presenter.slides.go(presenter.slides.at + by);
  const all = sections();
  const next = all[all.indexOf(shown) + by];
  if (next) return show(next);
  if (page.turns[page.tab]?.step(by)) return; // the hidden section is replaced by the next one, see start
  const tab = site.tabs[site.tabs.indexOf(page.tab) + by];
  if (tab) await go(tab, by < 0 ? Infinity : null);
};

/** Copies the address of the presented view; without a clipboard, shows it in a field for copying by keyboard. */
const copyLink = async () => {
  const value = addressWith([...viewNow(), ["present", "1"]]);
  const field = h("input", { type: "text", readonly: true, value, "aria-label": say("link_here") });
  link.after(field);
  const copied = await copyText(field);
  link.textContent = say(copied ? "class_room_copied" : "link_refused");
  if (copied) field.remove();
  else field.addEventListener("blur", () => field.remove());
};

const addSlide = async () => {
  const refused = await presenter.slides.add();
  add.textContent = refused ? inWords(refused) : say("slides_added", { count: presenter.slides.list.length });
};

/** @type {{ [key: string]: number }} */
const STEPS = { ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1 };
// Handled before the last clicked element gets the key, so that a remote control works from anywhere.
const stepBy = (/** @type {KeyboardEvent} */ event) => {
  const by = caption.isConnected && !keys.modified(event) && STEPS[event.key];
  if (!by || (event.key.startsWith("Arrow") && keys.writes(event.target))) return;
  event.preventDefault();
  event.stopPropagation();
  step(by);
};
document.addEventListener("keydown", stepBy, true);

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || embeddedPanel !== null) return;
  if (keys.is(event, "p")) toggle();
  else if (presenter.on && event.key === "Escape" && !keys.modified(event)) end();
  else return;
  event.preventDefault();
});

/** Called once, when the page is ready, as a link may start presenting. The sentence and the panels of the tab may
 *  change later. */
const start = () => {
  if (embeddedPanel === null && opened.get("present") === "1") begin(opened.get("panel"));
  lessons.subscribe(document.body, showCaption);
  room.subscribe(document.body, tellQuestion);
  new MutationObserver(() => {
    if (!presenter.on || embeddedPanel !== null) return;
    const late = missed && sections().find((section) => nameOf(section) === missed);
    if (late) show(late);
    else if (shown?.closest("[hidden]")) requestAnimationFrame(() => show(sections()[0]));
  }).observe(document.body, { subtree: true, attributeFilter: ["hidden"] });
};

const [SOON, LATEST] = [1000, 10000]; // ms to wait for a panel that is hidden, or not on the page yet

/** Shows one panel and no other whenever it has content; onchange(has) is called with whether it has.
 *  @type {(name: string, onchange: (has: boolean) => void) => void} */
const showOnly = (name, onchange) => {
  presenter.on = true;
  let timer = 0;
  /** @type {number | null} */ let patience = null; // the timer; 0 while the panel is shown
  const showPanel = eachFrame(() => {
    const section = sections().find((one) => nameOf(one) === name) ?? null;
    if (section !== shown) show(section);
    const wait = section ? 0 : document.querySelector(`[data-panel="${name}"]`) ? SOON : LATEST;
    if (wait === patience) return;
    patience = wait;
    clearTimeout(timer);
    if (wait) timer = setTimeout(() => onchange(false), wait);
    else onchange(true);
  });
  new MutationObserver(showPanel).observe(document.body, {
    subtree: true,
    childList: true,
    attributeFilter: ["hidden"],
  });
  showPanel();
};

/** on: whether a panel is presented; panel: its name; slides: a teacher's own, see slides.js. */
export const presenter = {
  on: false,
  /** @type {string | null} */ panel: null,
  /** @type {{ list: [string, string][], at: number | null, go: (at: number) => Promise<void>,
   *           add: () => Promise<import("./messages.js").Note | null> }} */
  slides: { list: [], at: null, go: async () => {}, add: async () => null },
  panels,
  showCaption,
  go,
  toggle,
  step,
  start,
  showOnly,
};
