// A second model, which generates its own text from the same prompt, by the same rules and with the same seed.

import { newest, whyNot } from "../../../browser/lib/ask.js";
import { listeners } from "../../../browser/lib/base.js";
import { write } from "./frames.js";

const empty = () => ({ tokens: [], labels: [], bytes: [], state: null, message: null });

/** The second model of `writing`, see writing.js. */
export const makeSecond = (writing) => {
  /** tokens: the generated ones; labels, bytes: of the prompt's tokens and of these; state: the newest frame; message:
   *  why there are no more. @type {any} */
  const second = { ...empty(), running: false, rev: 0 };
  const { subscribe, publish } = listeners(["second"]);

  /** listen() is called after every change. */
  second.subscribe = subscribe;

  let shape = ""; // the model and the prompt of this text

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
    writing.updateAddress();
  };

  const questions = newest({
    take: () => second.pause(),
    fail: (error) => {
      second.message = whyNot(error);
      second.pause();
    },
  });

  /** Requests the current state, and `length` more tokens or the `known` ones. */
  const ask = (length = 0, known = []) => {
    Object.assign(second, { running: length + known.length > 0, message: null });
    publish("second");
    questions.ask({}, async (signal) => {
      for await (const frame of write(order, length, known, signal)) {
        if (signal.aborted) return;
        receive(frame);
      }
    });
  };

  const end = () => {
    questions.stop();
    second.running = false;
    publish("second");
  };

  second.pause = () => {
    end();
    writing.writeLink();
  };

  /** Removes the text. */
  second.forget = () => {
    shape = shapeNow();
    Object.assign(second, empty());
    end();
  };

  /** Removes the text, and starts again from the prompt if a second model is selected. */
  second.begin = () => {
    second.forget();
    writing.writeLink();
    if (writing.settings.second) ask();
  };
  const shapeNow = () => [writing.settings.second, writing.settings.text].join("\n");

  /** Generates up to the length that is set; from there, as much again. */
  second.run = (length) => writing.settings.second && ask(length - (second.tokens.length % length));

  second.step = () => writing.settings.second && ask(1);

  /** Applies the second model's tokens in a link. */
  second.follow = (wanted) => {
    const { tokens } = second;
    const goesOn =
      shape === shapeNow() && tokens.length <= wanted.length && tokens.every((token, i) => token === wanted[i]);
    if (!goesOn) second.forget();
    if (writing.settings.second && (wanted.length > second.tokens.length || !second.state))
      ask(0, wanted.slice(second.tokens.length));
  };
  return second;
};
