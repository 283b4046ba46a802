// How many cells each mask allows as the text grows, and how many at the length that is pointed at.
const { h, say, masking } = former;
masking.begin(props.value);
const { tools, body, foot } = former.panel(element, say("mask_growth"));
const LOOKS = {
  none: { colour: "var(--f-text)", dash: "none" },
  causal: { colour: "var(--f-accent)", dash: "8 3" },
  local: { colour: "var(--f-good)", dash: "2 3" },
  strided: { colour: "var(--f-warn)", dash: "10 3 2 3" },
  fixed: { colour: "var(--f-quiet)", dash: "5 5" },
  own: { colour: "var(--f-mark)", dash: "none" },
};
const place = h("div", { class: "place" });
const rows = h("dl", { class: "counts", "aria-live": "polite" });
const where = h("b", { class: "at" });
const saves = h("p", { class: "saves" });
tools.append(where);
body.append(place, rows);
foot.append(saves, h("p", { class: "quiet" }, say("mask_growth_how")));

const chart = former.logChart(place, {
  label: say("mask_growth_label"),
  xTitle: say("mask_growth_x"),
  yTitle: say("mask_growth_y"),
  onread: (at) => masking.point(at === null ? null : { at }),
});

/** A line's name; a stride that stays makes a line of its own, beside the one whose stride grows. */
const nameOf = (line, { mask, size }) =>
  say(`mask_growth_${line}`, line === "own" ? { name: say(`mask_${mask}`), size, double: 2 * size } : { size });

const swatch = ({ colour, dash }) => {
  const bar = h("i", { class: dash === "none" ? "" : "dashed" });
  bar.style.color = colour;
  return bar;
};

const paint = former.eachFrame(() => {
  const { stages } = masking.answers;
  if (!stages) return;
  const { growth, tokens, cells, mask, size } = stages;
  const kinds = Object.keys(LOOKS).filter((line) => line !== "own" || mask === "strided" || mask === "fixed");
  const chosen = kinds.includes("own") ? "own" : mask;
  const own = growth.tokens.indexOf(tokens);
  const at = Math.min(masking.hover?.at ?? own, growth.tokens.length - 1); // pointed at in a longer list, a moment ago
  chart.draw({
    x: growth.tokens,
    lines: kinds.map((line) => ({ name: line, values: growth[line], ...LOOKS[line], width: line === chosen ? 3 : 1.5 })),
    dot: { x: tokens, y: cells, colour: "var(--f-mark)" },
    at,
  });
  where.textContent = say("mask_growth_at", { tokens: masking.count(growth.tokens[at]) }) + (at === own ? ` (${say("mask_growth_here")})` : "");
  where.dataset.tokens = growth.tokens[at];
  rows.replaceChildren(
    ...kinds.map((line) =>
      h("div", { class: line === chosen ? "chosen" : "", "data-line": line, "data-count": growth[line][at] },
        h("dt", {}, swatch(LOOKS[line]), nameOf(line, stages)), h("dd", {}, masking.count(growth[line][at]))),
    ),
  );
  const [part, all] = [growth[chosen][at], growth.none[at]];
  saves.textContent = say("mask_growth_saves", { name: masking.nameOf(mask, size), cells: masking.count(part), all: masking.count(all), part: former.share(part / all) });
  element.dataset.rev = masking.rev;
});
masking.paints(element, ["at"], paint);
