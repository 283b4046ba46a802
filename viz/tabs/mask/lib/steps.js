// The softmax of one row of scores as a table: a column for each key, a row for each step; rows of later steps are
// empty.

import { h, tableRow } from "../../../browser/lib/base.js";
import { say } from "../../../browser/lib/messages.js";
import { asFixed, asNumber, asShare } from "../../../browser/lib/numbers.js";
import { masking } from "./masking.js";

const LINES = ["scores", "masked", "exp", "weights"];
const FROM = { scores: 0, masked: 1, exp: 2, weights: 4 }; // the stage that fills a line; 3 fills the sum

/** A number with as many digits as fit in a narrow column. */
const short = (value) => {
  const digits = Math.abs(value) >= 99.5 ? 0 : Math.abs(value) >= 9.95 ? 1 : 2;
  return asFixed(value, digits);
};
const part = (value) => (value >= 0.0005 ? value.toFixed(3).replace(/^0/, "") : "≈ 0");

/** The steps of a row's softmax, as Python computed them (`run_head` in masking.py). */
const stepsOf = (row) => {
  const { scores, allowed, most, exps, sums, shares, errors } = masking.answers.stages;
  const [own, passes] = [scores[row], allowed[row]];
  const numbers = { most: most[row], exps: exps[row], sum: sums[row], shares: shares[row], error: errors[row] };
  return { scores: own, passes, left: passes.filter(Boolean).length, ...numbers };
};

/** {node, paint}: paint() fills the table for the view and returns the sentence of its step. */
export const stepTable = (onpoint) => {
  const table = h("table.step-table");
  const node = h("div.step-scroll.sideways", { tabindex: 0, role: "group" }, table);
  let built = "";
  let lines = {}; // name → {row, cells, total}

  const build = (labels) => {
    const names = h(
      "tr",
      h("td"),
      ...labels.map((label, key) => h("th", { scope: "col", "data-key": key }, label)),
      h("td"),
    );
    lines = { names: { row: names, cells: [...names.children].slice(1, -1) } };
    for (const name of LINES) {
      const cells = labels.map((_, key) => h("td.cell", { "data-key": key }));
      const total = h("td.total");
      lines[name] = {
        cells,
        total,
        row: tableRow({ "data-line": name }, say(`mask_line_${name}`), ...cells, total),
      };
    }
    table.replaceChildren(h("thead", names), h("tbody", ...LINES.map((name) => lines[name].row)));
  };

  const words = {
    scores: (s, key) => short(s.scores[key]),
    masked: (s, key) => (s.passes[key] ? short(s.scores[key]) : "−∞"),
    exp: (s, key) => (s.passes[key] ? part(s.exps[key]) : "0"),
    weights: (s, key) => (s.passes[key] ? part(s.shares[key]) : "–"),
  };
  const totals = {
    masked: (s, stage) => (stage >= 2 ? `max ${short(s.most)}` : ""),
    exp: (s, stage) => (stage >= 3 ? `Σ ${asNumber(s.sum)}` : ""),
    weights: () => "Σ 1",
  };

  const paint = () => {
    const { labels } = masking.answers.stages;
    const { stage } = masking.view;
    const row = Math.min(masking.view.row, labels.length - 1);
    if (built !== labels.join("\n")) build(labels);
    built = labels.join("\n");
    const steps = stepsOf(row);
    for (const name of LINES) {
      const { cells, total, row: line } = lines[name];
      const there = stage >= FROM[name];
      cells.forEach((cell, key) => {
        cell.textContent = there ? words[name](steps, key) : "";
        cell.classList.toggle("hidden-key", there && name !== "scores" && !steps.passes[key]);
      });
      total.textContent = there ? (totals[name]?.(steps, stage) ?? "") : "";
      line.classList.toggle("current", masking.STAGES[stage] === name || (stage === 3 && name === "exp"));
    }
    const { query, key } = masking.hover ?? {};
    for (const cell of lines.names.cells)
      cell.classList.toggle("pointed", query === row && Number(cell.dataset.key) === key);
    return sentence(steps, row, labels, stage);
  };

  const sentence = (s, row, labels, stage) => {
    const count = labels.length;
    const hidden = count - s.left;
    const best = s.shares.indexOf(Math.max(...s.shares));
    const name = masking.STAGES[stage];
    const key =
      hidden || name === "scores" || name === "sum" || name === "weights"
        ? `mask_say_${name}`
        : `mask_say_${name}_none`;
    return say(key, {
      query: masking.quote(labels, row),
      count,
      hidden,
      left: s.left,
      least: short(Math.min(...s.scores)),
      most: short(name === "scores" ? Math.max(...s.scores) : s.most),
      sum: asNumber(s.sum),
      key: masking.quote(labels, name === "exp" ? s.exps.indexOf(1) : best),
      share: asShare(s.shares[best]),
      error: asNumber(s.error, 2),
    });
  };

  table.addEventListener("pointerover", (event) => {
    const key = event.target.closest("[data-key]")?.dataset.key;
    onpoint(key === undefined ? null : Number(key));
  });
  table.addEventListener("pointerleave", () => onpoint(null));
  return { node, paint };
};
