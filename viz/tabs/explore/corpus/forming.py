"""The panel "forming": how a model and its heads develop over the snapshots of its training."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

import former
from viz import figures
from viz.panels import Draw, Field, Numbers, Question
from viz.passes.loaded import Loaded, Models
from viz.passes.snapshots import split, steps
from viz.server.view import View, read_model
from viz.text import NothingToShow

FILE = "curve.json"
COPIES = 0.3  # minimum score of a copying head


def courses(models: Models) -> dict[str, list[int]]:
    """Returns {model: the steps of its snapshots}, for each model that has snapshots."""
    return {name: course for name, loaded in models.items() if (course := steps(loaded))}


def is_measured(loaded: Loaded) -> bool:
    """Returns whether a model's folder has measurements of its snapshots, at just their steps."""
    try:
        record = json.loads((Path(loaded.folder or "") / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return record.get("steps") == steps(loaded) and "heads" in record


def moment(scores: Tensor) -> dict[str, int] | None:
    """Finds when the best copying head began to copy: the first snapshot with half of its final score.

    Args:
        scores: (n, layers, h), at each snapshot.
    Returns:
        {"layer", "head", "at": index of the snapshot}; None if no head learned to copy.
    """
    layer, head = divmod(int(scores[-1].argmax()), scores.shape[2])
    own = scores[:, layer, head]
    at = int((own >= own[-1] / 2).int().argmax())
    return {"layer": layer, "head": head, "at": at} if own[-1] >= COPIES and at > 0 else None


def read_model_course(models: Models, view: View) -> dict[str, Any]:
    """Reads from a view the arguments of `read_course`: of a model itself, or of one of its snapshots.

    Raises:
        Refusal: an unknown model, or one whose snapshots were not measured.
    """
    read_model(models, view)
    own, step = split(view["model"])
    loaded = models[own]
    if loaded.revisions:
        raise NothingToShow("forming_revisions")
    if not is_measured(loaded):
        file = shlex.quote(str(Path(loaded.folder or "") / FILE))
        raise NothingToShow(
            "forming_none", command=f"python -m former.training curve {shlex.quote(loaded.source)} {file}"
        )
    return {"bundle": loaded, "step": step}


def read_course(bundle: former.Bundle, step: int | None = None) -> Numbers:
    """Returns the measurements of a model and its heads at each snapshot of its training.

    Args:
        bundle: a model with the result of `python -m former.training curve` in its folder.
        step: the snapshot to mark; None for the last.
    Returns:
        "steps" (n,); "scores" (n, layers, h): copying scores; "text" and "copied" (n,): bits per byte; "moment", see
        `moment`; "command", "date", "machine", "bytes": how it was measured; "worth": both kinds of bits at the
        marked step; and for the figure "curves", "measures" and "at".
    """
    record = json.loads((Path(bundle.folder or "") / FILE).read_text(encoding="utf-8"))
    scores, kept = torch.tensor(record["heads"]["induction"], dtype=torch.double), record["steps"]
    layers, count = scores.shape[1:]
    losses = {"text": record["bits_per_byte"], "copied": record["copied_bits"]}
    heads = {f"layer {i}, head {j}": (kept, scores[:, i, j]) for i in range(layers) for j in range(count)}
    at = kept[-1] if step is None else step
    return {
        **{"steps": kept, "scores": scores, **losses, "moment": moment(scores)},
        **{name: record[name] for name in ("command", "date", "machine", "bytes")},
        "curves": {name: (kept, values) for name, values in losses.items()},
        **{"measures": heads, "at": at, "worth": [values[kept.index(at)] for values in losses.values()]},
    }


COURSE = Draw(figures.training, Field("curves"), measures=Field("measures"), unit="copying score", at=Field("at"))
QUESTIONS = {
    "course": Question(
        read_course, read_model_course, COURSE, charted=True, prints=("worth",), unsent=("curves", "measures", "at")
    ),
}
