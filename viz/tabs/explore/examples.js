// Texts to begin with, for what the model on screen reads; a click puts one in the text box.
const { h, say, store } = former;
element.setAttribute("role", "group");
element.setAttribute("aria-label", say("examples"));
store.subscribe(element, (changed) => {
  if (!changed.has("pass") || !store.pass) return;
  const { examples, text } = store.pass.header;
  const choose = (example) => {
    trigger("chosen", { text: example });
    store.again(example); // that it stands in the text box already changes nothing there
  };
  const chip = (example) => h("button", { type: "button", "aria-pressed": `${example === text}`, onclick: () => choose(example) }, example);
  element.replaceChildren(h("span", { class: "quiet" }, say("examples")), ...(props.value[examples] ?? []).map(chip));
  element.dataset.rev = store.rev;
});
