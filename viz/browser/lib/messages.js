// Messages of viz/text filled with values, parsed as in viz/text/form.py.

import { isolate } from "./base.js";

/** @typedef {{ [name: string]: any }} Values */
/** @typedef {{ key: string, values?: Values }} Note */
/** @typedef {{ name: string, kind: string | undefined, arms: { [arm: string]: Part[] } }} Place */
/** @typedef {string | Place | null} Part */

const PLACE = /\{(\w+)(?:, (number|plural|select))?/y;
const ARM = /,? (\w+) \{/y;
const known = new Map(); // pattern → parts
export const language = window.formerLanguage;
const texts = window.formerTexts; // see language.js: scripts are imported once it is there
export const locale = { whole: new Intl.NumberFormat(language), plural: new Intl.PluralRules(language) };

/** Returns [parts, end]: parts are texts, placeholders {name, kind, arms}, and null for the number of the enclosing
 *  plural.
 *  @returns {[Part[], number]} */
const parse = (/** @type {string} */ pattern, at = 0, plural = false) => {
  /** @type {Part[]} */
  const parts = [];
  while (at < pattern.length && pattern[at] !== "}") {
    if (pattern[at] === "{") {
      let placeholder;
      [placeholder, at] = placeholderAt(pattern, at);
      parts.push(placeholder);
    } else if (plural && pattern[at] === "#") {
      parts.push(null);
      at++;
    } else {
      const stop = pattern.slice(at + 1).search(plural ? /[{}#]/ : /[{}]/);
      const end = stop < 0 ? pattern.length : at + 1 + stop;
      parts.push(pattern.slice(at, end));
      at = end;
    }
  }
  return [parts, at];
};

/** @type {(expression: RegExp, text: string, at: number) => any} */
const match = (expression, text, at) => {
  expression.lastIndex = at;
  return expression.exec(text);
};

/** @type {(pattern: string, at: number) => [Place, number]} */
const placeholderAt = (pattern, at) => {
  const [head, name, kind] = match(PLACE, pattern, at);
  /** @type {Place["arms"]} */
  const arms = {};
  at += head.length;
  for (let arm = match(ARM, pattern, at); arm; arm = match(ARM, pattern, at)) {
    [arms[arm[1]], at] = parse(pattern, at + arm[0].length, kind === "plural");
    at++;
  }
  return [{ name, kind, arms }, at + 1];
};

/** @type {(parts: Part[], values: Values, count: number) => string} */
const fill = (parts, values, count) =>
  parts
    .map((part) => {
      if (typeof part === "string") return part;
      if (part === null) return locale.whole.format(count);
      const value = values[part.name];
      if (part.kind === "number") return locale.whole.format(value);
      if (Array.isArray(value)) return asList(value);
      if (!part.kind) return value?.key ? inWords(value) : isolate(`${value ?? `{${part.name}}`}`);
      const arm = part.kind === "plural" ? locale.plural.select(value) : value;
      return fill(part.arms[arm] ?? part.arms.other, values, value);
    })
    .join("");

/** Returns a message of viz/text filled with its values.
 *  @type {(key: string, values?: Values) => string} */
export const say = (key, values = {}) => {
  const pattern = texts[key] ?? key;
  if (!known.has(pattern)) known.set(pattern, parse(pattern)[0]);
  return fill(known.get(pattern), values, 0);
};

/** A word that a model reads or writes, in quotes, in its own direction.
 *  @type {(label: any) => string} */
export const inQuotes = (label) => `“${isolate(`${label}`)}”`;

/** ["a", "b", "c"] → "a, b, c"; with `and`, "a, b and c".
 *  @type {(items: any[], and?: boolean) => string} */
export const asList = (items, and = false) => {
  if (!and) return items.join(say("list_between"));
  return items.length < 2 ? items.join("") : say("list_and", { first: asList(items.slice(0, -1)), last: items.at(-1) });
};

/** Joins sentences; leaves out empty and missing ones.
 *  @type {(sentences: any[]) => string} */
export const asText = (sentences) => sentences.filter(Boolean).join(say("list_sentences"));

/** The message of a note from Python, {key, values}.
 *  @type {(note: Note) => string} */
export const inWords = ({ key, values }) => say(key, values);

/** The name of a class on a classifier's card, in the page's language.
 *  @type {(name: string) => string} */
export const classInWords = (name) => texts[`class_is_${name}`] ?? name;

/** The message of a refusal, from the body of its response.
 *  @type {(body: any) => string} */
export const refusal = (body) => (body?.error?.key ? inWords(body.error) : say("offline"));
