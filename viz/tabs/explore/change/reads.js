// The pairs of heads with the highest composition scores, as arcs from the head that writes up to the one that reads.
// With a pinned pass, a chosen arc is patched alone: its result next to that of the writer's whole output.

import { newest, whyNot } from "../../../browser/lib/ask.js";
import { h, setAttributes, svg, tableRow } from "../../../browser/lib/base.js";
import { makeBar } from "../../../browser/lib/colour.js";
import { makeHint } from "../../../browser/lib/hint.js";
import { keys } from "../../../browser/lib/keys.js";
import { say } from "../../../browser/lib/messages.js";
import { asFixed, asShare, asSigned } from "../../../browser/lib/numbers.js";
import { makePanel, watchSize } from "../../../browser/lib/panel.js";
import { askInView, post, viewOfPair } from "../lib/asking.js";
import { outcomeInWords } from "../lib/labels.js";
import { beside } from "../lib/pin.js";
import { applies } from "../lib/store/applies.js";
import { store } from "../lib/store.js";

const RADIUS = 10; // px: of a head
const ROW = { least: 40, most: 50, all: 400 }; // px between two layers, and between the first and the last
const [LEFT, TOP] = [64, 18]; // px: to the first head's centre, and above the last layer's
const COLUMN = { least: 36, most: 64 }; // px between two heads
const COUNTS = [10, 20, 30, 50, 100];
const FIELDS = ["pass", "reads", "reads_count", "reads_arc", "carry_answer", "carry_rival"];
const PATH = ["reads", "reads_count", "reader_layer", "reader_head", "writer_layer", "writer_head", "answer", "rival"];
const STEPS = ["run", "path", "whole", "pinned"];

const linkOf = ([layer, head, fromLayer, fromHead]) => `${layer}.${head}-${fromLayer}.${fromHead}`;

/** The menus of the kind and the number of arcs: {nodes, update}. */
const makeMenus = () => {
  const menu = (name, key, options, read) => {
    const onchange = () => store.set({ [name]: read(select.value), ...(name === "reads" && { reads_arc: "" }) });
    const select = h("select", { onchange }, ...options.map(([value, words]) => h("option", { value }, words)));
    return { name, select, node: h("label.field-line.field-select", h("span.name", say(key)), select) };
  };
  const kinds = store.fields.reads.choices.map((kind) => [kind, say("reads_kinds", { kind })]);
  const menus = [
    menu("reads", "reads_kind", kinds, (value) => value),
    menu(
      "reads_count",
      "reads_count",
      COUNTS.map((count) => [count, `${count}`]),
      Number,
    ),
  ];
  const update = () =>
    menus.forEach(({ name, select }) => {
      const value = `${store.view[name]}`;
      const has = [...select.options].some((option) => option.value === value);
      if (!has) select.append(h("option", { value }, value)); // a link's own number
      select.value = value;
    });
  return { nodes: menus.map(({ node }) => node), update };
};

const nameOf = ({ arcs, scores }, i) => {
  const [layer, head, fromLayer, fromHead] = arcs[i];
  const score = asFixed(scores[i], 3);
  return say("reads_arc", { layer, head, from_layer: fromLayer, from_head: fromHead, kind: store.view.reads, score });
};

/** Where heads are in a drawing `wide` pixels wide: {x(head), y(layer), across, width, height}. */
const layOut = ({ layers, heads }, wide) => {
  const across = Math.max(COLUMN.least, Math.min(COLUMN.most, (wide - LEFT - RADIUS - 4) / (heads - 1 || 1)));
  const down = Math.max(ROW.least, Math.min(ROW.most, ROW.all / (layers - 1)));
  const x = (head) => LEFT + head * across;
  const y = (layer) => TOP + (layers - 1 - layer) * down;
  return { x, y, across, width: x(heads - 1) + RADIUS + 4, height: y(0) + TOP };
};

