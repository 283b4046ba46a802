"""Finds a folder's architecture: by its config.json, else by its tensors, its fields and its tokenizer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torch import Tensor

from former.checks import is_index, require_choice
from former.pretrained.architecture import Architecture, class_names, unwrapped
from former.pretrained.tokenizer import holds_pieces

_THEIRS = re.compile(r"\w+(Model|For[A-Z]\w*)")
"""A name as `transformers` gives it to its classes: of an architecture, then of a head. A class with another name, such
as SentenceTransformer, holds a model, whose tensors decide whether it is read."""


def find(
    architectures: Mapping[str, Architecture], values: dict[str, Any], weights: Mapping[str, Tensor], folder: Path
) -> Architecture:
    """Finds a folder's architecture: by its model_type, else by its class names, else by its tensors.

    Args:
        architectures: by model_type.
        values: the fields of config.json.
        weights: by their names in the files.
        folder: with the tokenizer.
    Raises:
        ValueError: the architecture is unknown or not certain, or `architectures` names a class of another one.
    """
    model_type, names = values.get("model_type"), class_names(values)
    if model_type is not None:
        require_choice("model_type", model_type, architectures)
        found = architectures[model_type]
    elif named := [each for each in architectures.values() if any(map(each.is_class, names))]:
        found = named[0]
    else:
        found = _owner(architectures, values, weights, folder)
    if others := [name for name in names if _THEIRS.fullmatch(name) and not found.is_class(name)]:
        raise ValueError(
            f"architectures must name classes of {found.classes}, got {others[0]!r}, which may compute something else; "
            f'put "{found.classes}Model" there if it has the same body'
        )
    return found


def _owner(
    architectures: Mapping[str, Architecture], values: dict[str, Any], weights: Mapping[str, Tensor], folder: Path
) -> Architecture:
    """Finds the one architecture whose tensors these are.

    Raises:
        ValueError: there is none, or there may be several.
    """
    owners = {}
    for model_type, each in architectures.items():
        named = {each.name(unwrapped(theirs)): tensor for theirs, tensor in weights.items()}
        if each.sign in named:
            owners[model_type] = each.fits(values, named, folder)
    fitting = [model_type for model_type, fits in owners.items() if fits or len(owners) == 1]
    if len(fitting) != 1:
        choices = ", ".join(map(repr, owners or architectures))
        raise ValueError(
            'model_type is missing, and nothing else identifies the architecture; put "model_type" into config.json, '
            f"one of {choices}"
        )
    return architectures[fitting[0]]


def is_roberta(values: Mapping[str, Any], weights: Mapping[str | None, Tensor], folder: Path) -> bool | None:
    """Returns whether the tensors of a BERT without a prefix are those of a RoBERTa; None if that is not certain.

    RoBERTa numbers its positions from the one after its padding token, so it has so many more of them, and the vector
    of its padding is never trained.
    """
    if heads := [name for name in weights if name and name.startswith(("lm_head.", "cls."))]:
        return heads[0].startswith("lm_head.")
    positions, segments = (weights.get(f"embeddings.{name}_embeddings.weight") for name in ("position", "token_type"))
    if positions is None or segments is None:
        return None
    beyond = len(positions) % 8  # of a context of 512 or the like
    pad = values.get("pad_token_id", 1 if beyond == 2 else 0)
    if is_index(pad, len(positions)) and not positions[pad].any():
        return True
    pieces = holds_pieces(folder)
    if (pad, beyond) == (1, 2):
        return True if len(segments) == 1 or not pieces else None
    return False if pad in (0, None) and beyond != 1 and len(segments) > 1 and pieces else None
