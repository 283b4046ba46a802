// Names for tokens, and for files. Adds former.token, former.tokenParts, former.tokenPen, former.quote and
// former.fileName.
(() => {
  const former = window.former;
  const SUBSCRIPTS = "₀₁₂₃₄₅₆₇₈₉";
  let held = { labels: null };

  /** Which occurrence of its label each token is; 0 where the label stands only once. */
  const occurrences = (labels) => {
    const counts = new Map();
    const nth = labels.map((label) => counts.set(label, (counts.get(label) ?? 0) + 1).get(label));
    return labels.map((label, i) => (counts.get(label) > 1 ? nth[i] : 0));
  };

  /** {label, nth}: a token's label; nth says which of those that read alike it is, 0 for the only one. */
  former.tokenParts = (i) => {
    const { labels } = former.store.pass.header;
    if (held.labels !== labels) held = { labels, nth: occurrences(labels) };
    return { label: labels[i], nth: held.nth[i] };
  };

  /** A token's name; one that repeats carries a small index: the second "the" is the₂. */
  former.token = (i) => {
    const { label, nth } = former.tokenParts(i);
    return label + (nth ? [...`${nth}`].map((digit) => SUBSCRIPTS[digit]).join("") : "");
  };

  /** Paints names on a canvas, the index small: {width(i), draw(context, i, x, y, look)}.
   *  look: {colour, quiet: of the index, weight: of the font, align}. Right-aligned names end in a column of their own,
   *  with the indices beside it. */
  former.tokenPen = (size, longest = Infinity) => {
    const { labels } = former.store.pass.header;
    if (pens.labels !== labels) pens = { labels, made: new Map() };
    const name = `${size} ${longest}`;
    if (!pens.made.has(name)) pens.made.set(name, makePen(size, longest));
    return pens.made.get(name);
  };
  let pens = { labels: null };

  const makePen = (size, longest) => {
    const pen = document.createElement("canvas").getContext("2d");
    const fonts = (weight = "") => [`${weight} ${size}px ${former.style.font}`, `${weight} ${Math.round(size * 0.68)}px ${former.style.font}`];
    const known = new Map();
    const measure = (i, [large, small] = fonts()) => {
      const name = `${large} ${i}`;
      if (!known.has(name)) known.set(name, measured(i, large, small));
      return known.get(name);
    };
    const measured = (i, large, small) => {
      const { label, nth } = former.tokenParts(i);
      const text = [...label].length > longest ? `${[...label].slice(0, longest - 1).join("")}…` : label;
      pen.font = large;
      const first = pen.measureText(text).width;
      pen.font = small;
      return { text, nth, first, whole: first + (nth ? 1 + pen.measureText(nth).width : 0) };
    };
    pen.font = fonts()[1];
    const room = Math.max(...former.store.pass.header.labels.map((_, i) => pen.measureText(former.tokenParts(i).nth || "").width));
    const draw = (context, i, x, y, { align = "left", colour, weight = "", quiet = colour }) => {
      const [large, small] = fonts(weight);
      const { text, nth, first, whole } = measure(i, [large, small]);
      const left = align === "right" ? x - room - 1 - first : align === "center" ? x - whole / 2 : x;
      Object.assign(context, { font: large, fillStyle: colour, textAlign: "left", textBaseline: "middle" });
      context.fillText(text, left, y);
      if (nth) {
        Object.assign(context, { font: small, fillStyle: quiet });
        context.fillText(nth, left + first + 1, y + size * 0.2);
      }
    };
    return { width: (i) => measure(i).first + 1 + room, draw };
  };

  /** A token in a sentence, with its place in the text. */
  former.quote = (i) => `“${former.token(i)}” (${i})`;

  /** A file's name: the model, layer and head, and what it is. */
  former.fileName = (what, extension) => {
    const { pass, view } = former.store;
    const model = pass.header.model.replace(/[^\w.-]+/g, "-");
    const of = { head: `layer-${view.layer}-head-${view.head}`, mean: `layer-${view.layer}-mean`, rollout: `rollout-to-layer-${view.layer}` };
    return `${model}-${of[view.of]}-${what}.${extension}`;
  };
})();
