// Names for tokens, and for files. Adds former.token, former.tokenParts, former.tokenPen, former.axisLabels,
// former.axisWords, former.quote and former.fileName.
(() => {
  const former = window.former;
  const SUBSCRIPTS = "₀₁₂₃₄₅₆₇₈₉";

  /** Which occurrence of its label each token is; 0 where the label stands only once. */
  const occurrences = (labels) => {
    if (!counted.has(labels)) {
      const counts = new Map();
      const nth = labels.map((label) => counts.set(label, (counts.get(label) ?? 0) + 1).get(label));
      counted.set(labels, labels.map((label, i) => (counts.get(label) > 1 ? nth[i] : 0)));
    }
    return counted.get(labels);
  };
  const counted = new WeakMap(); // labels → that

  const text = () => former.store.pass.header.labels;

  /** {label, nth}: a token's label; nth says which of those that read alike it is, 0 for the only one. */
  former.tokenParts = (i, labels = text()) => ({ label: labels[i], nth: occurrences(labels)[i] });

  /** A token's name; one that repeats carries a small index: the second "the" is the₂. `labels` are the text's, or those
   *  of a map's queries or keys. */
  former.token = (i, labels = text()) => {
    const { label, nth } = former.tokenParts(i, labels);
    return label + (nth ? [...`${nth}`].map((digit) => SUBSCRIPTS[digit]).join("") : "");
  };

  /** Paints names of `labels` on a canvas, the index small: {width(i), widest, draw(context, i, x, y, look)}.
   *  look: {colour, quiet: of the index, weight: of the font, align}. Right-aligned names end in a column of their own,
   *  with the indices beside it. */
  former.tokenPen = (labels, size, longest = Infinity) => {
    if (!pens.has(labels)) pens.set(labels, new Map());
    const made = pens.get(labels);
    const name = `${size} ${longest}`;
    if (!made.has(name)) made.set(name, makePen(labels, size, longest));
    return made.get(name);
  };
  const pens = new WeakMap(); // labels → size and longest → pen

  const makePen = (labels, size, longest) => {
    const pen = document.createElement("canvas").getContext("2d");
    const fonts = (weight = "") => [`${weight} ${size}px ${former.style.font}`, `${weight} ${Math.round(size * 0.68)}px ${former.style.font}`];
    const known = new Map();
    const measure = (i, [large, small] = fonts()) => {
      const name = `${large} ${i}`;
      if (!known.has(name)) known.set(name, measured(i, large, small));
      return known.get(name);
    };
    const measured = (i, large, small) => {
      const { label, nth } = former.tokenParts(i, labels);
      const text = [...label].length > longest ? `${[...label].slice(0, longest - 1).join("")}…` : label;
      pen.font = large;
      const first = pen.measureText(text).width;
      pen.font = small;
      return { text, nth, first, whole: first + (nth ? 1 + pen.measureText(nth).width : 0) };
    };
    pen.font = fonts()[1];
    const room = Math.max(...occurrences(labels).map((nth) => pen.measureText(nth || "").width));
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
    const width = (i) => measure(i).first + 1 + room;
    return { width, widest: () => Math.max(...labels.map((_, i) => width(i))), draw };
  };

  const bytes = () => former.store.pass.header.unit === "byte";

  /** Labels along a map: words with their index; of bytes, whose words stand over them, the bytes alone. */
  former.axisLabels = (labels) => (bytes() ? labels : labels.map((_, i) => former.token(i, labels)));

  /** The words that bytes make, as [{from, to, name}]; null of labels that are words themselves. */
  former.axisWords = (labels) => {
    if (!bytes()) return null;
    const words = [];
    labels.forEach((label, i) => {
      if (BLANK.has(label)) return;
      if (words.at(-1)?.to === i - 1) Object.assign(words.at(-1), { to: i, name: words.at(-1).name + (label === "‥" ? "" : label) });
      else words.push({ from: i, to: i, name: label });
    });
    return words;
  };
  const BLANK = new Set(["␣", "⏎", "⇥"]);

  /** A token in a sentence, with its place in the text. */
  former.quote = (i, labels) => `“${former.token(i, labels)}” (${i})`;

  /** A file's name: the model, layer and head, and what it is. */
  former.fileName = (what, extension) => {
    const { pass, view } = former.store;
    const model = pass.header.model.replace(/[^\w.-]+/g, "-");
    const of = { head: `layer-${view.layer}-head-${view.head}`, mean: `layer-${view.layer}-mean`, rollout: `rollout-to-layer-${view.layer}` };
    return `${model}-${of[view.of]}-${what}.${extension}`;
  };
})();
