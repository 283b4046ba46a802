// A picture of rows × columns with labels along both sides, whose cells are pointed at and whose rows are marked. Adds
// former.heatMap.
(() => {
  const former = window.former;
  const FONT = 11; // pixels
  const SIGN = 11; // pixels of a cell from which it is written in
  const WIDE = 1.4; // a cell's width to its height, at most

  /**
   * A picture in `place`, which gives it its size.
   *
   * label: what it is, to those who do not see it. onpoint({row, column} or null), onpick({row, column}); onkey(event).
   * Returns {canvas, draw}: draw({labels, across, pixel(row, column), sign(row, column), rows, columns, at}) paints it:
   * labels are those of the rows, and of the columns too unless `across` has others; pixel and sign give a cell's colour
   * (as in former.colours) and what is written there; rows and columns are lists of {at, colour} to mark; at is the cell
   * pointed at.
   */
  former.heatMap = (place, { label, onpoint, onpick, onkey }) => {
    const canvas = former.h("canvas", { class: "heat-map", tabindex: 0, role: "application", "aria-label": label });
    place.classList.add("heat-map-place");
    place.append(canvas);
    let frame = null;

    const layout = ({ labels, across = labels }, size) => {
      const context = canvas.getContext("2d");
      context.font = `${FONT}px ${former.style.mono}`;
      const widest = (names) => Math.max(...names.map((name) => context.measureText(name).width));
      const [beside, above] = [widest(labels), widest(across)];
      const [left, top] = [beside + 6, above < FONT ? FONT + 5 : above + 6];
      const height = Math.max(40, size.height - top - 2);
      const width = Math.max(40, Math.min(size.width - left - 2, height * former.widest(WIDE)));
      const [rows, columns] = [labels.length, across.length];
      return { rows, columns, left, top, width, height: Math.min(height, width * WIDE), upright: above < width / columns - 1 };
    };
    const x = (column) => Math.round(frame.left + (column * frame.width) / frame.columns);
    const y = (row) => Math.round(frame.top + (row * frame.height) / frame.rows);

    const cells = (context, { pixel, sign }) => {
      const [wide, high] = [frame.width / frame.columns, frame.height / frame.rows];
      const gap = Math.min(wide, high) >= 8 ? 1 : 0;
      context.font = `${Math.min(12, Math.round(high * 0.72))}px ${former.style.font}`;
      Object.assign(context, { textAlign: "center", textBaseline: "middle" });
      const quiet = former.variable("quiet");
      for (let row = 0; row < frame.rows; row++)
        for (let column = 0; column < frame.columns; column++) {
          context.fillStyle = former.css(pixel(row, column));
          context.fillRect(x(column), y(row), x(column + 1) - x(column) - gap, y(row + 1) - y(row) - gap);
          const words = Math.min(wide, high) >= SIGN ? sign?.(row, column) : null;
          if (!words) continue;
          context.fillStyle = quiet;
          context.fillText(words, (x(column) + x(column + 1) - gap) / 2, (y(row) + y(row + 1)) / 2);
        }
    };

    const names = (context, { labels, across = labels, rows = [], columns = [] }) => {
      const colour = (marks, i) => marks.find(({ at }) => at === i)?.colour ?? former.variable("quiet");
      context.font = `${FONT}px ${former.style.mono}`;
      context.textBaseline = "middle";
      const every = (room) => Math.max(1, Math.ceil((FONT - 2) / room));
      const shown = (i, marks, room) => i % every(room) === 0 || marks.some(({ at }) => at === i);
      labels.forEach((name, i) => {
        if (!shown(i, rows, frame.height / frame.rows)) return;
        context.fillStyle = colour(rows, i);
        context.textAlign = "right";
        context.fillText(name, frame.left - 4, (y(i) + y(i + 1)) / 2);
      });
      across.forEach((name, i) => {
        if (!shown(i, columns, frame.width / frame.columns)) return;
        context.fillStyle = colour(columns, i);
        context.save();
        context.translate((x(i) + x(i + 1)) / 2, frame.top - 4);
        if (frame.upright) Object.assign(context, { textAlign: "center", textBaseline: "bottom" });
        else {
          context.rotate(-Math.PI / 2);
          context.textAlign = "left";
        }
        context.fillText(name, 0, 0);
        context.restore();
      });
    };

    const marks = (context, { rows = [], columns = [], at }) => {
      context.lineWidth = 2;
      for (const { at: row, colour } of rows) {
        context.strokeStyle = colour;
        context.strokeRect(x(0) - 1, y(row) - 1, x(frame.columns) - x(0) + 1, y(row + 1) - y(row) + 1);
      }
      for (const { at: column, colour } of columns) {
        context.strokeStyle = colour;
        context.strokeRect(x(column) - 1, y(0) - 1, x(column + 1) - x(column) + 1, y(frame.rows) - y(0) + 1);
      }
      if (!at || at.row >= frame.rows || at.column >= frame.columns) return;
      context.strokeStyle = former.variable("text");
      context.strokeRect(x(at.column) - 1, y(at.row) - 1, x(at.column + 1) - x(at.column) + 1, y(at.row + 1) - y(at.row) + 1);
      former.laser(context, x(at.column), y(at.row), frame.width / frame.columns, frame.height / frame.rows);
    };

    const { draw } = former.drawing(place, (shown, size) => {
      const context = former.fit(canvas, size.width, size.height);
      frame = layout(shown, size);
      canvas.dataset.frame = [frame.left, frame.top, frame.width, frame.height].map((side) => side.toFixed(2)).join(" ");
      cells(context, shown);
      names(context, shown);
      marks(context, shown);
    });

    const cellAt = (event) => frame && former.cellAt(canvas, event, frame, frame.rows, frame.columns);
    canvas.addEventListener("pointermove", (event) => onpoint(cellAt(event)));
    canvas.addEventListener("pointerleave", () => onpoint(null));
    canvas.addEventListener("click", (event) => {
      const at = cellAt(event);
      if (at) onpick(at);
    });
    if (onkey) canvas.addEventListener("keydown", onkey);
    return { canvas, draw };
  };
})();
