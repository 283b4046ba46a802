"""Describes a head in one word: its habit, such as "previous", determined from its statistics.

Sizes: t tokens, h heads.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from former import analysis

Statistics = Mapping[str, Any]  # as `former.analysis.head_statistics` gives them, of one map

HABITS = {"copying": 0.3, "same": 0.3, "next": 0.3, "previous": 0.3, "self": 0.3, "first": 0.5}
"""The least mass that is a habit, on average over the queries that can have it.

"copying": what followed the same token earlier, as induction heads look; "same": the same token earlier; "next",
"previous", "self", "first": the token after, the token before, the token itself, the first token. They stand in the
order in which Explore opens on one.
"""
EVEN = 0.9  # share of the entropy of even attention from which a head without a habit is "even"
LIFT = 1.5  # a habit needs this many times the weight of even attention, however short the text
SECOND = 0.1  # minimum weight of a runner-up


def habit(found: Statistics, even: Statistics) -> tuple[str, str | None]:
    """Returns a head's habit and the runner-up, from its statistics and those of even attention.

    The habit is the one of `HABITS` with the most weight, but "first" only if no other qualifies: many heads attend to
    the first token whenever they do not find what they look for, and this would hide it. If there is no habit, a head
    is "even" from an entropy of `EVEN` on, else "mixed"; it is "only" if there is just one token. The runner-up is the
    statistic with the most weight after the habit, if it reaches `SECOND` and `LIFT`; else None.
    """
    if even["entropy"] == 0:
        return "only", None
    lifted = [name for name in HABITS if found[name] >= LIFT * even[name]]
    strong = [name for name in lifted if found[name] >= HABITS[name]]
    kind = max(strong, key=lambda name: (name != "first", found[name]), default=None)
    if kind is None:
        kind = "even" if found["entropy"] >= EVEN * even["entropy"] else "mixed"
    others = [name for name in lifted if name != kind and found[name] >= SECOND]
    return kind, max(others, key=lambda name: found[name], default=None)


def describe(weights: Tensor, mask: Tensor, ids: Tensor) -> dict[str, Any]:
    """Describes the heads, the layers' means and the rollouts of a self-attention map, as plain values.

    Args:
        weights: (layers, h, t, t).
        mask: bool (t, t), to compute the statistics of even attention.
        ids: (t,).
    Returns:
        {"statistics": {"even": {name: number}, "head": {name: [layer][head]}, "mean" and "rollout": {name: [layer]}},
        "habits": {"head": [layer][head], "mean" and "rollout": [layer]: `habit` of each},
        "opening": [layer, head], the head to show first}.
    """
    views = {
        "head": weights,
        "mean": weights.mean(1),
        "rollout": torch.stack(list(analysis.rollout_by_layer(weights))),
    }
    measured = {view: analysis.head_statistics(maps, ids) for view, maps in views.items()}
    even = {
        name: float(value) for name, value in analysis.head_statistics(mask / mask.sum(-1, keepdim=True), ids).items()
    }
    plain = {view: {name: rounded(values) for name, values in found.items()} for view, found in measured.items()}
    habits = {view: _habits(found, even) for view, found in plain.items()}
    return {"statistics": {"even": even, **plain}, "habits": habits, "opening": _opening(plain["head"], habits["head"])}


def _habits(found: Statistics, even: Statistics) -> list[Any]:
    """Applies `habit` to each element of nested lists."""
    if isinstance(found["entropy"], float):
        return list(habit(found, even))
    parts = range(len(found["entropy"]))
    return [_habits({name: values[part] for name, values in found.items()}, even) for part in parts]


def _opening(found: Statistics, habits: list[Any]) -> list[int]:
    """Chooses the head to show first: the strongest head of the first habit of `HABITS` that any head has.

    If no head has a habit, it is the one that attends most sharply.
    """
    places = [[layer, head] for layer, row in enumerate(habits) for head in range(len(row))]
    for name in HABITS:
        if having := [(layer, head) for layer, head in places if habits[layer][head][0] == name]:
            return list(max(having, key=lambda at: found[name][at[0]][at[1]]))
    return min(places, key=lambda at: found["entropy"][at[0]][at[1]])


def sharpness(weights: Tensor, memory: int = 0) -> dict[str, Any]:
    """Measures how sharply the heads and the layers' means attend to another text's tokens, as plain values.

    Args:
        weights: (layers, h, t_query, t_key).
        memory: number of keys, at the beginning, that belong to the memory.
    Returns:
        {"sharpness": {"head": [layer][head], "mean": [layer]}: the largest weight of a query, averaged over the
        queries; "opening": [layer, head], the head to show first: a sharp one that attends to many different tokens
        (of the memory, if there is one)}.
    """
    heads, means = (maps.amax(-1).mean(-1) for maps in (weights, weights.mean(1)))  # (layers, h), (layers,)
    visible = weights[..., : memory or None]
    distinct_keys = [[len(head.argmax(-1).unique()) for head in layer] for layer in visible]  # different tokens
    opening = divmod(int((visible.amax(-1).mean(-1) * torch.tensor(distinct_keys)).argmax()), heads.shape[1])
    return {"sharpness": {"head": rounded(heads), "mean": rounded(means)}, "opening": list(opening)}


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
