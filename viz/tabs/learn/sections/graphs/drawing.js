// The graph as it is drawn: units that can be selected, and joined by dragging from one to another or by keyboard.

import { h, placeOn, setAttributes, svg } from "../../../../browser/lib/base.js";
import { cssOf, inkOn, palette } from "../../../../browser/lib/colour.js";
import { keys } from "../../../../browser/lib/keys.js";
import { asWhole } from "../../../../browser/lib/numbers.js";
import { makeDrawing } from "../../../../browser/lib/panel.js";
import { shapes } from "../../lib/shapes.js";

const makeNode = (i, onkey) => {
  const node = svg(
    "g",
    { class: "node", tabindex: 0, role: "button", "data-unit": i },
    svg("rect", { x: -19, y: -19, width: 38, height: 38 }),
    svg("text", { y: 1 }),
    svg("text", { y: 13, class: "need" }),
  );
  node.addEventListener("keydown", (event) => onkey(event, i));
  return node;
};

/** Draws edges between units with the pencil, in pixels of the drawing: pointOf(i) of a unit, joined(one, other) when a
 *  line ends on a unit, which may be the one where it began. */
const drawEdges = (root, pencil, { pointOf, width, joined }) => {
  let from = null; // the unit from which an edge is being drawn
  const unitAt = (event) => {
    const node = document.elementFromPoint(event.clientX, event.clientY)?.closest(".node");
    return node && root.contains(node) ? Number(node.dataset.unit) : null;
  };
  root.addEventListener("pointerdown", (event) => {
    from = unitAt(event);
    if (from !== null) root.setPointerCapture(event.pointerId);
  });
  // or the finger would scroll the page: Chrome does not heed touch-action here
  root.addEventListener("touchstart", (event) => unitAt(event.touches[0]) !== null && event.preventDefault(), {
    passive: false,
  });
  root.addEventListener("pointermove", (event) => {
    if (from === null) return;
    const { x, y } = placeOn(root, event, width());
    pencil.setAttribute("d", `M${pointOf(from)}L${[x, y]}`);
  });
  for (const end of ["pointerup", "pointercancel"])
    root.addEventListener(end, (event) => {
      const to = end === "pointerup" ? unitAt(event) : null;
      pencil.setAttribute("d", "");
      if (from !== null && to !== null) joined(from, to);
      from = null;
    });
};

/** {node, draw({needs, depth})}: needs[i][j], the layers that i needs to learn of j; depth, those that there are. */
export const makeGraph = (section, units, most) => {
  const { words, live: demo } = section;
  const lines = svg("g", { class: "edges" });
  const pencil = svg("path", { class: "drawn" });
  const nodes = svg("g");
  const root = svg("svg", { class: "graph", role: "group", "aria-label": words("graph") }, lines, pencil, nodes);
  const node = h("div.graph-place", root);
  let places = []; // [x, y] of each unit, in pixels

  const onkey = (event, i) => {
    if (keys.modified(event)) return;
    if (["Enter", " "].includes(event.key)) demo.set({ row: i });
    else if (event.key.toLowerCase() === "e" && i !== units.row()) units.toggle(units.row(), i);
    else return;
    event.preventDefault();
  };

  const paintUnit = (node, i, needs, depth) => {
    const row = units.row();
    const need = i === row ? 0 : needs?.[row]?.[i];
    const kind = i === row ? "chosen" : need <= depth ? "reached" : "beyond";
    const pixel = palette().weights[Math.round(235 - (165 * need) / most)];
    const [shape, letter, number] = node.children;
    setAttributes(node, {
      transform: `translate(${places[i]})`,
      class: `node ${kind}`,
      "aria-label": words("unit", { name: units.name(i), kind, need, other: units.name(row) }),
      "data-kind": demo.view.shape === "both" ? (units.isCharacter(i) ? "character" : "pixel") : "unit",
    });
    shape.setAttribute("rx", node.dataset.kind === "pixel" ? "3" : "19");
    letter.textContent = units.name(i);
    const coloured = kind === "reached" && need;
    shape.style.fill = coloured ? cssOf(pixel) : "";
    letter.style.fill = number.style.fill = coloured ? inkOn(pixel) : "";
    number.textContent = coloured ? asWhole(need) : "";
  };

  const picture = makeDrawing(node, ({ needs, depth }, { width, height }) => {
    const { count, edges } = units.graph();
    setAttributes(root, { width, height, viewBox: `0 0 ${width} ${height}` });
    places = shapes.placesOf(demo.view.shape, count, { width, height });
    const line = (edge) => edge.split("-").map((i) => places[i]);
    lines.replaceChildren(...edges.map((edge) => svg("path", { "data-edge": edge, d: `M${line(edge).join("L")}` })));
    if (nodes.childElementCount !== count)
      nodes.replaceChildren(...Array.from({ length: count }, (_, i) => makeNode(i, onkey)));
    [...nodes.children].forEach((unit, i) => paintUnit(unit, i, needs, depth));
  });
  drawEdges(root, pencil, {
    pointOf: (i) => places[i],
    width: () => picture.size.width,
    joined: (one, other) => (one === other ? demo.set({ row: one }) : units.toggle(one, other)),
  });
  return { node, draw: picture.draw };
};
