// The keys and names by which the server knows this page and this browser, generated here.

import { storage } from "../storage.js";

const randomKey = () => {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
};

/** A secret that this browser stores. */
export const secret = (/** @type {string} */ name) => {
  const { always } = storage;
  if (!always.get(name)) always.set(name, randomKey());
  return always.get(name);
};

/** As which the server counts this page while it follows. */
export const self = randomKey();

/** The name under which a room's key is stored. */
export const keyName = (/** @type {string} */ name) => `former-key-${name}`;

/** A room's key. The page has its own copy, so that it leads after a reload: of two pages that open at once, each may
 *  generate one, and the browser stores the last. */
export const key = (/** @type {string} */ name) => {
  const { session } = storage;
  if (!session.get(keyName(name))) session.set(keyName(name), secret(keyName(name)));
  return session.get(keyName(name));
};
