// Tokens as elements on the page, each with data-token.

import { predictedAt, rowsPredict } from "./selection.js";
import { store } from "./store.js";

/** Makes the tokens in `container` respond to the pointer, and a click lock or unlock one, while `are()` says that they
 *  are rows of the map. Returns a function from an event to its token, or null. */
export const pointsAtTokens = (container, are = () => true) => {
  const at = ({ target }) => {
    if (!are()) return null;
    const token = target.closest?.("[data-token]")?.dataset.token;
    return token === undefined ? null : Number(token);
  };
  const point = (event) => store.point(at(event) === null ? null : { token: at(event) });
  for (const type of ["pointerover", "focusin"]) container.addEventListener(type, point);
  for (const type of ["pointerleave", "focusout"]) container.addEventListener(type, () => store.point(null));
  container.addEventListener("click", (event) => {
    const token = at(event);
    if (token !== null) lockToken(token);
  });
  return at;
};

/** Locks a token, or unlocks it if it is locked. */
export const lockToken = (token) => store.set({ token: token === store.view.token ? null : token, key: null });

/** Locks a pair, or unlocks it if it is locked; null changes nothing. */
export const lockPair = (pair) => {
  if (!pair) return;
  const { query, key } = pair;
  const off = store.view.token === query && store.view.key === key;
  store.set({ token: off ? null : query, key: off ? null : key });
};

/** Marks the token under the pointer and the locked one; returns the first, or else the second. */
export const marksTokens = (spans) => {
  const token = predictedAt();
  spans.forEach((span, i) => {
    span.classList.toggle("pointed", i === token);
    span.classList.toggle("locked", i === store.view.token && rowsPredict());
  });
  return token;
};
