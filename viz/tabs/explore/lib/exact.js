// The exact values of the view: the weights of a head as the model computes them, its vectors and scores, requested in
// the background. Until they arrive, the packed weights are shown and marked as approximate.

import { bytes, pause, unanswered } from "../../../browser/lib/ask.js";
import { afterwards, catchUp } from "../../../browser/lib/base.js";
import { decodeExact } from "./pass.js";

/**
 * Keeps `exact` of lib/store.js up to date with the view, and adds exactly() to the store. Returns {load, forget,
 * fetchSoon}. An unreachable server is asked again as long as the view is the same.
 */
export const exactOf = (store, publish) => {
  let mine = null; // the newest fetch
  let later = 0;

  const forget = () => {
    store.exact = mine = null;
    clearTimeout(later);
  };
  const load = () => {
    forget();
    publish("exact");
    return fetchNow();
  };
  const fetchNow = async (times = 0) => {
    const { pass, map } = store;
    if (!pass) return;
    const { of, layer, head } = store.view;
    const part = of === "head" ? head : of;
    const asks = (mine = {});
    const path = `/attention/${pass.header.key}/${map.name}/${layer}/${part}`;
    try {
      const buffer = await bytes(path);
      if (asks !== mine) return; // something else is shown by now
      store.exact = { of, layer, head, ...decodeExact(map, of, buffer) };
      publish("exact");
    } catch (error) {
      if (asks !== mine) return;
      if (error.status === 404) return store.again();
      later = setTimeout(() => asks === mine && fetchNow(times + 1), pause(times));
    }
  };
  // heads that are only passed over are not requested
  const fetchSoon = afterwards(() => store.exact || mine || fetchNow());

  /** Waits until the view is exact. Throws if the server does not answer. */
  store.exactly = async () => {
    catchUp(); // it may be about to be requested
    if (!store.exact) await load();
    if (!store.exact) throw unanswered("offline");
  };

  return { load, forget, fetchSoon };
};
