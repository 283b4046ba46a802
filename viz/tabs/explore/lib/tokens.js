// Tokens that stand on the page as elements, each with data-token.

import { predictedAt, rowsPredict } from "./shown.js";
import { store } from "./store.js";

/** Those in `place` are pointed at, and a click locks one or lets it go, while they are rows of the map: `are()`.
 *  Returns what tells the token of an event, or null. */
export const pointsAtTokens = (place, are = () => true) => {
  const at = ({ target }) => {
    if (!are()) return null;
    const token = target.closest?.("[data-token]")?.dataset.token;
    return token === undefined ? null : Number(token);
  };
  const point = (event) => store.point(at(event) === null ? null : { token: at(event) });
  for (const type of ["pointerover", "focusin"]) place.addEventListener(type, point);
  for (const type of ["pointerleave", "focusout"]) place.addEventListener(type, () => store.point(null));
  place.addEventListener("click", (event) => {
    const token = at(event);
    if (token !== null) store.set({ token: token === store.view.token ? null : token, key: null });
  });
  return at;
};

/** Locks a pair of them, or lets it go where it is the one. */
export const lockPair = ({ query, key }) => {
  const off = store.view.token === query && store.view.key === key;
  store.set({ token: off ? null : query, key: off ? null : key });
};

/** Marks the one pointed at and the one locked; returns the first, or the second where nothing is pointed at. */
export const marksTokens = (spans) => {
  const token = predictedAt();
  spans.forEach((span, i) => {
    span.classList.toggle("pointed", i === token);
    span.classList.toggle("locked", i === store.view.token && rowsPredict());
  });
  return token;
};
