"""The logit lens: the model's prediction at each depth of a pass, also as plain values for the browser.

Sizes: t tokens.
"""

from __future__ import annotations

from typing import Any

from former import analysis
from former.runs import Run
from viz.passes.habits import rounded
from viz.passes.loaded import Loaded
from viz.passes.run import Pass, as_refusals
from viz.passes.said import class_names

TOP = 10  # tokens per cell
NAMED = 50_000  # maximum number in all cells together; a long text in a deep model has fewer per cell


def read_depths(run: Run, top: int = TOP) -> dict[str, Any]:
    """Reads the likeliest next tokens off the residual stream before the first block and after each, under the edits.

    Args:
        run: a run of a model with an output head.
        top: maximum number of tokens per cell.
    Returns:
        "ids", "probs" and "names" [depth + 1][n][up to `top`], the likeliest first; "columns": labels of the n tokens,
        or of the hidden pieces; of a classifier, whose verdict is on the whole text, n is 1, and the ids are classes.
    """
    log_probs, ids = analysis.lens(run, top)
    places, label = run.kind.places(run.reading), run.source.tokenizer.labels
    if run.kind.says == "class":
        labels, columns = dict(enumerate(class_names(run.source))), ["verdict"]
    else:
        labels = {i: label([i])[0] for i in ids.unique().tolist()}
        written = run.kind.written(run.model, run.inputs)[0].tolist() if places is None else []
        columns = label(written) if places is None else [f"{run.tokens[i]} {i}" for i in places]
    names = [[[labels[i] for i in cell] for cell in row] for row in ids.tolist()]
    return {"ids": ids, "probs": log_probs.exp(), "names": names, "columns": columns}


def depths(run: Run, top: int = TOP) -> dict[str, Any]:
    """Returns the result of `read_depths`, with fewer tokens per cell if the text is long.

    Raises:
        NothingToShow: a model without a head.
    """
    cells = (run.model.config.depth + 1) * (1 if run.kind.says == "class" else len(run.ids))
    with as_refusals():
        return read_depths(run, max(1, min(top, NAMED // cells)))


def lens(_: Loaded, pass_: Pass) -> dict[str, Any]:
    """Returns the result of `read_depths` for a pass, for the browser.

    Returns:
        {"ids" and "probs" of that; "labels": {id: label}; "columns": indices of the columns' tokens, if not all}.
    Raises:
        NothingToShow: a model without a head.
    """
    run = pass_.run
    result = depths(run)
    named = dict(zip(result["ids"].flatten().tolist(), _flat(result["names"]), strict=True))
    return {
        "ids": result["ids"].tolist(),
        "probs": rounded(result["probs"]),
        "labels": {str(i): named[i] for i in sorted(named)},
        "columns": run.kind.places(run.reading),
    }


def _flat(names: list[list[list[str]]]) -> list[str]:
    return [name for row in names for cell in row for name in cell]
