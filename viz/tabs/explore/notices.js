// What the page has to say: refusals, cuts, a link it could not read.
const { h, store } = former;
element.setAttribute("role", "status");
store.subscribe(element, (changed) => {
  if (!changed.has("notes")) return;
  const notes = [...store.notes.link, ...store.notes.server];
  element.replaceChildren(...notes.map(({ kind, text }) => h("p", { class: `notice ${kind}` }, text)));
});
