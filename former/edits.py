"""Edits of one head during a forward pass, for `run_with_capture(..., edits=[...])`.

An edit is an `Observer`: it acts only in the calls that it is passed to and leaves the model unchanged. In a model with
several stacks, such as an `EncoderDecoder`, `stack` is the one that has the head, of `former.hooks.STACKS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from former.checks import is_index, is_number, is_share, is_whole, require_choice, require_instance
from former.hooks import STACKS, Hook, Model, Observer, at_points, check_points, checked_edits


@dataclass(frozen=True)
class Edit:
    """Replaces the tensor at one point of one layer by `change(tensor)`.

    Raises:
        ValueError: an unknown point; `former.hooks` lists them.
    """

    layer: int
    point: str
    change: Callable[[Tensor], Tensor]
    fits: Callable[[torch.Size], bool] | None = None  # whether a map of this shape has the cells; None: any does

    def __post_init__(self) -> None:
        check_points([self.point])

    def at(self, layer: int) -> Hook | None:
        """Returns the hook that makes the change; None in every other layer."""
        if layer != self.layer:
            return None
        return at_points([self.point], lambda _, tensor: self.change(tensor))

    def where_it_fits(self) -> Edit:
        """Returns an edit with the same change, which skips maps that lack the cells it names, instead of raising
        ValueError."""
        fits = self.fits
        if fits is None:
            return self
        return replace(self, change=lambda tensor: self.change(tensor) if fits(tensor.shape[-2:]) else tensor)


def ablate_head(layer: int, head: int, *, stack: str = "") -> Edit:
    """Switches a head off: it adds 0 to the block. Its weights can still be captured.

    Args:
        layer: from 0.
        head: from 0.
        stack: the stack that has the head, in a model with several stacks.
    Raises:
        ValueError: an unknown stack; when the model runs, a stack, layer or head that it does not have.
    """
    return scale_head(layer, head, 0.0, stack=stack)


def scale_head(layer: int, head: int, factor: float, *, stack: str = "") -> Edit:
    """Multiplies a head's output by `factor`; 1 changes nothing, 0 ablates.

    Args:
        layer: from 0.
        head: from 0.
        factor: any finite number.
        stack: the stack that has the head, in a model with several stacks.
    Raises:
        ValueError: a factor that is not finite, or an unknown stack; when the model runs, a stack, layer or head that
            it does not have.
    """
    if not is_number(factor):
        raise ValueError(f"factor must be a finite number, got {factor!r}")
    factor = float(factor)  # torch assigns no number of numpy

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
        weights: (t_query, t_key), or (b, t_query, t_key) for a batch of b or of 1 for all; finite. Rows that sum to 1
            keep the output a weighted average.
        stack: the stack that has the head, in a model with several stacks.
    Raises:
        ValueError: weights that are not finite, or an unknown stack; when the model runs, weights of another shape, or
            a stack, layer or head that it does not have.
    """
    require_instance("weights", weights, Tensor)
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
    """Sets one attention weight of a head, from a query to a key.

    Args:
        layer: from 0.
        head: from 0.
        query, key: the weight's row and column, from 0.
        weight: in [0, 1].
        renormalise: whether the row's other weights are scaled to sum to 1 − weight, so that the row still sums to 1;
            if they are all 0, they stay 0. False leaves them unchanged.
        stack: the stack that has the head, in a model with several stacks.
    Raises:
        ValueError: a weight outside [0, 1], a query or key that is no index, or an unknown stack; when the model runs,
            a stack, layer, head, query or key that does not exist.
    """
    if not is_share(weight):
        raise ValueError(f"weight must be in [0, 1], got {weight!r}")
    for name, index in (("query", query), ("key", key)):
        if not is_whole(index) or index < 0:
            raise ValueError(f"{name} must be a whole number from 0, got {index!r}")
    weight = float(weight)

    def put(current: Tensor) -> Tensor:
        _check_head(head, current)
        for name, index, size in (("query", query, current.shape[-2]), ("key", key, current.shape[-1])):
            if index >= size:
                raise ValueError(f"{name} must be in [0, {size}) for these tokens, got {index}")
        replaced = current.clone()
        row = replaced[:, head, query]  # (b, t_key), a view
        row[:, key] = 0
        if renormalise:
            others = row.sum(-1, keepdim=True)  # (b, 1)
            row /= torch.where(others > 0, others, torch.inf)  # (1 - weight) / others could overflow
            row *= 1 - weight
        row[:, key] = weight
        return replaced

    return Edit(layer, _point("weights", stack), put, lambda shape: query < shape[-2] and key < shape[-1])


def spread_head(layer: int, head: int, *, stack: str = "") -> Edit:
    """Makes a head attend equally to all tokens that its mask allows: its scores become 0.

    Args:
        layer: from 0.
        head: from 0.
        stack: the stack that has the head, in a model with several stacks.
    Raises:
        ValueError: an unknown stack; when the model runs, a stack, layer or head that it does not have.
    """

    def level(scores: Tensor) -> Tensor:
        _check_head(head, scores)
        levelled = scores.clone()
        levelled[:, head] = scores[:, head].masked_fill(scores[:, head].isfinite(), 0)
        return levelled

    return Edit(layer, _point("scores", stack), level)


def edits_of_heads(model: Model, edits: Iterable[Observer]) -> tuple[Observer, ...]:
    """Returns edits as a tuple, after checking that they can be made in a growing text: whole heads only.

    Raises:
        ValueError: an edit that does not fit the model, or that names a token.
    """
    edits = checked_edits(model, edits)
    if any(isinstance(edit, Edit) and edit.fits for edit in edits):
        raise ValueError("edits must be of whole heads, as a token's position changes while the text grows")
    return edits


def _point(point: str, stack: str) -> str:
    """Returns a point's full name in a stack, as in `former.hooks`."""
    if not stack:
        return point
    require_choice("stack", stack, STACKS)
    return f"{stack}.{point}"


def _check_head(head: int, tensor: Tensor) -> None:
    """Raises ValueError unless the tensor (b, h, ...) has the head."""
    if not is_index(head, tensor.shape[1]):
        raise ValueError(f"head must be in [0, {tensor.shape[1]}) for this model, got {head!r}")
