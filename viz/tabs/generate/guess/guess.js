// Guess the next token: the text with hidden tokens, the options of a round, and the bits of the player and the model.

import { eachFrame, h, tableHead, tableRow } from "../../../browser/lib/base.js";
import { makeBar } from "../../../browser/lib/colour.js";
import { say } from "../../../browser/lib/messages.js";
import { asFixed, asShare, asWhole } from "../../../browser/lib/numbers.js";
import { makePanel } from "../../../browser/lib/panel.js";
import { room } from "../../../browser/lib/room.js";
import { site } from "../../../browser/lib/site.js";
import { game } from "../lib/game.js";
import { writing } from "../lib/writing.js";

const { game_rounds: ROUNDS, game_texts: TEXTS, game_most: MOST } = site.limits;
const OWN = -1; // the choice of the visitor's own text
const CONFIDENCE = { min: 15, max: 95, step: 5, first: 50 }; // percent

const sum = (numbers) => numbers.reduce((all, one) => all + one, 0);
/** Whether the game has an error and nothing to show; after an answer, a lost connection leaves it as it is. */
const refused = () => game.error && !game.answer;
const who = () => (game.leads() ? "class" : "you");

/** The choice of the text, with a field for the visitor's own. */
const makeTexts = () => {
  const names = TEXTS.map((_, i) => say("guess_text_number", { number: i + 1 }));
  const option = (words, i) => h("option", { value: i }, words);
  const choice = h(
    "select",
    { "aria-label": say("guess_text"), onchange: () => choose(Number(choice.value)) },
    ...names.map(option),
    option(say("guess_text_own"), OWN),
  );
  const own = h("textarea", { rows: 3, maxlength: MOST, "aria-label": say("guess_text_own"), hidden: true });
  own.addEventListener("change", () => game.choose(own.value));
  let replaced = null; // the text that was shown when “your own text” was chosen, until another comes
  const isTyping = () => replaced === writing.settings.game_text;
  const choose = (i) => {
    replaced = i === OWN ? writing.settings.game_text : null;
    game.choose(isTyping() ? writing.settings.game_text : TEXTS[i]);
    paint();
    if (isTyping()) own.focus();
  };
  const paint = () => {
    const at = TEXTS.indexOf(writing.settings.game_text);
    if (at === OWN && document.activeElement !== own) own.value = writing.settings.game_text;
    choice.value = isTyping() ? OWN : at;
    own.hidden = Number(choice.value) !== OWN || (game.on() && !refused());
  };
  return { choice, own, paint };
};

/** The text so far: what was guessed is marked, and what comes next is a gap. */
const makeText = ({ parts, options }) => {
  const marks = parts.map((part, i) => (i % 2 ? h("mark", part) : part));
  return h("p.guess-text", { dir: "auto" }, ...marks, options.length * 2 > parts.length ? h("b", "?") : "");
};

const labelOf = (label) => (label ? h("code", label) : say("guess_other"));

/** The options as a form; take(option, confidence) gets the guess. */
const makeForm = (options, take) => {
  const message = h("span");
  const { first, ...range } = CONFIDENCE;
  const show = () => (message.textContent = asShare(slider.value / 100));
  const slider = h("input", { type: "range", ...range, value: first, oninput: () => show() });
  const submit = (event) => {
    event.preventDefault();
    take(Number(new FormData(form).get("guess")), slider.value / 100);
  };
  const form = h(
    "form.guess-options",
    { onsubmit: submit },
    h(
      "fieldset",
      { "aria-label": say("guess_title") },
      ...options.map((label, i) =>
        h("label", h("input", { type: "radio", name: "guess", value: i, required: true }), labelOf(label)),
      ),
    ),
    h("label.confidence", say("guess_confidence"), slider, message),
    h("button", { type: "submit" }, say("guess_go")),
  );
  show();
  return form;
};

/** The options with a bar and a number for each of the columns [{name, shares, words}], the one that came marked. */
const makeTable = (options, columns, right) =>
  h(
    "table.guess-shares",
    tableHead("", ...columns.map(({ name }) => name)),
    h(
      "tbody",
      ...options.map((label, i) =>
        tableRow(
          { class: i === right ? "right" : null },
          labelOf(label),
          ...columns.map(({ shares, words }) =>
            h("td", h("span", makeBar(shares[i])), words?.[i] ?? asShare(shares[i])),
          ),
        ),
      ),
    ),
  );

const bits = (value) => asFixed(value, 1);

