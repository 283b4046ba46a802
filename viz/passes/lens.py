"""What the model would say at each depth of a pass: the logit lens, as plain values for the browser.

Sizes: t tokens.
"""

from __future__ import annotations

from typing import Any

import former
from viz.passes.again import again
from viz.passes.blanks import check_head
from viz.passes.habits import rounded
from viz.passes.loaded import Loaded
from viz.passes.run import Pass

TOP = 10  # tokens to name in a cell
NAMED = 50_000  # in all cells together: of a long text in a deep model, each names fewer


def lens(loaded: Loaded, made: Pass) -> dict[str, Any]:
    """The likeliest next tokens, read off the residual stream before the first block and after each, under the edits.

    Returns:
        {"ids" and "probs": [depth + 1][t][up to `TOP`], the likeliest first; "labels": {id: label}}. Of a classifier,
        whose verdict is on the whole text, there is one column, and the ids are its classes; of a Bert there is one for
        each hidden piece, "columns" says which tokens they are.
    Raises:
        NothingToShow: a model without a head.
    """
    check_head(loaded)
    inputs, observers = again(loaded, made)
    cells = (loaded.bundle.config.depth + 1) * (1 if loaded.judges else made.header["tokens"])
    names = made.header["output"].get("classes")
    top = max(1, min(TOP, NAMED // cells, len(names) if names else loaded.bundle.config.num_tokens))
    values, ids = former.logit_lens(loaded.bundle.model, inputs, top, edits=observers, log_probs=True)
    columns = None
    if loaded.fills:
        columns = [blank["token"] for blank in made.header["output"]["blanks"]]
        values, ids = values[:, :, columns], ids[:, :, columns]
    shape = (len(values), -1 if values.numel() else 0, top)
    named = ids.unique().tolist()
    labels = names or {i: loaded.bundle.tokenizer.labels([i])[0] for i in named}
    return {
        "ids": ids.view(shape).tolist(),
        "probs": rounded(values.view(shape).exp()),
        "labels": {str(i): labels[i] for i in named},
        "columns": columns,
    }
