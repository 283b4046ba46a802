// A plane with arrows whose tips can be dragged by mouse, touch or arrow keys.

import { placeOn, setAttributes, setText, svg } from "../../../browser/lib/base.js";
import { keys } from "../../../browser/lib/keys.js";
import { makeDrawing } from "../../../browser/lib/panel.js";

const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
const STEP = 0.1; // for an arrow key; with Shift 0.5
const HEAD = 9; // pixels
const APART = 20; // pixels from a tip to its label
const TURNS = [0, 0.5, -0.5, 1, -1, 1.5, -1.5, 2, -2]; // radians from the arrow's direction to its label, best first

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

/** The grip on a tip: pointed(event) and tip() are positions in the plane, move(to, over) moves the tip. */
const makeGrip = ({ pointed, tip, move }) => {
  const grip = svg("circle", { class: "grip", r: 15, tabindex: 0, role: "button" });
  let offset = null; // from the pointer to the tip
  grip.addEventListener("pointerdown", (event) => {
    grip.setPointerCapture(event.pointerId);
    const [x, y] = pointed(event);
    offset = [tip()[0] - x, tip()[1] - y];
  });
  grip.addEventListener("pointermove", (event) => {
    if (!offset) return;
    const [x, y] = pointed(event);
    move([x + offset[0], y + offset[1]], false);
  });
  for (const end of ["pointerup", "pointercancel"])
    grip.addEventListener(end, () => {
      if (offset) move(tip(), true);
      offset = null;
    });
  grip.addEventListener("keydown", (event) => {
    if (!STEPS[event.key] || keys.modified(event)) return;
    event.preventDefault();
    const step = event.shiftKey ? 5 * STEP : STEP;
    move(
      tip().map((value, i) => value + step * STEPS[event.key][i]),
      true,
    );
  });
  return grip;
};

/** The direction from one point to another, 1 long; to the right if they are the same. */
const direction = ([x0, y0], [x1, y1]) => {
  const length = Math.hypot(x1 - x0, y1 - y0);
  return length ? [(x1 - x0) / length, (y1 - y0) / length] : [1, 0];
};

/** A label beside the point `at`, in a direction given by an angle: its attributes, and its box in pixels. */
const labelAt = ([x1, y1], angle, label) => {
  const [ux, uy] = [Math.cos(angle), Math.sin(angle)];
  const [x, y] = [x1 + ux * APART, y1 + uy * APART + 4];
  const wide = Array.from(label).reduce((sum, sign) => sum + (sign > "\u2e80" ? 14 : 8), 0);
  const anchor = ux > 0.4 ? "start" : ux < -0.4 ? "end" : "middle";
  const left = x - { start: 0, middle: wide / 2, end: wide }[anchor];
  return { x, y, anchor, box: { left, right: left + wide, top: y - 12, bottom: y + 4 } };
};

const holds = (box, [x, y]) => x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;
const isWithin = (box, frame) =>
  box.left >= frame.left && box.right <= frame.right && box.top >= frame.top && box.bottom <= frame.bottom;
const overlap = (one, other) =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

/** Points along an arrow, closer to each other than a label is high. */
const pointsOf = ({ from, to }) => {
  const count = Math.ceil(Math.hypot(to[0] - from[0], to[1] - from[1]) / 6) || 1;
  const between = (i) => from.map((value, axis) => value + ((to[axis] - value) * i) / count);
  return Array.from({ length: count + 1 }, (_, i) => between(i));
};

/** Places the labels of arrows {from, to, label} in pixels: beyond each tip, turned aside as far as it takes to lie
 *  over no arrow and no other label, within `frame`. Returns {x, y, anchor} for each. */
const placeLabels = (arrows, frame) => {
  const points = arrows.flatMap(pointsOf);
  const boxes = [];
  const faults = ({ box }) =>
    points.filter((point) => holds(box, point)).length +
    10 * boxes.filter((other) => overlap(box, other)).length +
    (isWithin(box, frame) ? 0 : 10);
  return arrows.map(({ from, to, label }) => {
    if (!label) return { x: to[0], y: to[1], anchor: "start" };
    const [ux, uy] = direction(from, to);
    const places = TURNS.map((turn) => labelAt(to, Math.atan2(uy, ux) + turn, label));
    const counts = places.map(faults);
    const best = places[counts.indexOf(Math.min(...counts))];
    boxes.push(best.box);
    return best;
  });
};

