// Example texts for the current model; a click puts one in the text box. All other texts of the field (a link's, or an
// example) are set through here: trigger("filled") makes Gradio ask the store for them.

import { h, refill } from "../../browser/lib/base.js";
import { say } from "../../browser/lib/messages.js";
import { store } from "./lib/store.js";

export const mount = ({ element, trigger, props }) => {
  const fill = () => trigger("filled");
  element.setAttribute("role", "group");
  element.setAttribute("aria-label", say("examples"));
  store.start(props.value, fill);
  store.subscribe(element, (changed) => {
    if (!changed.has("pass") || !store.pass) return;
    const { examples, text } = store.header;
    const choose = (example) => {
      store.ask({ text: example });
      fill();
    };
    const chip = (example) =>
      h("button", { "aria-pressed": `${example === text}`, onclick: () => choose(example) }, example);
    refill(element, [h("span.quiet", say("examples")), ...props.value.texts[examples].map(chip)]);
    element.dataset.rev = store.rev;
  });
};
