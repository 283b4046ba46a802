// Which section of tab Learn is open, its link, its progress, and its script, which comes when it is first opened.

import { followers, opened, tabOf } from "../../../browser/lib/address.js";
import { answerTo, importScript } from "../../../browser/lib/ask.js";
import { listeners } from "../../../browser/lib/base.js";
import { keys } from "../../../browser/lib/keys.js";
import { inWords, say } from "../../../browser/lib/messages.js";
import { page } from "../../../browser/lib/page.js";
import { viewOf } from "../../../browser/lib/python.js";
import { polls } from "../../../browser/lib/room/polls.js";
import { badLink } from "../../../browser/lib/settings.js";
import { storage } from "../../../browser/lib/storage.js";

const TAB = "learn";
// In the browser: names of sections whose question has been answered, and whose puzzle has been solved.
const PROGRESS = { answered: "former-learn-answered", solved: "former-learn-solved" };

export const learn = {
  /** @type {any[]} */ sections: [],
  open: null,
  message: "",
  // prepare(name), set by the tab: builds a section out of sight; resolves when its script has run
};
const { subscribe, publish } = listeners(["open", "progress", "message"]);
learn.subscribe = subscribe;

/** The section that a link opens: the one it names, that of the panel it shows alone, or the first. */
const asked = (params) => {
  const named = params.get("section") ?? params.get("embed")?.replace(/^learn-/, "");
  return learn.find(named) ? named : learn.sections[0].name;
};

learn.find = (name) => learn.sections.find((section) => section.name === name);

/** Once: `contents` of page.py. The link is read when the tab is in front: Gradio makes the first tab even where a link
 *  opens another. */
learn.begin = (contents) => {
  learn.sections = contents.map((given) => ({
    ...given,
    key: `learn_${given.name.replaceAll("-", "_")}`,
    link: () => ({}),
    follow: null,
  }));
  page.subscribe(document.body, () => {
    if (page.tab === TAB && !learn.open) follow(tabOf(opened) === TAB ? opened : new URLSearchParams());
  });
};

const link = () => learn.open && { section: learn.open, ...learn.find(learn.open).link() };
const write = page.keep(TAB, link);

/** Opens a section. */
learn.show = (name) => {
  if (name === learn.open || !learn.find(name)) return;
  learn.open = name;
  complain("");
  publish("open");
  write();
};

/** The next section or one before; whether there is one. Presenting, the presenter's steps come here too. */
learn.step = (by) => {
  const next = learn.sections[learn.sections.indexOf(learn.find(learn.open)) + by];
  if (next) learn.show(next.name);
  return Boolean(next);
};
const position = () => ({ at: learn.sections.indexOf(learn.find(learn.open)) + 1, count: learn.sections.length });
page.turns[TAB] = { step: learn.step, position };

const complain = (text) => {
  learn.message = text;
  publish("message");
};

const follow = (params) => {
  const named = params.get("section");
  const name = asked(params);
  learn.show(name);
  if (named && named !== name) complain(inWords(badLink("section", named, say(`${learn.find(name).key}_title`))));
  learn.find(name).follow?.(params);
};
followers[TAB] = (params) => learn.open && follow(params); // else the link is read when the tab opens

/** Where a section's demonstration keeps its view: as makeDemo takes it. */
learn.ownerOf = (section) => ({
  keep: (link) => {
    section.link = () => link() ?? {};
    return write;
  },
  mine: (params) => tabOf(params) === TAB && asked(params) === section.name,
  follow: (take) => (section.follow = take),
});

viewOf[TAB] = () => learn.find(learn.open)?.live?.view ?? null;

// --- progress --------------------------------------------------------------------------------------------------

const progress = Object.fromEntries(
  Object.entries(PROGRESS).map(([what, key]) => [what, new Set(storage.always.get(key)?.split(" "))]),
);
/** Whether a section is "answered" or "solved". */
learn.is = (what, name) => progress[what].has(name);
learn.count = (what) => learn.sections.filter(({ name }) => learn.is(what, name)).length;
learn.note = (what, name) => {
  if (learn.is(what, name)) return;
  progress[what].add(name);
  storage.always.set(PROGRESS[what], [...progress[what]].join(" "));
  publish("progress");
};
/** Clears all progress. */
learn.forget = () => {
  for (const [what, key] of Object.entries(PROGRESS)) {
    progress[what].clear();
    storage.always.set(key, null);
  }
  publish("progress");
};

// --- questions in a room -------------------------------------------------------------------------------------------

const words = {}; // section → {question, choices}, once its script has run
learn.asks = (name, asked) => {
  words[name] = asked;
};
const describe = (name) => {
  const section = learn.find(name);
  const open = () => page.follow(new URLSearchParams({ tab: TAB, section: name }));
  return section ? { title: say(`${section.key}_title`), question: "", choices: [], ...words[name], open } : null;
};
polls.of[TAB] = { asks: () => learn.open, prepare: (name) => learn.prepare?.(name), describe };

// --- scripts ---------------------------------------------------------------------------------------------------

/** A section's script and what it is given, {mount, props}. Throws Unanswered. */
learn.script = async (name) => {
  const file = name.replaceAll("-", "_");
  const address = new URL(`../sections/${file}/${file}.js`, import.meta.url).href;
  const given = learn.find(name).given ?? answerTo(`/learn/${name}.json`);
  const [{ mount }, props] = await Promise.all([importScript(address), given]);
  return { mount, props };
};

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || page.tab !== TAB || event.target?.closest?.("input, dialog")) return;
  const by = keys.is(event, "n") ? 1 : keys.is(event, "b") ? -1 : 0;
  if (by) learn.step(by);
});
