// Equations, by the KaTeX that comes with Gradio.

import { importScript } from "../../../browser/lib/ask.js";
import { h, url } from "../../../browser/lib/base.js";
import { site } from "../../../browser/lib/site.js";

const DELIMITERS = [{ left: "$$", right: "$$", display: true }];

const style = new Promise((done) =>
  document.head.append(h("link", { rel: "stylesheet", href: url(site.katex.style), onload: done, onerror: done })),
);

/** An equation, $$LaTeX$$, as an element; as it is written in LaTeX if it cannot be set. */
export const setEquation = async (latex) => {
  const node = h("span", latex);
  try {
    const [{ default: set }] = await Promise.all([importScript(location.origin + url(site.katex.script)), style]);
    set(node, { delimiters: DELIMITERS, throwOnError: false });
  } catch {} // without KaTeX
  return node.querySelector(".katex-display") ?? h("code", latex);
};
