"""What a head's attention looks like, in numbers: statistics, rollout, and how far two orders agree.

Sizes: t tokens, h heads. Weights are (..., h, t_query, t_key).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from former.runs.run import Run


def rollout(weights: Tensor | Sequence[Tensor] | Run) -> Tensor:
    """Attention followed through the layers down to the input (Abnar and Zuidema 2020, "attention rollout").

    A layer passes on half of what stands at a token (the residual) and half of what its heads fetch on average:
    A_l = (mean over heads + I) / 2, and the rollout is A_L ··· A_1. It is a summary of the weights, not a measure of
    what the output depends on: for that see `influence`.

    Args:
        weights: of each layer, from the first: (layers, ..., h, t, t), or as many (..., h, t, t); or a run, whose map
            they are.
    Returns:
        (..., t, t), rows sum to 1: where each position of the last layer looks among the inputs.
    Raises:
        ValueError: no layer, weights that are not square, as where a text looks at another or at a memory, or a run
            with several maps.
    """
    *_, last = rollout_by_layer(weights)
    return last


def rollout_by_layer(weights: Tensor | Sequence[Tensor] | Run) -> Iterator[Tensor]:
    """The rollout up to each layer, from the first: the last is that of `rollout`, (..., t, t) each."""
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
    """What a head does, in numbers, each an average over the queries.

    Args:
        weights: (..., t, t), rows sum to 1; or a run, whose map they are.
        tokens: (t,) ids, for the two that compare tokens; of a run its own.
    Returns:
        A tensor (...) for each of
        "entropy": of the weights of a query, in bits; 0 looks at one token, log2(t) at all alike.
        "distance": |query − key| in tokens, averaged with the weights.
        "previous": mass on the token before, over the queries that have one (0 where t is 1).
        "first": mass on the first token.
        "self": mass on the query's own token.
        "next": mass on the token after, over the queries that have one; 0 under a causal mask.
        And with tokens, over the queries that have such keys (0 where none has):
        "same": mass on earlier places where the query's token stood already.
        "copying": mass on the tokens that came right after it there, as a head looks that copies what followed the last
        time, an induction head (Olsson et al. 2022); the query's own place is not counted.
    Raises:
        ValueError: weights that are not square, or not one token for each place; a run with several maps.
    """
    if isinstance(weights, Run):
        weights, tokens = weights.weights, weights.inputs[0][0] if tokens is None else tokens
    _check_square(weights)
    t = weights.shape[-1]
    if tokens is not None and tokens.shape != (t,):
        raise ValueError(f"tokens must be ({t},), an id for each place, got {tuple(tokens.shape)}")
    index = torch.arange(t, device=weights.device)
    values = [(index[:, None] - index[None, :]).abs()]  # distance, (t_query, t_key)
    if tokens is not None:
        same = (tokens[:, None] == tokens).tril(-1)
        # The last column comes round to the first, above the diagonal.
        values += [same, same.roll(1, dims=1).tril(-1)]
    # In one product: a map is read once for all of them.
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
    """The sum of −w log₂ w over each map: (..., t, t) → (...), with 0 · log 0 = 0.

    Map by map, which stays in a core's cache; and not by xlogy, which takes one number at a time.
    """
    least = torch.finfo(weights.dtype).tiny
    maps = weights.reshape(-1, weights.shape[-2] * weights.shape[-1])
    return -torch.stack([each.dot(each.clamp_min(least).log2()) for each in maps]).view(weights.shape[:-2])


def rank_correlation(x: Tensor, y: Tensor) -> float:
    """Spearman's: how far two lists of numbers order their places alike, from −1 (reversed) over 0 to 1 (alike).

    Equal numbers share the average of their ranks. NaN where a list has no order, all its numbers being equal.

    Args:
        x, y: (n,).
    Raises:
        ValueError: lists that differ in length.
    """
    if x.dim() != 1 or x.shape != y.shape:
        raise ValueError(f"x and y must be lists of one length, got {tuple(x.shape)} and {tuple(y.shape)}")
    a, b = (ranks - ranks.mean() for ranks in (_ranks(x), _ranks(y)))
    return float((a * b).sum() / (a.norm() * b.norm()))


def _ranks(x: Tensor) -> Tensor:
    """From 0; equal numbers share the average of theirs."""
    _, group, sizes = x.unique(return_inverse=True, return_counts=True)
    return (sizes.cumsum(0) - (sizes + 1) / 2)[group].double()
