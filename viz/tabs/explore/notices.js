// What the page has to say: refusals, cuts, a link it could not read.
const { h, say, store } = former;
element.setAttribute("role", "status");
store.subscribe(element, (changed) => {
  if (!changed.has("notes") && !changed.has("old")) return;
  const notes = [...store.notes.link, ...store.notes.server];
  const again = store.old === "offline" && h("button", { type: "button", class: "f-link", onclick: () => store.ask() }, say("ask_again"));
  element.replaceChildren(...notes.map((notice) => h("p", { class: `notice ${notice.kind}` }, former.told(notice))));
  if (again) element.lastChild?.append(" ", again);
});
