"""What a head does, in a word: the habits that the field names, told by what was measured of the head.

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
EVEN = 0.9  # of the entropy that an even spread has: from there a head without a habit is "even"
LIFT = 1.5  # times what an even spread puts there: less is no habit, however short the text
SECOND = 0.1  # the least mass that makes a runner-up


def habit(found: Statistics, even: Statistics) -> tuple[str, str | None]:
    """A head's habit and the runner-up, from its statistics and those of an even spread.

    The habit is the one of `HABITS` with the most mass, but "first" only where there is no other: a head rests on the
    first token wherever what it looks for is not there, and by mass alone that would hide what it looks for. Without
    one, a head is "even" from `EVEN` on, else "mixed"; "only" where there is but one token to look at. The runner-up is
    the place with the most mass beside the habit, if it has `SECOND` and `LIFT`; else None.
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
    """What the heads, layers' means and rollouts of a text that looks at itself do, as plain values.

    Args:
        weights: (layers, h, t, t).
        mask: bool (t, t), for what an even spread would be.
        ids: (t,).
    Returns:
        {"statistics": {"even": {name: number}, "head": {name: [layer][head]}, "mean" and "rollout": {name: [layer]}},
        "habits": {"head": [layer][head], "mean" and "rollout": [layer]: `habit` of each},
        "opening": [layer, head], the one to show first}.
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
    """`habit` for each number of nested lists."""
    if isinstance(found["entropy"], float):
        return list(habit(found, even))
    parts = range(len(found["entropy"]))
    return [_habits({name: values[part] for name, values in found.items()}, even) for part in parts]


def _opening(found: Statistics, habits: list[Any]) -> list[int]:
    """The head worth seeing first: of the first habit that any head has, the one with the most mass; else the one that
    chooses most sharply among the tokens."""
    places = [[layer, head] for layer, row in enumerate(habits) for head in range(len(row))]
    for name in HABITS:
        if having := [(layer, head) for layer, head in places if habits[layer][head][0] == name]:
            return list(max(having, key=lambda at: found[name][at[0]][at[1]]))
    return min(places, key=lambda at: found["entropy"][at[0]][at[1]])


def sharpness(weights: Tensor, memory: int = 0) -> dict[str, Any]:
    """How far the heads and layers' means choose among another text's tokens, as plain values.

    Args:
        weights: (layers, h, t_query, t_key).
        memory: how many keys, the first, are a memory's.
    Returns:
        {"sharpness": {"head": [layer][head], "mean": [layer]}: the largest weight of a query, averaged over the
        queries; "opening": [layer, head], the one to show first: it is sharp, and looks at many different tokens, of
        the memory where there is one}.
    """
    heads, means = (maps.amax(-1).mean(-1) for maps in (weights, weights.mean(1)))  # (layers, h), (layers,)
    seen = weights[..., : memory or None]
    chosen = [[len(head.argmax(-1).unique()) for head in layer] for layer in seen]  # different tokens
    opening = divmod(int((seen.amax(-1).mean(-1) * torch.tensor(chosen)).argmax()), heads.shape[1])
    return {"sharpness": {"head": rounded(heads), "mean": rounded(means)}, "opening": list(opening)}


def on_memory(weights: Tensor, columns: int) -> dict[str, Any]:
    """How much of a segment's attention goes to the memory, as plain values.

    Args:
        weights: (layers, h, t_query, t_key), the memory's keys before the segment's.
        columns: how many keys are the memory's.
    Returns:
        {"columns", "head": [layer][head], "mean": [layer]}: the share, averaged over the queries.
    """
    share = weights[..., :columns].sum(-1).mean(-1)  # (layers, h)
    return {"columns": columns, "head": rounded(share), "mean": rounded(share.mean(1))}


def rounded(values: Tensor) -> Any:
    """Nested lists of plain numbers, with as many digits as a person reads."""
    return torch.round(values.double(), decimals=7).tolist()
