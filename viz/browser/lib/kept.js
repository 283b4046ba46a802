// What a page keeps over a reload. Every touch of a browser's storage may throw, as where third parties' storage is
// blocked and the page stands in another's frame: what cannot be kept there is kept until the page is left.

/** A kind of storage: get(name) is null where nothing is kept, set(name, null) forgets. */
const over = (/** @type {"localStorage" | "sessionStorage"} */ storage) => {
  const here = new Map(); // also what the storage refused
  return {
    get: (name) => {
      if (here.has(name)) return here.get(name);
      try {
        return window[storage].getItem(name);
      } catch {
        return null;
      }
    },
    set: (name, value) => {
      here.set(name, value);
      try {
        if (value === null) window[storage].removeItem(name);
        else window[storage].setItem(name, value);
      } catch {} // blocked or full
    },
  };
};

/** For all pages of this browser, and for this page in its tab. */
export const kept = { always: over("localStorage"), session: over("sessionStorage") };
