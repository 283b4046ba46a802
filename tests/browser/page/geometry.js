// Finds what is wrong with the layout of a page: text that is cut, text over other text, text outside its panel or its
// picture, a presented chart that does not fit, and a page that is wider than its window. Returns a sentence for each;
// evaluated in the page with a selector of what is looked at.
(selector) => {
  const SLACK = 2; // pixels: glyphs reach over their box
  const LAYERED = ".katex, .plane, .js-plotly-plot, .sr-only"; // text over text by design
  const faults = [];
  const nameOf = (node) => {
    const section = node.closest("[data-section], [data-panel]");
    const name = section?.dataset.section ?? section?.dataset.panel ?? "page";
    return `${name}: <${node.tagName.toLowerCase()} class="${node.getAttribute("class") ?? ""}">`;
  };

  /** The boxes of a text's lines, and the element that has it. */
  const textsIn = (root) => {
    const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walk.nextNode()) {
      const text = /** @type {Text} */ (walk.currentNode);
      const node = /** @type {Element} */ (text.parentElement);
      const said = text.data.trim();
      if (!said || node.closest("script, style, template, option, .katex-mathml, [role=tooltip]")) continue;
      if (!node.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
      const range = document.createRange();
      range.selectNodeContents(text);
      const boxes = [...range.getClientRects()].filter(({ width, height }) => width > 1 && height > 1);
      if (boxes.length) texts.push({ node, said, boxes });
    }
    return texts;
  };

  const AXES = { x: ["left", "right"], y: ["top", "bottom"] };
  const framed = new Map(); // element → where it cuts or scrolls what is in it: [[axis, scrolls, frame]]
  const framesOf = (at) => {
    if (framed.has(at)) return framed.get(at);
    const style = getComputedStyle(at);
    const none = /inline$|contents/.test(style.display) || at.matches("svg svg, svg *");
    const ways = none ? [] : Object.keys(AXES).map((axis) => [axis, style[`overflow${axis.toUpperCase()}`]]);
    const cuts = ways.filter(([, how]) => how !== "visible");
    const frame = cuts.length && at.getBoundingClientRect();
    framed.set(
      at,
      cuts.map(([axis, how]) => [axis, how === "auto" || how === "scroll", frame]),
    );
    return framed.get(at);
  };

  /** The part of a box within a frame, if any. */
  const within = (box, axis, frame) => {
    const [from, to] = AXES[axis];
    const [begin, end] = [Math.max(box[from], frame[from]), Math.min(box[to], frame[to])];
    const { left, right, top, bottom } = box;
    return end - begin > SLACK ? [{ left, right, top, bottom, [from]: begin, [to]: end }] : [];
  };

  /** Whether a text is cut, and by which element; what of its boxes is seen; whether it can be scrolled sideways. */
  const placed = ({ node, said, boxes }) => {
    const scrolled = { x: false, y: false };
    let seen = boxes;
    let by = /** @type {string | null} */ (null);
    for (let at = node; at && at !== document.body; at = at.parentElement)
      for (const [axis, scrolls, frame] of framesOf(at)) {
        const [from, to] = AXES[axis];
        scrolled[axis] ||= scrolls;
        const cut = boxes.some((box) => box[from] < frame[from] - SLACK || box[to] > frame[to] + SLACK);
        const told = getComputedStyle(at).textOverflow === "ellipsis" && at.closest("[title]")?.title.includes(said);
        if (cut && !scrolled[axis] && !told)
          by ??= `<${at.tagName.toLowerCase()} class="${at.getAttribute("class") ?? ""}"> in ${axis}`;
        if (cut) seen = seen.flatMap((box) => within(box, axis, frame));
      }
    return { by, seen, scrolls: scrolled.x };
  };

  const over = (one, other) => {
    const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
    const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
    return width > SLACK && height > 0.35 * Math.min(one.bottom - one.top, other.bottom - other.top);
  };

  const { scrollWidth } = document.documentElement;
  if (scrollWidth > innerWidth) faults.push(`the page is ${scrollWidth} px wide, its window ${innerWidth}`);
  const HAIR = 4; // pixels: what scrolls by less has a scrollbar for nothing
  for (const root of document.querySelectorAll(selector)) {
    if (!root.checkVisibility()) continue;
    for (const node of [root, ...root.querySelectorAll("*")]) {
      const over = Math.max(node.scrollWidth - node.clientWidth, node.scrollHeight - node.clientHeight);
      if (over > 1 && over <= HAIR && framesOf(node).some(([, scrolls]) => scrolls))
        faults.push(`${nameOf(node)} scrolls by ${over} px`);
    }
    for (const chart of root.matches(".presented") ? root.querySelectorAll(".js-plotly-plot") : [])
      if (chart.getBoundingClientRect().bottom > root.getBoundingClientRect().bottom + SLACK)
        faults.push(`${nameOf(chart)} does not fit into its window`);
    const before = [];
    for (const text of textsIn(root)) {
      const { node, said, boxes } = text;
      const { by, seen, scrolls } = placed(text);
      const frame = (node.closest(".panel") ?? root).getBoundingClientRect();
      const out = boxes.some(({ left, right }) => left < frame.left - SLACK || right > frame.right + SLACK);
      if (by) faults.push(`${nameOf(node)} “${said}” is cut by ${by}`);
      else if (out && !scrolls) faults.push(`${nameOf(node)} “${said}” runs out of its panel`);
      if (node.closest(LAYERED)) continue;
      const other = before.find((each) => each.node !== node && seen.some((box) => over(each.box, box)));
      if (other) faults.push(`${nameOf(node)} “${said}” is over “${other.said}”`);
      before.push(...seen.map((box) => ({ box, node, said })));
    }
  }
  return [...new Set(faults)];
};
