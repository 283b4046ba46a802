// The text, and the page's messages about it.

import { h } from "../../browser/lib/base.js";
import { makeHint } from "../../browser/lib/hint.js";
import { asText, inWords, say } from "../../browser/lib/messages.js";
import { site } from "../../browser/lib/site.js";
import { permuting } from "./lib/permuting.js";

const choose = ({ text, order }) => permuting.set({ text, order });
const hintOf = (pair) => say(pair.other ? "permute_pair_hint" : "permute_review_hint", pair);

export const mount = ({ element, props }) => {
  const { initial, pairs, kinds, tables, emb } = props.value;
  permuting.begin(initial, {
    positions: { choices: kinds },
    part: { max: Math.max(0, Math.ceil(emb / permuting.SHOWN) - 1) },
    table: { choices: tables },
  });

  const text = h("textarea", {
    rows: 1,
    spellcheck: "false",
    placeholder: say("permute_text_hint", { limit: site.limits.words }),
    oninput: () => permuting.type(text.value),
  });
  const message = h("p.message", { role: "status" });
  const examples = pairs.map((pair) => h("button", { title: hintOf(pair), onclick: () => choose(pair) }, pair.text));
  element.classList.add("tab-controls"); // so that it is also visible while a panel is presented
  element.append(
    h("label.field", h("span.name", say("permute_text")), text),
    h(
      "div.pairs",
      { role: "group", "aria-label": say("examples") },
      makeHint(
        say("permute_pairs"),
        pairs.map((pair) => [pair.text, hintOf(pair)]),
      ),
      ...examples,
    ),
    message,
  );

  permuting.start();
  permuting.subscribe(element, (changed) => {
    if (changed.has("text") && text.value !== permuting.view.text) text.value = permuting.view.text;
    examples.forEach((button, i) => button.setAttribute("aria-pressed", `${permuting.view.text === pairs[i].text}`));
    if (!["message", "permuted"].some((name) => changed.has(name))) return;
    const said = permuting.message ?? {
      kind: "info",
      text: asText((permuting.answers.permuted?.remarks ?? []).map(inWords)),
    };
    message.textContent = said.text;
    message.className = `message ${said.kind}`;
    element.dataset.rev = permuting.rev;
  });
};
