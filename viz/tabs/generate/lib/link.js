// Tab Generate's part of a link: the model, the settings, the generated tokens.

import { badLink } from "../../../browser/lib/settings.js";
import { site } from "../../../browser/lib/site.js";
import { fitModel, writingSettings } from "./fields.js";

const LINKED = site.limits.linked; // most generated tokens in a link
const LIST = /^\d{1,6}(\.\d{1,6})*$/;
const idsOf = (list) => (LIST.test(list ?? "") ? list.split(".").map(Number) : []);
const idsInLink = (ids) => ids.slice(0, LINKED).join(".");

/** For lib/writing.js: {params, beyond, read}. */
export const linkOf = (writing, second) => {
  /** The values for the address bar; if it has no room for all tokens, their number. */
  const params = () => {
    if (!Object.keys(writing.models).length) return null;
    const all = writing.tokens();
    return {
      model: writing.settings.model,
      ...writingSettings.link(),
      written: idsInLink(all),
      written_count: all.length > LINKED ? all.length : "",
      second_written: idsInLink(second.tokens),
    };
  };

  /** The generated tokens that a link has no room for, see page.beyond. */
  const beyond = () => {
    const all = Math.max(writing.cursor.depth, second.tokens.length);
    const view = { written: writing.tokens().join("."), second_written: second.tokens.join(".") };
    return all > LINKED ? { view, note: { key: "write_link_short", values: { held: LINKED, all } } } : null;
  };

  /** Applies the settings of a link; returns {given: its generated tokens, other: those of the second model, refused:
   *  notes}. */
  const read = (asked) => {
    const model = asked.get("model");
    writing.settings.model = writingSettings.allowed("model", model) ? model : writing.fields.model.initial;
    fitModel(writing.models[writing.settings.model]); // before the layer is read
    const { values, refused } = writingSettings.read(asked);
    Object.assign(writing.settings, values);
    const written = asked.get("written") ?? "";
    const given = idsOf(written);
    if (written && !given.length) refused.push(badLink("written", written));
    const all = Number(asked.get("written_count") ?? 0);
    if (all > given.length) refused.push({ key: "write_link_was_short", values: { held: given.length, all } });
    return { given, other: idsOf(asked.get("second_written")), refused };
  };

  return { params, beyond, read };
};
