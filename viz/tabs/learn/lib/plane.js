// A plane with arrows whose tips can be dragged by mouse, touch or arrow keys.

import { svg } from "../../../browser/lib/base.js";
import { makeDrawing } from "../../../browser/lib/panel.js";

const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
const STEP = 0.1; // for an arrow key; with Shift 0.5
const HEAD = 9; // pixels

/** Writes arrows for a link, "1.5,0.8;0.4,-0.5", which pairs.py reads; or rows of more than two numbers. */
export const pairs = {
  spell: (pairs) => pairs.map((pair) => pair.map((value) => Number(value.toFixed(2))).join()).join(";"),
  parse: (text) => text.split(";").map((pair) => pair.split(",").map(Number)),
  valid: (text, count, reach, width = 2) => {
    const result = pairs.parse(text);
    return (
      result.length === count &&
      result.every((pair) => pair.length === width && pair.every((value) => Math.abs(value) <= reach))
    );
  },
};

/**
 * A plane that fills `place`; it shows −reach to reach, and no tip leaves it.
 *
 * ondrag(id, [x, y], over) is called when a tip moves; over: the pointer has released it, or a key moved it. Returns
 * {root, draw}: draw({arrows, dots}) with arrows {id, to, from, hue, kind, label, grip} and dots {id, at, hue}: `from`
 * is the origin by default, `hue` the number of a colour, `kind` a class, `grip` the accessible name of a tip that can
 * be dragged.
 */
export const makePlane = (place, { label, reach, ondrag }) => {
  const grid = svg("path", { class: "grid" });
  const axes = svg("path", { class: "axes" });
  const [shapes, grips] = [svg("g"), svg("g")];
  const root = svg("svg", { class: "plane", role: "group", "aria-label": label }, grid, axes, shapes, grips);
  place.classList.add("plane-place");
  place.append(root);
  const pool = new Map(); // id → its elements
  let unit = 1; // pixels of the number 1
  let middle = [0, 0];
  const at = ([x, y]) => [middle[0] + x * unit, middle[1] - y * unit];
  const within = (value) => Math.max(-reach, Math.min(reach, Math.round(value * 100) / 100));

  const makeGrip = (id) => {
    const grip = svg("circle", { class: "grip", r: 15, tabindex: 0, role: "button" });
    let offset = null; // from the tip to the pointer
    const pointed = (event) => {
      const box = root.getBoundingClientRect();
      const scale = drawing.size.width / box.width; // a presented panel is zoomed
      return [
        ((event.clientX - box.left) * scale - middle[0]) / unit,
        (middle[1] - (event.clientY - box.top) * scale) / unit,
      ];
    };
    const move = (to, over) => {
      // before it is drawn: further moves in the same frame start from here
      const tip = (pool.get(id).to = to.map(within));
      ondrag(id, tip, over);
    };
    grip.addEventListener("pointerdown", (event) => {
      grip.setPointerCapture(event.pointerId);
      const [x, y] = pointed(event);
      const tip = pool.get(id).to;
      offset = [tip[0] - x, tip[1] - y];
    });
    grip.addEventListener("pointermove", (event) => {
      if (!offset) return;
      const [x, y] = pointed(event);
      move([x + offset[0], y + offset[1]], false);
    });
    for (const end of ["pointerup", "pointercancel"])
      grip.addEventListener(end, () => {
        if (offset) move(pool.get(id).to, true);
        offset = null;
      });
    grip.addEventListener("keydown", (event) => {
      if (!STEPS[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      const step = event.shiftKey ? 5 * STEP : STEP;
      move(
        pool.get(id).to.map((value, i) => value + step * STEPS[event.key][i]),
        true,
      );
    });
    grips.append(grip);
    return grip;
  };

  const make = ({ id, grip }) => {
    const parts = { shaft: svg("path", { class: "shaft" }), head: svg("path", { class: "head" }), name: svg("text") };
    const group = svg("g", {}, ...Object.values(parts));
    shapes.append(group);
    return { ...parts, group, grip: grip ? makeGrip(id) : null };
  };

  const paintArrow = (arrow) => {
    const { id, to, from = [0, 0], hue = 0, kind = "", label: words = "", grip } = arrow;
    if (!pool.has(id)) pool.set(id, make(arrow));
    const shape = pool.get(id);
    shape.to = to;
    const [[x0, y0], [x1, y1]] = [at(from), at(to)];
    const length = Math.hypot(x1 - x0, y1 - y0);
    const [ux, uy] = length ? [(x1 - x0) / length, (y1 - y0) / length] : [1, 0];
    const size = Math.min(HEAD, length);
    const [bx, by] = [x1 - ux * size, y1 - uy * size];
    shape.group.setAttribute("class", `arrow ${kind} hue-${hue}`);
    shape.shaft.setAttribute("d", `M${x0} ${y0}L${bx} ${by}`);
    shape.head.setAttribute(
      "d",
      `M${x1} ${y1}L${bx - (uy * size) / 2} ${by + (ux * size) / 2}L${bx + (uy * size) / 2} ${by - (ux * size) / 2}Z`,
    );
    if (shape.name.textContent !== words) shape.name.textContent = words;
    const [lx, ly] = [x1 + ux * 20, y1 + uy * 20];
    shape.name.setAttribute("x", lx);
    shape.name.setAttribute("y", ly + 4);
    shape.name.setAttribute("text-anchor", ux > 0.4 ? "start" : ux < -0.4 ? "end" : "middle");
    if (!grip) return;
    shape.grip.setAttribute("class", `grip hue-${hue}`);
    shape.grip.setAttribute("cx", x1);
    shape.grip.setAttribute("cy", y1);
    shape.grip.setAttribute("aria-label", grip);
    shape.grip.dataset.id = id;
  };

  const paintDot = ({ id, at: where, hue }) => {
    if (!pool.has(id)) {
      const group = svg("circle", { r: 4.5 });
      shapes.append(group);
      pool.set(id, { group });
    }
    const [x, y] = at(where);
    const { group } = pool.get(id);
    for (const [name, value] of Object.entries({ class: `dot hue-${hue}`, cx: x, cy: y }))
      group.setAttribute(name, value);
  };

  const drawing = makeDrawing(place, ({ arrows, dots = [] }, { width, height }) => {
    for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` }))
      root.setAttribute(name, value);
    middle = [width / 2, height / 2];
    unit = Math.min(width, height) / 2 / (reach + 0.25);
    const [across, up] = [width, height].map((side) => Math.floor(side / 2 / unit));
    const lines = (count, line) => Array.from({ length: 2 * count + 1 }, (_, i) => line(i - count)).join("");
    grid.setAttribute(
      "d",
      lines(across, (x) => `M${at([x, 0])[0]} 0V${height}`) + lines(up, (y) => `M0 ${at([0, y])[1]}H${width}`),
    );
    axes.setAttribute("d", `M0 ${middle[1]}H${width}M${middle[0]} 0V${height}`);
    const ids = new Set([...arrows, ...dots].map(({ id }) => id));
    for (const [id, { group, grip }] of pool)
      if (!ids.has(id)) {
        group.remove();
        grip?.remove();
        pool.delete(id);
      }
    arrows.forEach(paintArrow);
    dots.forEach(paintDot);
  });
  return { root, draw: drawing.draw };
};
