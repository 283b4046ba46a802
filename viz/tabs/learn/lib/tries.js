// Prepared changes of a section. Each starts from the state that the section opens with.

import { h } from "../../../browser/lib/base.js";
import { say } from "../../../browser/lib/messages.js";

/**
 * The buttons of a section's prepared changes, {name: change}, and of reset(). A change is {setting: value} or
 * act(before), which gets the view that was on the screen and may return a promise; [change, words] where its words are
 * not the message `try_{name}` alone. A button is pressed as long as the settings that it changed stay as it left them.
 */
export const learnTries = (section, changes, reset) => {
  let active = null; // {name, left: the settings that it changed}
  const start = async (name, change) => {
    const before = { ...section.live.view };
    reset();
    const [unchanged, own] = [{ ...section.live.view }, { name, left: {} }];
    active = own;
    await (typeof change === "function" ? change(before) : section.live.set(change));
    const left = Object.entries(section.live.view).filter(([field, value]) => value !== unchanged[field]);
    own.left = Object.fromEntries(left);
    mark();
  };
  const button = (name, words, hint, act) =>
    h("button.field-button", { "data-try": name, title: hint, onclick: act }, words);
  const buttons = Object.entries(changes).map(([name, given]) => {
    const [change, words = section.words(`try_${name}`)] = Array.isArray(given) ? given : [given];
    return button(name, words, null, () => start(name, change));
  });
  const mark = () => {
    const holds = active && Object.entries(active.left).every(([field, value]) => section.live.view[field] === value);
    if (!holds) active = null;
    for (const each of buttons) each.setAttribute("aria-pressed", `${each.dataset.try === active?.name}`);
  };
  const back = () => {
    active = null;
    reset();
    mark();
  };
  section.live.subscribe(section.node, mark);
  return [
    h("span.quiet", say("learn_try")),
    ...buttons,
    button("reset", say("learn_reset"), say("learn_reset_hint"), back),
  ];
};
