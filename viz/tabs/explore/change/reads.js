// Who reads whom: the strongest pairs of heads by their composition score, as arcs from the head that writes up to the
// one that reads. With a pinned pass, a chosen arc is patched alone: its result next to that of the writer's whole
// output.

import { answerTo, newest, whyNot } from "../../../browser/lib/ask.js";
import { h, svg, tableRow } from "../../../browser/lib/base.js";
import { makeBar } from "../../../browser/lib/colour.js";
import { makeHint } from "../../../browser/lib/hint.js";
import { say } from "../../../browser/lib/messages.js";
import { asFixed, asShare, asSigned } from "../../../browser/lib/numbers.js";
import { makePanel, sized } from "../../../browser/lib/panel.js";
import { viewOf } from "../../../browser/lib/python.js";
import { askInView } from "../lib/asking.js";
import { outcomeInWords } from "../lib/labels.js";
import { beside } from "../lib/pinned.js";
import { applies } from "../lib/store/applies.js";
import { store } from "../lib/store.js";

const RADIUS = 10; // px: of a head
const ROW = { least: 40, most: 62, all: 400 }; // px between two layers, and between the first and the last
const [LEFT, TOP] = [64, 18]; // px: to the first head's centre, and above the last layer's
const COLUMN = { least: 36, most: 64 }; // px between two heads
const COUNTS = [10, 20, 30, 50, 100];
const FIELDS = ["pass", "reads", "reads_count", "reads_arc", "carry_answer", "carry_rival"];
const STEPS = ["run", "path", "whole", "pinned"];

const linkOf = ([layer, head, fromLayer, fromHead]) => `${layer}.${head}-${fromLayer}.${fromHead}`;

