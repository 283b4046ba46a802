// The code of a section: the source of functions of former, and on request the tensors for the numbers on the screen.

import { answerTo, newest, whyNot } from "../../../browser/lib/ask.js";
import { h } from "../../../browser/lib/base.js";
import { asList, say } from "../../../browser/lib/messages.js";
import { asFixed } from "../../../browser/lib/numbers.js";

/** Lines of Python as elements; docstrings and comments are paler. */
const paleComments = (text) =>
  text.split(/("""[\s\S]*?"""|#.*)/).map((piece) => (/^("""|#)/.test(piece) ? h("i", piece) : piece));

/** A number of a tensor; of a mask, 1 or 0. */
const inCell = (value) => {
  if (value === null) return "−∞";
  return typeof value === "boolean" ? `${Number(value)}` : asFixed(value, 3);
};

const tensor = ({ name, shape, rows }) =>
  h(
    "figure",
    { "data-tensor": name },
    h("figcaption", say("learn_code_shape", { name, shape: asList(shape.map(String)) })),
    h(
      "table",
      ...rows.map((row) =>
        h("tr", ...row.map((value) => h("td", inCell(value))), row.length < shape.at(-1) ? h("td", "…") : null),
      ),
    ),
    rows.length < shape.slice(0, -1).reduce((one, other) => one * other, 1) ? h("p", "…") : null,
  );

const ask = (path, body) => answerTo(path, body).catch((error) => ({ refused: whyNot(error) }));

/** Names of functions, where a line may break after a dot: else it does within a word, or before a comma. */
const breakable = (names) => names.split(/(?<=\.)/).flatMap((part) => [part, h("wbr")]);

/** The details element with the code of a section. */
export const learnCode = (section) => {
  const body = h("div.functions");
  const tensors = h("div.tensors", { "aria-live": "polite" });
  const values = h("button.field-button", { title: say("learn_code_values_hint") }, say("learn_code_values"));
  const details = h(
    "details.code",
    h("summary", h("b", say("learn_code")), " ", h("code", ...breakable(asList(section.code)))),
    values,
    tensors,
    body,
  );
  const numbers = newest({
    take: ({ tensors: given }) => tensors.replaceChildren(...given.map(tensor)),
    fail: (error) => tensors.replaceChildren(whyNot(error)),
  });
  let isWatched = false;
  /** Removes the numbers of a state of the panel that is no longer shown. */
  const watch = () => {
    isWatched = true;
    section.live.subscribe(details, (changed) => {
      if (!Object.keys(section.live.fields).some((name) => changed.has(name))) return;
      numbers.stop();
      tensors.replaceChildren();
    });
  };
  values.addEventListener("click", () => {
    if (!section.live) return void tensors.replaceChildren(say("python_early")); // its script is not loaded
    if (!isWatched) watch();
    const view = { ...section.live.view };
    numbers.ask({}, (signal) => answerTo(`/learn/${section.name}/values`, view, signal));
  });
  details.addEventListener("toggle", async () => {
    if (!details.open || body.childElementCount) return;
    const { refused, functions = [] } = await ask(`/learn/${section.name}/code`);
    body.replaceChildren(
      refused ?? "",
      ...functions.map(({ file, line, text }) =>
        h(
          "figure",
          h("figcaption", say("learn_code_place", { file, line })),
          h("pre", { tabindex: 0 }, ...paleComments(text)),
        ),
      ),
    );
  });
  return details;
};
