// All sections one after the other, each in its initial view, to print as a booklet.

import { page } from "../../../browser/lib/page.js";
import { learn } from "./learn.js";

page.showAll.learn = async () => {
  for (const section of learn.sections) learn.show(section.name);
  while (learn.sections.some(({ node, live }) => !node.dataset.drawn || live?.busy))
    await new Promise(requestAnimationFrame);
  learn.show(learn.sections[0].name);
  for (const { node } of learn.sections) {
    node.hidden = false;
    node.classList.add("booklet");
  }
};
