// Requests beside the text: many draws of the next token, and the likeliest continuations, as branches.

import { answerTo, whyNot } from "../../../browser/lib/ask.js";
import { site } from "../../../browser/lib/site.js";

/** Adds draw() and search() to `writing` (lib/writing.js). */
export const addDraws = (writing) => {
  /** Asks a question; an error is said where errors of the text are. */
  const inquire = async (question) => {
    writing.pause();
    try {
      await question(writing.order(0, []));
    } catch (error) {
      writing.message = { kind: "error", text: whyNot(error) };
      writing.publish("status");
    }
  };

  /** Draws the next token `site.limits.draws` times more, by the rules, and writes none: {ids, counts, draws} of all
   *  rounds become the state's `drawnOften`. */
  writing.draw = () =>
    inquire(async (order) => {
      const { state } = writing.cursor;
      const rounds = (state?.rounds ?? 0) + 1;
      if (!state || rounds > site.limits.rounds) return;
      const drawnOften = await answerTo("/ask/next-token/draws", { ...order, rounds });
      Object.assign(state, { rounds, drawnOften });
      writing.publish("text");
    });

  /** Searches for the likeliest ways on from here; each becomes a branch, and the likeliest is gone to. */
  writing.search = () =>
    inquire(async (order) => {
      const { branches, cursor: from } = writing;
      const searched = order.written;
      const result = await answerTo("/ask/trail/search", { ...order, searched, beams: writing.settings.beams });
      if (branches !== writing.branches) return; // another text meanwhile
      writing.searched = searched;
      const ends = result.tokens.map((tokens, i) => {
        const end = tokens.reduce((node, token, j) => branches.write(node, token, result.labels[i][j]), from);
        end.beam = { rank: i + 1, bits: (-result.log_probs[i]).toFixed(1) };
        return end;
      });
      if (writing.cursor === from && !writing.runs()) writing.go(ends[0]);
      else writing.publish("text"); // something else was begun meanwhile
    });
};
