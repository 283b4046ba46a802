// One pair of tokens, followed back to the model: q and k element by element, their products, the sum, the score.
const { h, say, store, eachFrame, number } = former;
const { body, foot } = former.panel(element, say("pair"));
const heading = h("p", { class: "sentence" });
const canvas = h("canvas", { "aria-hidden": "true" });
const sum = h("p", { class: "sum" });
const check = h("p", { class: "quiet" });
body.append(heading, canvas, sum);
foot.append(check);
const LINE = 49; // where the bars of the products stand
const TALL = 20; // the longest of them, up or down
const HEIGHT = LINE + TALL + 1;

/** q, k and their products: two rows of colour, and bars up and down from a line. */
const draw = (q, k) => {
  const { width } = size;
  const context = former.fit(canvas, width, HEIGHT);
  const { scores } = former.colours();
  const products = q.map((value, i) => value * k[i]);
  const most = (values) => values.reduce((a, b) => Math.max(a, Math.abs(b)), 1e-9);
  const left = 22;
  const step = (width - left) / q.length;
  const box = Math.max(1, step - 1);
  context.font = `12px ${former.style.font}`;
  context.textBaseline = "middle";
  context.fillStyle = former.variable("quiet");
  ["q", "k", "q·k"].forEach((name, i) => context.fillText(name, 0, [6, 20, LINE][i]));
  const [mostQ, mostK, mostOfAll] = [q, k, products].map(most);
  for (let i = 0; i < q.length; i++) {
    const x = left + i * step;
    [[q[i] / mostQ, 0], [k[i] / mostK, 14]].forEach(([part, top]) => {
      context.fillStyle = former.css(scores[Math.round(127.5 + 127.5 * part)]);
      context.fillRect(x, top, box, 12);
    });
    const tall = (TALL * products[i]) / mostOfAll;
    context.fillStyle = former.css(scores[products[i] < 0 ? 55 : 205]);
    context.fillRect(x, LINE - Math.max(tall, 0), box, Math.max(0.5, Math.abs(tall)));
  }
  context.fillStyle = former.variable("quiet");
  context.fillRect(left, LINE, width - left, 1);
};

const paint = eachFrame(() => {
  const shown = former.shown();
  if (!shown || !size.width) return;
  const { query, key } = former.pair(shown);
  const { map, exact } = shown;
  const masked = key >= map.rowLength(query);
  heading.replaceChildren(h("b", {}, `${former.quote(query, map.queries)} → ${former.quote(key, map.keys)}`), exact ? "" : ` ${former.reading(shown, query, key).words}`);
  canvas.hidden = sum.hidden = check.hidden = !exact;
  if (store.view.of !== "head") {
    sum.hidden = false;
    sum.textContent = say("pair_no_head");
  }
  element.dataset.rev = store.rev;
  if (!exact) return;
  const { headSize } = map;
  const { edits } = store.pass.header;
  former.recompute(map, exact);
  const [q, k] = [exact.q.subarray(query * headSize, (query + 1) * headSize), exact.k.subarray(key * headSize, (key + 1) * headSize)];
  draw(q, k);
  const dot = q.reduce((total, value, i) => total + value * k[i], 0);
  const values = { dot: number(dot), size: headSize, score: number(dot / Math.sqrt(headSize)), keys: map.rowLength(query) };
  const weight = masked ? 0 : former.row(shown, query)[key];
  const replaced = edits.some((edit) => edit.do === "uniform" && edit.layer === shown.layer && (edit.head ?? shown.head) === shown.head);
  sum.textContent = say(masked ? "pair_masked" : replaced ? "pair_edited" : "pair_sum", { ...values, weight: number(weight) });
  check.textContent = replaced ? "" : say("pair_check", { error: number(exact.error, 2) });
  check.dataset.error = exact.error;
});
const size = former.sized(body, paint);
store.subscribe(element, paint);
former.onTheme(paint);
