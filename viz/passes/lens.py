"""The logit lens: the model's prediction at each depth of a run.

Sizes: t tokens.
"""

from __future__ import annotations

from typing import Any

from former import analysis
from former.runs import Run
from viz.passes.said import class_names

TOP = 10  # tokens per cell
NAMED = 50_000  # maximum number in all cells together; a long text in a deep model has fewer per cell


def read_depths(run: Run, top: int = TOP) -> dict[str, Any]:
    """Reads the likeliest next tokens off the residual stream before the first block and after each, under the edits.

    Args:
        run: a run of a model with an output head.
        top: maximum number of tokens per cell; a long text gets fewer.
    Returns:
        "ids", "probs" and "names" [depth + 1][n][up to `top`], the likeliest first; "columns": labels of the n tokens
        or, of a BERT, the n hidden pieces; "labels": the names by id. For a classifier n is 1, because the verdict is
        on the whole text, and the ids are classes.
    """
    cells = (run.model.config.depth + 1) * (1 if run.kind.says == "class" else len(run.ids))
    log_probs, ids = analysis.lens(run, max(1, min(top, NAMED // cells)))
    places, label = run.kind.places(run.reading), run.source.tokenizer.labels
    if run.kind.says == "class":
        labels, columns = dict(enumerate(class_names(run.source))), ["verdict"]
    else:
        labels = {i: label([i])[0] for i in ids.unique().tolist()}
        written = run.kind.written(run.model, run.inputs)[0].tolist() if places is None else []
        columns = label(written) if places is None else [f"{run.tokens[i]} {i}" for i in places]
    names = [[[labels[i] for i in cell] for cell in row] for row in ids.tolist()]
    by_id = {str(i): name for i, name in labels.items()}
    return {"ids": ids, "probs": log_probs.exp(), "names": names, "columns": columns, "labels": by_id}
