// A chart with both axes logarithmic, from 1 up, as inline SVG; a reading follows the pointer and the arrow keys. Adds
// former.logChart.
(() => {
  const former = window.former;
  const { svg } = former;
  const MARGIN = { left: 40, right: 12, top: 10, bottom: 34 };
  const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";

  const power = (exponent) => (exponent < 2 ? `${10 ** exponent}` : `10${[...`${exponent}`].map((digit) => RAISED[digit]).join("")}`);

  /**
   * A chart in `place`. onread(index of x, or null) is called as one points or goes by the arrow keys.
   * Returns {root, draw}: draw({x, lines: [{name, values, colour, dash, width}], dot: {x, y, colour}, at}) where colours
   * are CSS, x and values whole numbers from 1, and at the index that is read.
   */
  former.logChart = (place, { label, xTitle, yTitle, onread }) => {
    const root = svg("svg", { role: "application", tabindex: 0, "aria-label": label });
    place.classList.add("log-chart");
    place.append(root);
    let frame = null;
    let read = null; // the index that is read: newer than what is drawn, which follows a frame later
    const readAt = (at) => onread((read = at));

    const drawing = former.drawing(place, (shown, size) => {
      const decades = { x: Math.ceil(Math.log10(Math.max(...shown.x))), y: Math.ceil(Math.log10(Math.max(...shown.lines.flatMap(({ values }) => values)))) };
      const width = size.width - MARGIN.left - MARGIN.right;
      const height = size.height - MARGIN.top - MARGIN.bottom;
      frame = { width, x: (value) => MARGIN.left + (Math.log10(value) / decades.x) * width, y: (value) => MARGIN.top + height - (Math.log10(value) / decades.y) * height };
      root.setAttribute("viewBox", `0 0 ${size.width} ${size.height}`);
      root.replaceChildren(...grid(decades, width, height), ...shown.lines.map((line) => path(shown.x, line)), ...reading(shown, size));
    });

    const grid = (decades, width, height) => {
      const bottom = MARGIN.top + height;
      const words = (text, x, y, anchor, more = {}) => svg("text", { x, y, "text-anchor": anchor, class: "tick", ...more }, text);
      const steps = (count) => Array.from({ length: count + 1 }, (_, exponent) => exponent);
      return [
        ...steps(decades.x).flatMap((e) => [
          svg("line", { class: "grid", x1: frame.x(10 ** e), x2: frame.x(10 ** e), y1: MARGIN.top, y2: bottom }),
          words(power(e), frame.x(10 ** e), bottom + 14, "middle"),
        ]),
        ...steps(decades.y).filter((e) => e % 2 === 0).flatMap((e) => [
          svg("line", { class: "grid", x1: MARGIN.left, x2: MARGIN.left + width, y1: frame.y(10 ** e), y2: frame.y(10 ** e) }),
          words(power(e), MARGIN.left - 5, frame.y(10 ** e) + 4, "end"),
        ]),
        words(xTitle, MARGIN.left + width, bottom + 29, "end"),
        words(yTitle, 0, 0, "end", { transform: `translate(10 ${MARGIN.top}) rotate(-90)` }),
      ];
    };

    const path = (x, { name, values, colour, dash, width }) => {
      const points = values.map((value, i) => `${frame.x(x[i]).toFixed(1)},${frame.y(value).toFixed(1)}`);
      const line = svg("polyline", { class: "line", "data-line": name, points: points.join(" "), "stroke-width": width, "stroke-dasharray": dash });
      line.style.stroke = colour;
      return line;
    };

    const reading = ({ at, dot, lines, x }, size) => {
      const spot = (column, value, colour, radius) => {
        const circle = svg("circle", { cx: frame.x(column), cy: frame.y(value), r: radius });
        circle.style.fill = colour;
        return circle;
      };
      const own = dot ? [spot(dot.x, dot.y, dot.colour, 5)] : [];
      if (at === null || at === undefined) return own;
      const upright = svg("line", { class: "at", x1: frame.x(x[at]), x2: frame.x(x[at]), y1: MARGIN.top, y2: size.height - MARGIN.bottom });
      return [upright, ...own, ...lines.map(({ values, colour }) => spot(x[at], values[at], colour, 3))];
    };

    /** The point nearest to a place, by its logarithm as it is drawn. */
    const nearest = (event) => {
      const box = root.getBoundingClientRect();
      const x = ((event.clientX - box.left) / box.width) * drawing.size.width;
      const away = drawing.what.x.map((value) => Math.abs(frame.x(value) - x));
      return away.indexOf(Math.min(...away));
    };
    root.addEventListener("pointermove", (event) => frame && readAt(nearest(event)));
    root.addEventListener("pointerleave", () => readAt(null));
    root.addEventListener("blur", () => readAt(null));
    root.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      const shown = drawing.what;
      if (!step || !shown) return;
      event.preventDefault();
      const from = read ?? shown.x.indexOf(shown.dot?.x ?? shown.x[0]);
      readAt(Math.max(0, Math.min(shown.x.length - 1, from + step)));
    });
    return { root, draw: drawing.draw };
  };
})();
