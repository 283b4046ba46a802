// Asking the server, and handing files to the visitor. Every question fails in one way: an Unanswered, whose message is
// a sentence for the visitor.

import { h, url } from "./base.js";
import { refusal, say } from "./messages.js";

const TIMES = 4; // that a busy server is asked

/** ms, up to twice that: from a busy server's refusal to the next time it is asked, then twice that, and at most. */
export const PAUSE = { first: 700, most: 20000 };

/** How long to wait, in ms, before something that failed so many times before is tried again. */
// a class does not come back at once
export const pause = (times) => Math.min(PAUSE.most, PAUSE.first * 2 ** times) * (1 + Math.random());

/** Why there is no answer, in words for the visitor. `status` is that of the server's response, 0 where none came. */
class Unanswered extends Error {
  constructor(message, status = 0) {
    super(message);
    this.status = status;
  }
  get busy() {
    return this.status === 503;
  }
  /** Whether the question itself is refused: asked again, it is refused again. */
  get refused() {
    return this.status === 200 || this.status === 422;
  }
  /** Whether it may be answered when it is asked again. */
  get passing() {
    return !this.refused;
  }
}

/** An Unanswered with a message of viz/text; with a status, as if the server had said so. */
export const unanswered = (key, values, status) => new Unanswered(say(key, values), status);

/** What the visitor is told of an error. One of a script's own is for the console: its words mean nothing to a
 *  visitor. */
export const whyNot = (error) => {
  if (error instanceof Unanswered) return error.message;
  reportError(error);
  return say("not_possible");
};

let coming = 0; // answers that are on their way

/** Whether any answer is on its way. */
export const asking = () => coming > 0;

/** Awaits what comes over the network. Throws Unanswered where the connection breaks or something else came; an abort
 *  stays what it is. */
const received = async (promise) => {
  coming++;
  try {
    return await promise;
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw unanswered("offline");
  } finally {
    coming--;
  }
};

/** Whether JSON is a refusal: an answer may have an "error" too, a number. */
const isRefusal = (body) => Boolean(body?.error?.key);

const refused = async (response) => {
  const body = await response.json().catch(() => null);
  return new Unanswered(response.status === 404 ? say("gone") : refusal(body), response.status);
};

/**
 * Asks for a path, with a body by POST; returns the Response. A busy server is asked again, up to some 10 s later.
 * Throws Unanswered.
 *
 * @param {string} path
 * @param {{ body?: object, signal?: AbortSignal }} [options]
 */
export const ask = async (path, { body, signal } = {}) => {
  const options = { signal, ...(body && { method: "POST", body: JSON.stringify(body) }) };
  for (let time = 0; ; time++) {
    const response = await received(fetch(url(path), options));
    if (response.ok) return response;
    if (response.status !== 503 || time + 1 === TIMES) throw await refused(response);
    await new Promise((done) => setTimeout(done, pause(time)));
  }
};

/** Python's answer to a question, JSON; without a body a GET. Throws Unanswered, also where the answer is a refusal. */
export const answerTo = async (path, body, signal) => {
  const response = await ask(path, { body, signal });
  const answer = await received(response.json());
  if (isRefusal(answer)) throw new Unanswered(refusal(answer), response.status);
  return answer;
};

/** What a path holds, an ArrayBuffer. Throws Unanswered. */
export const bytes = async (path, signal) => received((await ask(path, { signal })).arrayBuffer());

/**
 * The pieces of an answer as they come, Uint8Arrays; aborting the signal ends the work on the server. Throws
 * Unanswered.
 *
 * @param {string} path
 * @param {{ body?: object, signal?: AbortSignal }} [options]
 */
export const stream = async function* (path, { body, signal } = {}) {
  const reader = (await ask(path, { body, signal })).body.getReader();
  try {
    for (;;) {
      const { done, value } = await received(reader.read());
      if (done) return;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => {}); // of what is read no further, or is broken already
  }
};

/** Calls take(value) for each line of JSON of an answer as it comes, see stream. A line may be a refusal. */
export const lines = async (path, signal, take, body) => {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of stream(path, { body, signal })) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      const piece = JSON.parse(line);
      if (isRefusal(piece)) throw new Unanswered(refusal(piece), 200);
      take(piece);
    }
  }
};

/**
 * Questions of which only the newest counts: it ends those before it, and what they still bring is dropped.
 *
 * take(answer), fail(error): what the newest one came to. Where the server did not answer it is asked again, each time
 * later.
 *
 * Returns {ask, stop}: ask(name, get) calls get(signal), and returns true, unless the newest question has this name;
 * stop() ends and forgets it.
 */
export const newest = ({ take, fail }) => {
  let newest = null; // {name, get, abort, times: that it failed}
  let timer = 0;

  const stop = () => {
    clearTimeout(timer);
    newest?.abort.abort();
    newest = null;
  };
  const ask = (name, get) => {
    if (newest?.name === name) return false;
    stop();
    newest = { name, get, abort: new AbortController(), times: 0 };
    start();
    return true;
  };
  const start = async () => {
    const own = newest;
    try {
      const answer = await own.get(own.abort.signal);
      if (own === newest) take(answer);
    } catch (error) {
      if (own !== newest) return;
      fail(error);
      if (error.passing && own === newest) timer = setTimeout(start, pause(own.times++));
    }
  };
  return { ask, stop };
};

/** Copies what stands in a field; false where the clipboard is refused, as on plain http or in another page's frame: it
 *  is then selected, to be copied by the keys. */
export const copyText = async (field) => {
  field.select();
  return (
    (await navigator.clipboard?.writeText(field.value).then(
      () => true,
      () => false,
    )) ?? false
  );
};

/** Gives the visitor a file that was made here. */
export const saveFile = (name, blob) => {
  const url = URL.createObjectURL(blob);
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
};

const missed = new Map(); // address → how many times its script did not come

/** What the script at an address exports. Throws Unanswered where it does not come; asked for again, it has another
 *  address: a browser does not fetch one a second time that has failed. */
export const imported = async (address) => {
  const times = missed.get(address) ?? 0;
  try {
    return await import(times ? `${address}?again=${times}` : address);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error; // of its code
    missed.set(address, times + 1);
    throw unanswered("offline");
  }
};