/** The curve of an arc, aside of heads that it would have to pass. */
const pathOf = ([layer, head, fromLayer, fromHead], { x, y, across }, heads) => {
  const [from, to] = [y(fromLayer) - RADIUS, y(layer) + RADIUS];
  const half = (from - to) / 2;
  const between = head === fromHead && layer > fromLayer + 1;
  const aside = between ? (head < heads - 1 ? across : -across) / 2 : 0;
  const [bend, end] = [`${x(fromHead) + aside} ${from - half}`, `${x(head) + aside} ${to + half}`];
  return `M${x(fromHead)} ${from}C${bend} ${end} ${x(head)} ${to}`;
};

/** The arcs, the heads and the names of the layers, as elements. */
const shapesOf = (ranking, places) => {
  const { layers, heads, arcs, scores } = ranking;
  const { x, y } = places;
  const [most, least] = [scores[0], scores.at(-1)];
  const strength = (score) => (most > least ? (score - least) / (most - least) : 1);
  const lines = arcs.map((arc, i) => {
    const d = pathOf(arc, places, heads);
    const attributes = { class: "line", d, style: `--strength: ${strength(scores[i]).toFixed(3)}` };
    const role = { role: "button", class: "arc", tabindex: -1, "data-arc": i, "aria-label": nameOf(ranking, i) };
    return svg("g", role, svg("path", { class: "reach", d }), svg("path", attributes));
  });
  const nodes = Array.from({ length: layers * heads }, (_, i) => {
    const [layer, head] = [Math.floor(i / heads), i % heads];
    const group = { transform: `translate(${x(head)} ${y(layer)})`, class: "head", "data-head": `${layer}.${head}` };
    return svg("g", group, svg("circle", { r: RADIUS }), svg("text", { dy: "0.35em" }, `${head}`));
  });
  const names = Array.from({ length: layers }, (_, layer) =>
    svg("text", { class: "layer", x: 0, y: y(layer), dy: "0.35em" }, say("reads_layer", { layer })),
  );
  return [...names, ...lines.reverse(), ...nodes];
};

const indexOf = ({ target }) => {
  const arc = target.closest?.("[data-arc]");
  return arc ? Number(arc.getAttribute("data-arc")) : null;
};

/** The drawing of the arcs, of which one can be chosen: {node, readout, show(ranking), mark}. */
const makePicture = () => {
  const drawing = svg("svg", { role: "group", "aria-label": say("reads_label") });
  const node = h("div.reads-sheet", drawing);
  const readout = h("p.reads-at", { role: "status" });
  let ranking = /** @type {any} */ (null); // the answer of rank_readers in reads.py
  let pointed = /** @type {number | null} */ (null); // index of an arc
  const selectedArc = () => ranking.arcs.findIndex((arc) => linkOf(arc) === store.view.reads_arc);
  const arcAt = (i) => drawing.querySelector(`[data-arc="${i}"]`);

  const draw = () => {
    if (!ranking || !size.width) return;
    const places = layOut(ranking, size.width);
    const { width, height } = places;
    const focused = drawing.contains(document.activeElement);
    setAttributes(drawing, { width, height, viewBox: `0 0 ${width} ${height}` });
    drawing.replaceChildren(...shapesOf(ranking, places));
    mark();
    if (focused) arcAt(Math.max(0, selectedArc())).focus();
  };
  const size = watchSize(node, draw);

  /** Marks the chosen arc and the one under the pointer, with their heads, and names it. */
  const mark = () => {
    const at = pointed ?? selectedArc();
    const ends = at < 0 ? [] : [ranking.arcs[at].slice(0, 2).join("."), ranking.arcs[at].slice(2).join(".")];
    for (const arc of drawing.querySelectorAll(".arc")) {
      const i = Number(arc.getAttribute("data-arc"));
      arc.classList.toggle("pointed", i === at);
      arc.setAttribute("aria-pressed", `${i === selectedArc()}`);
      arc.setAttribute("tabindex", i === Math.max(0, selectedArc()) ? "0" : "-1");
    }
    for (const head of drawing.querySelectorAll(".head"))
      head.classList.toggle("end", ends.includes(head.getAttribute("data-head")));
    readout.textContent = at < 0 ? say("reads_point") : nameOf(ranking, at);
  };

  const point = (i) => {
    pointed = i;
    if (ranking) mark();
  };
  const choose = (i) => store.set({ reads_arc: i === selectedArc() ? "" : linkOf(ranking.arcs[i]) });
  for (const type of ["pointerover", "focusin"]) drawing.addEventListener(type, (event) => point(indexOf(event)));
  for (const type of ["pointerleave", "focusout"]) drawing.addEventListener(type, () => point(null));
  drawing.addEventListener("click", (event) => indexOf(event) !== null && choose(indexOf(event)));
  drawing.addEventListener("keydown", (event) => {
    const i = indexOf(event);
    if (i === null || keys.modified(event)) return;
    const last = ranking.arcs.length - 1;
    const to = { ArrowDown: i + 1, ArrowRight: i + 1, ArrowUp: i - 1, ArrowLeft: i - 1, Home: 0, End: last }[event.key];
    if (to !== undefined) arcAt(Math.max(0, Math.min(last, to))).focus();
    else if (event.key === "Enter" || event.key === " ") choose(i);
    else return;
    event.preventDefault();
  });

  const show = (answer) => {
    ranking = answer;
    pointed = null;
    draw();
  };
  return { node, readout, show, mark: () => ranking && mark() };
};

