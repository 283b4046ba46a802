"""Changes to one head during a forward pass, given to `run_with_capture(..., edits=[...])`.

An edit is an `Observer`: it lives for the calls it is given to and leaves the model as it was. In a model of several
stacks, such as an `EncoderDecoder`, `stack` says whose head is meant: one of `former.hooks.STACKS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from former.checks import require_choice
from former.hooks import STACKS, Hook, at_points, check_points


@dataclass(frozen=True)
class Edit:
    """Puts `change(tensor)` in the place of the tensor at one point of one layer.

    Raises:
        ValueError: a point that is not one of those in `former.hooks`.
    """

    layer: int
    point: str
    change: Callable[[Tensor], Tensor]
    fits: Callable[[torch.Size], bool] | None = None  # of an edit that names places: whether a map's shape has them

    def __post_init__(self) -> None:
        check_points([self.point])

    def at(self, layer: int) -> Hook | None:
        """The hook that makes the change; None in every other layer."""
        if layer != self.layer:
            return None
        return at_points([self.point], lambda _, tensor: self.change(tensor))

    def where_it_fits(self) -> Edit:
        """The edit, which changes nothing in a map that lacks the places it names, instead of refusing it."""
        fits = self.fits
        if fits is None:
            return self
        return replace(self, change=lambda tensor: self.change(tensor) if fits(tensor.shape[-2:]) else tensor)


def ablate_head(layer: int, head: int, *, stack: str = "") -> Edit:
    """Switches a head off: what it adds to the block is 0. Its weights can still be seen.

    Args:
        layer: from 0.
        head: from 0.
        stack: whose head it is, where the model has several stacks.
    Raises:
        ValueError: another stack; in the run, a stack, layer or head that the model does not have.
    """
    return scale_head(layer, head, 0.0, stack=stack)


def scale_head(layer: int, head: int, factor: float, *, stack: str = "") -> Edit:
    """Multiplies what a head adds to its block by `factor`; 1 changes nothing, 0 ablates.

    Args:
        layer: from 0.
        head: from 0.
        factor: any finite number.
        stack: whose head it is, where the model has several stacks.
    Raises:
        ValueError: a factor that is not finite, or another stack; in the run, a stack, layer or head that the model
            does not have.
    """
    if not abs(factor) < float("inf"):
        raise ValueError(f"factor must be a finite number, got {factor!r}")

    def scale(out: Tensor) -> Tensor:
        _check_head(head, out)
        factors = out.new_ones(out.shape[1], 1, 1)
        factors[head] = factor
        return out * factors

    return Edit(layer, _point("out", stack), scale)


def set_weights(layer: int, head: int, weights: Tensor, *, stack: str = "") -> Edit:
    """Replaces a head's attention weights.

    Args:
        layer: from 0.
        head: from 0.
        weights: (t_query, t_key), or (b, t_query, t_key) for a batch of b or as one for all; finite. Rows that sum to 1
            stay a weighted average.
        stack: whose head it is, where the model has several stacks.
    Raises:
        ValueError: weights that are not finite, or another stack; in the run, weights of another shape, or a stack,
            layer or head that the model does not have.
    """
    if not torch.isfinite(weights).all():
        raise ValueError("weights must be finite numbers, got NaN or infinity among them")

    def put(current: Tensor) -> Tensor:
        _check_head(head, current)
        if weights.shape not in (current.shape[-2:], current[:1, 0].shape, current[:, 0].shape):
            raise ValueError(
                f"weights must have the head's shape {tuple(current.shape[-2:])}, got {tuple(weights.shape)}"
            )
        replaced = current.clone()
        replaced[:, head] = weights.to(current)
        return replaced

    return Edit(layer, _point("weights", stack), put, lambda shape: shape == weights.shape[-2:])


def set_weight(
    layer: int, head: int, query: int, key: int, weight: float, *, renormalise: bool = True, stack: str = ""
) -> Edit:
    """Sets one of a head's attention weights: how much a query takes of a key.

    Args:
        layer: from 0.
        head: from 0.
        query, key: the weight's row and column, from 0.
        weight: in [0, 1].
        renormalise: whether the row's other weights are scaled to share 1 − weight, so that it still sums to 1; where
            they are all 0 there is nothing to scale, and they stay so. Else they stay as they are.
        stack: whose head it is, where the model has several stacks.
    Raises:
        ValueError: a weight outside [0, 1], or another stack; in the run, a stack, a layer, a head, a query or a key
            that is not there.
    """
    if not 0 <= weight <= 1:
        raise ValueError(f"weight must be in [0, 1], got {weight!r}")

    def put(current: Tensor) -> Tensor:
        _check_head(head, current)
        for name, index, size in (("query", query, current.shape[-2]), ("key", key, current.shape[-1])):
            if not 0 <= index < size:
                raise ValueError(f"{name} must be in [0, {size}) for these tokens, got {index}")
        replaced = current.clone()
        row = replaced[:, head, query]  # (b, t_key), a view
        row[:, key] = 0
        if renormalise:
            others = row.sum(-1, keepdim=True)  # (b, 1)
            row *= torch.where(others > 0, (1 - weight) / others, 0)
        row[:, key] = weight
        return replaced

    return Edit(layer, _point("weights", stack), put, lambda shape: query < shape[-2] and key < shape[-1])


def spread_head(layer: int, head: int, *, stack: str = "") -> Edit:
    """Lets a head look at all tokens that its mask allows alike: its scores become 0.

    Args:
        layer: from 0.
        head: from 0.
        stack: whose head it is, where the model has several stacks.
    Raises:
        ValueError: another stack; in the run, a stack, layer or head that the model does not have.
    """

    def level(scores: Tensor) -> Tensor:
        _check_head(head, scores)
        levelled = scores.clone()
        levelled[:, head] = scores[:, head].masked_fill(scores[:, head].isfinite(), 0)
        return levelled

    return Edit(layer, _point("scores", stack), level)


def _point(point: str, stack: str) -> str:
    """The point's name in that stack, as `former.hooks` has it."""
    if not stack:
        return point
    require_choice("stack", stack, STACKS)
    return f"{stack}.{point}"


def _check_head(head: int, tensor: Tensor) -> None:
    """tensor: (b, h, ...)."""
    if not 0 <= head < tensor.shape[1]:
        raise ValueError(f"head must be in [0, {tensor.shape[1]}) for this model, got {head}")
