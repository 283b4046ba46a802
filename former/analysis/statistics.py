"""Describes attention in numbers: statistics of heads, rollout, and rank correlation.

Sizes: t tokens, h heads. Weights are (..., h, t_query, t_key).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from former.runs.run import Run


def rollout(weights: Tensor | Sequence[Tensor] | Run) -> Tensor:
    """Follows attention through the layers down to the input (Abnar and Zuidema 2020, "attention rollout").

    A layer passes on half from its own position (the residual) and half from where its heads attend on average:
    A_l = (mean over heads + I) / 2, and the rollout is A_L ··· A_1. It summarizes the weights; for what the output
    really depends on see `influence`.

    Args:
        weights: of each layer, from the first: (layers, ..., h, t, t), or a sequence of (..., h, t, t); or a run with
            one map.
    Returns:
        (..., t, t), rows sum to 1: the share of each input in each position of the last layer.
    Raises:
        ValueError: no layer, weights that are not square (cross-attention, or attention to a memory), or a run with
            several maps.
    """
    *_, last = rollout_by_layer(weights)
    return last


def rollout_by_layer(weights: Tensor | Sequence[Tensor] | Run) -> Iterator[Tensor]:
    """Yields the rollout up to each layer, (..., t, t), from the first; the last equals `rollout`."""
    weights = weights.weights if isinstance(weights, Run) else weights
    if len(weights) == 0:
        raise ValueError("weights must hold at least one layer, got none")
    _check_square(weights[0])
    identity = torch.eye(weights[0].shape[-1], dtype=weights[0].dtype, device=weights[0].device)
    result = identity
    for layer in weights:
        result = (layer.mean(-3) + identity) / 2 @ result
        yield result


def head_statistics(weights: Tensor | Run, tokens: Tensor | None = None) -> dict[str, Tensor]:
    """Computes statistics of each head, each an average over the queries.

    Args:
        weights: (..., t, t), rows sum to 1; or a run with one map.
        tokens: (t,) ids, for the two statistics that compare tokens; a run has its own.
    Returns:
        A tensor (...) for each of
        "entropy": of a query's weights, in bits; 0 on a single token, log2(t) equally on all.
        "distance": |query − key| in tokens, averaged with the weights.
        "previous": weight on the previous token, over the queries that have one (0 if t is 1).
        "first": weight on the first token.
        "self": weight on the query's own token.
        "next": weight on the next token, over the queries that have one; 0 under a causal mask.
        And with tokens, over the queries that have such keys (0 if none has):
        "same": weight on earlier occurrences of the query's token.
        "copying": weight on the tokens that followed those occurrences, as in a head that copies what came next the
            last time, an induction head (Olsson et al. 2022); the query's own position is not counted.
    Raises:
        ValueError: weights that are not square, not one token for each position, or a run with several maps.
    """
    if isinstance(weights, Run):
        weights, tokens = weights.weights, weights.inputs[0][0] if tokens is None else tokens
    _check_square(weights)
    t = weights.shape[-1]
    if tokens is not None and tokens.shape != (t,):
        raise ValueError(f"tokens must be ({t},), an id for each position, got {tuple(tokens.shape)}")
    index = torch.arange(t, device=weights.device)
    values = [(index[:, None] - index[None, :]).abs()]  # distance, (t_query, t_key)
    if tokens is not None:
        repeats = (tokens[:, None] == tokens).tril(-1)
        # The last column wraps around to the first, above the diagonal.
        values += [repeats, repeats.roll(1, dims=1).tril(-1)]
    # One product, so that each map is read once for all of them.
    totals = weights.flatten(-2) @ torch.stack(values, -1).flatten(0, 1).to(weights.dtype)  # (..., 1 or 3)
    previous = weights.diagonal(offset=-1, dim1=-2, dim2=-1)  # (..., t - 1)
    statistics = {
        "entropy": _bits(weights) / t,
        "distance": totals[..., 0] / t,
        "previous": previous.sum(-1) / max(1, t - 1),
        "first": weights[..., 0].mean(-1),
        "self": weights.diagonal(dim1=-2, dim2=-1).mean(-1),
        "next": weights.diagonal(offset=1, dim1=-2, dim2=-1).sum(-1) / max(1, t - 1),
    }
    for i, (name, keys) in enumerate(zip(("same", "copying"), values[1:], strict=False), 1):
        statistics[name] = totals[..., i] / max(1, int(keys.any(1).sum()))
    return statistics


def _check_square(weights: Tensor) -> None:
    if weights.dim() < 2 or weights.shape[-1] != weights.shape[-2]:
        raise ValueError(f"weights must be square, (..., t, t), got {tuple(weights.shape)}")


def _bits(weights: Tensor) -> Tensor:
    """Computes the sum of −w log₂ w over each map: (..., t, t) → (...), with 0 · log 0 = 0.

    It works map by map, so that a map stays in a core's cache, and avoids xlogy, which is not vectorized.
    """
    least = torch.finfo(weights.dtype).tiny
    maps = weights.reshape(-1, weights.shape[-2] * weights.shape[-1])
    return -torch.stack([each.dot(each.clamp_min(least).log2()) for each in maps]).view(weights.shape[:-2])


def rank_correlation(x: Tensor, y: Tensor) -> float:
    """Computes Spearman's rank correlation of two lists, from −1 (opposite order) to 1 (same order).

    Equal numbers share the average of their ranks. NaN if all numbers of a list are equal.

    Args:
        x, y: (n,).
    Raises:
        ValueError: lists of different length.
    """
    if x.dim() != 1 or x.shape != y.shape:
        raise ValueError(f"x and y must be lists of one length, got {tuple(x.shape)} and {tuple(y.shape)}")
    a, b = (ranks - ranks.mean() for ranks in (_ranks(x), _ranks(y)))
    return float((a * b).sum() / (a.norm() * b.norm()))


def _ranks(x: Tensor) -> Tensor:
    """Returns ranks from 0; equal numbers share the average of theirs."""
    _, group, sizes = x.unique(return_inverse=True, return_counts=True)
    return (sizes.cumsum(0) - (sizes + 1) / 2)[group].double()
