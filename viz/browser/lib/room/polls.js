// The questions that a room may vote on. Each tab adds its own.

import { page } from "../page.js";

/** @typedef {{ title: string, question: string, choices: string[], open: () => void,
 *              judge?: (choice: number) => { right: boolean | null } }} Described a question */
/** @typedef {{ asks: () => string | null, prepare?: (name: string) => any,
 *              describe: (name: string) => Described | null }} Questions of a tab */

/** tab → {asks, prepare, describe}: asks() names its question that is on the screen, or null; describe(name) returns
 *  {title, question, choices, open()} of one of its questions, or null, with the words that prepare(name), where there
 *  is one, has loaded. Where the pages that vote do not know what is right, there is also judge(choice): {right}, null
 *  if it is open.
 *  @type {{ [tab: string]: Questions | undefined }} */
const of = {};
const tabs = () => Object.values(of).filter((tab) => tab !== undefined);

const asks = () => of[page.tab]?.asks() ?? null;

/** @type {(name: string) => Described | null} */
const describe = (name) =>
  tabs()
    .map((tab) => tab.describe(name))
    .find((described) => described) ?? null;

/** Loads the words of questions. */
const prepare = (/** @type {string[]} */ names) =>
  Promise.all([...new Set(names)].flatMap((name) => tabs().map((tab) => tab.prepare?.(name))));

export const polls = { of, asks, describe, prepare };
