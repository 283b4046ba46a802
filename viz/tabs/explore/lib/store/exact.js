// The exact values of the view: the weights of a head as the model computes them, its vectors and scores, requested in
// the background. Until they arrive, a head's packed weights are shown and marked as approximate, of a mean or a
// rollout the last picture, faded.

import { bytes, newest, unanswered } from "../../../../browser/lib/ask.js";
import { defer, flushDeferred } from "../../../../browser/lib/base.js";
import { decodeExact } from "../pass.js";
import { publish, state } from "./state.js";

const questions = newest({
  take: (exact) => {
    state.exact = exact;
    publish("exact");
  },
  fail: (error) => error.status === 404 && exact.lost(),
});

const forget = () => {
  state.exact = null;
  questions.stop();
};
const fetchNow = () => {
  if (!state.pass || state.exact) return;
  const { map } = state;
  const { of, layer, head } = state.view;
  const path = `/attention/${state.header.key}/${map.name}/${layer}/${of === "head" ? head : of}`;
  const get = async (signal) => ({ of, layer, head, ...decodeExact(map, of, await bytes(path, signal)) });
  questions.ask(path, get);
};
const load = () => {
  forget();
  publish("exact");
  fetchNow();
};
const fetchIdle = defer(fetchNow);
/** Requests them: a head's when the page is idle, so that heads that are only passed over are not requested. */
const fetch = () => (state.view.of === "head" ? fetchIdle() : fetchNow());

/** Keeps `exact` of the state up to date with the view. An unreachable server is asked again as long as the view is the
 *  same; lost() is called if it has lost the pass. */
export const exact = { load, forget, fetch, lost: () => {} };

/** Waits until the view is exact. Throws if the server does not answer. */
export const exactly = async () => {
  flushDeferred(); // it may be about to be requested
  fetchNow();
  if (state.pass && !state.exact) await questions.settled();
  if (!state.exact) throw unanswered("offline");
};
