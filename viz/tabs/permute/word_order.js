// The words as chips that can be dragged by pointer, touch or keys; each shows its original position.

import { h, reducedMotion } from "../../browser/lib/base.js";
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

const step = (key, place, count) =>
  ({ ArrowLeft: place - 1, ArrowUp: place - 1, ArrowRight: place + 1, ArrowDown: place + 1, Home: 0, End: count - 1 })[
    key
  ];

export const mount = ({ element }) => {
  const { tools, body } = makePanel(element, say("permute_words"));
  const list = h("div.chips", { role: "group", "aria-label": say("permute_words_label"), dir: "ltr" });
  const spoken = h("p.readout", { "aria-live": "polite" });
  const seed = h("input", {
    type: "number",
    min: 0,
    max: permuting.fields.seed.max,
    step: 1,
    inputmode: "numeric",
    oninput: () => seeded(),
  });
  const [shuffle, restore] = permuting.buttons();
  tools.append(spoken, shuffle, h("label.seed", say("permute_seed"), seed), restore, permuting.hints());
  body.append(list);

  let chips = []; // chips[word]: its button
  let built = null; // the answer they were built for
  let held = null; // {word, before: the order at the start of the drag, by: "pointer" or "keys"}
  let current = 0; // the word that the Tab key reaches

  const seeded = () => {
    const given = /^\d{1,4}$/.test(seed.value) ? Number(seed.value) : NaN;
    const fits = permuting.allowed("seed", given);
    seed.setAttribute("aria-invalid", `${!fits}`);
    if (fits && given !== permuting.view.seed) permuting.shuffle(given);
  };
  seed.addEventListener("blur", () => (seed.value = permuting.view.seed));

  const build = (labels) => {
    chips = labels.map((label, word) => {
      const chip = h("button.chip.cell", { "data-word": word }, h("span", label), h("sub", word + 1));
      chip.addEventListener("pointerdown", (event) => take(event, word));
      chip.addEventListener("focus", () => {
        current = word;
        paint();
      });
      return chip;
    });
    [held, current] = [null, 0];
    list.replaceChildren(...chips);
  };

  /** Puts the chips in order around the dragged one, which stays in the page and so keeps the focus and the pointer. */
  const arrange = (order) => {
    if (list.childElementCount === order.length && order.every((word, place) => list.children[place] === chips[word]))
      return;
    const was = reducedMotion() ? null : chips.map((chip) => chip.getBoundingClientRect());
    const fixed = held?.word ?? (list.contains(document.activeElement) ? current : order[0]);
    const at = order.indexOf(fixed);
    order.slice(0, at).forEach((word) => chips[fixed].before(chips[word]));
    order.slice(at + 1).forEach((word) => list.append(chips[word]));
    if (was) chips.forEach((chip, word) => slide(chip, was[word]));
  };

  const paint = () => {
    const labels = permuting.labels();
    if (built !== labels) {
      built = labels;
      if (labels.join("\n") !== chips.map((chip) => chip.firstChild.textContent).join("\n")) build(labels);
    }
    const order = permuting.order();
    if (!order.length) return;
    arrange(order);
    const { hover } = permuting;
    order.forEach((word, place) => {
      const chip = chips[word];
      chip.classList.toggle("moved", word !== place);
      chip.classList.toggle("held", held?.word === word);
      chip.classList.toggle("at", hover?.word === word);
      chip.tabIndex = word === current ? 0 : -1;
      chip.setAttribute(
        "aria-label",
        say("permute_chip", { word: labels[word], place: place + 1, count: order.length, from: word + 1 }),
      );
      chip.setAttribute("aria-pressed", `${held?.word === word}`);
    });
    if (document.activeElement !== seed) seed.value = permuting.view.seed;
    const moved = order.filter((word, place) => word !== place).length;
    restore.disabled = moved === 0;
    if (!held)
      spoken.textContent = moved ? say("permute_moved", { moved, count: order.length }) : say("permute_unmoved");
    element.dataset.order = order.join(".");
    element.dataset.rev = permuting.rev;
  };

  const move = (word, to) => {
    const order = permuting.order();
    const place = Math.max(0, Math.min(order.length - 1, to));
    permuting.move(order.indexOf(word), place);
    spoken.textContent = say("permute_now", { word: permuting.labels()[word], place: place + 1, count: order.length });
  };

  // --- pointer and touch ---------------------------------------------------------------------------------------------

  /**
   * The position that a chip would take at the pointer: after every other chip that ends before it. Above and below the
   * chips, their first and last row count, since the content above may grow by a line and move them away from the
   * pointer.
   */
  const placeAt = (event, word) => {
    const { top, bottom } = list.getBoundingClientRect();
    const y = Math.max(top + 1, Math.min(bottom - 1, event.clientY));
    return permuting.order().filter((other) => {
      if (other === word) return false;
      const box = chips[other].getBoundingClientRect();
      return box.bottom < y || (box.top <= y && box.left + box.width / 2 < event.clientX);
    }).length;
  };

  const take = (event, word) => {
    if (event.button !== 0) return;
    const { pointerId } = event;
    held = { word, before: permuting.view.order, by: "pointer" };
    const follow = (moved) => {
      if (moved.pointerId !== pointerId || held?.word !== word) return;
      const box = list.getBoundingClientRect();
      const near = moved.clientY > box.top - 40 && moved.clientY < box.bottom + 40;
      if (near && placeAt(moved, word) !== permuting.order().indexOf(word)) move(word, placeAt(moved, word));
    };
    const end = (ended) => {
      if (ended.pointerId !== pointerId) return;
      for (const [name, listen] of Object.entries(listens)) document.removeEventListener(name, listen);
      if (held?.by === "pointer") held = null;
      paint();
    };
    const listens = { pointermove: follow, pointerup: end, pointercancel: end };
    for (const [name, listen] of Object.entries(listens)) document.addEventListener(name, listen);
    paint();
  };

  // --- keys ----------------------------------------------------------------------------------------------------------

  const drop = (back) => {
    if (back) permuting.set({ order: held.before });
    held = null;
    paint();
  };

  list.addEventListener("keydown", (event) => {
    const word = Number(event.target.closest("[data-word]")?.dataset.word ?? NaN);
    if (!(word in chips)) return;
    const order = permuting.order();
    const to = step(event.key, order.indexOf(word), order.length);
    if (to !== undefined && !event.ctrlKey && !event.metaKey) {
      if (event.altKey || event.shiftKey || held) move(word, to);
      else chips[order[Math.max(0, Math.min(order.length - 1, to))]].focus();
    } else if (event.key === "Enter" || event.key === " ") {
      if (held) drop(false);
      else {
        held = { word, before: permuting.view.order, by: "keys" };
        paint();
        spoken.textContent = say("permute_held", { word: permuting.labels()[word] });
      }
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
