// Heads during training: a slider through the snapshots of a model that has some. The pass of a step is requested like
// any other, so all views show it; this panel shows the step on the loss curve and the head's copying score.

import { answerTo, newest, whyNot } from "../../../browser/lib/ask.js";
import { defer, h, refill } from "../../../browser/lib/base.js";
import { makeChart } from "../../../browser/lib/chart.js";
import { variable } from "../../../browser/lib/colour.js";
import { say } from "../../../browser/lib/messages.js";
import { asFixed } from "../../../browser/lib/numbers.js";
import { page } from "../../../browser/lib/page.js";
import { makePanel, whileInView } from "../../../browser/lib/panel.js";
import { makePlayer } from "../../../browser/lib/player.js";
import { snapshotOf } from "../lib/pass.js";
import { applies } from "../lib/store/applies.js";
import { store } from "../lib/store.js";

const words = (name, values) => say(`forming_${name}`, values);
const PACE = 900; // ms between two snapshots while playing
const own = () => store.own(store.header.model);
const steps = () => (store.pass && store.steps[own()]) || [];

const at = () => {
  const [, step] = snapshotOf(store.header.model);
  return step === null ? steps().length - 1 : steps().indexOf(step);
};

/** Names the figure's lines, and marks the current step and the selected head. */
const changeChart =
  ({ scores, steps: all }) =>
  (data, layout) => {
    const { layer, head } = store.view;
    const heads = scores[0].flatMap((row, i) => row.map((_, j) => ({ layer: i, head: j })));
    const losses = data.length - heads.length;
    data.slice(0, losses).forEach((trace) => (trace.name = words(`line_${trace.name}`)));
    data.slice(losses).forEach((trace, i) => {
      const chosen = heads[i].layer === layer && heads[i].head === head;
      Object.assign(trace, {
        name: say("head_name", heads[i]),
        line: { color: variable(chosen ? "mark" : "quiet"), width: chosen ? 3 : 1, dash: "solid" },
        mode: "lines",
        showlegend: chosen,
        opacity: chosen ? 1 : 0.6,
      });
    });
    Object.assign(layout.shapes[0], { x0: all[at()], x1: all[at()] });
    layout.xaxis.title = { text: words("step") };
    Object.assign(layout.yaxis, { title: { text: words("axis_bits") }, rangemode: "tozero" });
    Object.assign(layout.yaxis2, {
      title: { text: words("axis_score") },
      range: [0, 1.02],
      tickmode: "array",
      tickvals: [0, 0.5, 1],
    });
  };

/** The sentences about the course of the scores: {node, draw(answer), about(answer)}. go(step) shows a step. */
const makeSentences = (go) => {
  const [head, worth, moment] = [h("p", { role: "status" }), h("p"), h("p")];
  const source = h("p.quiet");
  const node = h(
    "div.forming-words",
    head,
    worth,
    moment,
    h("details", h("summary.quiet", say("how_measured")), source),
  );

  const drawMoment = ({ moment: result, steps: all }) => {
    moment.hidden = !result;
    if (!result) return;
    const onclick = () => {
      store.set({ layer: result.layer, head: result.head, of: "head" });
      go(result.at);
    };
    const step = { step: all[result.at], before: all[result.at - 1] };
    const told = words("moment", { name: say("head_name", result), ...step });
    refill(moment, [told, " ", h("button.f-link", { onclick }, words("show"))]);
  };

  /** Describes the selected head at the current step. */
  const draw = (answer) => {
    const { scores, text, copied, steps: all } = answer;
    const { layer, head: number } = store.view;
    const score = (i) => asFixed(scores[i][layer][number], 2);
    head.textContent = words("head", {
      name: say("head_name", { layer, head: number }),
      step: all[at()],
      score: score(at()),
      last: score(all.length - 1),
    });
    worth.textContent = words("worth", { text: asFixed(text[at()], 2), copied: asFixed(copied[at()], 2) });
    drawMoment(answer);
  };

  /** Says how it was measured. */
  const about = ({ bytes, date, machine, command }) =>
    source.replaceChildren(
      words("measured", { bytes, date, cpu: machine.cpu, torch: machine.torch }),
      " ",
      h("code", command),
    );
  return { node, draw, about };
};

export const mount = ({ element }) => {
  const { section, tools, body, foot } = makePanel(element, words("title"));

  let requested = null; // the requested step, until it is on the screen
  let course = null; // {of, answer}: see forming.py
  const player = makePlayer(
    { words, shown: () => page.tab === "explore" && steps().length > 0 },
    {
      set: ({ step }) => {
        requested = step === at() && !store.open ? null : step; // nothing comes of asking for what is shown
        store.stepTo(steps()[step]);
        paint();
      },
    },
    {
      last: () => steps().length - 1,
      now: () => requested ?? at(),
      pace: PACE,
      ready: () => steps().length > 0,
      held: () => requested !== null,
      paint: () => paint(),
    },
  );
  const { play, slider, put } = player;
  const step = h("output");
  tools.append(play, slider, step);

  const go = (index) => put({ step: index })();
  const container = h("div.forming-chart");
  const chart = makeChart(container, { label: words("chart"), onclick: go });
  const sentences = makeSentences(go);
  const parts = h("div.forming-parts", container, sentences.node);
  const missing = h("p.quiet", { role: "status" });
  body.append(parts);
  foot.append(missing);

  const paint = () => {
    if (!steps().length) return;
    player.update();
    step.textContent = words("step_is", { step: steps()[requested ?? at()] });
    slider.setAttribute("aria-valuetext", step.textContent);
  };
  const paintCourse = () => {
    if (course?.of !== own()) return;
    chart.draw({ figures: course.answer.chart, keep: course.of, change: changeChart(course.answer) });
    sentences.draw(course.answer);
    section.dataset.at = course.answer.steps[at()];
  };
  const later = defer(paintCourse); // after the maps, which are more urgent

  const questions = newest({
    take: (result) => {
      course = result;
      parts.hidden = false;
      missing.textContent = "";
      sentences.about(course.answer);
      later();
    },
    fail: (error) => {
      parts.hidden = !error.passing;
      missing.textContent = whyNot(error);
    },
  });
  const load = () => {
    if (element.hidden || !inView()) return;
    const of = own();
    const get = async (signal) => ({ of, answer: await answerTo("/ask/forming/course", { model: of }, signal) });
    if (!questions.ask(of, get)) later();
  };

  const inView = whileInView(section, load);
  store.subscribe(element, (changed) => {
    element.hidden = !store.pass || !applies("forming");
    if (element.hidden) return;
    if (["pass", "rev", "old"].some((name) => changed.has(name))) {
      if (store.old !== "asked") requested = null;
      paint();
    }
    if (["pass", "layer", "head"].some((name) => changed.has(name))) load();
  });
};
