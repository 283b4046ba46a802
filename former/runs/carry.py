"""Copies activations of one run into another (`Run.patched_into`): the edit that does it, and checks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from torch import Tensor

from former.checks import is_index, require_choice
from former.edits import Edit
from former.hooks import STACKS, points_of


def check_model(one: Any, other: Any) -> None:
    """Raises ValueError unless two `Run`s are of one model."""
    if one.model is not other.model:
        raise ValueError("both runs must be of one model, got runs of two")


def check_alike(one: Any, other: Any) -> None:
    """Raises ValueError unless two `Run`s are of one model, on texts with equally many tokens."""
    check_model(one, other)
    for name, side in one.reading.sides.items():
        others = other.reading.sides[name]
        for here, there in ((side.queries, others.queries), (side.keys, others.keys)):
            if len(here) != len(there):
                raise ValueError(f"both texts must have equally many tokens, got {len(here)} and {len(there)}")


def point_in(point: str, stack: str, model: Any) -> str:
    """Returns the name of a point in a stack of a model.

    Raises:
        ValueError: a point or a stack that the model does not have.
    """
    name = f"{stack}.{point}" if stack else point
    known = list(points_of(model))
    if name not in known:
        if stacks := [each for each in STACKS if f"{each}.{point}" in known]:
            require_choice("stack", stack, stacks)
        if point in known:
            raise ValueError(f"stack must be '' for this {type(model).__name__}, which has only one, got {stack!r}")
        require_choice("point", name, known)
    return name


def carry(taken: Tensor, layer: int, name: str, head: int | None, tokens: Iterable[int] | None) -> Edit:
    """Returns the edit that replaces a part of a tensor in the corrupted run by the same part of `taken`.

    Args:
        taken: the clean run's tensor, (1, h, t, ...) or (1, t, e).
        layer, name: the layer and the point at which `taken` was captured.
        head: the head to copy; None for all.
        tokens: the positions to copy; None for all.
    Raises:
        ValueError: a head or a position that the tensor does not have.
    """
    if head is not None and (taken.dim() != 4 or not is_index(head, taken.shape[1])):
        raise ValueError(f"head must be None or a head of {name!r}, which is {tuple(taken.shape)}, got {head!r}")
    rows = slice(None) if tokens is None else _positions(tokens, taken.shape[-2])
    every = slice(None)
    slices = (every, rows) if taken.dim() == 3 else (every, every if head is None else head, rows)

    def put(current: Tensor) -> Tensor:
        changed = current.clone()
        changed[slices] = taken[slices].to(current)
        return changed

    return Edit(layer, name, put, lambda shape: shape[-2:] == taken.shape[-2:])


def _positions(tokens: Iterable[int], count: int) -> list[int]:
    """Returns the positions as a list; raises ValueError unless they are in [0, count)."""
    given = tokens.tolist() if isinstance(tokens, Tensor) else tokens
    rows = list(given) if isinstance(given, Iterable) else None
    if rows is None or not all(is_index(row, count) for row in rows):
        raise ValueError(f"tokens must be None or positions in [0, {count}), got {tokens!r}")
    return rows
