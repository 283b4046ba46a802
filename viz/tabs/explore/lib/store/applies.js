// Whether a panel applies to the model on the screen. One that does not is hidden and asks the server nothing.

import { snapshotOf } from "../pass.js";
import { state } from "./state.js";

const predicts = ({ classes, next, blanks }) => Boolean(classes ?? next ?? blanks);

/** Panel → whether it applies to a pass with this header; all other panels always do. */
const PANELS = {
  statistics: ({ maps }) => maps.some(({ statistics }) => statistics), // cross-attention has none
  forming: ({ model }) => Boolean(state.steps[snapshotOf(model)[0]]?.length),
  prediction: ({ output }) => !("blanks" in output), // hidden words have a panel of their own
  blanks: ({ output }) => Boolean(output.blanks || output.pairs), // a body without a head fills in nothing
  surprise: ({ output }) => "bits" in output,
  words: ({ output }) => "classes" in output,
  carry: ({ output }) => predicts(output),
  reads: ({ model }) => state.only.reads.includes(snapshotOf(model)[0]),
  trace: ({ model }) => state.only.trace.includes(snapshotOf(model)[0]),
  lens: ({ output }) => predicts(output),
  writes: ({ output, writes }) => writes.length > 0 && !output.classes,
  scan: ({ model }) => state.only.scan.includes(model),
};

/** Whether a panel applies to the current pass. */
export const applies = (name) => PANELS[name]?.(state.header) ?? true;

/** Whether the model of the current pass predicts anything, which a head could matter for. */
export const isMeasurable = () => predicts(state.header.output);

/** The panels that do not. */
export const absent = () => Object.keys(PANELS).filter((name) => !applies(name));
