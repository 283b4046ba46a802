// The permutation matrix: a row for each place, a column for each word as typed, and a 1 where the word stands there.
const { h, say, permuting } = former;
const { section, body, foot } = former.panel(element, say("permute_matrix"));
const canvas = h("canvas", { role: "img" });
const readout = h("p", { class: "readout", "aria-live": "polite" });
body.append(canvas);
foot.append(permuting.bar().node, readout);
let frame = null; // {left, top, side} of the cells, in CSS pixels
const LARGEST = 22; // pixels of a cell

const place = (count) => {
  const zoomed = section.classList.contains("maximised");
  const width = size.width;
  const height = former.isStacked() && !zoomed ? Math.min(width, 360) : size.height;
  const longest = count > 12 ? 6 : 9; // characters of a word
  const cellAt = (font) => (Math.min(width, height) - permuting.widest(font, longest) - 6) / count;
  const font = [14, 13, 12, 11, 10, 9].find((size) => cellAt(size) >= size) ?? 8;
  const margin = permuting.widest(font, longest) + 4;
  const cell = Math.max(3, Math.min(zoomed ? 60 : LARGEST, cellAt(font)));
  const left = zoomed ? Math.max(margin, (width - margin - cell * count) / 2 + margin) : margin; // in the middle
  return { left, top: margin, side: cell * count, cell, font, longest, width, height };
};

const paint = former.eachFrame(() => {
  const order = permuting.order();
  if (!order.length || !size.width) return;
  frame = place(order.length);
  const { left, top, side, cell, font, longest } = frame;
  const context = former.fit(canvas, frame.width, Math.min(frame.height, top + side + 2));
  const [text, quiet, line, accent, mark] = ["text", "quiet", "line", "accent", "mark"].map(former.variable);
  context.strokeStyle = line;
  context.lineWidth = 1;
  context.beginPath();
  for (let i = 0; i <= order.length; i++) {
    context.moveTo(left + i * cell, top);
    context.lineTo(left + i * cell, top + side);
    context.moveTo(left, top + i * cell);
    context.lineTo(left + side, top + i * cell);
  }
  context.stroke();
  const word = permuting.hover?.word;
  order.forEach((from, to) => {
    context.fillStyle = from === to ? accent : mark;
    context.fillRect(left + from * cell + 1, top + to * cell + 1, cell - 2, cell - 2);
    const look = (own) => ({ size: font, longest, colour: own === word ? text : quiet, weight: own === word ? "600" : "" });
    permuting.paintWord(context, from, left - 4, top + (to + 0.5) * cell, { align: "right", ...look(from) });
    context.save();
    context.translate(left + (to + 0.5) * cell, top - 4);
    context.rotate(-Math.PI / 2);
    permuting.paintWord(context, to, 0, 0, look(to));
    context.restore();
  });
  if (word in order) {
    context.strokeStyle = text;
    context.strokeRect(left, top + order.indexOf(word) * cell, side, cell);
    context.strokeRect(left + word * cell, top, cell, side);
    former.laser(context, left + word * cell, top + order.indexOf(word) * cell, cell, cell);
  }
  tell(order, word);
  element.dataset.order = order.join(".");
  element.dataset.rev = permuting.rev;
});

const tell = (order, word) => {
  const ones = order.map((from, to) => `${to + 1}→${from + 1}`).join(" ");
  canvas.setAttribute("aria-label", say("permute_matrix_label", { count: order.length, ones }));
  readout.textContent =
    word in order ? say("permute_matrix_row", { word: permuting.labels()[word], from: word + 1, to: order.indexOf(word) + 1 }) : say("permute_matrix_hint");
};

canvas.addEventListener("pointermove", (event) => {
  if (!frame) return;
  const { x, y } = former.placeOn(canvas, event);
  const [column, row] = [Math.floor((x - frame.left) / frame.cell), Math.floor((y - frame.top) / frame.cell)];
  const order = permuting.order();
  permuting.point(row in order && (column in order || column < 0) ? { word: order[row] } : column in order && row < 0 ? { word: column } : null);
});
canvas.addEventListener("pointerleave", () => permuting.point(null));

const size = former.sized(body, paint);
permuting.subscribe(element, (changed) => {
  if (["permuted", "order", "hover"].some((name) => changed.has(name))) paint();
});
former.onTheme(paint);
