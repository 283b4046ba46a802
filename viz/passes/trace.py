"""Traces one number of a head back to the file of weights: `former.analysis.trace`, in plain values with files."""

from __future__ import annotations

import json
from dataclasses import astuple, dataclass
from typing import Any

import torch
from torch import Tensor

from former import analysis
from former.analysis.trace import PARTS, check_trace
from former.checkpoints import INDEX
from viz.passes.edits import is_index
from viz.passes.loaded import Loaded
from viz.passes.run import Pass, answers, as_refusals
from viz.passes.snapshots import split


@dataclass(frozen=True)
class Place:
    """A weight of a head, and a number of its q, k or v: as in `former.analysis.trace`."""

    name: str  # of the head's map
    layer: int
    head: int
    query: int
    seen: int  # the key
    part: str = "q"
    at: int = 0


def trace(loaded: Loaded, pass_: Pass, place: Place) -> dict[str, Any]:
    """Traces one weight of a head, and one number of its q or k.

    Args:
        loaded: the model.
        pass_: the pass.
        place: the weight and the number.
    Returns:
        The result of that as plain values, with the "file" of each "tensor".
    Raises:
        LookupError: an index out of range.
        NothingToShow: the model computes its scores in another way, or the mask hides the pair.
    """
    name, layer, head, query, key, part, at = astuple(place)
    each = pass_.map(name)
    sizes = (*each.weights.shape, loaded.bundle.config.emb if part == "adds" else each.q.shape[-1])
    if part not in PARTS or not all(map(is_index, (layer, head, query, key, at), sizes)):
        raise LookupError(name)
    with as_refusals():
        return plain(loaded, analysis.trace(pass_.run, layer, head, query, key, part, at, name=name))


def follows(loaded: Loaded) -> bool:
    """Returns whether `trace` supports a model."""
    return answers(check_trace, loaded.bundle.model)


def place_of(loaded: Loaded, tensor: str) -> dict[str, str | None]:
    """Returns the name of the file with one of a model's tensors, from card or index, and the tensor's name in it."""
    files = [name for name in loaded.bundle.card.get("files", {}) if name.endswith(".safetensors")]
    if len(files) > 1 and loaded.folder:
        files = [json.loads((loaded.folder / INDEX).read_text("utf-8"))["weight_map"][tensor]]
    model, step = split(loaded.name)
    end = step is not None and loaded.folder is not None and not loaded.folder.name.startswith("step-")
    return {"file": f"{model if end else loaded.name}/{' + '.join(files)}" if files else None, "tensor": tensor}


def plain(loaded: Loaded, values: Any) -> Any:
    """Converts tensors to numbers, precise enough to add hundreds of them, and adds the file of each named one."""
    if isinstance(values, Tensor):
        if not values.is_floating_point():
            return values.tolist()
        return torch.round(values.detach().double(), decimals=7).tolist()
    if isinstance(values, list):
        return [plain(loaded, value) for value in values]
    if isinstance(values, dict):
        place = {}
        if "tensor" in values:
            place = place_of(loaded, values["tensor"]) if values["tensor"] else {"file": None}
        return {**{name: plain(loaded, value) for name, value in values.items()}, **place}
    return values
