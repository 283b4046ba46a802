// Exports of the current view, made in the browser: a picture, a page that works offline, and the data.

import { bytes, saveFile, saveRows, whyNot } from "../../browser/lib/ask.js";
import { h, setAttributes } from "../../browser/lib/base.js";
import { variable } from "../../browser/lib/colour.js";
import { makeHint } from "../../browser/lib/hint.js";
import { language, say } from "../../browser/lib/messages.js";
import { makePanel } from "../../browser/lib/panel.js";
import { site } from "../../browser/lib/site.js";
import { fileName } from "./lib/labels.js";
import { makePicture } from "./lib/picture.js";
import { rowOf, shownNow } from "./lib/selection.js";
import { store } from "./lib/store.js";

const markup = (picture) => new XMLSerializer().serializeToString(picture.svg);

const savePicture = async () => {
  const picture = await makePicture();
  saveFile(fileName(store.view.view, "svg"), new Blob([markup(picture)], { type: "image/svg+xml" }));
};

const savePng = async () => {
  const picture = await makePicture();
  const zoom = Math.min(2, 8000 / Math.max(picture.width, picture.height));
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(markup(picture))}`;
  await image.decode();
  const canvas = h("canvas", { width: Math.round(picture.width * zoom), height: Math.round(picture.height * zoom) });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
  saveFile(fileName(store.view.view, "png"), blob);
};

/** The exact weights of the current view, row by row up to the last key that a query can attend to, with as many digits
 *  as float32 has; null where a pair before it has none. */
const rows = () => {
  const shown = shownNow();
  const { map } = shown;
  const cell = (query) => (weight, key) => (map.without(query, key, weight) ? null : Number(weight.toPrecision(7)));
  return map.queries.map((_, query) => Array.from(rowOf(shown, query), cell(query)));
};

/** Runs in an exported page: shows the numbers under the pointer, from the data in that page. */
const underPointer = () => {
  const find = (selector) => /** @type {any} */ (document.querySelector(selector)); // all of them are there
  const data = JSON.parse(find("#data").textContent);
  const [picture, line] = [find("svg"), find("#under")];
  picture.addEventListener("pointermove", (event) => {
    if (!data.map) return;
    const box = picture.getBoundingClientRect();
    const zoom = box.width / picture.viewBox.baseVal.width;
    const at = (offset, from) => Math.floor((offset / zoom - from) / data.map.cell);
    const [key, query] = [at(event.clientX - box.left, data.map.x), at(event.clientY - box.top, data.map.y)];
    const weight = data.weights[query]?.[key];
    const name = (labels, i) => `“\u2068${labels[i]}\u2069” (${i})`;
    const pair = `${name(data.queries, query)} → ${name(data.keys, key)}`;
    line.textContent = weight === undefined ? " " : `${pair}: ${weight ?? data.none}`;
  });
};

const savePage = async () => {
  const picture = await makePicture();
  const { model, text, edits } = store.header;
  const { queries, keys, padded } = store.map;
  const page = document.implementation.createHTMLDocument(picture.caption);
  page.documentElement.lang = language;
  const add = (parent, tag, attributes = {}, words = "") => {
    const node = page.createElement(tag);
    setAttributes(node, attributes);
    node.textContent = words;
    return parent.appendChild(node);
  };
  const [back, ink, { font, mono }] = [variable("panel"), variable("text"), site.style];
  add(page.head, "meta", { charset: "utf-8" });
  const policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'";
  add(page.head, "meta", { "http-equiv": "Content-Security-Policy", content: policy });
  add(
    page.head,
    "style",
    {},
    `body{margin:24px;background:${back};color:${ink};font:15px/1.5 ${font}}
    pre{white-space:pre-wrap;max-width:80ch;font-family:${mono}}
    svg{max-width:100%;height:auto}#under{min-height:1.5em}`,
  );
  add(page.body, "h1", { style: "font-size:18px" }, picture.caption);
  add(page.body, "pre", { dir: "auto" }, text);
  add(page.body, "p", { id: "under" }, " ");
  page.body.append(page.importNode(picture.svg, true));
  // "<" could end the script element; in JSON its escape means the same.
  const data = JSON.stringify({
    model,
    text,
    queries,
    keys,
    edits,
    view: store.view,
    map: picture.map,
    weights: rows(),
    none: say(padded ? "padding" : "skipped"),
  }).replaceAll("<", "\\u003c");
  add(page.body, "script", { type: "application/json", id: "data" }, data);
  add(page.body, "script", {}, `(${underPointer})();`);
  const html = `<!doctype html>\n${page.documentElement.outerHTML}`;
  saveFile(fileName(store.view.view, "html"), new Blob([html], { type: "text/html" }));
};

const saveTable = async () => {
  await store.exactly();
  const { queries, keys } = store.map;
  const lines = rows()
    .flatMap((row, query) => row.map((weight, key) => [query, key, queries[query], keys[key], weight]))
    .filter((line) => line.at(-1) !== null);
  saveRows(fileName("weights", "csv"), [["query", "key", "query_token", "key_token", "weight"], ...lines]);
};

const saveArrays = async () => {
  const { key, model } = store.header;
  const arrays = await bytes(`/attention/${key}/data.npz`);
  saveFile(`${model.replace(/[^\w.-]+/g, "-")}-all-heads.npz`, new Blob([arrays]));
};

export const mount = ({ element }) => {
  const { body } = makePanel(element, say("export"));
  const status = h("p.quiet", { role: "status" });

  const make = (name, save) => {
    const button = h("button.f-button", { title: say(`export_${name}_hint`) }, say(`export_${name}`));
    let saving = false; // a disabled button would lose the focus
    button.addEventListener("click", async () => {
      if (!store.pass || saving) return;
      saving = true;
      status.textContent = "";
      try {
        await save();
      } catch (error) {
        status.textContent = whyNot(error);
      }
      saving = false;
    });
    return button;
  };
  const group = (words, saves) => {
    const hints = Object.keys(saves).map((name) => [say(`export_${name}`), say(`export_${name}_hint`)]);
    const buttons = Object.entries(saves).map(([name, save]) => make(name, save));
    return h("div.export-group.quiet", makeHint(say(words), hints), ...buttons);
  };
  body.append(
    group("export_view", { png: savePng, svg: savePicture, html: savePage, csv: saveTable }),
    group("export_all", { npz: saveArrays }),
    status,
  );
};
