"""What the model would say at each depth of a pass: the logit lens, as plain values for the browser.

Sizes: t tokens.
"""

from __future__ import annotations

from typing import Any

from former import analysis
from viz.passes.habits import rounded
from viz.passes.loaded import Loaded
from viz.passes.run import Pass, as_refusals

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
    names, columns = made.header["output"].get("classes"), made.run.kind.places(made.run.reading)
    cells = (loaded.bundle.config.depth + 1) * (1 if names else made.header["tokens"])
    with as_refusals():
        values, ids = analysis.lens(made.run, max(1, min(TOP, NAMED // cells)))
    named = ids.unique().tolist()
    labels = names or {i: loaded.bundle.tokenizer.labels([i])[0] for i in named}
    return {
        "ids": ids.tolist(),
        "probs": rounded(values.exp()),
        "labels": {str(i): labels[i] for i in named},
        "columns": columns,
    }
