"""Attention masks: functions that return a bool (t_query, t_key) tensor, True = may attend.

Scores are set to −∞ before the softmax wherever the mask is False (article, section "Text generation transformer"). A
query that may attend to no key has weights and output 0.

`local`, `strided` and `fixed` are the patterns of "Generating Long Sequences with Sparse Transformers" (Child et al.
2019, section 4.2), here one pattern for all heads: the union of the paper's two factors. All but `none` are causal.

Each kind of mask is ONE predicate, in `MASKS`. From it follow the tensor (`named`), the number of cells (`count`),
whether it is causal, and which inputs an output depends on after several layers (`reach`).

Sizes: t tokens.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from former.checks import is_whole, require_choice, require_instance, require_positive


@dataclass(frozen=True)
class Kind:
    """One kind of mask.

    Whether a query may attend to a key must not change if both move by `size`: `count` relies on it.
    """

    sees: Callable[[Any, Any, int], Any]  # (query, key, size) → whether the query may attend to the key; broadcasts
    size: str | None = None  # the name of its number, such as "window"; None without one

    @property
    def causal(self) -> bool:
        """Whether no query may attend to a later key."""
        return not self.sees(0, 1, 1)


MASKS: dict[str, Kind] = {
    "none": Kind(lambda query, key, _: (query >= 0) & (key >= 0)),
    "causal": Kind(lambda query, key, _: key <= query),
    "local": Kind(lambda query, key, size: (key <= query) & (query - key < size), "window"),
    "strided": Kind(
        lambda query, key, size: (key <= query) & ((query - key < size) | ((query - key) % size == 0)), "stride"
    ),
    "fixed": Kind(
        lambda query, key, size: (key <= query) & ((query // size == key // size) | (key % size == size - 1)), "stride"
    ),
}
"""The kinds of masks by name."""


class Pattern(NamedTuple):
    """A mask given by its name, for attention that computes only the allowed cells (`former.sparse`)."""

    kind: str
    size: int


Mask = Tensor | Pattern
"""A mask as attention accepts it."""


def none(t: int) -> Tensor:
    """Lets every query attend to every key: t² cells.

    Args:
        t: number of tokens, at least 1.
    Returns:
        bool (t, t), all True.
    Raises:
        ValueError: t below 1.
    """
    return named("none", t)


def causal(t: int) -> Tensor:
    """Lets a query attend to itself and all earlier tokens: key ≤ query, t(t+1)/2 cells.

    Args:
        t: number of tokens, at least 1.
    Returns:
        bool (t, t), lower-triangular.
    Raises:
        ValueError: t below 1.
    """
    return named("causal", t)


def local(t: int, window: int) -> Tensor:
    """Lets a query attend to the last `window` tokens, including itself: at most t·window cells.

    Args:
        t: number of tokens, at least 1.
        window: number of keys of a query, at least 1. A window of t or more gives the causal mask.
    Returns:
        bool (t, t).
    Raises:
        ValueError: an argument below 1.
    """
    return named("local", t, window)


def strided(t: int, stride: int) -> Tensor:
    """Lets a query attend to the last `stride` tokens, and to every `stride`-th token before: query − key ≡ 0
    (mod stride).

    With a stride of √t each query has at most about 2√t keys, and two layers, each of some t√t cells, let every token
    depend on all earlier ones.

    Args:
        t: number of tokens, at least 1.
        stride: at least 1; near √t in the paper.
    Returns:
        bool (t, t).
    Raises:
        ValueError: an argument below 1.
    """
    return named("strided", t, stride)


def fixed(t: int, stride: int) -> Tensor:
    """Lets a query attend to its own block of `stride` tokens, and to the last token of every earlier block.

    The last token of a block summarizes it for all later blocks (the paper's c = 1).

    Args:
        t: number of tokens, at least 1.
        stride: size of a block, at least 1.
    Returns:
        bool (t, t).
    Raises:
        ValueError: an argument below 1.
    """
    return named("fixed", t, stride)


def named(
    kind: str, t: int, size: int | None = None, *, past: int = 0, device: torch.device | str | None = None
) -> Tensor:
    """Builds the mask of one of `MASKS`.

    Args:
        kind: its name.
        t: number of queries, at least 1.
        size: the window or the stride, at least 1, for `local`, `strided` and `fixed`; the others ignore it.
        past: number of earlier tokens, to which the queries may attend too: at least 0.
        device: of the mask.
    Returns:
        bool (t, past + t).
    Raises:
        ValueError: an unknown kind, a number out of range, or no size for a kind that needs one.
    """
    size = _checked(kind, t, size)
    if not is_whole(past) or past < 0:
        raise ValueError(f"past must be a whole number, at least 0, got {past!r}")
    query = torch.arange(past, past + t, device=device)[:, None]
    key = torch.arange(past + t, device=device)[None, :]
    return MASKS[kind].sees(query, key, size)


def count(kind: str, t: int, size: int | None = None) -> int:
    """Counts the cells that `named(kind, t, size)` allows, exactly and without building the mask.

    Every cell is a shift, by m·size along the diagonal, of a border cell, whose query or key is below `size`. The count
    evaluates t·size border cells instead of t², and counts each as often as its shifts fit in the mask.

    Args:
        kind, t, size: as for `named`.
    Raises:
        ValueError: as in `named`.
    """
    return _count(kind, t, min(_checked(kind, t, size), t))


@lru_cache(maxsize=1024)  # a chart needs the same few hundred counts repeatedly
def _count(kind: str, t: int, size: int) -> int:
    sees, index, total = MASKS[kind].sees, np.arange(t, dtype=np.int32), 0
    shifts = (t - index + size - 1) // size  # of a cell with this larger index
    for near in range(size):  # the smaller index
        total += int(shifts[near:][sees(index[near:], near, size)].sum(dtype=np.int64))
        if not MASKS[kind].causal:
            later = index[near + 1 :]
            total += int(shifts[near + 1 :][sees(near, later, size)].sum(dtype=np.int64))
    return total


def reach(mask: Tensor, layers: int) -> Tensor:
    """Computes which inputs each output can depend on after 1, 2, … layers: the mask's boolean powers.

    In a layer a token receives from all tokens that the mask allows, and from itself by the residual connection.

    Args:
        mask: bool (t, t), True = may attend.
        layers: at least 1.
    Returns:
        bool (layers, t_out, t_in); the first is the mask itself, with its diagonal.
    Raises:
        ValueError: layers below 1, or a mask that is not bool or not square.
    """
    require_positive("layers", layers)
    require_instance("mask", mask, Tensor)
    if mask.dtype != torch.bool or mask.dim() != 2 or mask.shape[0] != mask.shape[1]:
        raise ValueError(f"mask must be bool and square, (t, t), got {mask.dtype} {tuple(mask.shape)}")
    itself = torch.eye(len(mask), dtype=torch.bool, device=mask.device)
    step = (mask | itself).float()
    powers = [step.bool()]
    for _ in range(layers - 1):
        powers.append(step @ powers[-1].float() > 0)
    return torch.stack(powers)


def without_padding(real: Tensor, mask: Tensor | None = None) -> Tensor:
    """Returns a mask under which no token attends to padding. Padding tokens still attend to others, so no row is
    empty.

    Args:
        real: bool (b, t), True where a token is not padding, which each sequence must contain.
        mask: bool, broadcastable to (b, h, t, t); None for no mask.
    Returns:
        bool (b, 1, 1, t); with a mask, broadcast to its heads and queries; for scores (b, h, t, t).
    Raises:
        ValueError: a tensor that is not bool, or `real` of another shape.
    """
    _require_bool("real", real)
    if real.dim() != 2:
        raise ValueError(f"real must be (b, t), got {tuple(real.shape)}")
    if mask is not None:
        _require_bool("mask", mask)
    keys = real[:, None, None, :]
    return keys if mask is None else (keys | ~real[:, None, :, None]) & mask


def check(mask: Tensor, scores_shape: torch.Size) -> None:
    """Raises ValueError unless a mask fits scores of this shape.

    Args:
        mask: bool, broadcastable to the scores: (t_query, t_key), or with heads and batch before them.
        scores_shape: (..., t_query, t_key).
    Raises:
        ValueError: the mask is not bool, or has another shape.
    """
    _require_bool("mask", mask)
    wide = [1] * (len(scores_shape) - mask.dim()) + list(mask.shape)
    fits = len(wide) == len(scores_shape) and all(m in (1, size) for m, size in zip(wide, scores_shape, strict=True))
    if mask.dim() < 2 or not fits or mask.shape[-1] != scores_shape[-1]:
        raise ValueError(f"mask must fit scores of shape {tuple(scores_shape)}, got a mask of {tuple(mask.shape)}")


def _require_bool(name: str, values: Tensor) -> None:
    if not isinstance(values, Tensor) or values.dtype != torch.bool:
        given = getattr(values, "dtype", type(values).__name__)
        meaning = "may attend" if name == "mask" else "not padding"
        raise ValueError(f"{name} must be a bool tensor (True = {meaning}), got {given}")


def blind(mask: Tensor | None) -> Tensor | None:
    """Returns which queries may attend to no key: their softmax would be 0/0, so their weights and output are set to 0.

    Args:
        mask: bool (..., t_query, t_key), True = may attend.
    Returns:
        bool (..., t_query, 1); None if no query is blind, which is checked only for a mask on a CPU: on a GPU the check
        would wait for the device in every layer, and it would break a graph being compiled.
    """
    if mask is None:
        return None
    queries = ~mask.any(-1, keepdim=True)
    readable = mask.device.type == "cpu" and not torch.compiler.is_compiling()
    return None if readable and not queries.any() else queries


def _checked(kind: str, t: int, size: int | None) -> int:
    """Checks the arguments; returns the size, 1 for a kind without one."""
    require_positive("t", t)
    return require_mask(kind, size)


def require_mask(kind: str, size: int | None, kind_name: str = "kind", size_name: str | None = None) -> int:
    """Returns a mask's size, 1 for a kind without one; raises ValueError for an unknown kind, or if its size is missing
    or below 1. The names are those of the arguments in errors; without one, the size has that of the function of this
    kind, such as "window"."""
    require_choice(kind_name, kind, MASKS)
    meaning = MASKS[kind].size
    if meaning is None:
        return 1
    if size is None:
        raise ValueError(f"{size_name or 'size'} must be the {meaning} of a {kind!r} mask, got None")
    require_positive(size_name or meaning, size)
    return size
