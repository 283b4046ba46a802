// A room's record for its leader: the number of followers and all answers, to read and as a CSV file.

import { saveRows } from "../ask.js";
import { h, refill } from "../base.js";
import { makeBar } from "../colour.js";
import { say } from "../messages.js";
import { asWhole } from "../numbers.js";
import { room } from "../room.js";
import { polls } from "./polls.js";

/** @typedef {import("../room.js").Recorded} Recorded */
/** @typedef {import("./polls.js").Described} Described */
/** @typedef {{ member: string, described: Described, name: string, choice: number, right: boolean | null }} Answer */

/** @type {(described: Described, choice: number) => string} */
const wordsOf = (described, choice) => described.choices[choice] ?? say("record_choice", { number: choice + 1 });

/** The answers to questions that this page knows.
 *  @type {(answers: Recorded[]) => Answer[]} */
const readable = (answers) =>
  answers.flatMap(([member, name, choice, right]) => {
    const described = polls.describe(name);
    return described ? [{ member, described, name, choice, right, ...described.judge?.(choice) }] : [];
  });

/** The record as rows of a CSV file, one for each answer.
 *  @type {(answers: Answer[]) => string[][]} */
const asRows = (answers) => {
  const head = ["member", "section", "question", "answer", "is_right"].map((name) => say(`record_${name}`));
  const lines = answers.map(({ member, described, choice, right }) => [
    member,
    described.title,
    described.question,
    wordsOf(described, choice),
    right === null ? "" : say(right ? "record_yes" : "record_no"),
  ]);
  return [head, ...lines];
};

/** One question: its title, which leads to it, and how many chose each answer.
 *  @type {(answers: Answer[]) => HTMLElement} */
const makeQuestion = (answers) => {
  const [{ name, described }] = answers;
  const last = Math.max(described.choices.length - 1, ...answers.map(({ choice }) => choice));
  const choices = Array.from({ length: last + 1 }, (_, choice) => {
    const given = answers.filter((each) => each.choice === choice);
    return h(
      "li",
      h("span", wordsOf(described, choice)),
      given.some(({ right }) => right) ? h("b", say("record_right")) : null,
      h("span.votes", makeBar(given.length / answers.length), asWhole(given.length)),
    );
  });
  const go = h("button", { title: say("record_go"), onclick: described.open }, described.title);
  return h("section", { "data-question": name }, go, h("p", described.question), h("ul", ...choices));
};

/** {button, node}: a button for the room's bar, shown to the leader alone, and the sheet that it opens. */
export const makeRecord = () => {
  const button = h("button", { title: say("record_open_hint"), onclick: () => show(node.hidden) });
  const title = h("h2");
  const close = h("button", { onclick: () => show(false) }, say("record_close"));
  const said = h("p", { role: "status" });
  const list = h("div");
  const save = h("button", { onclick: () => download() }, say("record_save"));
  const foot = h("footer", h("p", say("record_ends")), save);
  const head = h("header", title, close);
  const label = say("record_open_hint");
  const node = h("section.room-record", { "aria-label": label, hidden: true }, head, said, list, foot);
  /** @type {Answer[]} */ let answers = [];

  const show = (/** @type {boolean} */ on) => {
    node.hidden = !on;
    button.setAttribute("aria-expanded", `${on}`);
    room.watch(on);
    if (on) refresh();
  };
  const refresh = async () => {
    const { name } = room;
    const record = await room.record();
    if (record) await polls.prepare(record.map(([, question]) => question));
    if (!record || room.name !== name) return;
    answers = readable(record);
    paint();
  };
  const paint = () => {
    const members = new Set(answers.map(({ member }) => member)).size;
    title.textContent = say("record", { room: room.name });
    said.textContent = say(members ? "record_members" : "record_none", { answers: answers.length, members });
    const names = [...new Set(answers.map(({ name }) => name))];
    refill(
      list,
      names.map((name) => makeQuestion(answers.filter((each) => each.name === name))),
    );
    save.disabled = !members;
  };
  const download = async () => {
    await refresh();
    saveRows(`${room.name}.csv`, asRows(answers));
  };
  node.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Escape") return;
    event.preventDefault(); // Escape closes only the sheet
    show(false);
  });

  /** @type {number | null} */ let known = null; // the number of answers that is on the screen
  room.subscribe(button, () => {
    const leading = room.state === "leading";
    button.hidden = !leading || room.anew || !room.votes;
    if (!leading && !node.hidden) show(false);
    if (!leading || !room.votes) return;
    const { followers, answers } = room.votes;
    button.textContent = say("record_open", { followers, answers });
    if (!node.hidden && answers !== known) refresh();
    known = answers;
  });
  return { button, node };
};
