// Whether a panel applies to the model on the screen. One that does not is hidden and asks the server nothing.

import { snapshotOf } from "../pass.js";
import { state } from "./state.js";

const predicts = ({ classes, next, blanks }) => Boolean(classes ?? next ?? blanks);

/** Panel → whether it applies to a pass with this header; of the other panels, the server lists the models. */
const PANELS = {
  statistics: ({ maps }) => maps.some(({ statistics }) => statistics), // cross-attention has none
  forming: ({ model }) => Boolean(state.steps[snapshotOf(model)[0]]?.length),
  carry: ({ output }) => predicts(output),
  lens: ({ output }) => predicts(output),
  writes: ({ output, writes }) => writes.length > 0 && !output.classes,
};

/** Whether a panel applies to the current pass, or to the model of the first one, before it is here. */
export const applies = (name) => {
  const model = state.pass ? state.header.model : (state.asked.model ?? "");
  const models = state.only[name];
  if (models) return models.includes(name === "scan" ? model : snapshotOf(model)[0]);
  return !state.pass || (PANELS[name]?.(state.header) ?? true);
};

/** Whether the model of the current pass predicts anything, which a head could matter for. */
export const isMeasurable = () => predicts(state.header.output);

/** The panels that do not. */
export const absent = () => [...Object.keys(PANELS), ...Object.keys(state.only)].filter((name) => !applies(name));
