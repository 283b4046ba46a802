// The surprise of each token of the text in bits, as its background colour.

import { defer, h } from "../../../browser/lib/base.js";
import { gradient, ground, palette, tokenSpans } from "../../../browser/lib/colour.js";
import { say } from "../../../browser/lib/messages.js";
import { asShare } from "../../../browser/lib/numbers.js";
import { makePanel, onAppearance } from "../../../browser/lib/panel.js";
import { predictionLabels, quote } from "../lib/labels.js";
import { rowsPredict } from "../lib/selection.js";
import { applies } from "../lib/store/applies.js";
import { store } from "../lib/store.js";
import { marksTokens, pointsAtTokens } from "../lib/tokens.js";

const MOST = 10; // bits at the dark end; a random guess costs 8 among all bytes, 13 among 8,192 pieces

const words = (i) => {
  const bits = store.header.output.bits[i];
  if (bits === null) return say("surprise_first", { token: quote(i, predictionLabels()) });
  return say("surprise_of", { token: quote(i, predictionLabels()), bits: bits.toFixed(2), share: asShare(2 ** -bits) });
};

export const mount = ({ element }) => {
  const { tools, body, foot } = makePanel(element, say("surprise"));
  const total = h("span.number");
  tools.append(total);
  const text = h("div.surprise-text", { role: "group", "aria-label": say("surprise") });
  body.append(text);
  const status = h("p.surprise-status", { role: "status" });
  const ramp = h("span.ramp", { "aria-hidden": "true" });
  foot.append(h("p.quiet.legend", "0", ramp, `${MOST} ${say("bits")}`), status);
  let spans = [];
  let drawn = null; // the pass that they are of

  const paint = () => {
    const { weights } = palette();
    const colour = (part) => weights[Math.round(255 * Math.min(1, part))];
    ramp.style.background = gradient(weights);
    const { bits } = drawn.header.output;
    spans.forEach((span, i) => bits[i] !== null && ground(span, colour(bits[i] / MOST)));
  };

  const draw = () => {
    const { output, baseline, unit } = store.header;
    const labels = predictionLabels();
    spans = tokenSpans(labels, (i) => ({ title: words(i), kind: output.bits[i] === null ? "token first" : "token" }));
    // A line may break after a space and before a piece that begins with one; a newline in the text breaks it too.
    const around = (span, label) => {
      if (label === "␣") return [span, h("wbr")];
      return [label.startsWith("␣") ? h("wbr") : null, span, label.endsWith("⏎") ? h("br") : null].filter(Boolean);
    };
    text.replaceChildren(...spans.flatMap((span, i) => around(span, labels[i])));
    const before =
      baseline && baseline.bitsPerToken !== output.bitsPerToken ? `${baseline.bitsPerToken?.toFixed(3)} → ` : "";
    total.textContent =
      output.bitsPerToken == null ? "" : `${before}${output.bitsPerToken.toFixed(3)} ${say(`bits_per_${unit}`)}`;
    paint();
  };

  const mark = () => {
    const token = marksTokens(spans);
    status.textContent = token == null || !spans[token] ? say("surprise_hint") : words(token);
  };

  pointsAtTokens(text, rowsPredict);

  const update = () => {
    if (element.hidden) return; // another model has come meanwhile
    if (drawn !== store.pass) {
      drawn = store.pass;
      draw();
    }
    mark();
  };
  const soon = defer(update); // the maps come first
  store.subscribe(element, (changed) => {
    element.hidden = !applies("surprise");
    if (!store.pass || element.hidden) return;
    if (changed.has("pass") || changed.has("rev")) soon();
    else if (drawn === store.pass && ["map", "hover", "token"].some((name) => changed.has(name))) mark();
  });
  onAppearance(() => spans.length && paint());
};
