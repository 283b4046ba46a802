// The training of a generator, position by position: input byte, target byte, and the target's probability, at a step
// of the training and without a mask. The slider goes through the snapshots; next to the loss is a text generated at
// that step.

import { h, sideways, tableRow } from "../../../../browser/lib/base.js";
import { makeChart } from "../../../../browser/lib/chart.js";
import { ground, palette } from "../../../../browser/lib/colour.js";
import { asFixed, asShare, asWhole } from "../../../../browser/lib/numbers.js";

const PACE = 1000; // ms between two snapshots while playing

const makePage = (name) => {
  const [title, written] = [h("h3"), h("p.written", { "data-by": name })];
  return { node: h("div", title, written), title, written };
};

/** The text position by position: {node, paint(predicted, step)}. */
const makeTable = ({ words }) => {
  const rows = h("tbody");
  const cell = (labels, prob, i) => {
    const message = words("cell", { input: labels[i], target: labels[i + 1], share: asShare(prob) });
    const node = h("td.share", { title: message, "data-prob": prob }, asWhole(Math.round(100 * prob)));
    ground(node, palette().weights[Math.round(255 * prob)]);
    return node;
  };
  const row = (name, cells, end = "") =>
    tableRow({ "data-row": name }, words(name), ...cells, h("td.bits", { title: end && words("bits_hint") }, end));
  const letters = (name, labels, end) =>
    row(
      name,
      labels.map((label) => h("td.letter", label)),
      end,
    );
  const paint = ({ labels, trained, unmasked, bits }, step) => {
    const shares = (name, probs, loss) =>
      row(
        name,
        probs.map((prob, i) => cell(labels, prob, i)),
        asFixed(loss, 2),
      );
    rows.replaceChildren(
      letters("input", labels.slice(0, -1)),
      letters("target", labels.slice(1), words("bits")),
      shares("trained", trained[step], bits.trained[step]),
      shares("unmasked", unmasked, bits.unmasked),
    );
  };
  return { node: h("table", h("caption", words("table")), rows), paint };
};

/** Whether the loss of the text falls to the end, as on the validation split, in words. */
const sayCourse = (words, { bits }, steps) => {
  const losses = bits.trained;
  const [least, end] = [Math.min(...losses), losses.at(-1)];
  return words("course", {
    falls: end - least < 0.05 ? "yes" : "no",
    first: asFixed(losses[0], 2),
    end: asFixed(end, 2),
    least: asFixed(least, 2),
    step: steps[losses.indexOf(least)],
  });
};

/** The chart of the loss, whose clicks choose a step: {node, paint(predicted, step)}. */
const makeCurve = (section, { steps, measured }, pick) => {
  const { words } = section;
  const container = h("div");
  const course = h("p.quiet.course-said", { "aria-live": "polite" });
  const node = h("div.curve", container, course, section.recorded(measured));
  const chart = makeChart(container, { label: words("chart"), onclick: pick });
  const paint = (predicted, step) => {
    const change = (data, layout) => {
      Object.assign(layout.shapes[0], { x0: step, x1: step });
      for (const trace of data) trace.name = words(`line_${trace.name}`);
    };
    chart.draw({ figures: predicted.chart, keep: "course", x: words("axis_step"), y: words("axis_bits"), change });
    course.textContent = sayCourse(words, predicted, steps);
  };
  return { node, paint };
};

/** {node, paint}. */
export const makeTraining = (section, props) => {
  const { words, panel, live: demo } = section;
  const { steps, batch } = props;
  const [model, peeking] = props.models;
  const player = section.player({
    last: () => steps.length - 1,
    now: () => demo.view.step,
    pace: PACE,
    held: () => demo.busy, // the text of the previous step is still pending
    inWords: () => words("step_is", { step: steps[demo.view.step], bytes: steps[demo.view.step] * batch }),
  });
  const table = makeTable(section);
  const peek = h("p.source");
  const curve = makeCurve(section, props, (at) => player.put({ step: at })());
  const [masked, open] = [makePage(model), makePage(peeking)];
  const node = h(
    "div.training",
    sideways("places", words("table"), table.node),
    h("div.with-equation", peek, panel.equation()),
    h("div.course", ...player.nodes),
    h("div.both", curve.node, h("div.pages", masked.node, open.node)),
  );

  const paintPages = ({ written, unmasked }, reached) => {
    open.title.textContent = words("writes_unmasked", { model: peeking });
    masked.title.textContent = words("writes", { model, step: written?.step ?? reached });
    if (written) masked.written.textContent = written.text;
    if (unmasked) open.written.textContent = unmasked.text;
  };
  const paint = () => {
    const reached = steps[demo.view.step];
    paintPages(demo.answers, reached);
    const { predicted } = demo.answers;
    if (!predicted) return;
    table.paint(predicted, demo.view.step);
    curve.paint(predicted, reached);
    const { layer, head, share } = predicted.peek;
    peek.textContent = words("peek", { model: peeking, layer, head, share: asShare(share) });
    const { bits: of } = predicted;
    const [bits, unmasked] = [of.trained[demo.view.step], of.unmasked].map((each) => asFixed(each, 2));
    section.showLesson(words("lesson", { step: reached, bits, unmasked }));
  };
  return { node, paint };
};
