// The maps of a small model: of all heads in small, and of the selected one in large.

import { h } from "../../../../browser/lib/base.js";
import { makeImage, palette } from "../../../../browser/lib/colour.js";
import { makeHeatMap } from "../../../../browser/lib/heat_map.js";
import { say } from "../../../../browser/lib/messages.js";
import { asShare } from "../../../../browser/lib/numbers.js";

/** {node, paint({labels, weights})}: the maps of `layers` × `heads` heads; weights as bytes, 255·√weight, in base64. */
export const makeHeads = (section, { layers, heads }) => {
  const { words, live: demo } = section;
  const small = Array.from({ length: layers * heads }, (_, i) => {
    const at = { layer: Math.floor(i / heads), head: i % heads };
    const canvas = h("canvas");
    const name = say("head_name", at);
    const node = h("button", { title: name, "aria-label": name, onclick: () => demo.set(at) }, canvas);
    return { ...at, node, canvas };
  });
  const group = h("div.heads", { role: "group", "aria-label": words("heads") }, ...small.map(({ node }) => node));
  group.style.setProperty("--heads", heads);
  const caption = h("p.caption");
  const container = h("div.map");
  const hint = h("p.quiet", { role: "status" });
  const map = makeHeatMap(container, { label: words("map"), onpoint: demo.point, onpick: demo.point });

  const newest = { weights: "", bytes: new Uint8Array() };
  const decode = (weights) => {
    if (newest.weights !== weights)
      Object.assign(newest, { weights, bytes: Uint8Array.from(atob(weights), (char) => char.charCodeAt(0)) });
    return newest.bytes;
  };

  const paint = ({ labels, weights }) => {
    const bytes = decode(weights);
    const t = labels.length;
    const { weights: colours, masked } = palette();
    const cell = (layer, head, row, column) => bytes[((layer * heads + head) * t + row) * t + column];
    const pixelOf = (layer, head) => (row, column) => (column > row ? masked : colours[cell(layer, head, row, column)]);
    const { layer, head } = demo.view;
    for (const { node, canvas, ...own } of small) {
      const pixel = pixelOf(own.layer, own.head);
      makeImage(t, t, (column, row) => pixel(row, column), canvas);
      node.setAttribute("aria-pressed", own.layer === layer && own.head === head);
    }
    caption.textContent = say("head_name", { layer, head });
    const at = demo.hover && demo.hover.row < t && demo.hover.column <= demo.hover.row ? demo.hover : null;
    map.draw({
      labels,
      titles: [say("query"), say("key")],
      pixel: pixelOf(layer, head),
      hidden: (row, column) => column > row,
      at,
    });
    const share = at && asShare((cell(layer, head, at.row, at.column) / 255) ** 2);
    hint.textContent = at
      ? words("cell", { query: labels[at.row], key: labels[at.column], from: at.row + 1, to: at.column + 1, share })
      : words("point");
  };
  return { node: h("div.attention", group, caption, container, hint), paint };
};
