// The distribution of the next token: the model's own, what the sampling rules leave of it, and the sampled token; a
// click chooses a token.

import { eachFrame, h } from "../../browser/lib/base.js";
import { disable } from "../../browser/lib/fields.js";
import { keys } from "../../browser/lib/keys.js";
import { lessons } from "../../browser/lib/lessons.js";
import { say } from "../../browser/lib/messages.js";
import { asShare } from "../../browser/lib/numbers.js";
import { makePanel } from "../../browser/lib/panel.js";
import { site } from "../../browser/lib/site.js";
import { SAMPLING } from "./lib/fields.js";
import { writing } from "./lib/writing.js";

const makeRow = () => {
  const parts = {
    label: h("span.label"),
    model: h("i.model"),
    kept: h("i.kept"),
    draws: h("i.draws", { hidden: true }),
    times: h("span.times"),
    share: h("span.share"),
    after: h("span.after"),
    mark: h("span.mark"),
  };
  const { label, model, kept, draws, times, share, after, mark } = parts;
  const button = h(
    "button",
    { onclick: () => writing.take(row.token) },
    label,
    h("span.bars", model, kept, draws),
    share,
    after,
    times,
    mark,
  );
  const row = { token: 0, item: h("li", button), button, ...parts };
  return row;
};

/** What the penalty and the sampling rules have done to a state, in words. */
const rulesInWords = ({ removed, drawnBy }) => {
  const values = Object.fromEntries(drawnBy.split(",").map((value, i) => [SAMPLING[i], Number(value)]));
  const inWords = ([rule, count]) =>
    say("write_applied_rule", { rule, removed: count, value: values[rule].toFixed(rule === "top_k" ? 0 : 2) });
  return say("write_applied", {
    penalty: values.penalty > 1 ? values.penalty.toFixed(2) : "none",
    rules: Object.entries(removed).map(inWords).join(" → "),
  });
};

const paintRow = (row, [token, label, prob, kept, rule], { drawn, drawnOften }, taken) => {
  row.token = token;
  row.label.textContent = row.label.title = label;
  row.model.style.width = `${100 * prob}%`;
  row.kept.style.width = `${100 * kept}%`;
  row.share.textContent = asShare(prob);
  const cut = rule !== null;
  row.after.textContent = cut ? say("write_cut", { rule }) : asShare(kept);
  const count = drawnOften?.counts[drawnOften.ids.indexOf(token)] ?? 0;
  row.draws.hidden = !count;
  row.draws.style.width = `${(100 * count) / (drawnOften?.draws ?? 1)}%`;
  row.times.textContent = drawnOften ? say("write_times", { count }) : "";
  const role = token === taken ? "taken" : token === drawn ? "drawn" : "";
  row.mark.textContent = role && say(`write_${role}`);
  row.button.className = `candidate ${role} ${cut ? "cut" : ""}`;
  row.button.setAttribute(
    "aria-label",
    say("write_take", {
      token: label,
      prob: asShare(prob),
      kept: row.after.textContent,
      count: drawnOften ? count : "none",
      role,
    }),
  );
};

export const mount = ({ element }) => {
  const list = h("ol.candidates");
  const rest = h("p.rest");
  const [left, order, often] = ["left", "order", "often"].map((name) => h("p", { class: name }));
  const draw = h(
    "button.draw",
    { title: say("write_draw_hint"), onclick: writing.draw },
    say("write_draw", { count: site.limits.draws }),
  );
  const { tools, body, foot } = makePanel(element, say("write_next_title"));
  tools.append(h("span.key", h("i.model"), say("write_model_bar"), h("i.kept"), say("write_kept_bar")), draw);
  body.append(list);
  foot.append(order, rest, left, often);

  const rows = [];

  /** Nothing comes next, such as after an empty prompt; says why. */
  const clear = (why) => {
    list.replaceChildren();
    for (const line of [order, rest, left, often]) line.textContent = "";
    lessons.show("generate", why);
  };

  const paint = eachFrame(() => {
    const node = writing.shown();
    const { state } = node;
    element.classList.toggle("waiting", !state);
    if (!state && writing.status === "idle" && writing.message) return clear(writing.message.text);
    if (!state) return;
    const taken = node.onward?.token;
    state.candidates.forEach((candidate, i) => {
      if (!rows[i]) rows.push(makeRow());
      if (!rows[i].item.isConnected) list.append(rows[i].item);
      paintRow(rows[i], candidate, state, taken);
    });
    rows.slice(state.candidates.length).forEach((row) => row.item.remove());
    const [count, prob, kept] = state.rest;
    rest.textContent = count ? say("write_rest", { count, prob: asShare(prob), kept: asShare(kept) }) : "";
    const [before, after] = state.bits;
    left.textContent = say("write_left", { left: state.left, before: before.toFixed(1), after: after.toFixed(1) });
    order.textContent = rulesInWords(state);
    const { drawnOften } = state;
    disable([draw, writing.runs() || state.rounds === site.limits.rounds], [rows[0].button, false]);
    often.textContent = drawnOften
      ? say("write_often", { draws: drawnOften.draws, tokens: drawnOften.ids.length })
      : "";
    element.dataset.draws = drawnOften?.draws ?? 0;
    const [[, likeliest, most]] = state.candidates;
    const among = Math.round(2 ** before);
    if (writing.status === "idle")
      lessons.show(
        "generate",
        say(among < 2 ? "lesson_generate_sure" : "lesson_generate", {
          token: likeliest,
          share: asShare(most),
          bits: before.toFixed(1),
          among,
        }),
      );
    element.dataset.rev = writing.rev;
  });

  list.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || keys.modified(event)) return;
    event.preventDefault();
    const at = rows.findIndex((row) => row.button === document.activeElement);
    rows[at + step]?.button.focus();
  });

  writing.subscribe(element, (changed) => {
    if (["text", "hover", "status"].some((name) => changed.has(name))) paint();
  });
};
