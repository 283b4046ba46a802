// Graphs of units as a link spells them, prepared ones, and where units are drawn: on a circle, as the pixels of a
// picture, or as a picture beside its caption.

const SHAPES = ["circle", "grid", "both"]; // the last has a picture of 3 × 3 pixels and its caption in one set
const [SIDE, CAPTION] = [3, "cat"];
const PIXELS = SIDE * SIDE;

/** "8:0-1,1-2" → {count, edges: ["0-1", "1-2"]}, and back. */
const parse = (graph) => {
  const [count, edges] = graph.split(":");
  return { count: Number(count), edges: edges ? edges.split(",") : [] };
};

const spell = ({ count, edges }) => `${count}:${edges.join()}`;

/** A graph of `count` units with an edge between any two for which linked(one, other). */
const every = (count, linked) => {
  const pairs = Array.from({ length: count * count }, (_, i) => [Math.floor(i / count), i % count]);
  return spell({
    count,
    edges: pairs.filter(([one, other]) => one < other && linked(one, other)).map((pair) => pair.join("-")),
  });
};

/** Whether two pixels of a picture of this width touch. */
const areNeighbours = (width) => (one, other) =>
  Math.max(Math.abs((one % width) - (other % width)), Math.abs(Math.floor(one / width) - Math.floor(other / width))) ===
  1;

/** Pixels around each other, characters in a row, and each character with each pixel. */
const together = (one, other) => {
  if (other < PIXELS) return areNeighbours(SIDE)(one, other);
  return one < PIXELS || other === one + 1;
};

const isCharacter = (shape, i) => shape === "both" && i >= PIXELS;

/** The character that a unit is; undefined for other units. */
const characterAt = (shape, i) => (isCharacter(shape, i) ? CAPTION[i - PIXELS] : undefined);

/** [x, y] of each unit in a drawing of this size. */
const placesOf = (shape, count, { width, height }) => {
  const [middle, radius] = [[width / 2, height / 2], Math.min(width, height) / 2 - 30];
  const each = (coordinate) => Array.from({ length: count }, (_, i) => coordinate(i));
  if (shape === "circle")
    return each((i) => {
      const angle = (2 * Math.PI * i) / count - Math.PI / 2;
      return [middle[0] + radius * Math.cos(angle), middle[1] + radius * Math.sin(angle)];
    });
  if (shape === "both") {
    const gap = Math.min(width / 7, height / 4);
    const left = middle[0] - 3 * gap;
    return each((i) => {
      const [column, row] = isCharacter(shape, i)
        ? [SIDE + 1 + ((i - PIXELS) % 3), Math.floor((i - PIXELS) / 3)]
        : [i % SIDE, Math.floor(i / SIDE) - 1];
      return [left + gap * column, middle[1] + gap * row];
    });
  }
  const side = Math.ceil(Math.sqrt(count));
  const gap = (2 * radius) / Math.max(1, side - 1);
  return each((i) => [middle[0] - radius + gap * (i % side), middle[1] - radius + gap * Math.floor(i / side)]);
};

export const shapes = {
  SHAPES,
  PIXELS,
  CAPTION,
  parse,
  spell,
  every,
  areNeighbours,
  together,
  isCharacter,
  characterAt,
  placesOf,
};
