"""Which query may see which key: pure functions to a bool (t_query, t_key) tensor, True = may attend.

A mask is laid on the scores before the softmax, as −∞ wherever it is False (article, section "Text generation
transformer"). A query that may see no key at all takes nothing: its weights and its output are 0.

`local`, `strided` and `fixed` are the patterns of "Generating Long Sequences with Sparse Transformers" (Child et al.
2019, section 4.2), here one pattern for all heads: the union of the paper's two factors. All but `none` are causal.

Each kind of mask is ONE predicate, in `KINDS`; the tensor (`named`), the number of cells (`count`), whether it is
causal and what is reached through it in several layers (`reach`) all follow from that predicate.

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

from former.checks import require_choice, require_positive


@dataclass(frozen=True)
class Kind:
    """One kind of mask.

    Shifting query and key together by `size` must change nothing: `count` relies on it.
    """

    sees: Callable[[Any, Any, int], Any]  # (query, key, size) → may the query attend to the key; arrays broadcast
    size: str | None = None  # what its number is called; None: it has none

    @property
    def causal(self) -> bool:
        """Whether no query sees a later key."""
        return not self.sees(0, 1, 1)


KINDS: dict[str, Kind] = {
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
"""Every kind by its name."""


class Pattern(NamedTuple):
    """A mask by its name: for attention that computes the cells it allows and never builds it (`former.sparse`)."""

    kind: str
    size: int


Mask = Tensor | Pattern
"""What attention takes as its mask."""


def none(t: int) -> Tensor:
    """Every query sees every key: t² cells.

    Args:
        t: number of tokens, at least 1.
    Returns:
        bool (t, t), all True.
    Raises:
        ValueError: t below 1.
    """
    return named("none", t)


def causal(t: int) -> Tensor:
    """A query sees itself and what came before it: key ≤ query, t(t+1)/2 cells.

    Args:
        t: number of tokens, at least 1.
    Returns:
        bool (t, t), lower-triangular.
    Raises:
        ValueError: t below 1.
    """
    return named("causal", t)


def local(t: int, window: int) -> Tensor:
    """A query sees the last `window` tokens, itself among them: at most t·window cells.

    Args:
        t: number of tokens, at least 1.
        window: how many keys a query sees, at least 1. From t on it is the causal mask.
    Returns:
        bool (t, t).
    Raises:
        ValueError: an argument below 1.
    """
    return named("local", t, window)


def strided(t: int, stride: int) -> Tensor:
    """A query sees the last `stride` tokens, and every `stride`-th token before: query − key ≡ 0 (mod stride).

    With a stride of √t each query sees at most about 2√t keys, so any two tokens are joined in two layers at t√t cells.

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
    """A query sees its own block of `stride` tokens, and the last token of every block before.

    The last token of a block gathers it for all that come later (the paper's c = 1).

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
    """The mask of one of `KINDS`.

    Args:
        kind: its name.
        t: number of tokens that look, at least 1.
        size: the window or the stride, at least 1, which `local`, `strided` and `fixed` need; the others have none.
        past: how many tokens came before them, which they see too: at least 0.
        device: where to make it.
    Returns:
        bool (t, past + t).
    Raises:
        ValueError: another name, a number out of its range, or no size of a kind that needs one.
    """
    size = _checked(kind, t, size)
    query = torch.arange(past, past + t, device=device)[:, None]
    key = torch.arange(past + t, device=device)[None, :]
    return KINDS[kind].sees(query, key, size)


def count(kind: str, t: int, size: int | None = None) -> int:
    """How many cells `named(kind, t, size)` allows: exact for any t, and the mask is never built.

    Shifted by m·size, every cell comes to one whose query or key is below `size`. So each such border cell stands for
    as many as its shifts fit in the mask, and t·size cells are looked at instead of t².

    Args:
        kind, t, size: as for `named`.
    Raises:
        ValueError: as of `named`.
    """
    return _count(kind, t, min(_checked(kind, t, size), t))


@lru_cache(maxsize=1024)  # a chart asks for the same few hundred numbers again and again
def _count(kind: str, t: int, size: int) -> int:
    sees, index, total = KINDS[kind].sees, np.arange(t, dtype=np.int32), 0
    shifts = (t - index + size - 1) // size  # of a cell whose larger index is this
    for near in range(size):  # the smaller of its two indices
        total += int(shifts[near:][sees(index[near:], near, size)].sum(dtype=np.int64))
        if not KINDS[kind].causal:
            later = index[near + 1 :]
            total += int(shifts[near + 1 :][sees(near, later, size)].sum(dtype=np.int64))
    return total


def reach(mask: Tensor, layers: int) -> Tensor:
    """Which inputs each output can depend on after 1, 2, … layers under a mask: its boolean powers.

    A layer lets a token see what the mask allows, and the residual lets it keep what it has.

    Args:
        mask: bool (t, t), True = may attend.
        layers: at least 1.
    Returns:
        bool (layers, t_out, t_in); the first is the mask itself, with its diagonal.
    Raises:
        ValueError: layers below 1, or a mask that is not bool or not square.
    """
    require_positive("layers", layers)
    if mask.dtype != torch.bool or mask.dim() != 2 or mask.shape[0] != mask.shape[1]:
        raise ValueError(f"mask must be bool and square, (t, t), got {mask.dtype} {tuple(mask.shape)}")
    itself = torch.eye(len(mask), dtype=torch.bool, device=mask.device)
    step = (mask | itself).float()
    reached = [step.bool()]
    for _ in range(layers - 1):
        reached.append(step @ reached[-1].float() > 0)
    return torch.stack(reached)


def without_padding(real: Tensor, mask: Tensor | None = None) -> Tensor:
    """A mask under which no token looks at padding; padding itself may, as a mask might leave it nothing else.

    Args:
        real: bool (b, t), True where a token is not padding, at least once a sequence.
        mask: bool, broadcastable to (b, h, t, t); None for none.
    Returns:
        bool (b, 1, 1, t), or with the mask's heads and queries, for scores (b, h, t, t).
    """
    keys = real[:, None, None, :]
    return keys if mask is None else (keys | ~real[:, None, :, None]) & mask


def check(mask: Tensor, scores_shape: torch.Size) -> None:
    """Raises ValueError unless a mask can be laid on scores of this shape.

    Args:
        mask: bool, broadcastable to the scores: (t_query, t_key), or with heads and batch before them.
        scores_shape: (..., t_query, t_key).
    Raises:
        ValueError: not bool, or of the wrong shape.
    """
    if mask.dtype != torch.bool:
        raise ValueError(f"mask must be a bool tensor (True = may attend), got {mask.dtype}")
    wide = [1] * (len(scores_shape) - mask.dim()) + list(mask.shape)
    fits = len(wide) == len(scores_shape) and all(m in (1, size) for m, size in zip(wide, scores_shape, strict=True))
    if mask.dim() < 2 or not fits or mask.shape[-1] != scores_shape[-1]:
        raise ValueError(f"mask must fit scores of shape {tuple(scores_shape)}, got a mask of {tuple(mask.shape)}")


def blind(mask: Tensor | None) -> Tensor | None:
    """The queries that a mask leaves no key: their softmax would be 0/0, so their weights and their output are 0.

    Args:
        mask: bool (..., t_query, t_key), True = may attend.
    Returns:
        bool (..., t_query, 1); None where there is surely none. Only a mask on a CPU is read to know that: elsewhere
        reading it would wait for the device at every layer, or break the graph that is being compiled.
    """
    if mask is None:
        return None
    queries = ~mask.any(-1, keepdim=True)
    readable = mask.device.type == "cpu" and not torch.compiler.is_compiling()
    return None if readable and not queries.any() else queries


def _checked(kind: str, t: int, size: int | None) -> int:
    """The size of a kind of mask, 1 where it has none."""
    require_choice("kind", kind, KINDS)
    require_positive("t", t)
    name = KINDS[kind].size
    if name is None:
        return 1
    if size is None:
        raise ValueError(f"size must be the {name} of a {kind!r} mask, got None")
    require_positive(name, size)
    return size
