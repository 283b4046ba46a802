// Words that are hidden and filled in, of the text above: what is hidden stands in brackets there, so that a link, a room and
// the text box hold it.
const { h, say, store } = former;
const { tools, body, foot } = former.panel(element, say("blanks"));
const { words, foreign, answers, verdict, reset, draw } = former.blanks((text) => {
  const params = new URLSearchParams(location.search);
  params.set("text", text);
  former.followers.explore(params);
});
tools.append(former.hint("?", say("blanks_hint"), say("blanks")), reset);
body.append(words, foreign, answers, verdict);
const legend = h("div");
foot.append(legend, h("p", { class: "quiet" }, say("blanks_no_surprise")));

words.addEventListener("pointerover", ({ target }) => {
  const token = target.closest?.("[data-token]")?.dataset.token;
  if (token !== undefined) store.point({ token: Number(token) });
});
words.addEventListener("pointerleave", () => store.point(null));

store.subscribe(element, (changed) => {
  if (!changed.has("pass") || !store.pass) return;
  const { header } = store.pass;
  element.hidden = !("blanks" in header.output);
  if (!element.hidden) {
    draw(header);
    legend.replaceChildren(...[former.outcomeLegend(header)].filter(Boolean));
  }
  element.dataset.rev = store.rev;
});
