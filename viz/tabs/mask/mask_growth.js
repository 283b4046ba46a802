// The number of cells that each mask allows as the text grows, and at the length under the pointer.

import { eachFrame, h, isDark } from "../../browser/lib/base.js";
import { makeChart } from "../../browser/lib/chart.js";
import { say } from "../../browser/lib/messages.js";
import { asShare, asWhole } from "../../browser/lib/numbers.js";
import { makePanel, onAppearance } from "../../browser/lib/panel.js";
import { masking } from "./lib/masking.js";

const nameLines =
  ({ cells, mask, size }) =>
  (data, layout) => {
    for (const trace of data)
      if (trace.name in cells)
        trace.name = trace.name === "own" ? masking.nameOf(mask, size) : say(`mask_${trace.name}`);
    layout.xaxis.title = { text: say("mask_growth_x") };
    layout.yaxis.title = { text: say("mask_growth_y") };
  };

const swatch = (stroke) => {
  const bar = h("i", { class: stroke.dash === "solid" ? "" : "dashed" });
  bar.style.color = stroke.color;
  return bar;
};

export const mount = ({ element, props }) => {
  masking.begin(props.value);
  const { tools, body, foot } = makePanel(element, say("mask_growth"));
  const container = h("div.place");
  const rows = h("dl.counts", { "aria-live": "polite" });
  const where = h("b.at");
  const saves = h("p.saves");
  tools.append(where);
  body.append(container, rows);
  foot.append(saves, h("p.quiet", say("mask_growth_how")));

  const chart = makeChart(container, {
    label: say("mask_growth_label"),
    onread: (at) => masking.point(at === null ? null : { at }),
  });

  const paint = eachFrame(() => {
    const answer = masking.answers.growth;
    if (!answer) return;
    const { lengths, cells, chosen, mask, size, chart: figures } = answer;
    const { data } = figures[isDark() ? "dark" : "light"];
    const own = lengths.indexOf(answer.at);
    // the pointer may still be in an earlier, longer list
    const at = Math.min(masking.hover?.at ?? own, lengths.length - 1);
    if (drawn !== answer) chart.draw({ figures, keep: "growth", change: nameLines(answer) });
    drawn = answer;
    where.textContent = say("mask_growth_at", { tokens: asWhole(lengths[at]), own: at === own });
    where.dataset.tokens = lengths[at];
    rows.replaceChildren(
      ...Object.keys(cells).map((line, i) =>
        h(
          "div",
          { class: line === chosen ? "chosen" : "", "data-line": line, "data-count": cells[line][at] },
          h("dt", swatch(data[i].line), masking.lineOf(line, answer)),
          h("dd", asWhole(cells[line][at])),
        ),
      ),
    );
    const [part, all] = [cells[chosen][at], cells.none[at]];
    saves.textContent = say("mask_growth_saves", {
      name: masking.nameOf(mask, size),
      cells: asWhole(part),
      all: asWhole(all),
      part: asShare(part / all),
    });
    element.dataset.rev = masking.rev;
  });
  let drawn = null; // the answer that the chart shows
  masking.paints(element, ["at"], paint);
  onAppearance(paint);
};
