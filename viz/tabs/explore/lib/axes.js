// What stands around a map: tokens along both sides, thinned out where there are many; a legend; and one cell in words.
// Adds former.axes, former.legend and former.reading.
(() => {
  const former = window.former;
  const FONT = 12; // pixels
  const STEP = 14; // from one label to the next, at least
  const LONGEST = 14; // characters; the whole label is in the readout

  /** {frame, draw(context), mark(context, query, key, colour)} for an AttentionMap in width × height. */
  former.axes = (map, width, height) => {
    const rows = former.tokenPen(map.queries, FONT, LONGEST);
    const columns = former.tokenPen(map.keys, FONT, LONGEST);
    const [down, across] = [map.queries.length, map.keys.length];
    const widest = Math.ceil(columns.widest());
    const left = Math.ceil(rows.widest()) + 24; // the axis title, a gap
    const side = { width: width - left - 4, height: height - 22 - FONT };
    const upright = widest + 4 <= side.width / across;
    const top = (upright ? FONT : widest) + 24;
    const most = Math.max(40, height - top - 4);
    const frame = { left, top, height: most, width: Math.max(40, Math.min(side.width, Math.round(most * former.widest(1.35)))) };
    const every = (count, room) => Math.max(1, Math.ceil(STEP / (room / count)));
    const middle = { x: (i) => left + ((i + 0.5) * frame.width) / across, y: (i) => top + ((i + 0.5) * frame.height) / down };

    const nameKey = (context, i, look) => {
      context.save();
      context.translate(middle.x(i), top - 5);
      if (!upright) context.rotate(-Math.PI / 2);
      columns.draw(context, i, 0, upright ? -FONT / 2 : 0, { ...look, align: upright ? "center" : "left" });
      context.restore();
    };
    const nameQuery = (context, i, look) => rows.draw(context, i, left - 5, middle.y(i), { ...look, align: "right" });
    const titles = (context) => {
      context.fillStyle = former.variable("quiet");
      context.font = `11px ${former.style.font}`;
      context.textBaseline = "top";
      context.textAlign = "left";
      context.fillText(`${former.say("key")} →`, left, 1);
      context.save();
      context.translate(1, top);
      context.rotate(-Math.PI / 2);
      context.textAlign = "right";
      context.fillText(`← ${former.say("query")}`, 0, 0);
      context.restore();
    };
    const draw = (context) => {
      context.strokeStyle = former.variable("line");
      context.strokeRect(frame.left - 0.5, frame.top - 0.5, frame.width + 1, frame.height + 1);
      titles(context);
      const look = { colour: former.variable("text"), quiet: former.variable("quiet") };
      for (let i = 0; i < across; i += every(across, frame.width)) nameKey(context, i, look);
      for (let i = 0; i < down; i += every(down, frame.height)) nameQuery(context, i, look);
    };

    /** The labels of a row and a column, whether or not they had room, on a plate that hides their neighbours. */
    const mark = (context, query, key, colour) => {
      context.fillStyle = former.variable("panel");
      const [x, y] = [key == null ? 0 : middle.x(key), middle.y(query)];
      context.fillRect(18, y - FONT / 2 - 2, left - 20, FONT + 4);
      const half = upright ? widest / 2 + 2 : FONT / 2 + 2;
      if (key != null) context.fillRect(x - half, 18, 2 * half, top - 20);
      nameQuery(context, query, { colour, weight: "600" });
      if (key != null) nameKey(context, key, { colour, weight: "600" });
    };
    return { frame, draw, mark };
  };

  /** A colour legend in `place`; call what it returns with the mode, the scale and the size of the scores. */
  former.legend = (place) => {
    const { h, say } = former;
    const [low, bar, high, masked] = ["span", "i", "span", "span"].map((tag) => h(tag));
    const legend = h("div", { class: "legend" }, low, bar, high, masked);
    place.append(legend);
    return (mode, scale, size, hides) => {
      const table = former.colours()[mode];
      bar.style.background = former.gradient(table);
      low.textContent = mode === "scores" ? former.fixed(-size, 1) : "0";
      high.textContent = mode === "scores" ? say("scores_most", { most: former.signed(size, 1) }) : say(`scale_${scale}_end`);
      masked.replaceChildren(h("i", { class: "masked" }), say("masked_short"));
      masked.hidden = !hides;
    };
  };

  /** {words, data}: the weight and the score of a pair; a masked cell says so and has neither. */
  former.reading = (shown, query, key) => {
    const { say, number } = former;
    const { map, exact, vectors } = shown;
    if (key >= map.rowLength(query)) return { words: say("masked"), data: { query, key, weight: "masked" } };
    const weight = former.row(shown, query)[key];
    const data = { query, key, weight };
    if (!vectors) return { words: say("reading_weight", { weight: exact ? number(weight) : `≈ ${number(weight, 3)}` }), data };
    data.score = former.recompute(map, vectors).scores[map.rowStart(query) + key];
    return { words: say("reading_both", { weight: number(weight), score: number(data.score) }), data };
  };
})();
