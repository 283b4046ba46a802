// "Check yourself": one question, answered by the running code after the visitor has chosen; a room's leader sees the
// number of votes for each choice.

import { newest, whyNot } from "../../../browser/lib/ask.js";
import { h } from "../../../browser/lib/base.js";
import { makeBar } from "../../../browser/lib/colour.js";
import { keys } from "../../../browser/lib/keys.js";
import { say } from "../../../browser/lib/messages.js";
import { asWhole } from "../../../browser/lib/numbers.js";
import { room } from "../../../browser/lib/room.js";
import { learn } from "./learn.js";

let groups = 0;

/**
 * A question that opens to its choices: {question, choices: words of each, answer, shows}, or `names` of the choices
 * whose words are the messages `choice_{name}`; opening it sets the settings in `shows`, so that what it asks about is
 * on the screen. answer() resolves to {right: index of the choice that the code confirms, said: the sentence with its
 * numbers}. A vote counts in the room once the page knows the right choice.
 */
export const learnCheck = (section, { question = section.words("question"), names, choices, answer, shows = {} }) => {
  choices ??= names.map((name) => section.words(`choice_${name}`));
  const group = `former-learn-check-${groups++}`;
  learn.asks(section.name, { question, choices });
  const message = h("p.said", { role: "status" });
  const questions = newest({
    take: ({ chosen, right, said: why }) => {
      room.vote(section.name, chosen, right === chosen);
      const key = right === chosen ? "learn_check_right" : "learn_check_wrong";
      message.textContent = say(key, { right: choices[right], said: why });
      message.classList.add(right === chosen ? "right" : "wrong");
      learn.note("answered", section.name);
    },
    fail: (error) => (message.textContent = whyNot(error)),
  });
  const choose = (chosen) => {
    message.textContent = say("learn_check_wait");
    message.className = "said";
    questions.ask({}, async () => ({ chosen, ...(await answer()) }));
  };
  const inputs = choices.map((_, i) => h("input", { type: "radio", name: group, value: i, onchange: () => choose(i) }));
  const votes = choices.map(() => h("output.votes", { hidden: true }));
  const labels = choices.map((words, i) => h("label", inputs[i], h("span", words), votes[i]));
  // Arrow keys only move the focus, as a choice is an answer; Space chooses.
  const move = (event) => {
    const [down, right] = keys.arrows[event.key] ?? [0, 0];
    const at = inputs.indexOf(event.target);
    if (at < 0 || !(down || right) || keys.modified(event)) return;
    event.preventDefault();
    inputs[(at + down + right + inputs.length) % inputs.length].focus();
  };
  const all = h("p.all-votes", { role: "status" });
  const node = h(
    "details.check",
    // the bar of a room would be over its last answers
    { ontoggle: () => node.open && room.state && node.scrollIntoView({ block: "nearest" }) },
    h(
      "summary",
      { onclick: () => node.open || section.live.set(shows) },
      h("b", say("learn_check")),
      " ",
      h("span", { id: group }, question),
    ),
    h("fieldset", { "aria-labelledby": group, onkeydown: move }, ...labels, all, message),
  );
  room.subscribe(node, () => {
    const counts = room.votesOn(section.name);
    const count = counts?.reduce((one, other) => one + other, 0);
    votes.forEach((node, i) => {
      node.hidden = !counts;
      if (counts) node.replaceChildren(makeBar((counts[i] ?? 0) / (count || 1)), asWhole(counts[i] ?? 0));
    });
    all.textContent = counts ? say("room_votes", { count }) : "";
  });
  return node;
};
