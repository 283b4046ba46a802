// The branches of the text: where each leaves another, and how it continues; a click shows it.

import { eachFrame, h, refill, shorten } from "../../browser/lib/base.js";
import { say } from "../../browser/lib/messages.js";
import { makePanel } from "../../browser/lib/panel.js";
import { site } from "../../browser/lib/site.js";
import { writing } from "./lib/writing.js";

const PREVIEW = 28;

const describe = ({ from, parent, first }, number) => {
  const { branches } = writing;
  const end = branches.end(number);
  const labels = branches.labels(end);
  const tail = labels.slice(labels.length - end.depth);
  const at = from?.depth ?? 0;
  // of a beam's token the model's output may be unknown
  const name = ({ token, state, label }) =>
    from.state?.candidates.find(([id]) => id === token)?.[1] ?? state?.labels.at(-1) ?? label;
  const count = end.depth;
  const message = from
    ? say("write_branch_from", {
        from: parent + 1,
        at,
        token: name(first),
        other: name(from.children[0]),
        count,
      })
    : say("write_branch_first", { count });
  const text = tail.slice(at).join("").replaceAll("␣", " ");
  const beam = end.beam ? `${say("write_beam", end.beam)} · ` : "";
  return { message: beam + message, preview: shorten(text, PREVIEW) };
};

export const mount = ({ element }) => {
  const list = h("ol.branches");
  const clear = h("button", { onclick: writing.clear }, say("write_clear"));
  const notice = h("p.quiet", { role: "status" });
  const { tools, body, foot } = makePanel(element, say("write_trail_title"));
  const beams = h(
    "select",
    { "aria-label": say("write_beams"), onchange: () => writing.set({ beams: Number(beams.value) }) },
    ...Array.from({ length: site.limits.beams - 1 }, (_, i) => h("option", { value: i + 2 }, i + 2)),
  );
  const search = h("button.search", { title: say("write_search_hint"), onclick: writing.search }, say("write_search"));
  tools.append(h("label.field-line.field-select", h("span.name", say("write_beams")), beams), search, clear);
  body.append(list);
  foot.append(notice);

  let latest = "";
  const paint = eachFrame(() => {
    const { branches } = writing;
    const current = branches.tip(writing.cursor).branch;
    const entries = branches.list.map(describe);
    const now = JSON.stringify([current, entries.map(({ message, preview }) => [message, preview])]);
    notice.textContent = branches.gone ? say("write_gone", { limit: branches.limit, count: branches.gone }) : "";
    if (now === latest) return;
    latest = now;
    refill(
      list,
      entries.map(({ message, preview }, i) =>
        h(
          "li",
          h(
            "button.branch",
            { "aria-current": i === current ? "true" : null, onclick: () => writing.go(writing.branches.end(i)) },
            h("b", i + 1),
            h("span.preview", { dir: "ltr" }, preview || "…"),
            h("span.from", message),
          ),
        ),
      ),
    );
  });

  writing.subscribe(element, (changed) => {
    if (changed.has("beams")) beams.value = writing.settings.beams;
    if (changed.has("text")) paint();
  });
};
