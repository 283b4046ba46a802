// A second model that writes beside the first: on from the same prompt, by the same rules and seed, with a text of its
// own.

import { whyNot } from "../../../browser/lib/ask.js";
import { listeners } from "../../../browser/lib/base.js";
import { write } from "./frames.js";

const empty = () => ({ tokens: [], labels: [], bytes: [], state: null, message: null });

/** The second model of `writing`, see writing.js. */
export const makeSecond = (writing) => {
  /** tokens: those written; labels, bytes: of the prompt's tokens and of these; state: the newest frame; message: why
   *  there is no more of them.
   *  @type {any} */
  const second = { ...empty(), running: false, rev: 0 };
  const { subscribe, publish } = listeners(["second"]);

  /** listen() is called at every change. */
  second.subscribe = subscribe;

  let asking = null; // the AbortController of the request under way
  let shape = ""; // the model and the prompt of what is here

  const order = (length, given) => ({
    ...writing.order(length, given),
    model: writing.settings.second,
    written: second.tokens,
  });

  const receive = (frame) => {
    const parts = ["labels", "bytes"];
    if (frame.token !== null) {
      second.tokens.push(frame.token);
      for (const part of parts) second[part].push("");
    }
    for (const part of parts)
      second[part].splice(Math.max(0, second[part].length - frame[part].length), frame[part].length, ...frame[part]);
    second.state = frame;
    second.rev++;
    publish("second");
    writing.tell();
  };

  /** Asks for the state where it stands, and for `length` tokens more, or for the `known` ones. */
  const ask = async (length = 0, known = []) => {
    asking?.abort();
    const own = (asking = new AbortController());
    Object.assign(second, { running: length + known.length > 0, message: null });
    publish("second");
    try {
      for await (const frame of write(order, length, known, own.signal)) {
        if (own !== asking) return;
        receive(frame);
      }
    } catch (error) {
      if (own !== asking) return; // it was ended on purpose
      second.message = whyNot(error);
    }
    if (own === asking) second.pause();
  };

  const end = () => {
    asking?.abort();
    asking = null;
    second.running = false;
    publish("second");
  };

  second.pause = () => {
    end();
    writing.writeLink();
  };

  const forget = () => {
    shape = shapeNow();
    Object.assign(second, empty());
    end();
  };

  /** Forgets what was written, and begins at the prompt, where a second model is chosen. */
  second.begin = () => {
    forget();
    writing.writeLink();
    if (writing.settings.second) ask();
  };
  const shapeNow = () => [writing.settings.second, writing.settings.text].join("\n");

  /** Writes up to the length that is set; from there, as much again. */
  second.run = (length) => writing.settings.second && ask(length - (second.tokens.length % length));

  second.step = () => writing.settings.second && ask(1);

  /** Takes up the tokens that a link has of it. */
  second.follow = (wanted) => {
    const { tokens } = second;
    const goesOn =
      shape === shapeNow() && tokens.length <= wanted.length && tokens.every((token, i) => token === wanted[i]);
    if (!goesOn) forget();
    if (writing.settings.second && (wanted.length > second.tokens.length || !second.state))
      ask(0, wanted.slice(second.tokens.length));
  };
  return second;
};
