// One output as four pictures: f(x), P f(x), f(Px) and how far the last two are apart; rows are words, columns numbers.
const { h, say, permuting, number } = former;
const { section, title, tools, body, foot } = former.panel(element, say("permute_rows"));
const SHOWN = 32; // columns at once
const MAPS = ["f", "moved", "after", "difference"];
const canvas = h("canvas", { tabindex: 0, role: "application", "aria-roledescription": say("permute_rows"), "aria-label": say("permute_rows_label") });
const readout = h("p", { class: "readout", "aria-live": "polite" });
const legend = h("p", { class: "quiet legend-line" });
const scale = permuting.choice("scale", permuting.fields.scale.choices);
const go = (step) => permuting.set({ part: permuting.view.part + step });
const [less, more] = [["‹", -1, "permute_part_less"], ["›", 1, "permute_part_more"]].map(([sign, step, words]) =>
  h("button", { type: "button", "aria-label": say(words), onclick: () => go(step) }, sign),
);
const part = h("span");
tools.append(h("span", { class: "stepper" }, less, part, more), scale.node);
body.append(canvas);
const bar = permuting.bar(
  permuting.choice("positions", ["none", "learned", "sinusoidal"]),
  permuting.choice("mask", permuting.fields.mask.choices),
  permuting.choice("output", permuting.fields.output.choices),
);
foot.append(bar.node, readout, legend);

let frame = null; // where everything is, in CSS pixels

const columns = (shown) => {
  const first = permuting.view.part * SHOWN;
  return { first, count: Math.max(0, Math.min(SHOWN, shown.emb - first)) };
};

const place = (shown) => {
  const zoomed = section.classList.contains("maximised");
  const { width } = size;
  const height = former.isStacked() && !zoomed ? 420 : size.height;
  const extra = shown.pooled ? 1.6 : 0; // rows for the average
  const row = Math.max(6, Math.min(30, (height - 24) / (shown.words + extra)));
  const font = Math.max(8, Math.min(13, Math.floor(row * 0.85)));
  const names = permuting.widest(font, 9) + 4;
  const [curves, gap] = [34, 8];
  const map = Math.max(36, (width - 2 * names - curves - gap - 12) / 4);
  const lefts = [names, names + map + curves, 2 * names + 2 * map + curves, 2 * names + 3 * map + curves + gap];
  return { width, height, row, font, names, map, lefts, top: 20, bottom: 20 + row * shown.words, average: 20 + row * (shown.words + 0.6) };
};

/** A number's pixel: outputs below and above zero; the difference on their scale, or on a logarithmic one. */
const painter = (most) => {
  const { scores, weights } = former.colours();
  const log = permuting.view.scale === "log";
  const level = (value) => (log ? (value ? 1 + Math.log10(value / most) / 9 : 0) : value / most);
  return {
    output: (value) => scores[Math.max(0, Math.min(255, Math.round(127.5 + (127.5 * value) / most)))],
    difference: (value) => weights[Math.max(0, Math.min(255, Math.round(255 * level(value))))],
  };
};

const cells = (values, emb, { first, count }, pixel) => former.image(count, values.length / emb, (x, y) => pixel(values[y * emb + first + x]));

const paint = former.eachFrame(() => {
  const shown = permuting.picture();
  scale.update();
  if (!shown || !size.width) return;
  frame = place(shown);
  const context = former.fit(canvas, frame.width, Math.min(frame.height, (shown.pooled ? frame.average + frame.row : frame.bottom) + 4));
  context.imageSmoothingEnabled = false;
  const range = columns(shown);
  const measured = permuting.measured(shown.output);
  // Of 100 outputs two may be beyond the scale: a few are many times as large, and would leave all others pale.
  const most = Math.max(1e-30, Float64Array.from(shown.f, Math.abs).sort()[Math.floor(0.98 * shown.f.length)]);
  const pixel = painter(most);
  MAPS.forEach((name, which) => {
    const own = pixel[name === "difference" ? "difference" : "output"];
    const x = frame.lefts[which];
    context.drawImage(cells(shown[name], shown.emb, range, own), x, frame.top, frame.map, frame.row * shown.words);
    context.strokeStyle = former.variable("line");
    context.strokeRect(x - 0.5, frame.top - 0.5, frame.map + 1, frame.row * shown.words + 1);
    if (!shown.pooled) return;
    context.drawImage(cells(shown.pooled[name], shown.emb, range, own), x, frame.average, frame.map, frame.row);
    context.strokeRect(x - 0.5, frame.average - 0.5, frame.map + 1, frame.row + 1);
  });
  paintNames(context, shown);
  paintHover(context, shown, range);
  tell(shown, range, most, measured);
  element.dataset.maps = JSON.stringify(frame.lefts.map((left) => [left, frame.top, frame.map, frame.row * shown.words]));
  element.dataset.output = shown.output;
  element.dataset.order = shown.order.join(".");
  element.dataset.rev = permuting.rev;
});

const middle = (row) => frame.top + (row + 0.5) * frame.row;

