// What the scripts find in a page beside what every browser has.

interface Window {
  Plotly: any;
  gradio_config: { root: string; components: any[] };
  formerLanguages: { [name: string]: { name: string; file: string; labels: { [note: string]: string } } }; // language.py
  formerLanguage: string; // language.js
  formerTabOf: (params: URLSearchParams) => string; // first_tab.js
  formerBegins: string;
  formerMessages: Promise<unknown>;
  formerTexts: { [key: string]: string };
}

/** All that is looked for and pointed at is an element of HTML. */
interface ParentNode {
  querySelector(selectors: string): HTMLElement | null;
  querySelectorAll(selectors: string): NodeListOf<HTMLElement>;
}

interface EventTarget {
  closest?(selectors: string): HTMLElement | null;
}
interface Element {
  readonly dataset: DOMStringMap;
}

/** An Unanswered (lib/ask.js) among the errors that are caught. */
interface Error {
  status?: number;
}
