"""Describes a head in one word: its habit, such as "previous", determined from its statistics.

Sizes: t tokens, h heads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

import torch
from torch import Tensor

from former.analysis.statistics import PLACES, KeyStatistics, keys_of, places_of

Statistics = Mapping[str, Any]  # as `former.analysis.head_statistics` gives them, of one map

IDLE = ("separator", "punctuation", "last", "first")  # where heads attend when nothing matches
COMPARED = ("copying", "same", "elsewhere")  # averages over only those queries whose token occurs elsewhere too
HABITS = {name: 0.5 if name in IDLE else 0.3 for name in PLACES}
"""The least share of the attention that is a habit. Explore first shows a head of the first habit that any head has."""
EVEN = 0.9  # share of the entropy of even attention from which a head without a habit is "even"
LIFT = 1.5  # a habit needs this many times the weight of even attention, however short the text
SECOND = 0.1  # minimum weight of a runner-up, and of a token to name
NAMED = 3  # most attended tokens to name


def habit(statistics: Statistics, even: Statistics) -> tuple[str, str | None]:
    """Returns a head's habit and the runner-up, from its statistics and those of even attention.

    The habit is the one of `HABITS` with the most weight. Those in `IDLE` count only if no other qualifies, because
    many heads attend there whenever they do not find what they look for. Without a habit, a head is "only" if the text
    has one token, "even" if its entropy is at least `EVEN`, and else "mixed". The runner-up is the statistic with the
    most weight after the habit, if it reaches `SECOND` and `LIFT`; else None.
    """
    if even["entropy"] == 0:
        return "only", None
    lifted = [name for name in HABITS if name in statistics and statistics[name] >= LIFT * even[name]]
    strong = [name for name in lifted if statistics[name] >= HABITS[name]]
    kind = max(strong, key=lambda name: (name not in IDLE, statistics[name]), default=None)
    if kind is None:
        kind = "even" if statistics["entropy"] >= EVEN * even["entropy"] else "mixed"
    others = [name for name in lifted if name != kind and statistics[name] >= SECOND]
    return kind, max(others, key=lambda name: statistics[name], default=None)


class Describer:
    """Describes self-attention maps of one text; what depends on the text and the mask alone is computed once.

    Args:
        mask: bool (t, t), to compute the statistics of even attention.
        tokens: (t,) ids.
        kinds: as in `former.analysis.head_statistics`.
        dtype: of the maps.

    Attributes:
        places: the names of `PLACES` that a map can have.
        even: {name: number}, the statistics of even attention.
    """

    def __init__(
        self,
        mask: Tensor,
        tokens: Tensor,
        kinds: Mapping[str, Tensor] | None = None,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        of_mask = places_of(mask)
        keys = {name: wanted for name, wanted in keys_of(len(tokens), tokens, kinds).items() if name in of_mask}
        self._count = KeyStatistics(keys, dtype)
        counted = self._count((mask / mask.sum(-1, keepdim=True)).to(dtype))
        self.even = {name: float(counted[name]) for name in ("entropy", "distance", *of_mask) if name in counted}
        self.places = [name for name in of_mask if self.even.get(name, 0) > 0]
        if any(bool(kind[-1]) for kind in (kinds or {}).values()):
            keys.pop("last", None)  # the last token is counted as a separator or as punctuation
        self._of_map = partial(
            _describe,
            even={name: self.even[name] for name in ("entropy", "offset", *keys)},
            counted=cache(partial(_counted, keys, len(tokens), dtype)),
        )
        self._first = (tokens[:, None] == tokens).int().argmax(-1)  # (t,): where each position's token first occurs

    def __call__(self, maps: Tensor) -> dict[str, Any]:
        """Returns the statistics and the habit of each map (..., t, t), as plain values: {"statistics": {name: [...]};
        "habits": [...] of [habit, runner-up, its share, most attended tokens], see `_describe`}."""
        measured = self._count(maps)
        statistics = {name: rounded(measured[name]) for name in self.even} | {"by": measured["by"].tolist()}
        habits = _nested(maps, statistics | _most_attended(maps, self._first), self._of_map)
        return {"statistics": statistics, "habits": habits}


def describe(
    weights: Tensor, mask: Tensor, tokens: Tensor, kinds: Mapping[str, Tensor] | None = None
) -> dict[str, Any]:
    """Describes the heads of a self-attention map, as plain values.

    Args:
        weights: (layers, h, t, t).
        mask, tokens, kinds: as in `Describer`.
    Returns:
        "places" and "even" of `Describer`; "statistics": {name: [layer][head]} and "habits": [layer][head], as it
        returns them; "first_head": [layer, head], the head to show first.
    """
    describer = Describer(mask, tokens, kinds, weights.dtype)
    heads = describer(weights)
    first_head = _first_head(heads["statistics"], heads["habits"])
    return {"places": describer.places, "even": describer.even, **heads, "first_head": first_head}


def _nested(maps: Tensor, statistics: Statistics, function: Callable[[Tensor, Statistics], Any]) -> Any:
    """Applies a function to each map (t, t) of several and its statistics, as nested lists."""
    if maps.dim() == 2:
        return function(maps, statistics)
    return [
        _nested(each, {name: values[i] for name, values in statistics.items()}, function) for i, each in enumerate(maps)
    ]


def _describe(
    cells: Tensor, statistics: Statistics, even: Statistics, counted: Callable[..., tuple[Tensor, int]]
) -> list[Any]:
    """Returns a map's habit, the runner-up and its share, and the most attended tokens of a map without a habit.

    If the habit is in `COMPARED`, the runner-up's share is averaged only over queries to which the habit does not
    apply. Otherwise it is averaged over the habit's queries, without the keys that the habit counts, so that both
    shares add up to at most 1. Each token is [its first position, the share of the attention on all its occurrences].
    """
    kind, second = habit({name: statistics[name] for name in even}, even)
    share = second and statistics[second]
    if kind in HABITS and second:
        wanted, queries = counted(kind, second, statistics["by"] if "offset" in (kind, second) else 0)
        share = float(cells.flatten() @ wanted) / max(1, queries)
        if share < SECOND:
            second, share = None, None
    attended = [
        list(each) for each in zip(statistics["attended"], statistics["shares"], strict=True) if each[1] >= SECOND
    ]
    return [kind, second, share, attended if kind == "mixed" else []]


def _counted(
    keys: Mapping[str, Tensor], t: int, dtype: torch.dtype, kind: str, second: str, by: int
) -> tuple[Tensor, int]:
    """Returns which keys count for a runner-up after a habit, 1 or 0 (t · t,), and for how many queries they count."""
    own, wanted = (_diagonal(t, by) if name == "offset" else keys[name] for name in (kind, second))
    if kind in COMPARED and second not in COMPARED:
        queries = ~own.any(1) & wanted.any(1)
    else:
        queries, wanted = own.any(1), wanted & ~own
    return (wanted & queries[:, None]).flatten().to(dtype), int(queries.sum())


def _diagonal(t: int, by: int) -> Tensor:
    """Returns the keys at a distance from each query, bool (t, t)."""
    index = torch.arange(t)
    return index[None, :] - index[:, None] == by


def _most_attended(maps: Tensor, first: Tensor) -> dict[str, Any]:
    """Returns the `NAMED` tokens with the most attention in each map (..., t, t): where each occurs first, "attended",
    and the share of the attention on all its occurrences, "shares"; both (..., NAMED)."""
    columns = maps.mean(-2)
    top = torch.zeros_like(columns).index_add(-1, first, columns).topk(min(NAMED, len(first)))
    return {"attended": top.indices.tolist(), "shares": rounded(top.values)}


def _first_head(statistics: Statistics, habits: list[Any]) -> list[int]:
    """Chooses the head to show first: the strongest head of the first habit of `HABITS` that any head has.

    If no head has a habit, it is the one that attends most sharply.
    """
    places = [[layer, head] for layer, row in enumerate(habits) for head in range(len(row))]
    for name in HABITS:
        if having := [(layer, head) for layer, head in places if habits[layer][head][0] == name]:
            return list(max(having, key=lambda at: statistics[name][at[0]][at[1]]))
    return min(places, key=lambda at: statistics["entropy"][at[0]][at[1]])


def sharpness(weights: Tensor, memory: int = 0) -> dict[str, Any]:
    """Measures how sharply the heads and the layers' means attend to another text's tokens, as plain values.

    Args:
        weights: (layers, h, t_query, t_key).
        memory: number of keys, at the beginning, that belong to the memory.
    Returns:
        {"sharpness": {"head": [layer][head], "mean": [layer]}: the largest weight of a query, averaged over the
        queries; "first_head": [layer, head], the head to show first: a sharp one that attends to many different tokens
        (of the memory, if there is one)}.
    """
    heads, means = (maps.amax(-1).mean(-1) for maps in (weights, weights.mean(1)))  # (layers, h), (layers,)
    visible = weights[..., : memory or None]
    distinct_keys = [[len(head.argmax(-1).unique()) for head in layer] for layer in visible]  # different tokens
    first_head = divmod(int((visible.amax(-1).mean(-1) * torch.tensor(distinct_keys)).argmax()), heads.shape[1])
    return {"sharpness": {"head": rounded(heads), "mean": rounded(means)}, "first_head": list(first_head)}


def on_memory(weights: Tensor, columns: int) -> dict[str, Any]:
    """Measures the share of a segment's attention that goes to the memory, as plain values.

    Args:
        weights: (layers, h, t_query, t_key), the memory's keys first.
        columns: number of keys in the memory.
    Returns:
        {"columns", "head": [layer][head], "mean": [layer]}: the share, averaged over the queries.
    """
    share = weights[..., :columns].sum(-1).mean(-1)  # (layers, h)
    return {"columns": columns, "head": rounded(share), "mean": rounded(share.mean(1))}


def rounded(values: Tensor) -> Any:
    """Converts numbers to nested lists, rounded for display."""
    return torch.round(values.double(), decimals=7).tolist()
