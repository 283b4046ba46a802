// The words as chips that can be dragged by pointer, touch or keys; each shows its original position.

import { h, reducedMotion } from "../../browser/lib/base.js";
import { disable } from "../../browser/lib/fields.js";
import { say } from "../../browser/lib/messages.js";
import { makePanel } from "../../browser/lib/panel.js";
import { permuting } from "./lib/permuting.js";

const slide = (chip, was) => {
  const now = chip.getBoundingClientRect();
  const zoom = now.width / (chip.offsetWidth || 1) || 1;
  const [x, y] = [(was.x - now.x) / zoom, (was.y - now.y) / zoom];
  if (x || y)
    chip.animate([{ transform: `translate(${x}px, ${y}px)` }, { transform: "none" }], {
      duration: 140,
      easing: "ease-out",
    });
};

const step = (key, position, count) =>
  ({
    ArrowLeft: position - 1,
    ArrowUp: position - 1,
    ArrowRight: position + 1,
    ArrowDown: position + 1,
    Home: 0,
    End: count - 1,
  })[key];

/** The field for the seed of the shuffle: {node, input, update}. */
const makeSeed = () => {
  const input = h("input", { type: "number", min: 0, max: permuting.fields.seed.max, step: 1, inputmode: "numeric" });
  input.addEventListener("input", () => {
    const seed = /^\d{1,4}$/.test(input.value) ? Number(input.value) : NaN;
    const fits = permuting.allowed("seed", seed);
    input.setAttribute("aria-invalid", `${!fits}`);
    if (fits && seed !== permuting.view.seed) permuting.shuffle(seed);
  });
  input.addEventListener("blur", () => (input.value = permuting.view.seed));
  const update = () => {
    if (document.activeElement !== input) input.value = permuting.view.seed;
  };
  return { node: h("label.seed", say("permute_seed"), input), update };
};

/** The words as chips: {list, build(labels), arrange(order, dragged), paint(order, labels, dragged), positionAt, focus,
 *  has}. onpress(event, word) at a chip, onfocus() when another one is reached by the Tab key. */
const makeChips = (onpress, onfocus) => {
  const list = h("div.chips", { role: "group", "aria-label": say("permute_words_label"), dir: "ltr" });
  let chips = []; // chips[word]: its button
  let current = 0; // the word that the Tab key reaches

  const makeChip = (label, word) => {
    const chip = h("button.chip.cell", { "data-word": word }, h("span", label), h("sub", word + 1));
    chip.addEventListener("pointerdown", (event) => onpress(event, word));
    chip.addEventListener("focus", () => {
      current = word;
      onfocus();
    });
    return chip;
  };
  const build = (labels) => {
    if (labels.join("\n") === chips.map((chip) => chip.firstChild.textContent).join("\n")) return false;
    chips = labels.map(makeChip);
    current = 0;
    list.replaceChildren(...chips);
    return true;
  };

  /** Puts the chips in order around the dragged one, which stays in the page and so keeps the focus and the pointer. */
  const arrange = (order, dragged) => {
    if (
      list.childElementCount === order.length &&
      order.every((word, position) => list.children[position] === chips[word])
    )
      return;
    const was = reducedMotion() ? null : chips.map((chip) => chip.getBoundingClientRect());
    const fixed = dragged ?? (list.contains(document.activeElement) ? current : order[0]);
    const at = order.indexOf(fixed);
    order.slice(0, at).forEach((word) => chips[fixed].before(chips[word]));
    order.slice(at + 1).forEach((word) => list.append(chips[word]));
    if (was) chips.forEach((chip, word) => slide(chip, was[word]));
  };

  const paint = (order, labels, dragged) => {
    const { hover } = permuting;
    order.forEach((word, position) => {
      const chip = chips[word];
      chip.classList.toggle("moved", word !== position);
      chip.classList.toggle("held", dragged === word);
      chip.classList.toggle("at", hover?.word === word);
      chip.tabIndex = word === current ? 0 : -1;
      const values = { word: labels[word], position: position + 1, count: order.length, from: word + 1 };
      chip.setAttribute("aria-label", say("permute_chip", values));
      chip.setAttribute("aria-pressed", `${dragged === word}`);
    });
  };

  /**
   * The position that a chip would take at the pointer: after every other chip that ends before it. Above and below the
   * chips, their first and last row count, since the content above may grow by a line and move them away from the
   * pointer.
   */
  const positionAt = (event, word) => {
    const { top, bottom } = list.getBoundingClientRect();
    const y = Math.max(top + 1, Math.min(bottom - 1, event.clientY));
    return permuting.order().filter((other) => {
      if (other === word) return false;
      const box = chips[other].getBoundingClientRect();
      return box.bottom < y || (box.top <= y && box.left + box.width / 2 < event.clientX);
    }).length;
  };

  return {
    list,
    build,
    arrange,
    paint,
    positionAt,
    focus: (word) => chips[word].focus(),
    has: (word) => word in chips,
  };
};