/** The bits of all rounds so far, and their sums. */
const makeScores = ({ parts, own, model, totals: [mine, its] }) => {
  const cell = (value, other) => h("td", { class: value < other ? "less" : null }, bits(value));
  const lines = own.map((one, i) =>
    tableRow(asWhole(i + 1), h("td", h("code", parts[2 * i + 1])), cell(one, model[i]), cell(model[i], one)),
  );
  const heads = ["round", "token", who(), "model"].map((name) => say(`guess_${name}`));
  const foot = tableRow(say("guess_sum"), h("td"), cell(mine, its), cell(its, mine));
  const table = [tableHead(...heads), h("tbody", ...lines), h("tfoot", foot)];
  return h("table.guess-scores", ...table);
};

/** The result of the round that was just played, or of the game. */
const sentence = ({ parts, own, model, totals: [mine, its] }, round) => {
  const values = { who: who(), own: bits(own[round - 1]), model: bits(model[round - 1]) };
  const message = say("guess_said", { ...values, token: parts[2 * round - 1] });
  if (!game.over()) return message;
  const winner = mine < its ? who() : "model";
  return `${message} ${say("guess_end", { count: ROUNDS, own: bits(mine), model: bits(its), winner })}`;
};

export const mount = ({ element }) => {
  const { tools, body, foot } = makePanel(element, say("guess_title"));
  const texts = makeTexts();
  const start = h("button", { onclick: game.start });
  const intro = h("p.intro", say("guess_intro", { count: ROUNDS }));
  const [text, round, scores] = [h("div"), h("div.guess-round"), h("div")];
  const message = h("p.said", { role: "status" });
  tools.append(texts.choice, start);
  body.append(texts.own, intro, text, h("div.guess-columns", h("div", message, round), scores));
  const rule = h("p.quiet");
  foot.append(rule);

  /** A button of which the second click of a double-click would go too far. */
  const forward = (words, act) => h("button.forward", { onclick: ({ detail }) => detail > 1 || act() }, words);

  const makeGuessing = (options) => {
    if (game.leads()) {
      const votes = game.votes() ?? [];
      const all = sum(votes) || 1;
      const columns = [{ name: say("guess_votes"), shares: options.map((_, i) => (votes[i] ?? 0) / all) }];
      columns[0].words = options.map((_, i) => asWhole(votes[i] ?? 0));
      return [makeTable(options, columns), forward(say("guess_show"), game.show)];
    }
    if (game.guessed()) return [h("p", say("guess_waiting"))];
    return [makeForm(options, game.guess)];
  };
  const makeShown = (answer, at) => {
    const beliefs = writing.played().beliefs[at - 1];
    const columns = [
      { name: say(`guess_${who()}`), shares: beliefs },
      { name: say("guess_model"), shares: answer.probs[at - 1] },
    ];
    const next = game.over() || game.follows() ? [] : [forward(say("guess_next"), game.next)];
    return [makeTable(answer.options[at - 1], columns, answer.right[at - 1]), ...next];
  };

  let painted = ""; // what the round was painted from: a form that is filled in stays
  const paint = eachFrame(() => {
    const { answer } = game;
    const at = game.round();
    texts.paint();
    texts.choice.disabled = start.disabled = game.follows();
    start.textContent = say(game.on() ? "guess_again" : "guess_start");
    intro.hidden = game.on();
    rule.textContent = say("guess_rule", { who: who() });
    const ready = game.on() && answer?.own.length === Math.floor(writing.settings.round / 2);
    element.dataset.round = ready ? writing.settings.round : 0;
    round.inert = !ready;
    if (game.error || !game.on()) message.textContent = game.error;
    if (!game.on() || refused()) {
      painted = "";
      for (const node of [text, round, scores]) node.replaceChildren();
      return;
    }
    const now = JSON.stringify([answer, writing.settings.round, room.state, game.guessed(), game.votes(), game.error]);
    if (!ready || now === painted) return;
    painted = now;
    text.replaceChildren(makeText(answer));
    round.replaceChildren(...(game.guessing() ? makeGuessing(answer.options[at - 1]) : makeShown(answer, at)));
    scores.replaceChildren(answer.own.length ? makeScores(answer) : "");
    message.textContent = game.guessing() ? say("guess_at", { round: at, count: ROUNDS }) : sentence(answer, at);
    if (game.follows() && game.guessing() && !game.guessed()) element.scrollIntoView({ block: "start" });
  });

  game.begin(element);
  game.subscribe(element, paint);
  room.subscribe(element, paint);
};
