// Storage across reloads. Any access to a browser's storage may throw, for example in another page's frame while
// third-party storage is blocked: values are then kept until the page is left.

/** One kind of storage: get(name) is null for an unknown name, set(name, null) removes it. */
const over = (/** @type {"localStorage" | "sessionStorage"} */ storage) => {
  const here = new Map(); // also values that the storage refused
  return {
    get: (/** @type {string} */ name) => {
      if (here.has(name)) return here.get(name);
      try {
        return window[storage].getItem(name);
      } catch {
        return null;
      }
    },
    set: (/** @type {string} */ name, /** @type {string | null} */ value) => {
      here.set(name, value);
      try {
        if (value === null) window[storage].removeItem(name);
        else window[storage].setItem(name, value);
      } catch {} // storage is blocked or full
    },
  };
};

/** For all pages of this browser, and for this page in its tab. */
export const storage = { always: over("localStorage"), session: over("sessionStorage") };
