// The proof by measurement: one token is changed, and the model's outputs that change are marked, with and without the
// mask.

import { eachFrame, h } from "../../browser/lib/base.js";
import { cssOf, gradient, palette, variable } from "../../browser/lib/colour.js";
import { makeHeatMap } from "../../browser/lib/heat_map.js";
import { keys } from "../../browser/lib/keys.js";
import { say } from "../../browser/lib/messages.js";
import { asNumber } from "../../browser/lib/numbers.js";
import { makePanel, onAppearance } from "../../browser/lib/panel.js";
import { masking } from "./lib/masking.js";

const SIDES = ["masked", "unmasked"];
const FAINTEST = 0.12; // level of the scale for the smallest change that is not 0

const tokenAt = (event) => {
  const token = event.target.closest?.("[data-token]")?.dataset.token;
  return token === undefined ? null : Number(token);
};

const point = (event) => masking.point(tokenAt(event) === null ? null : { token: tokenAt(event) });
const choose = (token) => masking.set({ token });

/** Describes the effect of changing a token: which outputs change, and which before it do not. */
const effectOf = (labels, square, token) => {
  const affected = masking.moved(square, token);
  const before = affected.filter((output) => output < token);
  const most = Math.max(...before.map((output) => square[output][token]));
  const values = { token: masking.quote(labels, token), outputs: masking.outputs(affected, square.length) };
  const rest = token === 0 ? "first" : before.length ? "some" : "none";
  return say("mask_proof_moves", {
    ...values,
    rest,
    count: before.length,
    most: before.length ? asNumber(most, 3) : "",
  });
};

/** A paragraph about each side: what changing a token moves, with the mask and without. */
const sentencesOf = (proof, token) =>
  SIDES.map((side) => {
    const name = say(`mask_proof_${side}`, { name: masking.fullNameOf(proof.mask, proof.size) });
    const heading = h("b", say("mask_proof_side", { side: name }), " ");
    return h("p", { class: side, "data-side": side }, heading, effectOf(proof.labels, proof[side], token));
  });

/** How much the output under the pointer changes, with the mask and without. */
const readingOf = (proof, token) => {
  const { output } = masking.hover ?? {};
  if (output === undefined || output >= proof.labels.length) return "";
  const amount = (side) => {
    const change = proof[side][output][token];
    return change === 0 ? say("mask_proof_zero") : asNumber(change, 3);
  };
  return say("mask_proof_reading", {
    key: masking.quote(proof.labels, token),
    query: masking.quote(proof.labels, output),
    with_mask: amount("masked"),
    without: amount("unmasked"),
  });
};

/** The tokens, of which the changed one is chosen; the outputs that move are painted: {node, byKey, paint}. */
const makeTokens = () => {
  const list = h("div.tokens", { role: "group", "aria-label": say("mask_proof_tokens") });
  let buttons = [];
  const build = (labels) => {
    buttons = labels.map((label, i) =>
      h(
        "button.token",
        { "data-token": i, "aria-label": masking.quote(labels, i) },
        h("span", label),
        ...SIDES.map((side) => h("i", { class: side })),
      ),
    );
    list.replaceChildren(...buttons);
  };
  list.addEventListener("pointerover", point);
  list.addEventListener("pointerleave", () => masking.point(null));
  list.addEventListener("click", (event) => tokenAt(event) !== null && choose(tokenAt(event)));

  /** Makes the arrow keys select the changed token, from its button or from either picture. */
  const byKey = (event) => {
    const to = keys.along(event, masking.view.token, masking.fields.token.max + 1);
    if (to === undefined) return;
    event.preventDefault();
    masking.point(null);
    choose(to);
    if (list.contains(document.activeElement)) buttons[masking.view.token]?.focus();
  };
  list.addEventListener("keydown", byKey);

  const paint = (proof, token, level) => {
    const { labels } = proof;
    if (buttons.length !== labels.length || buttons.some((button, i) => button.firstChild.textContent !== labels[i]))
      build(labels);
    const { weights } = palette();
    buttons.forEach((button, i) => {
      button.setAttribute("aria-pressed", `${i === masking.view.token}`);
      button.tabIndex = i === masking.view.token ? 0 : -1;
      button.classList.toggle("at", i === token);
      SIDES.forEach((side, which) => {
        const change = proof[side][i][token];
        const mark = button.children[1 + which];
        mark.classList.toggle("moved", change > 0);
        mark.style.background = change > 0 ? cssOf(weights[Math.round(255 * level(change))]) : "";
      });
    });
  };
  return { node: list, byKey, paint };
};

export const mount = ({ element, props }) => {
  masking.begin(props.value);
  const { body, foot } = makePanel(element, say("mask_proof"));

  const tokens = makeTokens();
  const maps = SIDES.map((side) => {
    const heading = h("h3");
    const container = h("div");
    const picture = makeHeatMap(container, {
      label: say("mask_proof_label", { name: say(`mask_proof_${side}`, { name: say("mask_kind") }) }),
      onpoint: (at) => masking.point(at && { token: at.column, output: at.row }),
      onpick: ({ column }) => choose(column),
      onkey: tokens.byKey,
    });
    return { side, heading, picture, node: h("div.map", { "data-map": side }, heading, container) };
  });
  const [zero, bar, end] = [h("i.masked"), h("i"), h("span")];
  const legend = h("div.legend", h("span", zero, say("mask_proof_zero")), bar, end);
  const sentences = h("div.sentences", { "aria-live": "polite" });
  const reading = h("p.readout");
  body.append(tokens.node, sentences, h("div.maps", ...maps.map(({ node }) => node)));
  foot.append(legend, reading, h("p.quiet.how"));

  const paintMaps = (proof, token, level) => {
    const { masked: still, weights } = palette();
    const { output } = masking.hover ?? {};
    for (const { side, heading, picture } of maps) {
      const square = proof[side];
      heading.textContent = say(`mask_proof_${side}`, { name: masking.fullNameOf(proof.mask, proof.size) });
      picture.draw({
        labels: proof.labels,
        pixel: (row, column) =>
          square[row][column] === 0 ? still : weights[Math.round(255 * level(square[row][column]))],
        sign: (row, column) => (square[row][column] === 0 ? "0" : null),
        columns: [{ at: token, colour: variable("mark") }],
        at: output === undefined ? null : { row: output, column: token },
      });
    }
    bar.style.background = gradient(weights, FAINTEST, 1);
  };

  const paint = eachFrame(() => {
    const proof = masking.proof();
    element.classList.toggle("waiting", !proof);
    if (!proof) return;
    const token = masking.token(proof.labels);
    const most = Math.max(1e-9, ...SIDES.flatMap((side) => proof[side].flat()));
    const level = (change) => FAINTEST + (1 - FAINTEST) * Math.sqrt(change / most);
    paintMaps(proof, token, level);
    tokens.paint(proof, token, level);
    end.textContent = `${asNumber(most, 3)}, √`;
    sentences.replaceChildren(...sentencesOf(proof, token));
    reading.textContent = readingOf(proof, token);
    foot.querySelector(".how").textContent = say("mask_proof_how", {
      model: proof.model,
      logits: masking.settings.models[proof.model].vocabulary,
    });
    element.dataset.rev = masking.rev;
  });
  masking.paints(element, ["token", "output"], paint);
  onAppearance(paint);
};
