// Requests text from the server and parses its answer: one frame for each token (viz/tabs/generate/stream.py).

import { accepted, pause, stream, Unanswered } from "../../../browser/lib/ask.js";
import { site } from "../../../browser/lib/site.js";

/** One frame: the header's fields, and `cells`, 255·√weight of the newest token, layer by layer: its heads, then their
 *  mean. Throws Unanswered if it is a refusal. */
const decode = (bytes, header) => ({
  ...accepted(JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + header)))),
  cells: bytes.slice(8 + header),
});

/** Splits known tokens into pieces that the server caches; at least one piece, which requests the current state. */
const piecesOf = (known) => {
  const { shared } = site.limits;
  return Array.from({ length: Math.max(1, Math.ceil(known.length / shared)) }, (_, i) =>
    known.slice(i * shared, (i + 1) * shared),
  );
};

/** Yields the frames of the current state, of the `known` tokens after it and of new ones up to `length`, as they
 *  arrive; orderOf(length, given) builds the request. A stream that is cut off is requested again, for what is left.
 *  Throws as stream. */
export const write = async function* (orderOf, length, known, signal) {
  for (const given of piecesOf(known)) {
    let left = length || given.length;
    for (let came = true; came; ) {
      came = false;
      try {
        for await (const frame of readFrames(orderOf(left, given.slice(given.length - left)), signal)) {
          yield frame;
          came = true;
          if (frame.token !== null) left--;
        }
        break;
      } catch (error) {
        const cut = error instanceof Unanswered && error.status === 0;
        if (!came || !cut) throw error; // not a cut stream, or the server is gone
        await new Promise((done) => setTimeout(done, pause(0)));
        signal?.throwIfAborted();
      }
    }
  }
};

const readFrames = async function* (order, signal) {
  let buffer = new Uint8Array(0);
  for await (const value of stream("/write", { body: order, signal })) {
    const joined = new Uint8Array(buffer.length + value.length);
    joined.set(buffer);
    joined.set(value, buffer.length);
    buffer = joined;
    for (;;) {
      if (buffer.length < 8) break;
      const sizes = new DataView(buffer.buffer, buffer.byteOffset);
      const header = sizes.getUint32(0, true);
      const end = 8 + header + sizes.getUint32(4, true);
      if (buffer.length < end) break;
      yield decode(buffer.subarray(0, end), header);
      buffer = buffer.subarray(end);
    }
  }
};
