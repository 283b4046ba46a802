"""Heads as they form: how a model and its heads were at each snapshot of its training, for the panel of that name.

POST /forming   {model}: its curve, as `python -m former.training curve` wrote it beside the card
"""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np

from viz import figures
from viz.figures.frame import themed
from viz.passes.loaded import Loaded, Models
from viz.passes.snapshots import split, steps
from viz.server.view import View, read_index, read_model
from viz.tabs.explore.scans import place
from viz.tabs.python import IMPORTS
from viz.text import Refusal, note

FILE = "curve.json"
COPIES = 0.3  # the least score of a head that is said to copy
SETTINGS = ("command", "date", "machine", "bytes")


def courses(models: Models) -> dict[str, list[int]]:
    """The steps of each model that has snapshots."""
    return {name: found for name, loaded in models.items() if (found := steps(loaded))}


def read(loaded: Loaded) -> dict[str, Any] | None:
    """What was measured of a model's snapshots; None where there is nothing, or it is of other steps."""
    try:
        record = json.loads((Path(loaded.folder or "") / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return record if record.get("steps") == steps(loaded) and "heads" in record else None


def moment(scores: np.ndarray) -> dict[str, int] | None:
    """When the head that copies most in the end began to: at the first snapshot with half of its last score.

    Args:
        scores: (n, layers, h) at each snapshot.
    Returns:
        {"layer", "head", "at": the place of the snapshot}; None where no head learned to copy.
    """
    layer, head = (int(i) for i in np.unravel_index(scores[-1].argmax(), scores[-1].shape))
    own = scores[:, layer, head]
    at = int((own >= own[-1] / 2).argmax())
    return {"layer": layer, "head": head, "at": at} if own[-1] >= COPIES and at > 0 else None


def forming(models: Models, view: View) -> dict[str, Any]:
    """A model's course.

    Args:
        models: by name.
        view: "model", itself or one of its snapshots.
    Returns:
        {"steps", "scores": [step][layer][head], "bits" and "copied" bits [step], "figures", "moment", and
        "command", "date", "machine", "bytes": how it was measured}; {"missing": a note} where nothing was.
    Raises:
        Refusal: no model of ours.
    """
    read_model(models, view)
    loaded = models[split(view["model"])[0]]
    record = read(loaded)
    if record is None:
        file = shlex.quote(str(Path(loaded.folder or "") / FILE))
        command = f"python -m former.training curve {shlex.quote(place(loaded))} {file}"
        return {"missing": note("forming_none", command=command)}
    scores = np.array(record["heads"]["induction"])
    at, losses = record["steps"], {"text": record["bits_per_byte"], "copied": record["copied_bits"]}
    curves = {name: (at, values) for name, values in losses.items()}
    own = {f"layer {i}, head {j}": (at, scores[:, i, j]) for i, j in np.ndindex(*scores.shape[1:])}
    return {
        "steps": at,
        "scores": scores.tolist(),
        **losses,
        "figures": themed(lambda theme: figures.training(curves, measures=own, at=at[0], theme=theme)),
        "moment": moment(scores),
        **{name: record[name] for name in SETTINGS},
    }


def python(models: Models, view: View) -> str:
    """The lines that give the panel's numbers again."""
    read_model(models, view)
    loaded = models[split(view["model"])[0]]
    if (record := read(loaded)) is None:
        raise Refusal("bad_request")
    layers, heads = np.shape(record["heads"]["induction"][0])
    layer, head = read_index(view, "layer", layers), read_index(view, "head", heads)
    step = split(view["model"])[1]
    lines = [
        "from former.training.measure.curve import snapshots",
        "from former.training.measure.heads import copied_bits, head_scores",
        "",
        f"bundles = snapshots({place(loaded)!r})",
        "steps = [bundle.card['step'] for bundle in bundles]",
        "# on letters that come twice: how much each head looks at what followed the same one, and what that is worth",
        "scores = torch.stack([head_scores(bundle.model)['induction'] for bundle in bundles])  # (n, layers, h)",
        "curves = {'copied': (steps, [copied_bits(bundle.model) for bundle in bundles])}",
        f"at = {record['steps'].index(step) if step in record['steps'] else len(record['steps']) - 1}",
        f"measures = {{'layer {layer}, head {head}': (steps, scores[:, {layer}, {head}])}}",
        "figure = figures.training(curves, measures=measures, unit='copying score', at=steps[at])",
    ]
    return IMPORTS + "\n".join(lines) + "\n"


ANSWERS = {"/forming": forming}
