// What the page has to say: refusals, cuts, a link it could not read.
const { h, store } = former;
element.setAttribute("role", "status");
store.subscribe(element, (changed) => {
  if (!changed.has("notes")) return;
  const notes = [...store.notes.link, ...store.notes.server];
  element.replaceChildren(...notes.map((notice) => h("p", { class: `notice ${notice.kind}` }, former.told(notice))));
});
