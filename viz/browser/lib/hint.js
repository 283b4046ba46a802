// Explanations of words, by pointer, touch and keyboard: a button that opens a card next to it.

import { h, setAttributes } from "./base.js";
import { keys } from "./keys.js";
import { say } from "./messages.js";

/** @typedef {string | string[][]} Meaning a text, or a list of [name, text] */

const TERMS = [
  "token",
  "embedding",
  "position",
  "head",
  "query",
  "key",
  "value",
  "weight",
  "score",
  "mask",
  "softmax",
  "mass",
  "entropy",
  "rollout",
  "residual",
  "norm",
  "pass",
  "feed_forward",
  "logit",
  "log_odds",
  "surprise",
  "loss",
  "gradient",
  "temperature",
  "top_k",
  "top_p",
  "byte",
];
const EDGE = 8; // smallest distance in pixels from the card to the window's edges
const card = h("div.hint-card", { id: "former-hint", popover: "manual", role: "status" }); // one card for all
/** @type {any} */ let owner = null; // the button whose card is open, or the token that is read

const close = () => {
  if (!owner) return;
  if (owner.matches("button")) owner.setAttribute("aria-expanded", "false");
  owner.classList.remove("read-out");
  owner = null;
  card.hidePopover();
  card.replaceChildren();
};

/** Places the card under its button, or above it if there is no room; the card moves and disappears with the button. */
const positionCard = () => {
  if (!owner) return;
  if (!owner.isConnected) return void close();
  const { left, top, bottom } = owner.getBoundingClientRect();
  if (bottom < 0 || top > window.innerHeight) return void close();
  const { offsetWidth: width, offsetHeight: height } = card;
  const below = bottom + 6;
  card.style.left = `${Math.max(EDGE, Math.min(left, document.documentElement.clientWidth - width - EDGE))}px`;
  card.style.top = `${Math.max(EDGE, below + height + EDGE <= window.innerHeight ? below : top - height - 6)}px`;
};

const open = (/** @type {HTMLElement} */ button, /** @type {Meaning} */ means) => {
  close();
  owner = button;
  if (owner.matches("button")) owner.setAttribute("aria-expanded", "true");
  else owner.classList.add("read-out");
  if (!card.isConnected) document.body.append(card);
  card.showPopover(); // empty, so that screen readers announce the content added afterwards
  const list = (/** @type {string[][]} */ entries) =>
    h("dl", ...entries.flatMap(([name, words]) => [h("dt", name), h("dd", words)]));
  card.append(typeof means === "string" ? h("p", means) : list(means));
  positionCard();
};

/** A button labelled `words` that opens their explanation. `label` is its accessible name if `words` is none.
 *  @type {(words: string, means: Meaning, label?: string) => any} */
export const makeHint = (words, means, label) => {
  const button = h("button.hint", { "aria-expanded": "false", "aria-controls": card.id, "aria-label": label }, words);
  button.addEventListener("click", () => (owner === button ? close() : open(button, means)));
  return button;
};

/** An explanation of the buttons next to it: [[label, effect], ...].
 *  @type {(means: string[][]) => any} */
export const makeHints = (means) => makeHint("?", means, say("buttons_hints"));

/** A term of the glossary that opens its explanation. */
export const term = (/** @type {string} */ name) => makeHint(say(`term_${name}`), say(`term_${name}_means`));

/** The whole glossary. */
export const glossary = () =>
  makeHint(
    say("glossary"),
    TERMS.map((name) => [say(`term_${name}`), say(`term_${name}_means`)]),
  );

/** Makes the titles of tokens in `container` readable, which have numbers: the card shows that of the token clicked or
 *  chosen by the arrow keys. Returns the container.
 *  @type {(container: any) => any} */
export const readable = (container) => {
  setAttributes(container, { tabindex: 0, role: "group", "aria-label": say("tokens_read_out") });
  container.addEventListener("click", (/** @type {any} */ { target }) => {
    const token = target.closest("[title]");
    if (token) open(token, token.title);
  });
  container.addEventListener("keydown", (/** @type {any} */ event) => {
    const tokens = [...container.querySelectorAll("[title]")];
    const to = keys.along(event, tokens.indexOf(owner), tokens.length);
    if (to === undefined || !tokens.length) return;
    event.preventDefault();
    open(tokens[to], tokens[to].title);
  });
  container.addEventListener("blur", close);
  return container;
};

const outside = (/** @type {any} */ { target }) => owner && !card.contains(target) && !owner.contains(target);
for (const type of ["pointerdown", "focusin"])
  document.addEventListener(type, (event) => outside(event) && close(), true);
window.addEventListener("resize", positionCard);
document.addEventListener("scroll", ({ target }) => target !== card && positionCard(), true);
window.addEventListener(
  "keydown",
  (event) => {
    if (event.key !== "Escape" || !owner) return;
    event.preventDefault(); // Escape closes only the card
    event.stopPropagation();
    owner.focus({ preventScroll: true });
    close();
  },
  true,
);
