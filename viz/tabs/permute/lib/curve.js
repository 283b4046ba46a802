// A small line chart over the positions of a text, as SVG that takes its colours from the page. Adds former.curve.
(() => {
  const former = window.former;
  const { svg } = former;
  const [LEFT, RIGHT, TOP, BOTTOM] = [44, 8, 6, 20]; // room around the line, in pixels

  /** {node, draw(chart)}: an empty chart.
   *  chart: {values: a number for each position, end: of the axis, low, high: of the values, at: the position marked,
   *  limit: where a dashed line stands, beyond: what to say right of the last value, height in pixels}. */
  former.curve = (label) => {
    const node = svg("svg", { role: "img", "aria-label": label });
    let chart = null;
    const draw = () => {
      const { width } = size;
      if (!chart || !width) return;
      const { values, end, low, high, at, limit, beyond, height } = chart;
      const x = (position) => LEFT + (position / end) * (width - LEFT - RIGHT);
      const y = (value) => TOP + ((high - value) / (high - low)) * (height - TOP - BOTTOM);
      const across = (value) => svg("path", { class: "axis", d: `M${LEFT} ${y(value)}H${width - RIGHT}` });
      const down = (value) => svg("text", { x: LEFT - 5, y: y(value), "text-anchor": "end", "dominant-baseline": "central" }, former.number(value, 3));
      const levels = [low, (low + high) / 2, high];
      const ticks = [0, end / 4, end / 2, (3 * end) / 4].map(Math.round);
      const path = Array.from(values, (value, i) => `${i ? "L" : "M"}${x(i).toFixed(1)} ${y(value).toFixed(1)}`).join("");
      const empty = x(values.length);
      node.setAttribute("height", height);
      node.setAttribute("viewBox", `0 0 ${width} ${height}`);
      node.replaceChildren(
        ...(beyond ? [svg("rect", { class: "beyond", x: empty, y: TOP, width: width - RIGHT - empty, height: height - TOP - BOTTOM }),
          svg("text", { x: (empty + width - RIGHT) / 2, y: y((low + high) / 2) - 10, "text-anchor": "middle" }, beyond)] : []),
        ...levels.flatMap((value) => [across(value), down(value)]),
        ...ticks.map((tick) => svg("text", { x: x(tick), y: height - 6 }, tick)),
        svg("path", { class: "limit", d: `M${x(limit)} ${TOP}V${height - BOTTOM}` }),
        svg("path", { class: "line", d: path }),
        svg("circle", { class: "at", cx: x(at), cy: y(values[at]), r: 3 }),
      );
    };
    const size = former.sized(node, draw);
    return {
      node,
      draw: (next) => {
        chart = next;
        draw();
      },
    };
  };
})();
