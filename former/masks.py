"""Which query may see which key: pure functions to a bool (t_query, t_key) tensor, True = may attend.

A mask is laid on the scores before the softmax, as −∞ wherever it is False (article, section "Text generation
transformer"). `local`, `strided` and `fixed` are the patterns of "Generating Long Sequences with Sparse
Transformers" (Child et al. 2019, section 4.2), here one pattern for all heads: the union of the paper's two
factors. All but `none` are causal. A mask is countable: `mask.sum()` is the number of scores that are needed, and
`count` gives it by formula where t is too large to build one.

Sizes: t tokens.
"""

from __future__ import annotations

import torch
from torch import Tensor

from former.config import require_choice, require_positive

KINDS = ("none", "causal", "local", "strided", "fixed")


def none(t: int) -> Tensor:
    """Every query sees every key: t² cells.

    Args:
        t: number of tokens, at least 1.
    Returns:
        bool (t, t), all True.
    Raises:
        ValueError: t below 1.
    """
    require_positive("t", t)
    return torch.ones(t, t, dtype=torch.bool)


def causal(t: int) -> Tensor:
    """A query sees itself and what came before it: key ≤ query, t(t+1)/2 cells.

    Args:
        t: number of tokens, at least 1.
    Returns:
        bool (t, t), lower-triangular.
    Raises:
        ValueError: t below 1.
    """
    return none(t).tril()


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
    require_positive("window", window)
    return causal(t).triu(1 - window)


def strided(t: int, stride: int) -> Tensor:
    """A query sees the last `stride` tokens, and every `stride`-th token before: query − key ≡ 0 (mod stride).

    With a stride of √t each query sees about 2√t keys, so any two tokens are joined in two layers at t√t cells.

    Args:
        t: number of tokens, at least 1.
        stride: at least 1; near √t in the paper.
    Returns:
        bool (t, t).
    Raises:
        ValueError: an argument below 1.
    """
    query, key = _indices(t)
    return local(t, stride) | (causal(t) & ((query - key) % stride == 0))


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
    require_positive("stride", stride)
    query, key = _indices(t)
    return causal(t) & ((query // stride == key // stride) | (key % stride == stride - 1))


def named(kind: str, t: int, size: int = 1) -> Tensor:
    """The mask of one of `KINDS`.

    Args:
        kind: its name.
        t: number of tokens, at least 1.
        size: the window or the stride, at least 1; `none` and `causal` have neither and do not read it.
    Returns:
        bool (t, t).
    Raises:
        ValueError: another name, or a number below 1.
    """
    require_choice("kind", kind, KINDS)
    if kind in ("none", "causal"):
        return none(t) if kind == "none" else causal(t)
    return {"local": local, "strided": strided, "fixed": fixed}[kind](t, size)


def count(kind: str, t: int, size: int = 1) -> int:
    """How many cells `named(kind, t, size)` allows, by formula: exact for any t, and nothing is built.

    With t = q·size + r, a query reaches back over ⌊query / size⌋ whole strides or blocks: q(q−1)/2·size + q·r in all.

    Args:
        kind, t, size: as for `named`.
    Raises:
        ValueError: another name, or a number below 1.
    """
    require_choice("kind", kind, KINDS)
    require_positive("t", t)
    if kind == "none":
        return t * t
    if kind == "causal":
        return t * (t + 1) // 2
    require_positive("size", size)
    q, r = divmod(t, size)
    back = q * (q - 1) // 2 * size + q * r
    if kind == "fixed":
        return q * size * (size + 1) // 2 + r * (r + 1) // 2 + back
    window = min(size, t)
    near = window * t - window * (window - 1) // 2  # the first window − 1 queries see fewer
    return near if kind == "local" else near + back


def reach(mask: Tensor, layers: int) -> Tensor:
    """Which inputs each output can depend on after 1, 2, … layers under a mask: its boolean powers.

    A layer lets a token see what the mask allows, and the residual lets it keep what it has.

    Args:
        mask: bool (t, t), True = may attend.
        layers: at least 1.
    Returns:
        bool (layers, t_out, t_in); the first is the mask itself, with its diagonal.
    Raises:
        ValueError: layers below 1, or a mask that is not square.
    """
    require_positive("layers", layers)
    if mask.dim() != 2 or mask.shape[0] != mask.shape[1]:
        raise ValueError(f"mask must be square, (t, t), got {tuple(mask.shape)}")
    itself = torch.eye(len(mask), dtype=torch.bool, device=mask.device)
    step = (mask | itself).float()
    reached = [step.bool()]
    for _ in range(layers - 1):
        reached.append(step @ reached[-1].float() > 0)
    return torch.stack(reached)


def check(mask: Tensor, scores_shape: torch.Size) -> None:
    """Refuses a mask that cannot be laid on scores of this shape.

    Args:
        mask: bool, broadcastable to the scores: (t_query, t_key), or with heads and batch before them.
        scores_shape: (..., t_query, t_key).
    Raises:
        ValueError: not bool, of the wrong shape, or with a row that allows nothing (its softmax would be 0/0).
    """
    if mask.dtype != torch.bool:
        raise ValueError(f"mask must be a bool tensor (True = may attend), got {mask.dtype}")
    wide = [1] * (len(scores_shape) - mask.dim()) + list(mask.shape)
    fits = len(wide) == len(scores_shape) and all(m in (1, size) for m, size in zip(wide, scores_shape, strict=True))
    if mask.dim() < 2 or not fits or mask.shape[-1] != scores_shape[-1]:
        raise ValueError(f"mask must fit scores of shape {tuple(scores_shape)}, got a mask of {tuple(mask.shape)}")
    if torch.compiler.is_compiling():
        return  # reading the values would break the graph
    if not mask.any(-1).all():
        row = (~mask.any(-1)).nonzero()[0].tolist()
        raise ValueError(f"mask must leave every query at least one key, got an all-False row at {row}")


def _indices(t: int) -> tuple[Tensor, Tensor]:
    """The query index (t, 1) and the key index (1, t) of every cell."""
    index = torch.arange(t)
    return index[:, None], index[None, :]
