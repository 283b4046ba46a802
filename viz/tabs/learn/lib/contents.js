// The way through the sections: their groups, the titles of the group that is open, and a table of contents that shows
// which questions were answered and which puzzles solved; this progress is kept in the browser and can be cleared.

import { h } from "../../../browser/lib/base.js";
import { disable } from "../../../browser/lib/fields.js";
import { say } from "../../../browser/lib/messages.js";
import { asWhole } from "../../../browser/lib/numbers.js";
import { learn } from "./learn.js";

const titleOf = ({ key }) => say(`${key}_title`);
const nameOf = (group) => say(`learn_group_${group}`);
const numberOf = (section) => learn.sections.indexOf(section) + 1;

const step = (words, sign, by) =>
  h("button.step", { title: words, "aria-label": words, onclick: () => learn.step(by) }, sign);

/** Where progress is kept, and a button that clears it when it is pressed twice. */
const makeProgress = () => {
  const message = h("span");
  const clear = h("button", { onclick: () => (requested ? learn.forget() : paint(true)), onblur: () => paint(false) });
  const node = h("footer", message, clear);
  let requested = false;
  const paint = (asks) => {
    requested = asks;
    const [answered, solved] = [learn.count("answered"), learn.count("solved")];
    message.textContent = say("learn_kept", { answered, solved });
    clear.textContent = say(requested ? "learn_clear_really" : "learn_clear");
    clear.hidden = !answered && !solved;
  };
  learn.subscribe(node, () => paint(false));
  return node;
};

/** The navigation of the tab; it follows what is open and the progress. */
export const makeContents = () => {
  const groups = [...new Set(learn.sections.map(({ group }) => group))];
  const of = (group) => learn.sections.filter((section) => section.group === group);

  const [back, next] = [step(say("learn_previous"), "‹", -1), step(say("learn_next"), "›", 1)];
  const summary = h("summary");
  const all = h("details.all", summary);
  document.addEventListener("click", (event) => all.contains(event.target) || (all.open = false));
  all.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !all.open) return;
    all.open = false;
    summary.focus();
    event.preventDefault();
  });

  const entry = (section, ...words) => {
    const open = () => ((all.open = false), learn.show(section.name));
    return h("li", h("button", { onclick: open, "data-section": section.name }, ...words));
  };
  const numberButton = (section) => entry(section, h("b", asWhole(numberOf(section))), h("span", titleOf(section)));
  const group = (name) => {
    const open = () => learn.show(of(name)[0].name);
    return h("li", h("button", { onclick: open, "data-group": name }, nameOf(name)));
  };
  const titlesOf = (name) => {
    const first = numberOf(of(name)[0]);
    const titles = of(name).map((section) => entry(section, titleOf(section)));
    return h("div", h("b", nameOf(name)), h("ol.titles", { start: first }, ...titles));
  };
  all.append(h("div.sheet", ...groups.map(titlesOf), makeProgress()));
  const node = h(
    "nav",
    { "aria-label": say("learn_sections") },
    h("ol.groups", ...groups.map(group)),
    all,
    h("div.open-group", back, h("ol.chips", ...learn.sections.map(numberButton)), next),
  );

  const current = (button, is, value) => {
    if (is) button.setAttribute("aria-current", value);
    else button.removeAttribute("aria-current");
  };
  const paint = () => {
    const open = learn.find(learn.open);
    summary.textContent = say("learn_progress", { done: learn.count("answered"), count: learn.sections.length });
    for (const button of node.querySelectorAll("[data-group]"))
      current(button, button.dataset.group === open.group, "true");
    for (const button of node.querySelectorAll("[data-section]")) {
      const section = learn.find(button.dataset.section);
      const [done, solved] = ["answered", "solved"].map((what) => learn.is(what, section.name));
      current(button, section === open, "page");
      button.classList.toggle("done", done);
      button.classList.toggle("solved", solved);
      const states = { done: done ? "yes" : "no", solved: solved ? "yes" : "no" };
      const words = { number: numberOf(section), title: titleOf(section), ...states };
      button.setAttribute("aria-label", say("learn_chip", words));
      if (button.closest(".chips")) button.parentElement.hidden = section.group !== open.group;
    }
    disable([back, numberOf(open) === 1], [next, numberOf(open) === learn.sections.length]);
  };
  learn.subscribe(node, () => learn.open && paint());
  return node;
};
