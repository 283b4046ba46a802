// How far information can travel after each layer: the powers of every mask, with the selected mask outlined; a click
// selects.

import { eachFrame, h, tableHead, tableRow } from "../../browser/lib/base.js";
import { makeImage, palette, variable } from "../../browser/lib/colour.js";
import { asList, say } from "../../browser/lib/messages.js";
import { asWhole } from "../../browser/lib/numbers.js";
import { makePanel, onAppearance } from "../../browser/lib/panel.js";
import { masking } from "./lib/masking.js";

/** The number of pairs in reach after a layer. */
const within = (needs, layer) => needs.flat().filter((need) => need <= layer).length;

const paintPicture = ({ mask, layer, canvas, pairs }, needs, size, token) => {
  const t = needs.length;
  const { masked, weights } = palette();
  const pixel = (need) => (need > layer ? masked : weights[need === layer ? 190 : 90]);
  makeImage(t, t, (input, output) => pixel(needs[output][input]), canvas);
  const context = canvas.getContext("2d");
  context.fillStyle = variable("mark");
  needs.forEach((row, output) => row[token] <= layer && context.fillRect(token, output, 1, 1));
  const values = {
    name: masking.nameOf(mask, size),
    layer,
    pairs: asWhole(within(needs, layer)),
    all: asWhole(t * t),
  };
  canvas.setAttribute("aria-label", say("mask_cell_reach", values));
  canvas.parentNode.title = say("mask_cell_reach", values);
  canvas.parentNode.dataset.pairs = within(needs, layer);
  pairs.textContent = values.pairs;
};

/** Lists, for the selected mask, the outputs that the token can have reached after each layer. */
const steps = ({ labels, needs, depth, mask, size }, token) => {
  const own = needs[mask];
  const reachedBy = (layer) =>
    masking.outputs(
      [...own.keys()].filter((output) => own[output][token] <= layer),
      own.length,
    );
  const end = reachedBy(depth);
  const said = [];
  let before = "";
  for (let layer = 1; layer <= depth; layer++) {
    const outputs = reachedBy(layer);
    if (outputs === before) continue;
    said.push(say(outputs === end && layer < depth ? "mask_reach_same" : "mask_reach_step", { outputs, layer }));
    before = outputs;
  }
  return say("mask_reach_from", {
    name: masking.fullNameOf(mask, size),
    token: masking.quote(labels, token),
    steps: said.join(say("list_apart")),
  });
};

/** The layer after which each mask lets every token depend on all earlier ones. */
const full = ({ full: layers, depth, size }) => {
  const list = masking.settings.masks.map((mask) =>
    say(layers[mask] > depth ? "mask_reach_full_more" : "mask_reach_full_one", {
      name: masking.nameOf(mask, size),
      layers: Math.min(layers[mask], depth),
    }),
  );
  return say("mask_reach_full", { list: asList(list) });
};

/** Compares the measurement with what is possible. */
const comparisonOf = ({ needs, depth, mask, moves: measured }) => {
  const pairs = measured.flatMap((row, output) =>
    row.map((change, input) => ({ moves: change > 0, reached: needs[mask][output][input] <= depth })),
  );
  const count = (test) => asWhole(pairs.filter(test).length);
  return say("mask_reach_measured", {
    moved: count(({ moves, reached }) => moves && reached),
    reached: count(({ reached }) => reached),
    outside: count(({ moves, reached }) => moves && !reached),
    depth,
  });
};

export const mount = ({ element, props }) => {
  masking.begin(props.value);
  const { body, foot } = makePanel(element, say("mask_reach"));
  const table = h("table", { "aria-label": say("mask_reach_label") });
  const sentences = h("div.sentences", { "aria-live": "polite" });
  body.append(h("div.scroll.sideways", table));
  foot.append(sentences);
  let built = 0; // number of layers in the table
  let pictures = []; // {mask, layer, canvas, pairs}
  let names = {}; // mask → its button

  const build = (layers) => {
    const head = tableHead(say("mask_reach_after"), ...Array.from({ length: layers }, (_, i) => `${i + 1}`));
    pictures = [];
    names = {};
    const line = (mask) => {
      const cells = Array.from({ length: layers }, (_, i) => {
        const picture = {
          mask,
          layer: i + 1,
          canvas: h("canvas", { role: "img" }),
          pairs: h("span.pairs"),
        };
        pictures.push(picture);
        return h("td.cell", { onclick: () => masking.set({ mask }) }, picture.canvas, picture.pairs);
      });
      names[mask] = h("button.field-button", { onclick: () => masking.set({ mask }) });
      return tableRow({ "data-mask": mask }, names[mask], ...cells);
    };
    table.replaceChildren(head, h("tbody", ...masking.settings.masks.map(line)));
  };

  const paint = eachFrame(() => {
    const { proof } = masking.answers;
    if (!proof) return;
    if (built !== proof.pictures) build((built = proof.pictures));
    const token = masking.token(proof.labels);
    for (const picture of pictures) paintPicture(picture, proof.needs[picture.mask], proof.size, token);
    for (const [mask, button] of Object.entries(names)) {
      button.textContent = masking.nameOf(mask, proof.size);
      button.setAttribute("aria-pressed", `${mask === masking.view.mask}`);
      button.closest("tr").classList.toggle("chosen", mask === masking.view.mask);
    }
    sentences.replaceChildren(...[steps(proof, token), full(proof), comparisonOf(proof)].map((words) => h("p", words)));
    element.dataset.rev = masking.rev;
  });
  masking.paints(element, ["token"], paint);
  onAppearance(paint);
};
