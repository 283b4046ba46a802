// The frame of tab Learn: the way through the sections, and the one that is open.

import { mount as mountLesson } from "../../browser/lesson.js";
import { h } from "../../browser/lib/base.js";
import { lessons } from "../../browser/lib/lessons.js";
import { say } from "../../browser/lib/messages.js";
import "./lib/booklet.js";
import { makeContents } from "./lib/contents.js";
import { learn } from "./lib/learn.js";
import { buildSection } from "./lib/section.js";

export const mount = ({ element, props }) => {
  const intro = h("p.intro", say("learn_intro"));
  const lesson = h("div.former-lesson");
  const note = h("p.note.error", { role: "status" });
  const stage = h("div.sections");

  learn.begin(props.value.sections);
  const [{ name: first, article, href }] = learn.sections;
  mountLesson({ element: lesson, props: { value: { tab: "learn", section: article, href } } });
  element.append(intro, makeContents(), lesson, note, stage);

  const paintNote = () => (note.textContent = learn.message || (learn.find(learn.open).live?.message?.text ?? ""));

  const find = (name) => {
    const section = learn.find(name);
    if (section && !section.node) buildSection(section, stage, paintNote);
    return section;
  };
  learn.prepare = (name) => {
    const section = find(name);
    if (section && name !== learn.open) section.node.hidden = true;
    return section?.drawing ?? null;
  };
  learn.subscribe(element, (changed) => {
    if (!learn.open) return;
    paintNote();
    intro.hidden = learn.open !== first;
    if (!changed.has("open")) return;
    const section = find(learn.open);
    for (const node of stage.children) node.hidden = node !== section.node;
    lessons.link("learn", section);
    lessons.show("learn", section.sentence ?? "");
  });
};
