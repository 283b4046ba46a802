// What is shown, exactly: the weights of a head as the model has them, its vectors and scores, asked of the server in
// the background. Until they are here the packed weights stay, marked as approximate.

import { bytes, pause, unanswered } from "../../../browser/lib/ask.js";
import { afterwards, catchUp } from "../../../browser/lib/base.js";
import { decodeExact } from "./pass.js";

/**
 * Keeps `exact` of lib/store.js for what its view shows, and adds its exactly(). Returns {load, forget, fetchSoon}. A
 * server that does not answer is asked again, for as long as the same is shown.
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
  const fetchSoon = afterwards(() => store.exact || mine || fetchNow()); // of heads that are only passed by, nothing

  /** Waits until what is shown is here exactly. Throws where the server does not answer. */
  store.exactly = async () => {
    catchUp(); // it may be about to be fetched
    if (!store.exact) await load();
    if (!store.exact) throw unanswered("offline");
  };

  return { load, forget, fetchSoon };
};
