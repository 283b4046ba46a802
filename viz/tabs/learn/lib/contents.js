// The way through the sections: their groups, the titles of the group that is open, and a table of contents that shows
// which questions were answered.

import { h } from "../../../browser/lib/base.js";
import { say } from "../../../browser/lib/messages.js";
import { asWhole } from "../../../browser/lib/numbers.js";
import { learn } from "./learn.js";

const titleOf = ({ key }) => say(`${key}_title`);
const nameOf = (group) => say(`learn_group_${group}`);
const numberOf = (section) => learn.sections.indexOf(section) + 1;

const step = (words, sign, by) =>
  h("button", { class: "step", title: words, "aria-label": words, onclick: () => learn.step(by) }, sign);

/** The navigation of the tab; it follows what is open and what was answered. */
export const makeContents = () => {
  const groups = [...new Set(learn.sections.map(({ group }) => group))];
  const of = (group) => learn.sections.filter((section) => section.group === group);

  const [back, next] = [step(say("learn_previous"), "‹", -1), step(say("learn_next"), "›", 1)];
  const summary = h("summary", {});
  const all = h("details", { class: "all" }, summary);
  document.addEventListener("click", (event) => all.contains(event.target) || (all.open = false));
  all.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !all.open) return;
    all.open = false;
    summary.focus();
    event.preventDefault();
  });

  const entry = (section, ...words) => {
    const open = () => ((all.open = false), learn.show(section.name));
    return h("li", {}, h("button", { onclick: open, "data-section": section.name }, ...words));
  };
  const numbered = (section) => entry(section, h("b", {}, asWhole(numberOf(section))), h("span", {}, titleOf(section)));
  const group = (name) => {
    const open = () => learn.show(of(name)[0].name);
    return h("li", {}, h("button", { onclick: open, "data-group": name }, nameOf(name)));
  };
  const listed = (name) => {
    const first = numberOf(of(name)[0]);
    const titles = of(name).map((section) => entry(section, titleOf(section)));
    return h("div", {}, h("b", {}, nameOf(name)), h("ol", { class: "titles", start: first }, ...titles));
  };
  all.append(h("div", { class: "sheet" }, ...groups.map(listed)));
  const node = h(
    "nav",
    { "aria-label": say("learn_sections") },
    h("ol", { class: "groups" }, ...groups.map(group)),
    all,
    h("div", { class: "open-group" }, back, h("ol", { class: "chips" }, ...learn.sections.map(numbered)), next),
  );

  const current = (button, is, value) => {
    if (is) button.setAttribute("aria-current", value);
    else button.removeAttribute("aria-current");
  };
  const paint = () => {
    const open = learn.find(learn.open);
    const done = learn.sections.filter(({ name }) => learn.answered(name)).length;
    summary.textContent = say("learn_progress", { done, count: learn.sections.length });
    for (const button of node.querySelectorAll("[data-group]"))
      current(button, button.dataset.group === open.group, "true");
    for (const button of node.querySelectorAll("[data-section]")) {
      const section = learn.find(button.dataset.section);
      const answered = learn.answered(section.name);
      current(button, section === open, "page");
      button.classList.toggle("done", answered);
      const words = { number: numberOf(section), title: titleOf(section), done: answered ? "yes" : "no" };
      button.setAttribute("aria-label", say("learn_chip", words));
      if (button.closest(".chips")) button.parentElement.hidden = section.group !== open.group;
    }
    back.disabled = numberOf(open) === 1;
    next.disabled = numberOf(open) === learn.sections.length;
  };
  learn.subscribe(node, () => learn.open && paint());
  return node;
};
