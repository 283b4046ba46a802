// Numbers as a person reads them, in the forms of the page's language. Adds former.share,
// former.number, former.fixed, former.signed, former.whole and former.list.
(() => {
  const former = window.former;

  /** Part of a whole: 0.834 → "83 %", 0.0123 → "1.2 %". */
  former.share = (part) => {
    const percent = 100 * part;
    if (percent > 0 && percent < 0.05) return former.say("number_below", { value: former.say("number_share", { value: 0.1 }) });
    return former.say("number_share", { value: percent < 9.95 ? percent.toFixed(1).replace(/\.0$/, "") : Math.round(percent) });
  };

  /** A number with four digits that count; small ones as 1.2 × 10⁻⁵. */
  former.number = (value, digits = 4) => {
    if (Math.abs(value) >= 10 ** digits - 0.5) return former.whole(Math.round(value)).replace("-", "−");
    if (value === 0 || Math.abs(value) >= 0.001) return value.toPrecision(digits).replace("-", "−");
    const [mantissa, exponent] = value.toExponential(1).split("e-");
    const power = [...exponent].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]).join("");
    return former.say("number_power", { value: mantissa.replace("-", "−"), power: `⁻${power}` });
  };

  /** So many digits after the point. */
  former.fixed = (value, digits) => value.toFixed(digits).replace("-", "−");

  /** As `fixed`, with a sign before what is above zero too. */
  former.signed = (value, digits) => (value < 0 ? "" : "+") + former.fixed(value, digits);

  /** A whole number, its thousands set apart. */
  former.whole = (value) => former.locale.whole.format(value);

  /** ["a", "b", "c"] → "a, b, c"; with `and`, "a, b and c". */
  former.list = (items, and = false) => {
    if (!and) return items.join(former.say("list_between"));
    return items.length < 2 ? items.join("") : former.say("list_and", { first: former.list(items.slice(0, -1)), last: items.at(-1) });
  };
})();
