// The training of a generator, position by position: input byte, target byte, and the target's probability, at a step
// of the training and without a mask. The slider goes through the snapshots; next to the loss is a text generated at
// that step. Or the cache of a model that writes: what it keeps, and what a step costs with and without it.

import { h, tableRow } from "../../../../browser/lib/base.js";
import { makeChart } from "../../../../browser/lib/chart.js";
import { ground, palette } from "../../../../browser/lib/colour.js";
import { fields } from "../../../../browser/lib/fields.js";
import { asFixed, asShare, asWhole } from "../../../../browser/lib/numbers.js";
import { makeCacheView } from "../../../generate/lib/cache_view.js";

const PACE = 1000; // ms between two snapshots while playing
const bitsOf = (probs) => probs.reduce((sum, prob) => sum - Math.log2(prob), 0) / probs.length;

const page = (name) => {
  const [title, written] = [h("h3"), h("p.written", { "data-by": name })];
  return { node: h("div", title, written), title, written };
};

export const mount = (section, props) => {
  const { words, panel } = section;
  const [model, peeking] = props.models;
  const last = props.steps.length - 1;
  const caches = Object.keys(props.caches);
  const demo = section.demo(
    {
      show: { initial: props.shows[0], choices: props.shows },
      text: { initial: props.text, longest: 400 },
      step: { initial: last, min: 0, max: last },
      seed: { initial: 0, min: 0, max: props.seeds - 1 },
      cache: { initial: caches[0], choices: caches },
      tokens: { initial: props.tokens, min: 1, max: props.tokens },
    },
    { predicted: ["text"], written: ["text", "step", "seed"], unmasked: ["text", "seed"] },
  );
  const reached = () => props.steps[demo.view.step];

  // --- what is shown -------------------------------------------------------------------------------------------------

  const text = section.line("text", words("field", { most: props.most }));
  const seed = section.stepper("seed");
  const show = section.choice("show", props.shows);
  panel.tools.append(show.node, text.node, seed.node);

  const rows = h("tbody");
  const table = h("table", h("caption", words("table")), rows);
  const peek = h("p.source");
  const player = section.player({
    last: () => last,
    now: () => demo.view.step,
    pace: PACE,
    held: () => demo.busy, // the text of the previous step is still pending
  });
  const { play, slider, put } = player;
  const step = h("output");
  const place = h("div");
  const chart = makeChart(place, { label: words("chart"), onclick: (at) => put({ step: at })() });
  const course = h("p.quiet.course-said", { "aria-live": "polite" });
  const { bytes, date, machine, command } = props.measured;
  const message = words("measured", { bytes, date, cpu: machine.cpu, torch: machine.torch });
  const source = section.measured(message, command);
  const [masked, open] = [page(model), page(peeking)];
  const training = h(
    "div.training",
    h("div.places", { tabindex: 0, role: "region", "aria-label": words("table") }, table),
    h("div.with-equation", peek, panel.equation()),
    h("div.course", play, slider, step),
    h("div.both", h("div.curve", place, course, source), h("div.pages", masked.node, open.node)),
  );

  // --- the cache -----------------------------------------------------------------------------------------------------

  const view = makeCacheView(() => {
    const { text, tokens, cache, show } = demo.view;
    return ["/ask/learn-generation/cost", { text, tokens, cache, show }];
  });
  const { now, kept, picture, shared, times, measure } = view.nodes;
  measure.className = "field-button";
  const which = fields.choice(
    demo,
    "cache",
    words("cache"),
    caches,
    (name) => name,
    (name) => words("cache_hint", { name }),
  );
  const tokens = h("input", {
    type: "range",
    ...{ min: 1, max: props.tokens },
    "aria-label": words("tokens"),
    oninput: () => demo.set({ tokens: Number(tokens.value) }),
  });
  const count = h("output");
  const writes = h(
    "div.cache",
    h("div.course", which.node, h("span.quiet", words("tokens")), tokens, count),
    ...[now, kept, picture, shared],
    h("div.course", measure, times),
  );
  panel.picture.append(training, writes);

  let measuredAt = "";
  const paintCache = () => {
    const { cache, tokens: length, text: typed } = demo.view;
    which.update();
    tokens.value = length;
    count.textContent = words("tokens_are", { tokens: length });
    tokens.setAttribute("aria-valuetext", count.textContent);
    view.draw(props.caches[cache], length);
    const at = `${cache} ${length} ${typed}`;
    if (at !== measuredAt) view.clear();
    measuredAt = at;
    section.tell(words("lesson_cache", { name: cache, tokens: length }));
  };

  const paintTable = ({ labels, trained, unmasked }) => {
    const colours = palette().weights;
    const cell = (prob, i) => {
      const message = words("cell", { input: labels[i], target: labels[i + 1], share: asShare(prob) });
      const node = h("td.share", { title: message, "data-prob": prob }, asWhole(Math.round(100 * prob)));
      ground(node, colours[Math.round(255 * prob)]);
      return node;
    };
    const row = (name, cells, end = "") =>
      tableRow({ "data-row": name }, words(name), ...cells, h("td.bits", { title: end && words("bits_hint") }, end));
    const letters = (name, from) =>
      row(
        name,
        labels.slice(from, from + labels.length - 1).map((label) => h("td.letter", label)),
        from ? words("bits") : "",
      );
    const shares = (name, probs) => row(name, probs.map(cell), asFixed(bitsOf(probs), 2));
    rows.replaceChildren(
      letters("input", 0),
      letters("target", 1),
      shares("trained", trained[demo.view.step]),
      shares("unmasked", unmasked),
    );
  };

  const paintChart = ({ chart: figures }) =>
    chart.draw({
      figures,
      keep: "course",
      ...{ x: words("axis_step"), y: words("axis_bits") },
      change: (data, layout) => {
        Object.assign(layout.shapes[0], { x0: reached(), x1: reached() });
        for (const trace of data) trace.name = words(`line_${trace.name}`);
      },
    });

  /** Whether the loss of the text falls to the end, as on the validation split. */
  const sayCourse = ({ trained }) => {
    const losses = trained.map(bitsOf);
    const least = Math.min(...losses);
    const end = losses.at(-1);
    course.textContent = words("course", {
      falls: end - least < 0.05 ? "yes" : "no",
      first: asFixed(losses[0], 2),
      end: asFixed(end, 2),
      least: asFixed(least, 2),
      step: props.steps[losses.indexOf(least)],
    });
  };

  const paint = () => {
    const trains = demo.view.show === props.shows[0];
    training.hidden = seed.node.hidden = !trains;
    writes.hidden = trains;
    if (!trains) return paintCache();
    step.textContent = words("step_is", { step: reached(), bytes: reached() * props.batch });
    slider.setAttribute("aria-valuetext", step.textContent);
    open.title.textContent = words("writes_unmasked", { model: peeking });
    const { predicted, written, unmasked } = demo.answers;
    masked.title.textContent = words("writes", { model, step: written?.step ?? reached() });
    if (written) masked.written.textContent = written.text;
    if (unmasked) open.written.textContent = unmasked.text;
    if (!predicted) return;
    paintTable(predicted);
    paintChart(predicted);
    sayCourse(predicted);
    const { layer, head, share } = predicted.peek;
    peek.textContent = words("peek", { model: peeking, layer, head, share: asShare(share) });
    const [own, others] = [predicted.trained[demo.view.step], predicted.unmasked].map((probs) =>
      asFixed(bitsOf(probs), 2),
    );
    section.tell(words("lesson", { step: reached(), bits: own, unmasked: others }));
  };

  // --- what can be tried ---------------------------------------------------------------------------------------------

  const early = 4;
  section.tries({
    begin: { show: "training", step: 0 },
    words: [{ show: "training", step: early }, words("try_words", { step: props.steps[early] })],
    other: { show: "training", text: props.other },
  });
  section.check({
    names: ["first", "middle", "last"],
    shows: { show: "training" },
    answer: async () => {
      const { labels, unmasked } = await demo.answered("predicted");
      const least = unmasked.indexOf(Math.min(...unmasked));
      const others = unmasked.filter((_, i) => i !== least);
      const average = others.reduce((sum, prob) => sum + prob, 0) / others.length;
      const right = least === unmasked.length - 1 ? 2 : least === 0 ? 0 : 1;
      const share = asShare(unmasked[least]);
      return {
        right,
        said: words("answer", {
          place: least + 1,
          count: unmasked.length,
          target: labels[least + 1],
          share,
          others: asShare(average),
        }),
      };
    },
  });
  section.links(() => [
    ["generate", { model, text: demo.view.text }],
    ["explore", { model: peeking, text: demo.view.text }],
    ["mask", { text: demo.view.text }],
  ]);

  section.begin(paint);
};