const paintNames = (context, shown) => {
  const [text, quiet, accent, mark] = ["text", "quiet", "accent", "mark"].map(former.variable);
  const pointed = permuting.hover?.word;
  Object.assign(context, { font: `600 12px ${former.style.font}`, textBaseline: "top", textAlign: "center", fillStyle: text });
  const heading = (name) => (shown.pooled || (name === "difference" && frame.map < 80) ? `permute_map_${name}_rows` : `permute_map_${name}`);
  MAPS.forEach((name, which) => context.fillText(say(heading(name)), frame.lefts[which] + frame.map / 2, 2, frame.map + 18));
  const look = (word) => ({ align: "right", size: frame.font, longest: 9, colour: word === pointed ? text : quiet, weight: word === pointed ? "600" : "" });
  shown.order.forEach((word, at) => {
    permuting.paintWord(context, word, frame.lefts[0] - 4, middle(word), look(word));
    permuting.paintWord(context, word, frame.lefts[2] - 4, middle(at), look(word));
    const [from, to] = [frame.lefts[0] + frame.map + 2, frame.lefts[1] - 2];
    context.beginPath();
    context.moveTo(from, middle(word));
    context.bezierCurveTo((from + to) / 2, middle(word), (from + to) / 2, middle(at), to, middle(at));
    context.strokeStyle = word === pointed ? text : word === at ? accent : mark;
    context.globalAlpha = pointed === undefined || word === pointed ? 0.9 : 0.3;
    context.lineWidth = word === pointed ? 2.5 : 1.2;
    context.stroke();
    context.globalAlpha = 1;
  });
  if (!shown.pooled) return;
  Object.assign(context, { font: `italic ${frame.font}px ${former.style.font}`, fillStyle: quiet, textAlign: "right", textBaseline: "middle" });
  for (const which of [0, 2]) context.fillText(say("permute_average"), frame.lefts[which] - 4, frame.average + frame.row / 2, frame.names);
};

/** The word's row in every map, and the number that is pointed at. */
const paintHover = (context, shown, range) => {
  const { word, column } = permuting.hover ?? {};
  if (!(word in shown.order)) return;
  context.strokeStyle = former.variable("text");
  context.lineWidth = 1.5;
  const at = shown.order.indexOf(word);
  MAPS.forEach((_, which) => {
    const top = frame.top + (which ? at : word) * frame.row;
    context.strokeRect(frame.lefts[which], top, frame.map, frame.row);
    const wide = frame.map / range.count;
    if (column == null) return;
    context.strokeRect(frame.lefts[which] + column * wide, top, wide, frame.row);
    former.laser(context, frame.lefts[which] + column * wide, top, wide, frame.row);
  });
};

const tell = (shown, { first, count }, most, measured) => {
  title.textContent = say(`permute_rows_${shown.output}`);
  part.textContent = say("permute_part", { first: first + 1, last: first + count, emb: shown.emb });
  less.disabled = permuting.view.part === 0;
  more.disabled = permuting.view.part === permuting.fields.part.max;
  legend.textContent = say(`permute_legend_${permuting.view.scale}`, { most: number(most, 3), least: number(most * 1e-9, 2) });
  const { word, column } = permuting.hover ?? {};
  readout.dataset.word = readout.dataset.column = "";
  if (!(word in shown.order) || column == null || column >= count) return void (readout.textContent = whole(shown, measured));
  const at = shown.order.indexOf(word);
  const value = (name) => shown[name][(name === "f" ? word : at) * shown.emb + first + column];
  const values = Object.fromEntries(MAPS.map((name) => [name, number(value(name))]));
  Object.assign(readout.dataset, { word, column: first + column, ...Object.fromEntries(MAPS.map((name) => [name, value(name)])) });
  readout.textContent = say("permute_reading", { ...values, word: permuting.labels()[word], nth: word + 1, column: first + column + 1 });
};

/** Where the largest difference is, over all numbers of all words. */
const whole = (shown, measured) => {
  if (shown.values) {
    const written = (value) => former.fixed(value, 6);
    const { classes } = permuting.answers.permuted.verdicts[0];
    const values = classes.map((name, i) => say("permute_value", { name, before: written(shown.values.before[i]), after: written(shown.values.after[i]) }));
    return say("permute_values", { values: former.list(values), error: measured.error ? number(measured.error, 3) : "0" });
  }
  const top = shown.difference.reduce((best, value, i) => (value > shown.difference[best] ? i : best), 0);
  if (!shown.difference[top]) return say("permute_none_apart");
  const word = shown.order[Math.floor(top / shown.emb)];
  return say("permute_apart", { error: number(shown.difference[top], 3), word: permuting.labels()[word], nth: word + 1, column: (top % shown.emb) + 1 });
};

const pointAt = (event) => {
  const shown = permuting.picture();
  if (!frame || !shown) return;
  const box = (left) => ({ left, top: frame.top, width: frame.map, height: frame.row * shown.words });
  const found = frame.lefts.map((left) => former.cellAt(canvas, event, box(left), shown.words, columns(shown).count));
  const which = found.findIndex(Boolean);
  if (which < 0) return permuting.point(null);
  const { row, column } = found[which];
  permuting.point({ word: which ? shown.order[row] : row, column });
};
canvas.addEventListener("pointermove", pointAt);
canvas.addEventListener("pointerdown", pointAt);
canvas.addEventListener("pointerleave", () => permuting.point(null));
canvas.addEventListener("blur", () => permuting.point(null));
canvas.addEventListener("keydown", (event) => {
  const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
  const shown = permuting.picture();
  if (!step || !shown) return;
  event.preventDefault();
  const { word, column } = { word: shown.order[0], column: 0, ...permuting.hover };
  const inside = (i, end) => Math.max(0, Math.min(end - 1, i));
  const at = permuting.hover ? inside(shown.order.indexOf(word) + step[0], shown.words) : 0;
  permuting.point({ word: shown.order[at], column: permuting.hover ? inside((column ?? 0) + step[1], columns(shown).count) : 0 });
});

const size = former.sized(body, paint);
permuting.subscribe(element, (changed) => {
  bar.update();
  if (["permuted", "part", "scale", "hover"].some((name) => changed.has(name))) paint();
});
former.onTheme(paint);