export const mount = ({ element }) => {
  const { section, tools, body, foot } = makePanel(element, say("reads"));
  const option = (value, words) => h("option", { value }, words);
  const kind = h(
    "select",
    { onchange: () => store.set({ reads: kind.value, reads_arc: "" }) },
    ...store.fields.reads.choices.map((each) => option(each, say("reads_kinds", { kind: each }))),
  );
  const count = h(
    "select",
    { onchange: () => store.set({ reads_count: Number(count.value) }) },
    ...COUNTS.map((each) => option(each, `${each}`)),
  );
  const labelled = (key, field) => h("label.field-line.field-select", h("span.name", say(key)), field);
  const hint = makeHint("?", say("reads_hint"), say("reads_means"));
  tools.append(labelled("reads_kind", kind), labelled("reads_count", count), hint);
  const drawing = svg("svg", { role: "group", "aria-label": say("reads_label") });
  const sheet = h("div.reads-sheet", drawing);
  const readout = h("p.reads-at", { role: "status" });
  const result = h("table.reads-result");
  const finding = h("p.finding", { role: "status" });
  body.append(sheet, h("div.reads-side", readout, result, finding));
  const status = h("p.quiet", { role: "status" });
  const shown = h("p.quiet");
  foot.append(status, shown);

  let found = null; // the answer of rank_readers in reads.py
  let pointed = null; // index of an arc

  const chosen = () => found.arcs.findIndex((arc) => linkOf(arc) === store.view.reads_arc);

  const name = (i) => {
    const [layer, head, fromLayer, fromHead] = found.arcs[i];
    const score = asFixed(found.scores[i], 3);
    return say("reads_arc", { layer, head, from_layer: fromLayer, from_head: fromHead, kind: store.view.reads, score });
  };

  // --- the picture ---------------------------------------------------------------------------------------------------

  const draw = () => {
    if (!found || !size.width) return;
    const { layers, heads, arcs, scores } = found;
    const across = Math.max(COLUMN.least, Math.min(COLUMN.most, (size.width - LEFT - RADIUS - 4) / (heads - 1 || 1)));
    const x = (head) => LEFT + head * across;
    const down = Math.max(ROW.least, Math.min(ROW.most, ROW.all / (layers - 1)));
    const y = (layer) => TOP + (layers - 1 - layer) * down;
    const [width, height] = [x(heads - 1) + RADIUS + 4, y(0) + TOP];
    const path = ([layer, head, fromLayer, fromHead]) => {
      const [from, to] = [y(fromLayer) - RADIUS, y(layer) + RADIUS];
      const half = (from - to) / 2;
      const between = head === fromHead && layer > fromLayer + 1; // heads that the arc has to pass
      const aside = between ? (head < heads - 1 ? across : -across) / 2 : 0;
      const [bend, end] = [`${x(fromHead) + aside} ${from - half}`, `${x(head) + aside} ${to + half}`];
      return `M${x(fromHead)} ${from}C${bend} ${end} ${x(head)} ${to}`;
    };
    const [most, least] = [scores[0], scores.at(-1)];
    const strength = (score) => (most > least ? (score - least) / (most - least) : 1);
    const lines = arcs.map((arc, i) =>
      svg(
        "g",
        { role: "button", class: "arc", tabindex: -1, "data-arc": i, "aria-label": name(i) },
        svg("path", { class: "reach", d: path(arc) }),
        svg("path", { class: "line", d: path(arc), style: `--strength: ${strength(scores[i]).toFixed(3)}` }),
      ),
    );
    const nodes = Array.from({ length: layers * heads }, (_, i) => {
      const [layer, head] = [Math.floor(i / heads), i % heads];
      const place = { transform: `translate(${x(head)} ${y(layer)})`, class: "head", "data-head": `${layer}.${head}` };
      return svg("g", place, svg("circle", { r: RADIUS }), svg("text", { dy: "0.35em" }, `${head}`));
    });
    const names = Array.from({ length: layers }, (_, layer) =>
      svg("text", { class: "layer", x: 0, y: y(layer), dy: "0.35em" }, say("reads_layer", { layer })),
    );
    const focused = drawing.contains(document.activeElement);
    for (const [key, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` }))
      drawing.setAttribute(key, `${value}`);
    drawing.replaceChildren(...names, ...lines.reverse(), ...nodes);
    shown.textContent = say("reads_shown", {
      count: arcs.length,
      pairs: found.pairs,
      most: asFixed(most, 3),
      least: asFixed(least, 3),
      chance: asFixed(found.chance, 3),
    });
    mark();
    if (focused) arcAt(Math.max(0, chosen())).focus();
  };
  const size = sized(sheet, () => draw());

  const arcAt = (i) => drawing.querySelector(`[data-arc="${i}"]`);

  /** Marks the chosen arc and the one under the pointer, with their heads, and names it. */
  const mark = () => {
    const at = pointed ?? chosen();
    const ends = at < 0 ? [] : [found.arcs[at].slice(0, 2).join("."), found.arcs[at].slice(2).join(".")];
    for (const arc of drawing.querySelectorAll(".arc")) {
      const i = Number(arc.getAttribute("data-arc"));
      arc.classList.toggle("pointed", i === at);
      arc.setAttribute("aria-pressed", `${i === chosen()}`);
      arc.setAttribute("tabindex", i === Math.max(0, chosen()) ? "0" : "-1");
    }
    for (const head of drawing.querySelectorAll(".head"))
      head.classList.toggle("end", ends.includes(head.getAttribute("data-head")));
    readout.textContent = at < 0 ? say("reads_point") : name(at);
  };

  const indexOf = ({ target }) => {
    const arc = target.closest?.("[data-arc]");
    return arc ? Number(arc.getAttribute("data-arc")) : null;
  };
  const point = (event) => {
    pointed = indexOf(event);
    if (found) mark();
  };
  const leave = () => {
    pointed = null;
    if (found) mark();
  };
  for (const type of ["pointerover", "focusin"]) drawing.addEventListener(type, point);
  for (const type of ["pointerleave", "focusout"]) drawing.addEventListener(type, leave);
  const choose = (i) => store.set({ reads_arc: i === chosen() ? "" : linkOf(found.arcs[i]) });
  drawing.addEventListener("click", (event) => indexOf(event) !== null && choose(indexOf(event)));
  drawing.addEventListener("keydown", (event) => {
    const i = indexOf(event);
    if (i === null) return;
    const last = found.arcs.length - 1;
    const to = { ArrowDown: i + 1, ArrowRight: i + 1, ArrowUp: i - 1, ArrowLeft: i - 1, Home: 0, End: last }[event.key];
    if (to !== undefined) arcAt(Math.max(0, Math.min(last, to))).focus();
    else if (event.key === "Enter" || event.key === " ") choose(i);
    else return;
    event.preventDefault();
  });

  // --- the path of an arc --------------------------------------------------------------------------------------------

  const path = newest({
    take: ({ values, shares, answer, rival }) => {
      const line = (value, i) =>
        tableRow(
          { "data-step": STEPS[i] },
          say("reads_step", { step: STEPS[i] }),
          h("td", { "data-value": value }, asSigned(value, 2)),
          h("td", asShare(shares[i]), makeBar(shares[i])),
        );
      const head = h(
        "th",
        { scope: "col", colspan: 3 },
        say("reads_column", { answer: outcomeInWords(answer), rival: outcomeInWords(rival) }),
      );
      result.replaceChildren(h("thead", h("tr", head)), h("tbody", ...values.map(line)));
      finding.textContent = say("reads_share", { share: asShare(shares[1]), whole: asShare(shares[2]) });
    },
    fail: (error) => {
      result.replaceChildren();
      finding.textContent = whyNot(error);
    },
  });

  /** Patches the chosen arc, or says what is needed for that. */
  const follow = () => {
    const isPair = store.pass && beside.pass;
    if (found && isPair && store.view.reads_arc) {
      const view = viewOf.explore();
      const { model, text, edits, beside: pinned, answer, rival, reads, reads_arc } = view;
      const name = [model, text, edits, pinned.text, pinned.edits, answer, rival, reads, reads_arc];
      return void path.ask(JSON.stringify(name), (signal) => answerTo("/ask/reads/path", view, signal));
    }
    path.stop();
    result.replaceChildren();
    finding.textContent = say(isPair ? "reads_choose" : "reads_needs");
  };

  const ask = askInView(
    { element, section, body, status },
    {
      question: () => {
        const { reads, reads_count } = store.view;
        return JSON.stringify([store.header.model, reads, reads_count]);
      },
      get: (signal) => answerTo("/ask/reads/ranked", viewOf.explore(), signal),
      take: (answer) => {
        found = answer;
        pointed = null;
        draw();
        follow();
      },
      refused: () => {
        found = null;
        shown.textContent = "";
      },
    },
  );

  beside.subscribe(element, (changed) => changed.has("pinned") && follow());
  store.subscribe(element, (changed) => {
    if (!store.pass || !FIELDS.some((name) => changed.has(name))) return;
    element.hidden = !applies("reads");
    kind.value = store.view.reads;
    count.value = `${store.view.reads_count}`;
    ask();
    if (!found) return;
    if (changed.has("reads_arc")) mark();
    follow();
  });
};