/** The chosen arc patched alone, beside the writer's whole output: {nodes, follow(ranking)}. */
const makePath = () => {
  const result = h("table.comparison");
  const finding = h("p.finding", { role: "status" });
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
  const follow = (ranking) => {
    const isPair = store.pass && beside.pass;
    if (ranking && isPair && store.view.reads_arc) return void post(path, "/ask/reads/path", viewOfPair(...PATH));
    path.stop();
    result.replaceChildren();
    finding.textContent = say(isPair ? "reads_choose" : "reads_needs");
  };

  return { nodes: [result, finding], follow };
};

/** How many of all pairs are shown, and their scores, in words. */
const shownOf = ({ arcs, pairs, scores, chance }) =>
  say("reads_shown", {
    count: arcs.length,
    pairs,
    most: asFixed(scores[0], 3),
    least: asFixed(scores.at(-1), 3),
    chance: asFixed(chance, 3),
  });

export const mount = ({ element }) => {
  const { section, tools, body, foot } = makePanel(element, say("reads"));
  const menus = makeMenus();
  const picture = makePicture();
  const path = makePath();
  tools.append(...menus.nodes, makeHint("?", say("reads_hint"), say("reads_means")));
  body.append(picture.node, h("div.reads-side", picture.readout, ...path.nodes));
  const status = h("p.quiet", { role: "status" });
  const shown = h("p.quiet");
  foot.append(status, shown);
  let ranking = null; // the answer of rank_readers in reads.py

  const ask = askInView(
    { element, section, body, status },
    {
      question: () => {
        const { reads, reads_count } = store.view;
        return { model: store.header.model, reads, reads_count };
      },
      path: "/ask/reads/ranked",
      take: (answer) => {
        ranking = answer;
        picture.show(ranking);
        shown.textContent = shownOf(ranking);
        path.follow(ranking);
      },
      refused: () => {
        ranking = null;
        picture.show(null);
        shown.textContent = "";
      },
    },
  );

  beside.subscribe(element, (changed) => changed.has("pinned") && path.follow(ranking));
  store.subscribe(element, (changed) => {
    if (!store.pass || !FIELDS.some((name) => changed.has(name))) return;
    element.hidden = !applies("reads");
    menus.update();
    ask();
    if (!ranking) return;
    if (changed.has("reads_arc")) picture.mark();
    path.follow(ranking);
  });
};
