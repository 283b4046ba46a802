// The text as it grows, token by token, coloured by the attention of the newest token; arrow keys and clicks move in
// it. A second model's text is shown next to it.

import { eachFrame, h } from "../../browser/lib/base.js";
import { cssOf, gradient, inkOn, palette } from "../../browser/lib/colour.js";
import { keys } from "../../browser/lib/keys.js";
import { asList, asText, inWords, say } from "../../browser/lib/messages.js";
import { asShare } from "../../browser/lib/numbers.js";
import { makePanel, onAppearance } from "../../browser/lib/panel.js";
import { second, writing } from "./lib/writing.js";

const choose = (name, label, options) => {
  const select = h("select", { onchange: () => writing.set(options.read?.(select.value) ?? { [name]: select.value }) });
  return { select, field: h("label.field", h("span.name", label), select) };
};

const option = (value, text, chosen) => h("option", { value, selected: chosen }, text);

/** For each level of the scale: the background, and a text colour that is legible on it. */
const inks = () => Array.from(palette().weights, (pixel) => [cssOf(pixel), inkOn(pixel)]);

/** A label's signs, its spaces as spaces. One is marked if no gap between two words shows it: if `before` or `after`,
 *  the labels on both sides, or the label itself has no visible sign next to it. A line ends after a newline. */
const asWritten = (label, before, after) =>
  label.split(/(?=␣)|(?<=␣)/).map((part, i, parts) => {
    if (part !== "␣") return part.endsWith("⏎") ? `${part}\n` : part;
    const gap = /[^␣⏎⇥]$/.test(parts[i - 1] ?? before) && /^[^␣⏎⇥]/.test(parts[i + 1] ?? after);
    return h("b", { class: gap ? "space" : "space lone" }, " ");
  });

/** The bytes of a token one by one: an ASCII letter as it is, any other byte as two hexadecimal digits. */
const byByte = (digits) =>
  digits.match(/../g).map((hex) => {
    const code = parseInt(hex, 16);
    const sign = { 32: "␣\u200b", 10: "⏎\n" }[code];
    const letter = sign ?? (code > 32 && code < 127 ? String.fromCharCode(code) : null);
    return h("i", { class: letter ? null : "hex" }, letter ?? hex.toUpperCase());
  });

/** "gpt: 12 tokens, 47 bytes", of the generated text. */
const nameOf = (model, bytes) =>
  say("write_second_name", { model, tokens: bytes.length, bytes: bytes.join("").length / 2 });

const follow = (container) => {
  const last = container.lastChild;
  if (last && last.offsetTop + last.offsetHeight > container.scrollTop + container.clientHeight)
    container.scrollTop = container.scrollHeight;
};

const nodeAt = (target) => {
  const at = target instanceof Element ? target.closest("[data-at]")?.dataset.at : undefined;
  if (at === undefined) return null;
  const { branches, cursor } = writing;
  const depth = Number(at) - (branches.root.state?.labels.length ?? 0) + 1;
  return depth === 0 ? branches.root : (branches.path(branches.tip(cursor))[depth - 1] ?? null);
};

const LOOKS = ["second", "layer", "head", "of", "scale", "units"];

/** The fields of the view: {nodes, paint}. */
const makeChoices = () => {
  const { settings } = writing;
  const layer = choose("layer", say("layer"), { read: (value) => ({ layer: Number(value) }) });
  const head = choose("head", say("head"), {
    read: (value) => (value === "mean" ? { of: "mean" } : { of: "head", head: Number(value) }),
  });
  const scale = choose("scale", say("write_scale"), {});
  const units = choose("units", say("write_units"), {});

  const paint = () => {
    const { layers, heads } = writing.models[settings.model] ?? { layers: 0, heads: 0 };
    const count = (size, chosen) => Array.from({ length: size }, (_, i) => option(i, i, i === chosen));
    layer.select.replaceChildren(...count(layers, settings.layer));
    const one = settings.of === "head";
    head.select.replaceChildren(option("mean", say("write_mean"), !one), ...count(heads, one ? settings.head : -1));
    for (const [name, { select }] of Object.entries({ scale, units }))
      select.replaceChildren(
        ...(writing.fields[name].choices ?? []).map((value) =>
          option(value, say(`write_${name}_${value}`), value === settings[name]),
        ),
      );
  };
  return { nodes: [layer, head, scale, units].map(({ field }) => field), paint };
};

