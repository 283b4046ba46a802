// Numbers written for people, in the page's language.

import { locale, say } from "./messages.js";

/** A fraction in percent: 0.834 → "83 %", 0.0123 → "1.2 %".
 *  @type {(part: number) => string} */
export const asShare = (part) => {
  const percent = 100 * Math.abs(part);
  if (part > 0 && percent < 0.05) return say("number_below", { value: say("number_share", { value: 0.1 }) });
  const value = percent < 9.95 ? percent.toFixed(1).replace(/\.0$/, "") : `${Math.round(percent)}`;
  return say("number_share", { value: part < 0 && value !== "0" ? `−${value}` : value });
};

/** A number with four significant digits; small ones as 1.2 × 10⁻⁵.
 *  @type {(value: number, digits?: number) => string} */
export const asNumber = (value, digits = 4) => {
  if (Math.abs(value) >= 10 ** digits - 0.5) return asWhole(Math.round(value)).replace("-", "−");
  if (value === 0 || Math.abs(value) >= 0.001) return value.toPrecision(digits).replace("-", "−");
  const [mantissa, exponent] = value.toExponential(1).split("e-");
  const power = [...exponent].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)]).join("");
  return say("number_power", { value: mantissa.replace("-", "−"), power: `⁻${power}` });
};

/** Two fractions in percent; as numbers where the same percentage hides that they differ.
 *  @type {(one: number, other: number) => [string, string]} */
export const asShares = (one, other) => {
  const write = one !== other && asShare(one) === asShare(other) ? asNumber : asShare;
  return [write(one), write(other)];
};

/** A number with a fixed number of digits after the point.
 *  @type {(value: number, digits: number) => string} */
export const asFixed = (value, digits) => value.toFixed(digits).replace("-", "−");

/** Like `asFixed`, with a sign for positive numbers too.
 *  @type {(value: number, digits: number) => string} */
export const asSigned = (value, digits) => (value < 0 ? "" : "+") + asFixed(value, digits);

/** A whole number with separated thousands.
 *  @type {(value: number | bigint) => string} */
export const asWhole = (value) => locale.whole.format(value);

/** A count of bytes in its unit, {value, unit}: 0 for bytes, 1 for kB, 2 for MB, ...
 *  @type {(count: number) => { value: number, unit: number }} */
export const inUnit = (count) => {
  const unit = Math.max(0, Math.floor(Math.log10(count) / 3 + 1e-9));
  return { value: count / 1000 ** unit, unit };
};
