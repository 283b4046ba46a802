// The view of tab Generate, in the form that its panels' programs need.

import { viewOf } from "../../../browser/lib/python.js";

/** Says what is in view of `writing` (lib/writing.js) and the second model; of each branch: which it leaves, after how
 *  many tokens, and its own. */
export const addView = (writing, second) => {
  viewOf.generate = () => {
    const { branches, searched, settings, cursor } = writing;
    if (!branches.root.state) return null;
    const { layer, head, of, second: other, beams } = settings;
    const own = (from, i) =>
      branches
        .path(branches.end(i))
        .slice(from?.depth ?? 0)
        .map(({ token }) => token);
    const ways = branches.list.map(({ from, parent }, i) => [parent ?? 0, from?.depth ?? 0, own(from, i)]);
    return {
      ...writing.order(0, []),
      ...{ layer, head, of, beams, searched },
      rounds: cursor.state?.rounds,
      second: other,
      second_written: second.tokens,
      branches: ways,
      ...writing.played?.(),
    };
  };
};
