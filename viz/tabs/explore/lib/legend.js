// Beside a map: its legend, and one cell in words. Adds former.legend and former.reading.
(() => {
  const former = window.former;

  /** A colour legend in `place`; call what it returns with the mode, the scale, the size of the scores, and {hides, skipped}:
   *  whether a mask hides cells, and whether a pattern leaves some out. */
  former.legend = (place) => {
    const { h, say } = former;
    const [low, bar, high, masked, skipped] = ["span", "i", "span", "span", "span"].map((tag) => h(tag));
    const legend = h("div", { class: "legend" }, low, bar, high, masked, skipped);
    place.append(legend);
    let drawn = "";
    return (mode, scale, size, { hides, skipped: left }) => {
      const now = [mode, scale, size, hides, Boolean(left), former.isDark()].join();
      if (now === drawn) return;
      drawn = now;
      const table = former.colours()[mode];
      bar.style.background = former.gradient(table);
      low.textContent = mode === "scores" ? former.fixed(-size, 1) : "0";
      high.textContent = mode === "scores" ? say("scores_most", { most: former.signed(size, 1) }) : say(`scale_${scale}_end`);
      masked.replaceChildren(h("i", { class: "masked" }), say("masked_short"));
      masked.hidden = !hides;
      skipped.replaceChildren(h("i", { class: "masked", style: `background:${former.variable("skipped")}` }), say("skipped_short"));
      skipped.hidden = !left;
    };
  };

  /** {words, data}: the weight and the score of a pair; a masked cell says so and has neither. */
  former.reading = (shown, query, key) => {
    const { say, number } = former;
    const { map, exact, vectors } = shown;
    if (key >= map.rowLength(query)) return { words: say("masked"), data: { query, key, weight: "masked" } };
    if (map.skips(query, key)) return { words: say("skipped"), data: { query, key, weight: "skipped" } };
    const weight = former.row(shown, query)[key];
    if (!exact && map.pooled > 1) return { words: "…", data: { query, key } }; // only the largest around it is known
    const data = { query, key, weight };
    if (!vectors) return { words: say("reading_weight", { weight: exact ? number(weight) : `≈ ${number(weight, 3)}` }), data };
    data.score = former.recompute(map, vectors).scores[map.rowStart(query) + key];
    return { words: say("reading_both", { weight: number(weight), score: number(data.score) }), data };
  };
})();
