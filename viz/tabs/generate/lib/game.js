// The game of tab Generate: guess tokens of a text before they are shown, against the model. Its number, text and round
// are settings, so a link and a room have them; the guesses stay on this page, also when it is loaded again. In a room
// all guess the same, and the leader's page, which shows how many chose what, decides when the answer is shown.

import { answerTo, newest, whyNot } from "../../../browser/lib/ask.js";
import { listeners } from "../../../browser/lib/base.js";
import { say } from "../../../browser/lib/messages.js";
import { page } from "../../../browser/lib/page.js";
import { polls } from "../../../browser/lib/room/polls.js";
import { room } from "../../../browser/lib/room.js";
import { site } from "../../../browser/lib/site.js";
import { storage } from "../../../browser/lib/storage.js";
import { writing } from "./writing.js";

const TAB = "generate";
const GAMES = "former-games"; // in the page's session: its newest games
const MOST_GAMES = 20;
const { game_rounds: ROUNDS, game_options: OPTIONS } = site.limits;
const { subscribe, publish } = listeners(["game"]);

/** answer: of Python, null until it is here (see guess_tokens); error: why it is not. */
export const game = {
  subscribe,
  /** @type {any} */ answer: null,
  error: "",
};
// number → {model, text, beliefs: for each guessed round the probability of each option, answer: the newest of Python}
const games = new Map(JSON.parse(storage.session.get(GAMES) ?? "[]"));
/** The game of the settings, as in `games`, and its number.
 * @type {any} */
let known = { beliefs: {} };
let request = null; // the question of the newest answer

/** Changes the game of the settings, and stores it. */
const keep = (changes) => {
  const { number, ...rest } = Object.assign(known, changes);
  games.set(number, rest);
  storage.session.set(GAMES, JSON.stringify([...games].slice(-MOST_GAMES)));
};
const believe = (shares) => keep({ beliefs: { ...known.beliefs, [game.round()]: shares } });

/** The setting `round` counts twice: 2i − 1 while round i is guessed, 2i once its answer is shown. */
game.round = () => Math.ceil(writing.settings.round / 2);
game.on = () => writing.settings.round > 0;
game.guessing = () => writing.settings.round % 2 === 1;
game.over = () => writing.settings.round === 2 * ROUNDS;
game.guessed = () => game.round() in known.beliefs;
game.leads = () => room.state === "leading";
/** Whether the leader of a room decides what is shown. */
game.follows = () => room.state === "following";

const even = () => Array(OPTIONS).fill(1 / OPTIONS);
const played = () => Math.floor(writing.settings.round / 2);
/** The round's name as a question in a room. */
const nameOf = (round) => `guess-${writing.settings.game}-${round}`;

/** How many in the room chose each option of this round; null unless this page leads. */
game.votes = () => {
  const counts = room.votesOn(nameOf(game.round()));
  return counts && Array.from({ length: OPTIONS }, (_, option) => counts[option] ?? 0);
};

const go = (changes) => writing.set(changes);
game.start = () => go({ game: 1 + Math.floor(99999 * Math.random()), round: 1 });
game.next = () => go({ round: writing.settings.round + 1 });
game.choose = (text) => go({ game_text: text, game: 0, round: 0 });

/** Gives one option this probability, and the others an even share of the rest. */
game.guess = (option, confidence) => {
  const rest = (1 - confidence) / (OPTIONS - 1);
  believe(even().map((_, i) => (i === option ? confidence : rest)));
  if (game.follows()) {
    room.vote(nameOf(game.round()), option, false);
    publish("game");
  } else game.next();
};

/** Shows the answer to the room, whose guess is its votes, with one more for each option: none is impossible. */
game.show = () => {
  const votes = game.votes() ?? Array(OPTIONS).fill(0);
  const all = votes.reduce((sum, count) => sum + count, OPTIONS);
  believe(votes.map((count) => (count + 1) / all));
  game.next();
};

/** The arguments of the panel's program; a round that this page did not guess counts as a guess without knowledge. */
writing.played = () => ({
  game_text: writing.settings.game_text,
  beliefs: Array.from({ length: played() }, (_, i) => known.beliefs[i + 1] ?? even()),
});

const questions = newest({
  take: ({ answer, question }) => {
    request = question;
    keep({ answer });
    Object.assign(game, { answer, error: "" });
    publish("game");
  },
  fail: (error) => {
    game.error = whyNot(error);
    publish("game");
  },
});

const ask = () => {
  const view = { model: writing.settings.model, ...writing.played() };
  const question = JSON.stringify(view);
  if (question === request) return void (game.error = "");
  questions.ask(question, async (signal) => ({ question, answer: await answerTo("/ask/guess/game", view, signal) }));
};

/** Follows the settings: another game continues from the guesses that this page has of it, and another model or text
 *  ends the game. */
const follow = () => {
  const { game: number, model, game_text: text, round } = writing.settings;
  const same = known.number === number;
  const changed = known.model !== model || known.text !== text;
  const ends = same && round > 0 && changed;
  if (!same || changed) {
    const before = games.get(number);
    const beliefs = before?.model === model && before.text === text && !same ? before.beliefs : {};
    known = { number, model, text, beliefs };
    Object.assign(game, { answer: null, error: "" });
    request = null;
  }
  if (ends) return void go({ game: 0, round: 0 });
  if (round) ask();
  else questions.stop();
  publish("game");
};

/** Called once, by the panel. */
game.begin = (element) => {
  const names = ["models", "model", "game", "round", "game_text"];
  writing.subscribe(element, (changed) => {
    if (writing.settings.model && names.some((name) => changed.has(name))) follow();
  });
};

polls.of[TAB] = {
  asks: () => (game.on() ? nameOf(game.round()) : null),
  describe: (name) => {
    if (!/^guess-\d+-\d+$/.test(name)) return null;
    const [number, round] = name.split("-").slice(1).map(Number);
    const answer = games.get(number)?.answer;
    return {
      title: say("guess_title_round", { round }),
      question: answer
        ? `… ${answer.parts
            .slice(0, 2 * round - 1)
            .join("")
            .slice(-80)}`
        : "",
      choices: answer?.options[round - 1]?.map((label) => label || say("guess_other")) ?? [],
      judge: (choice) => ({
        right: answer?.right[round - 1] === undefined ? null : choice === answer.right[round - 1],
      }),
      open: () => page.open(TAB),
    };
  },
};