/** Follows the pointer until it is released, onmove(event) at each move, then over(). */
const followPointer = (pointerId, onmove, over) => {
  const follow = (event) => event.pointerId === pointerId && onmove(event);
  const end = (event) => {
    if (event.pointerId !== pointerId) return;
    for (const [name, listen] of Object.entries(listens)) document.removeEventListener(name, listen);
    over();
  };
  const listens = { pointermove: follow, pointerup: end, pointercancel: end };
  for (const [name, listen] of Object.entries(listens)) document.addEventListener(name, listen);
};

/** How many words have moved, and how to move one; a single word has nowhere to go. */
const said = (movedCount, count) => {
  if (count < 2) return say("permute_single");
  return movedCount ? say("permute_moved", { moved: movedCount, count }) : say("permute_unmoved");
};

export const mount = ({ element }) => {
  const { tools, body } = makePanel(element, say("permute_words"));
  const spoken = h("p.readout", { "aria-live": "polite" });
  const seed = makeSeed();
  const [shuffle, restore] = permuting.buttons();
  tools.append(spoken, shuffle, seed.node, restore, permuting.hints());
  let held = null; // {word, before: the order at the start of the drag, by: "pointer" or "keys"}
  const chips = makeChips(
    (event, word) => take(event, word),
    () => paint(),
  );
  const { list } = chips;
  body.append(list);
  let built = null; // the answer that chips were built for

  const paint = () => {
    const labels = permuting.labels();
    if (built !== labels && chips.build(labels)) held = null;
    built = labels;
    const order = permuting.order();
    if (!order.length) return;
    chips.arrange(order, held?.word);
    chips.paint(order, labels, held?.word);
    seed.update();
    const movedCount = order.filter((word, position) => word !== position).length;
    disable([restore, movedCount === 0], [shuffle, order.length < 2]);
    if (!held) spoken.textContent = said(movedCount, order.length);
    element.dataset.order = order.join(".");
    element.dataset.rev = permuting.rev;
  };

  const move = (word, to) => {
    const order = permuting.order();
    const position = Math.max(0, Math.min(order.length - 1, to));
    permuting.move(order.indexOf(word), position);
    spoken.textContent = say("permute_now", {
      word: permuting.labels()[word],
      position: position + 1,
      count: order.length,
    });
  };

  const take = (event, word) => {
    if (event.button !== 0) return;
    held = { word, before: permuting.view.order, by: "pointer" };
    const onmove = (/** @type {any} */ at) => {
      if (held?.word !== word) return;
      const box = list.getBoundingClientRect();
      const near = at.clientY > box.top - 40 && at.clientY < box.bottom + 40;
      const position = near ? chips.positionAt(at, word) : null;
      if (position !== null && position !== permuting.order().indexOf(word)) move(word, position);
    };
    followPointer(event.pointerId, onmove, () => {
      if (held?.by === "pointer") held = null;
      paint();
    });
    paint();
  };

  const drop = (back) => {
    if (back) permuting.set({ order: held.before });
    held = null;
    paint();
  };

  const lift = (word) => {
    held = { word, before: permuting.view.order, by: "keys" };
    paint();
    spoken.textContent = say("permute_held", { word: permuting.labels()[word] });
  };

  list.addEventListener("keydown", (event) => {
    const word = Number(event.target.closest("[data-word]")?.dataset.word ?? NaN);
    if (!chips.has(word)) return;
    const order = permuting.order();
    const to = step(event.key, order.indexOf(word), order.length);
    if (to !== undefined && !event.ctrlKey && !event.metaKey) {
      if (event.altKey || event.shiftKey || held) move(word, to);
      else chips.focus(order[Math.max(0, Math.min(order.length - 1, to))]);
    } else if (event.key === "Enter" || event.key === " ") {
      if (held) drop(false);
      else lift(word);
    } else if (event.key === "Escape" && held) drop(true);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  list.addEventListener(
    "focusout",
    (event) => held?.by === "keys" && !list.contains(event.relatedTarget) && drop(false),
  );
  list.addEventListener("pointerover", (event) => {
    const word = event.target.closest?.("[data-word]")?.dataset.word;
    permuting.point(word === undefined ? null : { word: Number(word) });
  });
  list.addEventListener("pointerleave", () => permuting.point(null));

  permuting.subscribe(element, (changed) => {
    if (["permuted", "order", "seed", "hover"].some((name) => changed.has(name))) paint();
  });
};
