// Words that are hidden and filled in. A word that is pressed is put into brackets in the text, which is run anew: so a
// link, a room and the text box hold what is hidden. Beneath, what the model says of each, and whether the second of two
// texts follows the first.
const { h, say, store } = former;
const { tools, body, foot } = former.panel(element, say("blanks"));
const reset = h("button", { type: "button", class: "f-button", onclick: () => show(hidden()) }, say("blanks_reset"));
tools.append(former.hint("?", say("blanks_hint"), say("blanks")), reset);
const words = h("div", { class: "blanks-words", role: "group", "aria-label": say("blanks_words") });
const answers = h("div", { class: "blanks-answers" });
const verdict = h("p", { class: "blanks-verdict", role: "status" });
body.append(words, answers, verdict);
const legend = h("div");
foot.append(legend, h("p", { class: "quiet" }, say("blanks_no_surprise")));

const hidden = () => store.pass.header.words.filter((word) => word.hidden);
const bare = (text) => text.replace(/^\[|\]$/g, "");

/** Runs the text in which some words, from the last to the first, stand otherwise: write(word as typed). */
const rewrite = (changed, write) => {
  const letters = [...store.pass.header.text]; // as Python counts them
  for (const { from, to } of [...changed].reverse()) letters.splice(from, to - from, write(letters.slice(from, to).join("")));
  const params = new URLSearchParams(location.search);
  params.set("text", letters.join(""));
  former.followers.explore(params);
};
const hide = (changed) => rewrite(changed, (text) => `[${text}]`);
const show = (changed) => rewrite(changed.filter((word) => !isUnknown(word)), bare);
/** Whether a word was typed as [MASK]: nobody knows it. */
const isUnknown = (word) => word.hidden && word.pieces.every((piece) => piece === "[MASK]");

const wordOf = (letters) => (word) => {
  const typed = bare(letters.slice(word.from, word.to).join(""));
  const press = () => (word.hidden ? show([word]) : hide([word]));
  const label = say(word.hidden ? "blanks_show" : "blanks_hide", { word: typed });
  const pieces = word.pieces.length > 1 || word.hidden ? word.pieces.join(" ") : "";
  return h("button", { type: "button", class: "token", "data-token": word.tokens[0], "aria-pressed": `${word.hidden}`, "aria-label": label, disabled: isUnknown(word) || null, onclick: press },
    h("span", { class: "typed" }, word.hidden ? "[MASK]" : typed), h("span", { class: "pieces" }, pieces));
};

const answer = (blank, before) => {
  const { labels } = store.pass.header;
  const { truth, next, token } = blank;
  const known = truth
    ? h("p", { class: "truth" }, say("blanks_truth", { label: truth.label }), " ", former.change(before?.truth.prob, truth.prob))
    : h("p", { class: "truth quiet" }, say("blanks_unknown"));
  return h("div", { class: "blank", "data-token": token },
    h("h3", {}, say("blanks_at", { token: former.quote(token, labels) })), known,
    h("div", { class: "rows", role: "group", "aria-label": former.quote(token, labels) }, ...former.outcomes(next, before?.next)));
};

const draw = () => {
  const { header } = store.pass;
  const { output, baseline } = header;
  words.replaceChildren(...header.words.map(wordOf([...header.text])));
  const blanks = output.blanks.map((blank, i) => answer(blank, baseline?.blanks[i]));
  answers.replaceChildren(...(blanks.length ? blanks : [h("p", { class: "quiet" }, say("blanks_none"))]));
  reset.disabled = !hidden().some((word) => !isUnknown(word));
  const { follows } = output;
  if (follows === null) verdict.textContent = header.segments.includes(1) ? "" : say("blanks_one_text");
  else verdict.replaceChildren(say("blanks_follows", { likelier: follows >= 0.5 ? "yes" : "no" }), " ", former.change(baseline?.follows, follows));
  legend.replaceChildren(...[former.outcomeLegend(header)].filter(Boolean));
};

words.addEventListener("pointerover", ({ target }) => {
  const token = target.closest?.("[data-token]")?.dataset.token;
  if (token !== undefined) store.point({ token: Number(token) });
});
words.addEventListener("pointerleave", () => store.point(null));

store.subscribe(element, (changed) => {
  if (!changed.has("pass") || !store.pass) return;
  element.hidden = store.pass.header.kind !== "bert";
  if (!element.hidden) draw();
  element.dataset.rev = store.rev;
});
