// Requests to the server, and downloads. Every request fails in one way: with an Unanswered, whose message is a
// sentence for the visitor.

import { h, url } from "./base.js";
import { refusal, say } from "./messages.js";

const TIMES = 4; // attempts at a busy server

/** ms, up to twice that: the first pause after a busy server's refusal, which then doubles, and the longest pause */
export const PAUSE = { first: 700, most: 20000 };

/** The pause in ms before the next attempt at something that has failed this many times. */
// so that a whole class does not return at once
export const pause = (/** @type {number} */ times) =>
  Math.min(PAUSE.most, PAUSE.first * 2 ** times) * (1 + Math.random());

/** Why there is no answer, as a message for the visitor. `status` is the response's, 0 without a response. */
export class Unanswered extends Error {
  constructor(/** @type {string} */ message, status = 0) {
    super(message);
    this.status = status;
  }
  get busy() {
    return this.status === 503;
  }
  /** Whether repeating the request may succeed: not where the request itself is refused. */
  get passing() {
    return this.status !== 200 && this.status !== 422;
  }
}

/** An Unanswered with a message of viz/text; with a status, as if the server had sent it.
 *  @type {(key: string, values?: import("./messages.js").Values, status?: number) => Unanswered} */
export const unanswered = (key, values, status) => new Unanswered(say(key, values), status);

/** The message for the visitor about an error. An error of a script itself goes to the console: its text means nothing
 *  to a visitor.
 *  @type {(error: any) => string} */
export const whyNot = (error) => {
  if (error instanceof Unanswered) return error.message;
  reportError(error);
  return say("not_possible");
};

let coming = 0; // answers and scripts that are on their way

/** Whether any answer or script is on its way. */
export const asking = () => coming > 0;

/** Awaits what comes over the network. Throws Unanswered where the connection breaks or something else came; an abort
 *  stays what it is. */
const connected = (/** @type {Promise<any>} */ promise) =>
  promise.catch((error) => {
    throw error.name === "AbortError" ? error : unanswered("offline");
  });

const received = (/** @type {Promise<any>} */ promise) => {
  coming++;
  return connected(promise).finally(() => coming--);
};

/**
 * Sends one request, by POST if there is a body; returns the Response, whatever its status. Throws Unanswered.
 *
 * @param {string} path
 * @param {{ body?: object, method?: string, keepalive?: boolean, signal?: AbortSignal }} [options]
 */
export const send = (path, { body, method = body ? "POST" : "GET", ...more } = {}) =>
  connected(fetch(url(path), { ...more, method, ...(body && { body: JSON.stringify(body) }) }));

/** JSON that the server sent with a status. Throws Unanswered if it is a refusal; an answer's "error" is a number.
 *  @type {(value: any, status?: number) => any} */
export const accepted = (value, status = 200) => {
  if (value?.error?.key) throw new Unanswered(refusal(value), status);
  return value;
};

/** @type {(response: Response) => Promise<Unanswered>} */
const errorOf = async (response) => {
  const body = await response.json().catch(() => null);
  return new Unanswered(response.status === 404 ? say("gone") : refusal(body), response.status);
};

/**
 * Requests a path, by POST if there is a body; returns the Response. A busy server is asked again for 10 s. Throws
 * Unanswered.
 *
 * @param {string} path
 * @param {{ body?: object, signal?: AbortSignal }} [options]
 */
export const ask = async (path, { body, signal } = {}) => {
  for (let time = 0; ; time++) {
    const response = await received(send(path, { body, signal }));
    if (response.ok) return response;
    if (response.status !== 503 || time + 1 === TIMES) throw await errorOf(response);
    await new Promise((done) => setTimeout(done, pause(time)));
  }
};

/** Python's answer to a question, as JSON; a GET without a body. Throws Unanswered, also for a refusal.
 *  @type {(path: string, body?: object | null, signal?: AbortSignal) => Promise<any>} */
export const answerTo = async (path, body, signal) => {
  const response = await ask(path, { body: body ?? undefined, signal });
  return accepted(await received(response.json()), response.status);
};

/** The content of a path, an ArrayBuffer. Throws Unanswered.
 *  @type {(path: string, signal?: AbortSignal) => Promise<ArrayBuffer>} */
export const bytes = async (path, signal) => received((await ask(path, { signal })).arrayBuffer());

