// Units with edges that can be drawn: how far each layer reaches with the edges as a mask, measured, and the effect of
// renaming.

import { answerTo } from "../../../../browser/lib/ask.js";
import { eachFrame, h, svg } from "../../../../browser/lib/base.js";
import { cssOf, inkOn, makeImage, palette, signedAt, variable } from "../../../../browser/lib/colour.js";
import { fields } from "../../../../browser/lib/fields.js";
import { makeHeatMap } from "../../../../browser/lib/heat_map.js";
import { asList } from "../../../../browser/lib/messages.js";
import { asNumber, asWhole } from "../../../../browser/lib/numbers.js";
import { makeDrawing } from "../../../../browser/lib/panel.js";
import { shapes } from "../../lib/shapes.js";

export const mount = (section, props) => {
  const { words, panel } = section;

  const isGraph = (text) => {
    if (!/^\d{1,2}:(\d+-\d+(,\d+-\d+)*)?$/.test(text)) return false;
    const { count, edges } = shapes.parse(text);
    const fits = (edge) => {
      const [one, other] = edge.split("-").map(Number);
      return one < other && other < count;
    };
    return count >= 2 && count <= props.most && edges.every(fits);
  };
  const demo = section.demo(
    {
      graph: { initial: props.graph, longest: props.longest, valid: isGraph, eager: true },
      shape: { initial: shapes.SHAPES[0], choices: shapes.SHAPES },
      layers: { initial: 2, min: 1, max: props.layers },
      row: { initial: 0, min: 0, max: props.most - 1 }, // the selected unit
      renamed: { initial: 0, min: 0, max: props.renamings - 1 },
    },
    { passed: ["graph", "layers", "renamed"] },
  );
  const graph = () => shapes.parse(demo.view.graph);
  const row = () => Math.min(demo.view.row, graph().count - 1);
  const isCharacter = (i) => shapes.isCharacter(demo.view.shape, i);
  const name = (i) => shapes.characterAt(demo.view.shape, i) ?? props.names[i];

  const toggle = (one, other) => {
    const edge = [one, other].sort((a, b) => a - b).join("-");
    const { count, edges } = graph();
    const left = edges.filter((each) => each !== edge);
    demo.set({ graph: shapes.spell({ count, edges: left.length < edges.length ? left : [...edges, edge] }) });
  };

  // --- the graph -----------------------------------------------------------------------------------------------------

  const settings = { fields: { ...demo.fields, units: { min: 2, max: props.most } } };
  Object.defineProperty(settings, "view", { get: () => ({ ...demo.view, units: graph().count }) });
  /** Added units have no edges; removed ones lose theirs. */
  settings.set = ({ units }) => {
    const edges = graph().edges.filter((edge) => Number(edge.split("-")[1]) < units);
    demo.set({ graph: shapes.spell({ count: units, edges }), renamed: 0 });
  };
  const units = fields.stepper(settings, "units", words("units"));
  const layers = section.stepper("layers");
  const rename = h(
    "button.field-button",
    {
      title: words("rename_hint"),
      onclick: () => demo.set({ renamed: 1 + (demo.view.renamed % (props.renamings - 1)) }),
    },
    words("rename"),
  );
  panel.tools.append(units.node, layers.node, rename);

  const lines = svg("g", { class: "edges" });
  const pencil = svg("path", { class: "drawn" });
  const nodes = svg("g");
  const root = svg("svg", { class: "graph", role: "group", "aria-label": words("graph") }, lines, pencil, nodes);
  const place = h("div.graph-place", root);
  const hint = h("p.quiet", words("hint"));
  let places = []; // [x, y] of each unit, in pixels
  let from = null; // the unit from which an edge is being drawn

  const underPointer = (event) => {
    const node = document.elementFromPoint(event.clientX, event.clientY)?.closest(".node");
    return node && root.contains(node) ? Number(node.dataset.unit) : null;
  };
  root.addEventListener("pointerdown", (event) => {
    from = underPointer(event);
    if (from !== null) root.setPointerCapture(event.pointerId);
  });
  root.addEventListener("pointermove", (event) => {
    if (from === null) return;
    const box = root.getBoundingClientRect();
    const scale = picture.size.width / box.width; // a presented panel is zoomed
    pencil.setAttribute(
      "d",
      `M${places[from]}L${[(event.clientX - box.left) * scale, (event.clientY - box.top) * scale]}`,
    );
  });
  for (const end of ["pointerup", "pointercancel"])
    root.addEventListener(end, (event) => {
      const to = end === "pointerup" ? underPointer(event) : null;
      pencil.setAttribute("d", "");
      if (from !== null && to !== null) {
        if (from === to) demo.set({ row: to });
        else toggle(from, to);
      }
      from = null;
    });

  const onkey = (event, i) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (["Enter", " "].includes(event.key)) demo.set({ row: i });
    else if (event.key.toLowerCase() === "e" && i !== row()) toggle(row(), i);
    else return;
    event.preventDefault();
  };
  const makeNode = (_, i) => {
    const node = svg(
      "g",
      { class: "node", tabindex: 0, role: "button", "data-unit": i },
      svg("rect", { x: -19, y: -19, width: 38, height: 38 }),
      svg("text", { y: 1 }),
      svg("text", { y: 13, class: "need" }),
    );
    node.addEventListener("keydown", (event) => onkey(event, i));
    return node;
  };

  const picture = makeDrawing(place, ({ needs, depth }, size) => {
    const { count, edges } = graph();
    const { weights } = palette();
    for (const [key, value] of Object.entries({
      width: size.width,
      height: size.height,
      viewBox: `0 0 ${size.width} ${size.height}`,
    }))
      root.setAttribute(key, value);
    places = shapes.placesOf(demo.view.shape, count, size);
    lines.replaceChildren(
      ...edges.map((edge) =>
        svg("path", {
          "data-edge": edge,
          d: `M${edge
            .split("-")
            .map((i) => places[i])
            .join("L")}`,
        }),
      ),
    );
    if (nodes.childElementCount !== count) nodes.replaceChildren(...Array.from({ length: count }, makeNode));
    [...nodes.children].forEach((node, i) => {
      const need = i === row() ? 0 : needs?.[row()]?.[i];
      const reached = need <= depth;
      const pixel = weights[Math.round(235 - (165 * need) / props.layers)];
      node.setAttribute("transform", `translate(${places[i]})`);
      node.setAttribute("class", `node ${i === row() ? "chosen" : reached ? "reached" : "beyond"}`);
      node.setAttribute(
        "aria-label",
        words("unit", {
          name: name(i),
          kind: i === row() ? "chosen" : reached ? "reached" : "beyond",
          need,
          other: name(row()),
        }),
      );
      const [shape, letter, number] = node.children;
      node.dataset.kind = demo.view.shape === "both" ? (isCharacter(i) ? "character" : "pixel") : "unit";
      shape.setAttribute("rx", node.dataset.kind === "pixel" ? "3" : "19");
      letter.textContent = name(i);
      shape.style.fill = reached && need ? cssOf(pixel) : "";
      letter.style.fill = number.style.fill = reached && need ? inkOn(pixel) : "";
      number.textContent = reached && need ? asWhole(need) : "";
    });
  });

  // --- what is measured ----------------------------------------------------------------------------------------------

  const mapPlace = h("div.map");
  const reading = h("p.readout", { "aria-live": "polite" });
  const read = (at) => {
    const { passed } = demo.answers;
    const moved = at && passed?.influence[demo.view.layers - 1][at.row]?.[at.column];
    reading.textContent =
      moved === null || moved === undefined
        ? words("point")
        : words("read", {
            output: name(at.row),
            input: name(at.column),
            kind: moved ? "some" : "none",
            moved: asNumber(moved, 3),
          });
  };
  const map = makeHeatMap(mapPlace, {
    label: words("map"),
    onpoint: read,
    onpick: (at) => at.row !== at.column && toggle(at.row, at.column),
  });
  const strips = ["outputs", "renamed"].map((kind) => {
    const labels = h("div.labels");
    const canvas = h("canvas", { role: "img", "aria-label": words(kind) });
    return {
      kind,
      labels,
      canvas,
      node: h("figure", { "data-strip": kind }, h("figcaption", words(kind)), h("div.rows", labels, canvas)),
    };
  });
  const message = h("p.readout", { role: "status" });
  panel.picture.append(
    h("div.drawing", place, hint, panel.equation(1)),
    h(
      "div.measured",
      h("div.with-equation", h("h3", words("map")), panel.equation(0)),
      mapPlace,
      reading,
      h("div.strips", ...strips.map(({ node }) => node)),
      message,
    ),
  );

  const paintMeasured = (passed, depth) => {
    const { masked, weights } = palette();
    const moved = passed.influence[depth - 1];
    const most = Math.max(...moved.flat());
    const labels = moved.map((_, i) => name(i));
    map.draw({
      labels,
      rows: [{ at: row(), colour: variable("mark") }],
      pixel: (i, j) => (moved[i][j] ? weights[Math.round(40 + 215 * Math.sqrt(moved[i][j] / most))] : masked),
      sign: (i, j) => (moved[i][j] ? null : "0"),
    });
    const largest = Math.max(...passed.outputs.flat().map(Math.abs));
    const { scores } = palette();
    for (const { kind, labels: side, canvas } of strips) {
      const rows = passed[kind];
      makeImage(rows[0].length, rows.length, (x, y) => scores[signedAt(rows[y][x] / largest)], canvas);
      canvas.style.height = side.style.height = `${14 * rows.length}px`;
      side.replaceChildren(...rows.map((_, i) => h("span", name(kind === "renamed" ? passed.order[i] : i))));
    }
    const same = passed.order.every((unit, i) => unit === i);
    message.textContent = words("moved", {
      kind: same ? "none" : "some",
      moved: asNumber(passed.moved, 2),
      stayed: asNumber(passed.stayed, 2),
    });
  };

  // --- what can be tried ---------------------------------------------------------------------------------------------

  const side = Math.sqrt(props.most);
  section.tries({
    set: { graph: shapes.every(8, () => true), layers: 1, renamed: 1 },
    picture: [
      { graph: shapes.every(props.most, shapes.areNeighbours(side)), shape: "grid" },
      words("try_picture", { side }),
    ],
    both: {
      graph: shapes.every(shapes.PIXELS + shapes.CAPTION.length, shapes.together),
      shape: "both",
      layers: 1,
      row: shapes.PIXELS,
    },
  });

  const paintPuzzle = section.puzzle();
  const COUNT = shapes.parse(props.graph).count;

  section.check({
    choices: [1, 2, 4].map((count) => words("choice", { count })),
    answer: async () => {
      const line = await answerTo("/ask/learn-graphs/passed", { graph: "5:0-1,1-2,2-3,3-4", layers: 1, renamed: 0 });
      const moved = line.influence.map((layer) => layer[0][4]);
      const needed = moved.findIndex((change) => change > 0) + 1;
      return {
        right: [1, 2, 4].indexOf(needed),
        said: words("answer", { changes: asList(moved.map((change) => asNumber(change, 2))) }),
      };
    },
  });
  section.links(() => [
    ["mask", {}],
    ["permute", {}],
  ]);

  const paint = eachFrame(() => {
    const { passed } = demo.answers;
    const { count, edges } = graph();
    units.update();
    // while units are added, the previous answer remains
    const current = passed?.needs.length === count ? passed : null;
    picture.draw({ needs: current?.needs, depth: demo.view.layers });
    if (!current) return;
    paintMeasured(current, demo.view.layers);
    if (!reading.textContent) read(null);
    const reached = current.needs[row()].filter((need) => need <= demo.view.layers).length - 1;
    const reaches = current.needs[row()].map((need, i) => i !== row() && need <= demo.view.layers);
    const values = { name: name(row()), reached, others: count - 1, layers: demo.view.layers };
    const pixels = reaches.filter((yes, i) => yes && !isCharacter(i)).length;
    section.tell(
      demo.view.shape === "both"
        ? words("lesson_both", { ...values, pixels, characters: reached - pixels })
        : words("lesson", values),
    );
    const all = current.needs.flat().every((need) => need <= 2);
    paintPuzzle({
      words: words("puzzle", { count: COUNT, edges: COUNT - 1 }),
      solved: all && count === COUNT && edges.length < COUNT,
    });
    section.node.dataset.rev = demo.rev;
  });
  section.begin(paint);
};
