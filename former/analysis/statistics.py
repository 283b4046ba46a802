"""Describes attention in numbers: statistics of heads, rollout, and rank correlation.

Sizes: t tokens, h heads. Weights are (..., h, t_query, t_key).
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from former.checks import require_instance
from former.runs.run import Run
from former.sampling import precise
from former.tokens import Tokenizer
from former.tokens.labels import special_ids

PLACES = (
    *("copying", "same", "elsewhere", "next", "previous", "offset", "self"),
    *("separator", "punctuation", "last", "first"),
)
"""The statistics that say where a head attends: each is a share of its attention (`head_statistics`)."""
AHEAD, BEHIND = ("elsewhere", "next", "last"), ("copying", "same")  # only of maps that see later tokens, or that do not
OFFSETS = range(2, 9)  # distances of the statistic "offset", in either direction


def rollout(weights: Tensor | Sequence[Tensor] | Run) -> Tensor:
    """Follows attention through the layers down to the input (Abnar and Zuidema 2020, "attention rollout").

    A layer passes on half from its own position (the residual) and half from where its heads attend on average:
    A_l = (mean over heads + I) / 2, and the rollout is A_L ··· A_1. It summarizes the weights; for what the output
    really depends on see `influence`.

    Args:
        weights: of each layer, from the first: (layers, ..., h, t, t), or a sequence of (..., h, t, t); or a run with
            one map.
    Returns:
        (..., t, t), rows sum to 1: the share of each input in each position of the last layer; in float32 at least.
    Raises:
        ValueError: no layer, weights that are not square (cross-attention, or attention to a memory), layers of
            different shapes, or a run with several maps.
    """
    *_, last = rollout_by_layer(weights)
    return last


def rollout_by_layer(weights: Tensor | Sequence[Tensor] | Run) -> Iterator[Tensor]:
    """Yields the rollout up to each layer, (..., t, t), from the first; the last equals `rollout`."""
    weights = weights.weights if isinstance(weights, Run) else weights
    if not isinstance(weights, Tensor | Sequence):
        raise ValueError(f"weights must be the maps of each layer, or a run, got {type(weights).__name__}")
    if isinstance(weights, Tensor):
        _check_square(weights)
    if len(weights) == 0:
        raise ValueError("weights must hold at least one layer, got none")
    _check_square(weights[0])
    if weights[0].dim() < 3:
        raise ValueError(f"weights of a layer must be (..., h, t, t), got {tuple(weights[0].shape)}")
    result = identity = torch.eye(weights[0].shape[-1]).to(precise(weights[0]))
    for layer in weights:
        if layer.shape != weights[0].shape:
            raise ValueError(
                f"weights must be of one shape in all layers, got {tuple(weights[0].shape)} and {tuple(layer.shape)}"
            )
        result = (layer.to(result).mean(-3) + identity) / 2 @ result
        yield result


def places_of(allowed: Tensor) -> tuple[str, ...]:
    """Returns the names of `PLACES` that describe heads under a mask, given as bool (t, t), or as weights that are 0
    where it is False."""
    ahead = bool(allowed.triu(1).any())
    return tuple(name for name in PLACES if name not in (BEHIND if ahead else AHEAD))


def punctuation_ids(tokenizer: Tokenizer, tokens: Sequence[int]) -> tuple[int, ...]:
    """Returns those ids in `tokens` whose text has only punctuation marks."""
    texts = {i: tokenizer.decode([i]).strip() for i in set(tokens)}
    return tuple(i for i, text in texts.items() if text and all(unicodedata.category(char)[0] == "P" for char in text))


def key_kinds(tokens: Tensor, special: Sequence[int], punctuation: Sequence[int]) -> dict[str, Tensor]:
    """Returns which tokens (t,) are of a kind that heads attend to when nothing matches: bool (t,) each.

    "separator": a special token after the first, such as [SEP], where BERT's heads idle (Clark et al. 2019);
    "punctuation": a token of `punctuation`.
    """
    kinds = {
        name: torch.isin(tokens, torch.tensor(list(ids), dtype=tokens.dtype, device=tokens.device))
        for name, ids in (("separator", special), ("punctuation", punctuation))
    }
    kinds["separator"][0] = False
    return kinds


def kinds_of(tokenizer: Tokenizer, tokens: Tensor) -> dict[str, Tensor]:
    """Returns `key_kinds` of tokens (t,), with the special and the punctuation tokens of their tokenizer."""
    return key_kinds(tokens, special_ids(tokenizer), punctuation_ids(tokenizer, tokens.tolist()))


def head_statistics(
    weights: Tensor | Run, tokens: Tensor | Sequence[int] | None = None, kinds: Mapping[str, Tensor] | None = None
) -> dict[str, Tensor]:
    """Computes statistics of each head, each an average over the queries.

    Args:
        weights: (..., t, t), rows sum to 1; or a run with one map.
        tokens: (t,) ids, for the statistics that compare tokens; a run has its own.
        kinds: as returned by `kinds_of`; a run has its own.
    Returns:
        A tensor (...) for each of
        "entropy": of a query's weights, in bits; 0 on a single token, log2(t) equally on all.
        "distance": |query − key| in tokens, averaged with the weights.
        And shares of the attention, over the queries that have such keys (0 if none has):
        "previous", "self", "next": on the previous token, the query's own, the next (0 under a causal mask).
        "first", "last": on the first token, on the last.
        "offset": on the token at the fixed distance of `OFFSETS` that gets most, among those that half of the queries
            have; "by": this distance, negative for earlier tokens (0 if the text is too short).
        With tokens also
        "same": on earlier occurrences of the query's token; "elsewhere": on all others, earlier or later.
        "copying": on the tokens that followed its earlier occurrences, as in a head that copies what came next the
            last time, an induction head (Olsson et al. 2022); the query's own position is not counted.
        And one for each of `kinds`.
    Raises:
        ValueError: weights that are not square, not one token for each position, or a run with several maps.
    """
    if isinstance(weights, Run):
        run, weights = weights, weights.weights
        tokens = run.inputs[0][0] if tokens is None else tokens
        kinds = kinds_of(run.source.tokenizer, torch.as_tensor(tokens)) if kinds is None else kinds
    _check_square(weights)
    weights, t = precise(weights), weights.shape[-1]
    tokens = None if tokens is None else as_tensor("tokens", tokens).to(weights.device)
    if tokens is not None and tokens.shape != (t,):
        raise ValueError(f"tokens must be ({t},), an id for each position, got {tuple(tokens.shape)}")
    return KeyStatistics(keys_of(t, tokens, kinds, weights.device), weights.dtype)(weights)


class KeyStatistics:
    """Computes `head_statistics` of maps that count the same keys; what depends on the keys alone is computed once.

    Args:
        keys: of each statistic, from `keys_of`.
        dtype: of the maps.
    """

    def __init__(self, keys: Mapping[str, Tensor], dtype: torch.dtype) -> None:
        wanted = torch.stack(list(keys.values()))  # (names, t, t)
        self._names = list(keys)
        # (names,): the queries that have such keys; `any` of bool takes ten times as long
        self._queries = wanted.view(torch.uint8).amax(-1).sum(-1).clamp_min(1)
        index = torch.arange(wanted.shape[-1], device=wanted.device)
        columns = wanted.new_empty((1 + len(wanted), *wanted.shape[1:]), dtype=dtype)
        columns[0], columns[1:] = (index[:, None] - index).abs(), wanted
        self._columns = columns.flatten(1)  # (1 + names, t·t)

    def __call__(self, weights: Tensor) -> dict[str, Tensor]:
        """Returns the statistics of maps (..., t, t), a tensor (...) each."""
        t = weights.shape[-1]
        totals = weights.flatten(-2) @ self._columns.T  # one product, so that each map is read once for all of them
        shares = totals[..., 1:] / self._queries
        statistics = {"entropy": _bits(weights) / t, "distance": totals[..., 0] / t}
        return statistics | dict(zip(self._names, shares.unbind(-1), strict=True)) | _best_offset(weights)


def keys_of(
    t: int,
    tokens: Tensor | None = None,
    kinds: Mapping[str, Tensor] | None = None,
    device: torch.device | None = None,
) -> dict[str, Tensor]:
    """Returns, for each statistic in `PLACES` that counts the same keys in all heads, which keys it counts: bool (t, t)
    by name.

    Args:
        t: number of tokens.
        tokens, kinds: as in `head_statistics`.
        device: of the result, without tokens.
    """
    own = torch.eye(t, dtype=torch.bool, device=device if tokens is None else tokens.device)
    at = torch.arange(t, device=own.device)
    keys = {
        "previous": own.roll(-1, 1).tril(-1),  # rolling wraps around to the other side of the diagonal
        "first": (at == 0).expand(t, t),
        "self": own,
        "next": own.roll(1, 1).triu(1),
        "last": (at == t - 1).expand(t, t),
    }
    if tokens is not None:
        others = (tokens[:, None] == tokens) & ~own
        keys |= {"same": others.tril(), "elsewhere": others, "copying": others.tril().roll(1, 1).tril(-1)}
    return keys | {name: chosen.expand(t, t) for name, chosen in (kinds or {}).items()}


def _best_offset(weights: Tensor) -> dict[str, Tensor]:
    """Computes "offset" and "by" of `head_statistics`: the attention at the best fixed distance, and that distance."""
    t = weights.shape[-1]
    offsets = [by for near in OFFSETS if near <= t // 2 for by in (-near, near)]
    if not offsets:
        return {
            "offset": weights.new_zeros(weights.shape[:-2]),
            "by": weights.new_zeros(weights.shape[:-2], dtype=torch.long),
        }
    shares = torch.stack([weights.diagonal(by, -2, -1).mean(-1) for by in offsets], -1)
    offset, best = shares.max(-1)
    return {"offset": offset, "by": torch.tensor(offsets, device=best.device)[best]}


def as_tensor(name: str, values: Any) -> Tensor:
    """Converts numbers to a tensor; raises ValueError for anything else."""
    try:
        return torch.as_tensor(values)
    except (TypeError, RuntimeError, ValueError):
        raise ValueError(f"{name} must be numbers, got {type(values).__name__}") from None


def _check_square(weights: Tensor) -> None:
    require_instance("weights", weights, Tensor)
    if weights.dim() < 2 or weights.shape[-1] != weights.shape[-2] or not weights.shape[-1]:
        raise ValueError(f"weights must be square, (..., t, t), t at least 1, got {tuple(weights.shape)}")


def _bits(weights: Tensor) -> Tensor:
    """Computes the sum of −w log₂ w over each map, in bits: (..., t, t) → (...), with 0 · log 0 = 0.

    It works map by map, so that a map stays in a core's cache, and avoids xlogy, which is not vectorized.
    """
    least = torch.finfo(weights.dtype).tiny
    maps = weights.reshape(-1, weights.shape[-2] * weights.shape[-1])
    return -torch.stack([each.dot(each.clamp_min(least).log2_()) for each in maps]).view(weights.shape[:-2])


def rank_correlation(x: Tensor | Sequence[float], y: Tensor | Sequence[float]) -> float:
    """Computes Spearman's rank correlation of two lists, from −1 (opposite order) to 1 (same order).

    Equal numbers share the average of their ranks. NaN if all numbers of a list are equal, or one is NaN.

    Args:
        x, y: (n,).
    Raises:
        ValueError: lists of different length.
    """
    x, y = as_tensor("x", x), as_tensor("y", y)
    if x.dim() != 1 or x.shape != y.shape:
        raise ValueError(f"x and y must be lists of one length, got {tuple(x.shape)} and {tuple(y.shape)}")
    if x.isnan().any() or y.isnan().any():  # which have no rank
        return math.nan
    a, b = (ranks - ranks.mean() for ranks in (_ranks(x), _ranks(y)))
    return float((a * b).sum() / (a.norm() * b.norm()))


def _ranks(x: Tensor) -> Tensor:
    """Returns ranks from 0; equal numbers share the average of theirs."""
    _, group, sizes = x.unique(return_inverse=True, return_counts=True)
    return (sizes.cumsum(0) - (sizes + 1) / 2)[group].double()
