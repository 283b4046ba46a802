// The text as it grows, token by token, painted with the attention of the newest; arrow keys and clicks move in it.
const { h, say, writing } = former;
const { settings } = writing;
const { tools, body, foot } = former.panel(element, say("write_text_title"));

const choose = (name, label, options) => {
  const select = h("select", { onchange: () => writing.set(options.read?.(select.value) ?? { [name]: select.value }) });
  return { select, field: h("label", { class: "field" }, h("span", { class: "name" }, label), select) };
};
const layer = choose("layer", say("layer"), { read: (value) => ({ layer: Number(value) }) });
const head = choose("head", say("head"), { read: (value) => (value === "mean" ? { of: "mean" } : { of: "head", head: Number(value) }) });
const scale = choose("scale", say("write_scale"), {});
const sentence = h("p", { class: "sentence" });
const tokens = h("div", { class: "tokens", tabindex: 0, role: "group", "aria-label": say("write_text_label"), dir: "ltr" });
const legend = h("span", { class: "ramp", "aria-hidden": "true" });
const legendMost = h("span");
tools.append(layer.field, head.field, scale.field);
body.append(tokens);
foot.append(
  sentence,
  h("span", { class: "legend" }, h("span", { class: "written" }, say("write_written")), h("span", { class: "fork" }, say("write_fork")), "0", legend, legendMost),
);

const option = (value, text, chosen) => h("option", { value, selected: chosen }, text);
const paintChoices = () => {
  const { layers, heads } = writing.models[settings.model] ?? { layers: 0, heads: 0 };
  const count = (size, chosen) => Array.from({ length: size }, (_, i) => option(i, i, i === chosen));
  layer.select.replaceChildren(...count(layers, settings.layer));
  const one = settings.of === "head";
  head.select.replaceChildren(option("mean", say("write_mean"), !one), ...count(heads, one ? settings.head : -1));
  scale.select.replaceChildren(...writing.fields.scale.choices.map((name) => option(name, say(`write_scale_${name}`), name === settings.scale)));
};

/** The attention of a node's token to each token of the window, as shares; null where none is held. */
const attention = (state) => {
  const model = writing.models[settings.model];
  if (!state || !model) return null;
  const size = state.cells.length / (model.layers * model.heads);
  const chosen = settings.of === "head" ? [settings.head] : Array.from({ length: model.heads }, (_, i) => i);
  const row = new Float32Array(size);
  for (const one of chosen) {
    const first = (settings.layer * model.heads + one) * size;
    for (let j = 0; j < size; j++) row[j] += (state.cells[first + j] / 255) ** 2 / chosen.length;
  }
  return row;
};

/** For each level of the scale: the ground, and the ink that stands out from it. */
const palette = () => Array.from(former.colours().weights, (pixel) => [former.css(pixel), former.inkOn(pixel)]);

let spans = []; // {span, and what it shows: label, ground, kind}; asking the page itself is slow
let labels = [];

/** A label with a place where a line may break: after a space, before a piece that begins with one, at a newline. */
const breakable = (label) => {
  if (label === "␣") return "␣\u200b";
  return `${label.startsWith("␣") ? "\u200b" : ""}${label}${label.endsWith("⏎") ? "\n" : ""}`;
};

const show = (shown, label, [ground, ink], kind) => {
  const { span } = shown;
  if (shown.label !== label) span.textContent = breakable(label);
  if (shown.ground !== ground) Object.assign(span.style, { backgroundColor: ground, color: ink });
  if (shown.kind !== kind) span.className = kind;
  Object.assign(shown, { label, ground, kind });
};

const paint = former.eachFrame(() => {
  const { branches, cursor } = writing;
  const node = writing.shown();
  const prompt = branches.root.state?.labels.length ?? 0;
  const path = branches.path(branches.tip(cursor));
  labels = branches.labels(path.at(-1) ?? branches.root);
  while (spans.length < labels.length) spans.push({ span: tokens.appendChild(h("span", { "data-at": spans.length })), ground: "" });
  while (spans.length > labels.length) spans.pop().span.remove();
  const row = attention(node.state);
  const most = row ? row.reduce((a, b) => Math.max(a, b), 0) : 0;
  const colours = palette();
  const here = prompt + node.depth - 1;
  const level = { linear: (w) => w * 255, row: (w) => (w / (most || 1)) * 255, root: (w) => Math.sqrt(w) * 255 }[settings.scale];
  spans.forEach((shown, i) => {
    const weight = row?.[i - (node.state?.start ?? 0)];
    const seen = weight !== undefined;
    const kind = [
      i < prompt ? "prompt" : "written",
      i > here ? "future" : row && !seen ? "gone" : "",
      i === here ? "here" : "",
      path[i - prompt]?.parent.children.length > 1 ? "fork" : "",
    ];
    show(shown, labels[i], seen ? colours[Math.round(level(weight))] : ["", ""], kind.join(" "));
  });
  paintSentence(node, row, here);
  legend.style.background = former.gradient(former.colours().weights);
  legendMost.textContent = settings.scale === "row" ? former.share(most) : "100 %";
  if (writing.status === "running") follow();
  element.dataset.rev = writing.rev;
  element.dataset.tokens = spans.length;
});

const paintSentence = (node, row, here) => {
  if (!row) return (sentence.textContent = say("write_no_state"));
  const first = node.state.start;
  const top = Array.from(row.keys()).sort((a, b) => row[b] - row[a]).slice(0, 3).filter((j) => row[j] >= 0.01);
  const where = top.map((j) => say("write_seen", { token: labels[first + j], at: first + j, share: former.share(row[j]) }));
  const who = settings.of === "head" ? say("head_name", settings) : say("of_mean_name", settings);
  sentence.textContent = [
    say(where.length ? "write_looks" : "write_looks_even", { token: labels[here] ?? "", at: here, who, where: former.list(where) }),
    first > 0 && say("write_window", { context: writing.models[settings.model].context, first }),
  ].filter(Boolean).join(" ");
};

const follow = () => {
  const last = spans.at(-1)?.span;
  if (last && last.offsetTop + last.offsetHeight > tokens.scrollTop + tokens.clientHeight) tokens.scrollTop = tokens.scrollHeight;
};

const nodeAt = (target) => {
  const at = target instanceof Element ? target.closest("[data-at]")?.dataset.at : undefined;
  if (at === undefined) return null;
  const { branches, cursor } = writing;
  const depth = Number(at) - (branches.root.state?.labels.length ?? 0) + 1;
  return depth === 0 ? branches.root : (branches.path(branches.tip(cursor))[depth - 1] ?? null);
};
tokens.addEventListener("pointerover", (event) => writing.point(nodeAt(event.target)));
tokens.addEventListener("pointerleave", () => writing.point(null));
tokens.addEventListener("click", (event) => {
  const node = nodeAt(event.target);
  if (node) writing.go(node);
});
tokens.addEventListener("keydown", (event) => {
  const { branches, cursor } = writing;
  const act = {
    ArrowLeft: writing.back,
    ArrowRight: () => (cursor.onward ? writing.forward() : writing.step()),
    Home: () => writing.go(branches.root),
    End: () => writing.go(branches.tip(cursor)),
    Escape: () => writing.point(null),
  }[event.key];
  if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  act();
});

writing.subscribe(element, (changed) => {
  if (["models", "model", "layer", "head", "of", "scale"].some((name) => changed.has(name))) paintChoices();
  paint();
});
former.onTheme(paint);