/** The attention of a state's newest token to each token of the window, as shares; null if unknown. A model that
 *  lacks the layer or head uses its last. */
const attention = (state, model) => {
  if (!state || !model) return null;
  const { settings } = writing;
  const layer = Math.min(settings.layer, model.layers - 1);
  const row = settings.of === "head" ? Math.min(settings.head, model.heads - 1) : model.heads; // the mean is the last
  const size = state.cells.length / (model.layers * (model.heads + 1));
  const first = (layer * (model.heads + 1) + row) * size;
  return Float32Array.from(state.cells.subarray(first, first + size), (cell) => (cell / 255) ** 2);
};

/** A text in `container`; draw({labels, bytes, row, start, kind(i)}): `row` has the shares of attention from token
 *  `start` on. */
const makePainter = (container) => {
  const spans = []; // {span, and its current label, ground and kind}: reading them from the page would be slow

  const show = (shown, [before, label, after], digits, inked, kind) => {
    const [ground, ink] = inked;
    const { span } = shown;
    const content =
      writing.settings.units === "byte" && digits ? digits : `${before.slice(-1)}=${label}=${after.slice(0, 1)}`;
    if (shown.content !== content)
      span.replaceChildren(...(content === digits ? byByte(digits) : asWritten(label, before, after)));
    if (shown.ground !== ground) Object.assign(span.style, { backgroundColor: ground, color: ink });
    if (shown.kind !== kind) span.className = kind;
    Object.assign(shown, { content, ground, kind });
  };

  return ({ labels, bytes, row, start, kind }) => {
    const grows = spans.length < labels.length;
    while (spans.length < labels.length)
      spans.push({ span: container.appendChild(h("span", { "data-at": spans.length })), ground: "" });
    while (spans.length > labels.length) spans.pop().span.remove();
    const most = row?.reduce((a, b) => Math.max(a, b), 0) || 1;
    const colours = inks();
    const level = { linear: (w) => w * 255, row: (w) => (w / most) * 255, root: (w) => Math.sqrt(w) * 255 }[
      writing.settings.scale
    ];
    spans.forEach((shown, i) => {
      const weight = row?.[i - start];
      const inked = weight === undefined ? ["", ""] : colours[Math.round(level(weight))];
      show(shown, [labels[i - 1] ?? "", labels[i], labels[i + 1] ?? ""], bytes[i], inked, kind(i));
    });
    if (grows || writing.runs()) follow(container);
  };
};

/** The sentence about what the newest token attends to, and about the context. */
const sentenceOf = ({ start: first }, labels, row, here) => {
  const { settings } = writing;
  const context = writing.models[settings.model].context;
  // Whether the text outgrows the context before it has the length that is set.
  const overflows = here + 1 + settings.length - (writing.cursor.depth % settings.length) > context;
  const top = Array.from(row.keys())
    .sort((a, b) => row[b] - row[a])
    .slice(0, 3)
    .filter((j) => row[j] >= 0.01);
  const where = top.map((j) => say("write_seen", { token: labels[first + j], at: first + j, share: asShare(row[j]) }));
  const who = settings.of === "head" ? say("head_name", settings) : say("of_mean_name", settings);
  return asText([
    say(where.length ? "write_looks" : "write_looks_even", {
      token: labels[here] ?? "",
      at: here,
      who,
      where: asList(where),
    }),
    first === 0 && overflows && say("write_will_slide", { context, left: context - here - 1 }),
    first > 0 && say("write_window", { context, first }),
  ]);
};

/** The text of the selected model up to the end of its branch, for a painter, with {prompt, here, state}: the number of
 *  tokens of the prompt, the index of the newest token and its state. */
