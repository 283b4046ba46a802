// A tab's settings: named values with limits, and their form in a link.

import { say } from "./messages.js";

/** @typedef {{ initial: any, choices?: any[], min?: number, max?: number, step?: number, longest?: number,
 *              optional?: boolean, eager?: boolean, valid?: (value: any) => boolean }} Field */
/** @typedef {{ [name: string]: Field }} Fields */

/**
 * Values under `fields`: {name: field}, of which each is one of
 *   {initial, choices, valid}         one of a list; where valid(value) is given, one for which it holds
 *   {initial, longest, valid}         a text; where valid(text) is given, one for which it holds
 *   {initial, min, max, step}         a number; whole ones unless `step` is below 1
 * with `optional: true` where null is allowed. Limits may be changed later.
 *
 * Returns {values, initial, allowed, change, read, link}.
 *
 * @param {Fields} fields
 */
export const makeSettings = (fields) => {
  const initial = () => Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.initial]));
  const values = initial();

  /** @type {(name: string, value: any) => boolean} */
  const allowed = (name, value) => {
    const { choices, min = 0, max = 0, step = 1, longest, valid = () => true, optional } = fields[name];
    if (value === null) return Boolean(optional);
    if (choices) return choices.includes(value) && valid(value);
    if (longest) return typeof value === "string" && value.length <= longest && valid(value);
    return Number.isFinite(value) && value >= min && value <= max && (step < 1 || Number.isInteger(value));
  };

  /** Applies the allowed changes among {name: value}; returns the names of changed fields.
   *  @type {(partial: { [name: string]: any }) => string[]} */
  const change = (partial) => {
    const changed = Object.keys(partial).filter(
      (name) => Object.hasOwn(fields, name) && values[name] !== partial[name] && allowed(name, partial[name]),
    );
    for (const name of changed) values[name] = partial[name];
    return changed;
  };

  /** A value parsed from its form in a link; NaN if it is no number. */
  const spelt = (/** @type {Field} */ { choices, longest, step = 1 }, /** @type {string} */ given) => {
    if (choices || longest) return given;
    return (step < 1 ? /^-?\d{1,10}(\.\d{1,10})?$/ : /^-?\d{1,10}$/).test(given) ? Number(given) : NaN;
  };

  /** Parses a link (URLSearchParams): {values: of all fields, refused: a note for each invalid one}. Missing and
   *  invalid parameters get their initial value. */
  const read = (/** @type {URLSearchParams} */ params) => {
    /** @type {import("./messages.js").Note[]} */
    const refused = [];
    const asked = Object.entries(fields).map(([name, field]) => {
      const given = params.get(name);
      const value = given === null ? field.initial : spelt(field, given);
      if (given === null || allowed(name, value)) return [name, value];
      refused.push(badLink(name, given, field.initial));
      return [name, field.initial];
    });
    return { values: Object.fromEntries(asked), refused };
  };

  /** {name: value} for a link: the values that differ from the initial ones. */
  const link = () =>
    Object.fromEntries(Object.entries(values).filter(([name, value]) => value !== fields[name].initial));

  return { values, initial, allowed, change, read, link };
};

/** The note about an invalid parameter of a link.
 *  @type {(name: string, given: any, used?: any) => import("./messages.js").Note} */
export const badLink = (name, given, used) => ({
  key: "bad_link",
  values: { name, given: `${given}`.slice(0, 40), used: `${used ?? ""}` || say("none") },
});
