// Units with edges that can be drawn: how far each layer reaches with the edges as a mask, measured, and the effect of
// renaming.

import { answerTo } from "../../../../browser/lib/ask.js";
import { eachFrame, h } from "../../../../browser/lib/base.js";
import { fields } from "../../../../browser/lib/fields.js";
import { asList } from "../../../../browser/lib/messages.js";
import { asNumber } from "../../../../browser/lib/numbers.js";
import { shapes } from "../../lib/shapes.js";
import { makeGraph } from "./drawing.js";
import { makeMeasures } from "./measures.js";

const isGraph = (most) => (text) => {
  if (!/^\d{1,2}:(\d+-\d+(,\d+-\d+)*)?$/.test(text)) return false;
  const { count, edges } = shapes.parse(text);
  const fits = (edge) => {
    const [one, other] = edge.split("-").map(Number);
    return one < other && other < count;
  };
  return count >= 2 && count <= most && edges.every(fits);
};

const fieldsOf = (props) => ({
  graph: { initial: props.graph, longest: props.longest, valid: isGraph(props.most), eager: true },
  shape: { initial: shapes.SHAPES[0], choices: shapes.SHAPES },
  layers: { initial: 2, min: 1, max: props.layers },
  row: { initial: 0, min: 0, max: props.most - 1 }, // the selected unit
  renamed: { initial: 0, min: 0, max: props.renamings - 1 },
});

/** The units of the view: {graph() → {count, edges}, row() that is selected, name(i), isCharacter(i), toggle(i, j)}. */
const unitsOf = (demo, names) => {
  const graph = () => shapes.parse(demo.view.graph);
  const toggle = (one, other) => {
    const edge = [one, other].sort((a, b) => a - b).join("-");
    const { count, edges } = graph();
    const left = edges.filter((each) => each !== edge);
    demo.set({ graph: shapes.spell({ count, edges: left.length < edges.length ? left : [...edges, edge] }) });
  };
  return {
    graph,
    row: () => Math.min(demo.view.row, graph().count - 1),
    name: (i) => shapes.characterAt(demo.view.shape, i) ?? names[i],
    isCharacter: (i) => shapes.isCharacter(demo.view.shape, i),
    toggle,
  };
};

/** The number of units as a stepper, which the view does not hold by itself: {node, update}. */
const countStepper = (section, units, most) => {
  const { words, live: demo } = section;
  const settings = {
    fields: { units: { min: 2, max: most } },
    get view() {
      return { units: units.graph().count };
    },
    /** Added units have no edges; removed ones lose theirs. */
    set: ({ units: count }) => {
      const edges = units.graph().edges.filter((edge) => Number(edge.split("-")[1]) < count);
      demo.set({ graph: shapes.spell({ count, edges }), renamed: 0 });
    },
  };
  return fields.stepper(settings, "units", words("units"));
};

const addTries = (section, { most }) => {
  const side = Math.sqrt(most);
  section.tries({
    set: { graph: shapes.every(8, () => true), layers: 1, renamed: 1 },
    picture: [
      { graph: shapes.every(most, shapes.areNeighbours(side)), shape: "grid" },
      section.words("try_picture", { side }),
    ],
    both: {
      graph: shapes.every(shapes.PIXELS + shapes.CAPTION.length, shapes.together),
      shape: "both",
      layers: 1,
      row: shapes.PIXELS,
    },
  });
};

const addCheck = (section) => {
  const choices = [1, 2, 4];
  const answer = async () => {
    const line = await answerTo("/ask/learn-graphs/passed", { graph: "5:0-1,1-2,2-3,3-4", layers: 1, renamed: 0 });
    const influences = line.influence.map((layer) => layer[0][4]);
    const changes = asList(influences.map((change) => asNumber(change, 2)));
    const layers = influences.findIndex((change) => change > 0) + 1;
    return { right: choices.indexOf(layers), said: section.words("answer", { changes }) };
  };
  section.check({ choices: choices.map((count) => section.words("choice", { count })), answer });
};

/** The sentence: how many units the selected one can learn of. */
const lesson = (section, units, needs) => {
  const { words, live: demo } = section;
  const { layers, shape } = demo.view;
  const row = units.row();
  const others = needs[row].flatMap((need, i) => (i !== row && need <= layers ? [i] : []));
  const values = { name: units.name(row), reached: others.length, others: units.graph().count - 1, layers };
  if (shape !== "both") return words("lesson", values);
  const characters = others.filter(units.isCharacter).length;
  return words("lesson_both", { ...values, pixels: others.length - characters, characters });
};

export const mount = (section, props) => {
  const { words, panel } = section;
  const demo = section.demo(fieldsOf(props), { passed: ["graph", "layers", "renamed"] });
  const units = unitsOf(demo, props.names);
  const count = countStepper(section, units, props.most);
  const next = () => demo.set({ renamed: 1 + (demo.view.renamed % (props.renamings - 1)) });
  const rename = h("button.field-button", { title: words("rename_hint"), onclick: next }, words("rename"));
  const graph = makeGraph(section, units, props.layers);
  const measured = makeMeasures(section, units);
  const paintPuzzle = section.puzzle();
  const size = shapes.parse(props.graph).count; // of the puzzle

  panel.tools.append(count.node, section.stepper("layers").node, rename);
  panel.picture.append(h("div.drawing", graph.node, h("p.quiet", words("hint")), panel.equation(1)), measured.node);
  addTries(section, props);
  addCheck(section);
  section.links(() => [
    ["mask", {}],
    ["permute", {}],
  ]);

  section.begin(
    eachFrame(() => {
      const { passed } = demo.answers;
      const { count: now, edges } = units.graph();
      count.update();
      // while units are added, the previous answer remains
      const needs = passed?.needs.length === now ? passed.needs : null;
      graph.draw({ needs, depth: demo.view.layers });
      if (!needs) return;
      measured.paint(passed, demo.view.layers);
      section.showLesson(lesson(section, units, needs));
      paintPuzzle({
        words: words("puzzle", { count: size, edges: size - 1 }),
        solved: needs.flat().every((need) => need <= 2) && now === size && edges.length < size,
      });
    }),
  );
};