const ownText = () => {
  const { branches, cursor, settings } = writing;
  const node = writing.shown();
  const { state } = node;
  const prompt = branches.root.state?.labels.length ?? 0;
  const path = branches.path(branches.tip(cursor));
  const end = path.at(-1) ?? branches.root;
  const row = attention(state, writing.models[settings.model]);
  const here = prompt + node.depth - 1;
  const start = state?.start ?? 0;
  const kind = (i) =>
    [
      i < prompt ? "prompt" : "written",
      i > here ? "future" : row && row[i - start] === undefined ? "gone" : "",
      i === here ? "here" : "",
      path[i - prompt]?.parent.children.length > 1 ? "fork" : "",
    ].join(" ");
  return { labels: branches.labels(end), bytes: branches.bytes(end), row, start, kind, prompt, here, state };
};

/** The same of the second model. */
const otherText = () => {
  const { tokens, labels, bytes, state } = second;
  const prompt = labels.length - tokens.length;
  const row = attention(state, writing.models[writing.settings.second]);
  const start = state?.start ?? 0;
  const here = labels.length - 1;
  const kind = (i) => {
    const gone = row && row[i - start] === undefined;
    return `${i < prompt ? "prompt" : "written"} ${gone ? "gone" : ""} ${i === here ? "here" : ""}`;
  };
  return { labels, bytes, row, start, kind, prompt, here, state };
};

/** A text under the name of its model: {node, name, tokens, draw}; draw is that of makePainter. */
const makeColumn = (label) => {
  const tokens = h("div.tokens", { tabindex: 0, role: "group", "aria-label": label, dir: "ltr" });
  const name = h("h3", { hidden: true });
  return { node: h("section.column", name, tokens), name, tokens, draw: makePainter(tokens) };
};

/** Lets the pointer and the keyboard move in the text. */
const movesIn = (tokens) => {
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
    if (!act || keys.modified(event) || (event.key === "Escape" && !writing.hover)) return;
    event.preventDefault();
    act();
  });
};

/** The legend of the colours: {node, paint(row)}. */
const makeLegend = () => {
  const [ramp, most] = [h("span.ramp", { "aria-hidden": "true" }), h("span")];
  const kinds = [h("span.written", say("write_written")), h("span.fork", say("write_fork"))];
  const paint = (row) => {
    ramp.style.background = gradient(palette().weights);
    const largest = row ? row.reduce((a, b) => Math.max(a, b), 0) : 0;
    most.textContent = writing.settings.scale === "row" ? asShare(largest) : "100 %";
  };
  return { node: h("span.legend", ...kinds, "0", ramp, most), paint };
};

export const mount = ({ element }) => {
  const { settings } = writing;
  const { tools, body, foot } = makePanel(element, say("write_text_title"));
  const choices = makeChoices();
  const [own, other] = [makeColumn(say("write_text_label")), makeColumn(say("write_second_label"))];
  const sentence = h("p.sentence");
  const legend = makeLegend();
  tools.append(...choices.nodes);
  body.append(own.node, other.node);
  foot.append(sentence, legend.node);

  const paint = eachFrame(() => {
    const text = ownText();
    const { labels, bytes, row, prompt, here, state } = text;
    // first: the text then scrolls so that its newest token is above the sentence
    sentence.textContent = row ? sentenceOf(state, labels, row, here) : labels.length ? say("write_no_state") : "";
    own.draw(text);
    own.name.textContent = nameOf(settings.model, bytes.slice(prompt, here + 1));
    legend.paint(row);
    element.dataset.rev = writing.rev;
    element.dataset.tokens = labels.length;
  });

  const paintOther = eachFrame(() => {
    own.name.hidden = other.node.hidden = other.name.hidden = !settings.second;
    if (!settings.second) return;
    const text = otherText();
    other.draw(text);
    const remarks = (second.state?.remarks ?? []).map(inWords);
    other.name.textContent =
      second.message ?? [nameOf(settings.second, text.bytes.slice(text.prompt)), ...remarks].join(" · ");
  });

  movesIn(own.tokens);
  writing.subscribe(element, (changed) => {
    if (["models", "model", "layer", "head", "of", "scale", "units"].some((name) => changed.has(name))) choices.paint();
    paint();
    if (LOOKS.some((name) => changed.has(name))) paintOther();
  });
  second.subscribe(element, paintOther);
  onAppearance(() => {
    paint();
    paintOther();
  });
};