/** Draws an arrow between two points in pixels, with its label where placeLabels puts it. */
const drawArrow = ({ group, shaft, head, name, grip: circle }, from, to, arrow, namePoint) => {
  const [[x0, y0], [x1, y1]] = [from, to];
  const { id, hue = 0, kind = "", label = "", grip } = arrow;
  const length = Math.hypot(x1 - x0, y1 - y0);
  const [ux, uy] = direction(from, to);
  const size = Math.min(HEAD, length);
  const [bx, by] = [x1 - ux * size, y1 - uy * size];
  group.setAttribute("class", `arrow ${kind} hue-${hue}`);
  shaft.setAttribute("d", `M${x0} ${y0}L${bx} ${by}`);
  head.setAttribute(
    "d",
    `M${x1} ${y1}L${bx - (uy * size) / 2} ${by + (ux * size) / 2}L${bx + (uy * size) / 2} ${by - (ux * size) / 2}Z`,
  );
  setText(name, label);
  setAttributes(name, { x: namePoint.x, y: namePoint.y, "text-anchor": namePoint.anchor });
  if (grip) setAttributes(circle, { class: `grip hue-${hue}`, cx: x1, cy: y1, "aria-label": grip, "data-id": id });
};

/**
 * A plane that fills `container`; it shows −reach to reach, and no tip leaves it.
 *
 * ondrag(id, [x, y], over) is called when a tip moves; over: the pointer has released it, or a key moved it. Returns
 * {root, draw}: draw({arrows, dots}) with arrows {id, to, from, hue, kind, label, grip} and dots {id, at, hue}: `from`
 * is the origin by default, `hue` the number of a colour, `kind` a class, `grip` the accessible name of a tip that can
 * be dragged.
 */
export const makePlane = (container, { label, reach, ondrag }) => {
  const grid = svg("path", { class: "grid" });
  const axes = svg("path", { class: "axes" });
  const [shapes, grips] = [svg("g"), svg("g")];
  const root = svg("svg", { class: "plane", role: "group", "aria-label": label }, grid, axes, shapes, grips);
  container.classList.add("plane-place");
  container.append(root);
  const pool = new Map(); // id → its elements
  let unit = 1; // pixels of the number 1
  let middle = [0, 0];
  const at = ([x, y]) => [middle[0] + x * unit, middle[1] - y * unit];
  const pointed = (event) => {
    const { x, y } = placeOn(root, event, drawing.size.width);
    return [(x - middle[0]) / unit, (middle[1] - y) / unit];
  };
  const within = (value) => Math.max(-reach, Math.min(reach, Math.round(value * 100) / 100));

  const makeArrow = ({ id, grip }) => {
    const parts = { shaft: svg("path", { class: "shaft" }), head: svg("path", { class: "head" }), name: svg("text") };
    const group = svg("g", {}, ...Object.values(parts));
    shapes.append(group);
    if (!grip) return { ...parts, group, grip: null };
    const tip = () => pool.get(id).to;
    const move = (to, over) => {
      // before it is drawn: further moves in the same frame start from here
      pool.get(id).to = to.map(within);
      ondrag(id, tip(), over);
    };
    const circle = makeGrip({ pointed, tip, move });
    grips.append(circle);
    return { ...parts, group, grip: circle };
  };
  const paintArrows = (arrows, { width, height }) => {
    const ends = arrows.map(({ from, to, label = "" }) => ({ from: at(from ?? [0, 0]), to: at(to), label }));
    const places = placeLabels(ends, { left: 0, right: width, top: 0, bottom: height });
    arrows.forEach((arrow, i) => {
      const { id, to } = arrow;
      if (!pool.has(id)) pool.set(id, makeArrow(arrow));
      pool.get(id).to = to;
      drawArrow(pool.get(id), ends[i].from, ends[i].to, arrow, places[i]);
    });
  };

  const paintDot = ({ id, at: where, hue }) => {
    if (!pool.has(id)) {
      const group = svg("circle", { r: 4.5 });
      shapes.append(group);
      pool.set(id, { group });
    }
    const [x, y] = at(where);
    const { group } = pool.get(id);
    setAttributes(group, { class: `dot hue-${hue}`, cx: x, cy: y });
  };

  const drawGrid = ({ width, height }) => {
    const [across, up] = [width, height].map((side) => Math.floor(side / 2 / unit));
    const lines = (count, line) => Array.from({ length: 2 * count + 1 }, (_, i) => line(i - count)).join("");
    grid.setAttribute(
      "d",
      lines(across, (x) => `M${at([x, 0])[0]} 0V${height}`) + lines(up, (y) => `M0 ${at([0, y])[1]}H${width}`),
    );
    axes.setAttribute("d", `M0 ${middle[1]}H${width}M${middle[0]} 0V${height}`);
  };

  const drawing = makeDrawing(container, ({ arrows, dots = [] }, { width, height }) => {
    setAttributes(root, { width, height, viewBox: `0 0 ${width} ${height}` });
    middle = [width / 2, height / 2];
    unit = Math.min(width, height) / 2 / (reach + 0.25);
    drawGrid({ width, height });
    const ids = new Set([...arrows, ...dots].map(({ id }) => id));
    for (const [id, { group, grip }] of pool)
      if (!ids.has(id)) {
        group.remove();
        grip?.remove();
        pool.delete(id);
      }
    paintArrows(arrows, { width, height });
    dots.forEach(paintDot);
  });
  return { root, draw: drawing.draw };
};