/**
 * Yields the pieces of an answer as they arrive, Uint8Arrays; aborting the signal stops the work on the server. Throws
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
    reader.cancel().catch(() => {}); // the rest is not needed, or the stream is broken
  }
};

/** Calls take(value) for each line of JSON of an answer as it arrives, see stream. A line may be a refusal.
 *  @type {(path: string, signal: AbortSignal | undefined, take: (piece: any) => void, body?: object) =>
 *    Promise<void>} */
export const lines = async (path, signal, take, body) => {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of stream(path, { body, signal })) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const piece = accepted(JSON.parse(line));
      if (signal?.aborted) return;
      take(piece);
    }
  }
};

/**
 * Requests of which only the newest counts: it aborts the earlier ones, and their late answers are dropped.
 *
 * take(answer) and fail(error) get the result of the newest. If the server did not answer, it is asked again after
 * growing pauses.
 *
 * Returns {ask, stop, settled}: ask(name, get, delay) calls get(signal), at once or after so many ms, and returns true,
 * unless the newest request has this name and is not waiting for another attempt; stop() aborts and forgets it;
 * settled() resolves after its next result.
 *
 * @param {{ take: (answer: any) => void, fail: (error: any) => void }} listeners
 */
export const newest = ({ take, fail }) => {
  /** @type {any} */
  let newest = null; // {name, get, abort, times: number of failures, pauses: whether it waits for another attempt}
  let timer = 0;
  /** @type {(() => void)[]} */
  const waiting = []; // functions to call after a result

  const stop = () => {
    clearTimeout(timer);
    newest?.abort.abort();
    newest = null;
  };
  /** @type {(name: any, get: (signal: AbortSignal) => Promise<any>, delay?: number | null) => boolean} */
  const ask = (name, get, delay = null) => {
    if (newest?.name === name && !newest.pauses) return false;
    stop();
    newest = { name, get, abort: new AbortController(), times: 0, pauses: false };
    if (delay === null) start();
    else timer = setTimeout(start, delay);
    return true;
  };
  const start = async () => {
    const own = newest;
    own.pauses = false;
    try {
      const answer = await own.get(own.abort.signal);
      if (own !== newest) return;
      take(answer);
    } catch (error) {
      if (own !== newest) return;
      fail(error);
      if (own === newest && error instanceof Unanswered && error.passing) {
        own.pauses = true;
        timer = setTimeout(start, pause(own.times++));
      }
    }
    waiting.splice(0).forEach((done) => done());
  };
  const settled = () => new Promise((done) => waiting.push(() => done(null)));
  return { ask, stop, settled };
};

/** Copies the text of a field; false if the clipboard cannot be used, as on plain http or in another page's frame: the
 *  text is then selected, so that the visitor can copy it by keyboard.
 *  @type {(field: HTMLInputElement | HTMLTextAreaElement) => Promise<boolean>} */
export const copyText = async (field) => {
  field.select();
  return (
    (await navigator.clipboard?.writeText(field.value).then(
      () => true,
      () => false,
    )) ?? false
  );
};

/** Offers a file made in the browser as a download.
 *  @type {(name: string, blob: Blob) => void} */
export const saveFile = (name, blob) => {
  const url = URL.createObjectURL(blob);
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
};

const FORMULA = /^[=+\-@\t\r＝＋－＠]/; // a spreadsheet would run such a cell

/** A cell of a CSV file.
 *  @type {(value: string | number) => string} */
export const csvCell = (value) =>
  typeof value === "number" ? `${value}` : `"${value.replace(FORMULA, "'$&").replaceAll('"', '""')}"`;

/** Offers rows of cells as a CSV file; a text that a spreadsheet would run gets an apostrophe before it.
 *  @type {(name: string, rows: (string | number)[][]) => void} */
export const saveRows = (name, rows) => {
  const table = rows.map((row) => `${row.map(csvCell).join(",")}\r\n`).join("");
  saveFile(name, new Blob(["\ufeff", table], { type: "text/csv" }));
};

const missed = new Map(); // address → number of times its script failed to load

/** The exports of the script at an address. Throws Unanswered if it cannot be loaded; each new attempt uses another
 *  address, because a browser does not fetch a failed module again.
 *  @type {(address: string) => Promise<any>} */
export const importScript = async (address) => {
  const times = missed.get(address) ?? 0;
  coming++;
  try {
    return await import(times ? `${address}?again=${times}` : address);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error; // an error in its code
    missed.set(address, times + 1);
    throw unanswered("offline");
  } finally {
    coming--;
  }
};
