// The settings of tab Generate: the model and the prompt, the sampling rules, and the view.

import { makeSettings } from "../../../browser/lib/settings.js";
import { site } from "../../../browser/lib/site.js";

const number = (initial, min, max, step) => ({ initial, min, max, step });

/** @type {import("../../../browser/lib/settings.js").Fields} */
export const writingFields = {
  model: { initial: "", choices: [] },
  text: { initial: "", longest: Infinity }, // the server limits the length
  penalty: number(1, 1, 2, 0.05), // 1: none
  temperature: number(0.8, 0, 2, 0.05),
  top_k: number(0, 0, 100, 1), // 0: all
  top_p: number(1, 0.05, 1, 0.05), // 1: all
  min_p: number(0, 0, 0.5, 0.01), // 0: all
  seed: number(1, 0, site.limits.seed, 1),
  length: number(200, 1, site.limits.length, 1),
  beams: number(4, 2, site.limits.beams, 1),
  pace: number(12, 1, site.limits.pace, 1),
  layer: number(0, 0, 0, 1),
  head: number(0, 0, 0, 1),
  of: { initial: "mean", choices: ["mean", "head"] },
  scale: { initial: "row", choices: ["row", "root", "linear"] },
  units: { initial: "token", choices: ["token", "byte"] },
  game: number(0, 0, 99999, 1), // its number, 0 for none; see lib/game.js
  round: number(0, 0, 2 * site.limits.game_rounds, 1),
  game_text: { initial: site.limits.game_texts[0], longest: site.limits.game_most },
  second: { initial: "", choices: [""], valid: (name) => name !== writingSettings.values.model }, // see lib/second.js
};

/** The settings by which a next token is drawn. */
export const SAMPLING = ["penalty", "temperature", "top_k", "top_p", "min_p", "seed"];

export const writingSettings = makeSettings(writingFields);

/** The current sampling rules as one text, to compare. */
export const samplingRules = () => SAMPLING.map((name) => writingSettings.values[name]).join();

/** Limits layer and head to those of a model, {layers, heads}: one that it lacks becomes its last layer, or its first
 *  head. Returns the changed names. */
export const fitModel = ({ layers, heads }) => {
  Object.assign(writingFields.layer, { max: layers - 1, initial: layers - 1 });
  writingFields.head.max = heads - 1;
  const reset = ["layer", "head", "second"].filter(
    (name) => !writingSettings.allowed(name, writingSettings.values[name]),
  );
  for (const name of reset) writingSettings.values[name] = writingFields[name].initial;
  return reset;
};
