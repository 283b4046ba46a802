"""The files of a model's tensors, which a trace of a number (`former.analysis.trace`) leads back to."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from former.analysis.trace import check_trace
from former.checkpoints.files import INDEX
from viz.passes.loaded import Loaded, Models
from viz.passes.run import is_answerable
from viz.passes.snapshots import split


def follows(loaded: Loaded) -> bool:
    """Returns whether `former.analysis.trace` supports a model."""
    return is_answerable(check_trace, loaded.bundle.model)


def place_of(loaded: Loaded, tensor: str) -> dict[str, str | None]:
    """Returns the name of the file with one of a model's tensors, from card or index, and the tensor's name in it."""
    files = [name for name in loaded.bundle.card.get("files", {}) if name.endswith(".safetensors")]
    if len(files) > 1 and loaded.folder:
        files = [json.loads((loaded.folder / INDEX).read_text("utf-8"))["weight_map"][tensor]]
    model, step = split(loaded.name)
    end = step is not None and loaded.folder is not None and not loaded.folder.name.startswith("step-")
    return {"file": f"{model if end else loaded.name}/{' + '.join(files)}" if files else None, "tensor": tensor}


def name_files(models: Models, view: Mapping[str, Any], traced: Mapping[str, Any]) -> dict[str, Any]:
    """Returns {"files": {tensor: the name of its file}} for every tensor that a trace names, and the names of those
    "rounded" to 8 bits in the file, with a scale for each row (`former.rounding`)."""
    loaded, tensors = models[view["model"]], tensors_of(traced)
    state = loaded.bundle.model.state_dict() if loaded.bundle.card.get("dtype") == "int8" else {}
    return {
        "files": {tensor: place_of(loaded, tensor)["file"] for tensor in tensors},
        "rounded": sorted(tensor for tensor in tensors if tensor in state and state[tensor].dim() > 1),
    }


def tensors_of(traced: Mapping[str, Any]) -> set[str]:
    """Returns the names of all tensors of the model that occur in the steps of a trace."""
    own = {traced["tensor"]} if traced.get("tensor") else set()
    return own.union(*(tensors_of(each) for each in traced.values() if isinstance(each, Mapping)))
