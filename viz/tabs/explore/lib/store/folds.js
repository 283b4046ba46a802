// The folds: panels that are one line until it is opened. The view has the open ones, in a link as
// `open=follow.corpus`.

import { site } from "../../../../browser/lib/site.js";
import { snapshotOf } from "../pass.js";

const { folds } = site.limits; // name → its panels, in the order of the page
const names = Object.keys(folds);
const NONE = "none"; // in a link in which all were closed, unlike one of the time before there were folds

/** Whether a fold is open in a value of the field. */
export const isOpen = (open, name) => open.split(".").includes(name);

/** The field's value with a fold opened or closed. */
export const withFold = (open, name, on) =>
  names.filter((each) => (each === name ? on : isOpen(open, each))).join(".") || NONE;

/** The field's value with all folds open. */
export const ALL = names.join(".");

/** Whether a text is a value of the field. */
export const isListOfFolds = (text) =>
  ["", NONE].includes(text) || text.split(".").every((name) => names.includes(name));

/** The folds that a link (URLSearchParams) is about: that of its panel; in a link without the field also that of its
 *  measures, of its arcs, or of its step of training. */
export const foldsOf = (params) => {
  const panel = params.get("panel") ?? params.get("embed");
  const old = !params.has("open");
  const has = (...fields) => old && fields.some((field) => params.has(field));
  const about = {
    corpus: has("scan_x", "scan_y"),
    reads: has("reads", "reads_count", "reads_arc"),
    forming: old && snapshotOf(params.get("model") ?? "")[1] !== null,
  };
  return names.filter((name) => folds[name].includes(panel) || about[name]);
};
