"""The computations of Explore's panels about a map: all heads, one head, one pair, one token.

Sizes: t tokens, h heads, s size of one head.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from former import analysis
from former.analysis.statistics import kinds_of, places_of
from former.runs import Map, Run
from viz.panels import Numbers
from viz.passes import habits

Pairs = list[tuple[int | None, int | None]]  # indices of aligned labels; None for one that only the other text has
LINES = {"mass": 0.9, "most": 8}
"""For each query, the strongest keys are drawn until they carry this share of its attention, at most this many."""


def show_heads(run: Run, name: str, layer: int, head: int) -> Numbers:
    """Returns all heads of a map: "weights" (layers, h, t_query, t_key), labels, "allowed" (t_query, t_key), the cells
    that the mask allows, and the "habit" of one head (`name_habit`)."""
    map_ = run.maps[name]
    sides = {"queries": map_.queries, "keys": map_.keys, "allowed": map_.allowed}
    return {"weights": map_.weights, **sides, "habit": name_habit(run, name, layer, head)}


def name_habit(run: Run, name: str, layer: int, head: int) -> tuple[str, float]:
    """Returns the name of a head's habit (`viz.passes.habits`), and a number: the habit's share of the attention.

    Without a habit, the number is the entropy in bits; for queries and keys of different texts, the largest weight of a
    query, averaged over the queries.
    """
    map_ = run.maps[name]
    if not map_.ids:
        return "one token", float(map_.weights[layer, head].amax(-1).mean())
    tokens, weights = torch.tensor(map_.ids), map_.weights[layer : layer + 1, head : head + 1]
    described = habits.describe(weights, map_.allowed, tokens, kinds_of(run.source.tokenizer, tokens))
    kind, statistics = described["habits"][0][0][0], described["statistics"]
    return kind, statistics.get(kind, statistics["entropy"])[0][0]


def cells_of(map_: Map, layer: int, head: int, of: str) -> Tensor:
    """Returns one head, a layer's mean or a rollout of a map, (t_query, t_key).

    Args:
        map_: the map.
        layer, head: indices from 0.
        of: "head", "mean" (over the layer's heads), or "rollout" (up to the layer).
    """
    if of == "rollout":
        return analysis.rollout(map_.weights[: layer + 1])
    return map_.weights[layer].mean(0) if of == "mean" else map_.weights[layer, head]


def sides_of(map_: Map, cells: Tensor) -> Numbers:
    """Returns the labels of a map, and "allowed": the cells that its mask allows, and in a rollout those that several
    layers reach together."""
    return {"queries": map_.queries, "keys": map_.keys, "allowed": map_.allowed | (cells > 0)}


def show_map(run: Run, name: str, layer: int, head: int, of: str, scale: str, query: int, key: int) -> Numbers:
    """Returns one map: "cells" (t_query, t_key), labels, "allowed", the cells that the mask allows, the "scale", and
    "pair", one cell's number.

    Args:
        run, name: the run, and the name of its map.
        layer, head, of: as in `cells_of`.
        scale: of the colours, as in `figures.attention`; "scores", for one head, shows the scores before the softmax.
        query, key: positions of the pair.
    """
    map_ = run.maps[name]
    cells = map_.scores[layer, head] if scale == "scores" else cells_of(map_, layer, head, of)
    return {"cells": cells, **sides_of(map_, cells), "scale": scale, "pair": float(cells[query, key])}


def show_lines(run: Run, name: str, layer: int, head: int, of: str) -> Numbers:
    """Returns one map for the drawing of its largest weights as lines: the values of `show_map` without "scale" and
    "pair", the number of "lines", and "carried", the share of the attention on them. `LINES` says which are drawn."""
    map_ = run.maps[name]
    cells = cells_of(map_, layer, head, of)
    weights, keys = (each[:, : LINES["most"]] for each in cells.sort(-1, descending=True))
    sides = sides_of(map_, cells)
    drawn = (weights.cumsum(-1) - weights < LINES["mass"]) & sides["allowed"].gather(-1, keys)
    return {"cells": cells, **sides, "lines": int(drawn.sum()), "carried": float((weights * drawn).sum() / len(cells))}


def write_table(run: Run, name: str, layer: int, head: int, of: str) -> Numbers:
    """Returns one map as "rows", one for each pair that is allowed (`sides_of`), the number of these "pairs", and
    "table", the rows as the text of a CSV file."""
    map_ = run.maps[name]
    cells, table = cells_of(map_, layer, head, of), io.StringIO()
    sides = sides_of(map_, cells)
    pairs = sides["allowed"].nonzero().tolist()
    rows = [(query, key, map_.queries[query], map_.keys[key], float(cells[query, key])) for query, key in pairs]
    formula = tuple("=+-@\t\r＝＋－＠")  # a spreadsheet would run a token that begins so
    lines = [[f"'{x}" if isinstance(x, str) and x.startswith(formula) else x for x in row] for row in rows]
    csv.writer(table).writerows([("query", "key", "query_token", "key_token", "weight"), *lines])
    values = {"rows": rows, "pairs": len(rows), "table": table.getvalue(), "cells": cells}
    return values | sides


def measure_map(run: Run, name: str, layer: int, head: int, of: str) -> Numbers:
    """Returns the statistics of one self-attention map as "names" and "values" (`former.analysis.head_statistics`)."""
    map_ = run.maps[name]
    tokens = torch.tensor(map_.ids)
    kinds = kinds_of(run.source.tokenizer, tokens)
    statistics = analysis.head_statistics(cells_of(map_, layer, head, of), tokens, kinds)
    names = ["entropy", "distance", *places_of(map_.allowed)]
    return {"values": torch.stack([statistics[name] for name in names]), "names": names}


def follow_pair(run: Run, name: str, layer: int, head: int, query: int, key: int) -> Numbers:
    """Returns the steps from a pair's q and k to its weight, and from weights and values to the query's output.

    Returns:
        "products" (s,) of q and k; "score" before the softmax; "weight"; "output" (s,) = Σ weight · value.
    """
    map_ = run.maps[name]
    return {
        "products": map_.q[layer, head, query] * map_.k[layer, head, key],
        "score": float(map_.scores[layer, head, query, key]),
        "weight": float(map_.weights[layer, head, query, key]),
        "output": map_.weights[layer, head, query] @ map_.v[layer, head],
    }


def look_around(run: Run, name: str, layer: int, head: int, of: str, query: int) -> Numbers:
    """Returns the attention of the token `query`: "looks" (t_key,), the weights that it gives; label and weight of the
    "strongest"; and "looked_at" (t,), the weights that it gets from each token, None if queries and keys are of
    different texts."""
    map_ = run.maps[name]
    cells = cells_of(map_, layer, head, of)
    looks, looked_at = cells[query], cells[:, query] if map_.ids else None
    strongest = map_.keys[int(looks.argmax())], float(looks.max())
    return {"looks": looks, "strongest": strongest, "looked_at": looked_at, "keys": map_.keys}


def compare_maps(pinned: Run, run: Run, before: tuple[str, int, int, str], now: tuple[str, int, int, str]) -> Numbers:
    """Compares a map of a pinned run with a map of another run.

    Args:
        pinned, run: the two runs.
        before, now: the pinned run's map and the other's: its name, and `layer`, `head` and `of` as in `cells_of`.
    Returns:
        "before" and "now": the cells of both; "rows" and "columns": the aligned queries and keys (`align`); "share" of
        the attention that has moved; "largest": the size of the largest difference, its row and column, and its cell in
        both. All these are None for maps that cannot be compared. For the figure, "cells" with labels and "mask": the
        difference of the aligned maps or, if they cannot be compared, the pinned map.
    """
    one, other = pinned.maps[before[0]], run.maps[now[0]]
    cells, after = cells_of(one, *before[1:]), cells_of(other, *now[1:])
    values = {"before": cells, "now": after, "cells": cells, "mask": one.allowed, "unit": None}
    values |= {"rows": None, "columns": None, "share": None, "largest": None}
    if not (aligned := align_maps(pinned, run, one, other)):
        return {**values, "queries": one.queries, "keys": one.keys}
    first, second = aligned.pick(cells, 0), aligned.pick(after, 1)
    difference = second - first
    row, column = divmod(int(difference.abs().argmax()), len(aligned.columns))
    largest = {"size": difference.abs(), "before": first, "after": second}
    values |= {"cells": difference, "unit": "difference", "rows": aligned.rows, "columns": aligned.columns}
    values["share"] = float(aligned.moved(difference))
    values["largest"] = {"row": row, "column": column, **{name: float(at[row, column]) for name, at in largest.items()}}
    values["mask"] = aligned.pick(one.allowed.int(), 0) + aligned.pick(other.allowed.int(), 1) > 0
    sides = (one.queries, other.queries, aligned.rows), (one.keys, other.keys, aligned.columns)
    queries, keys = ([_joined(pair, *labels) for pair in pairs] for *labels, pairs in sides)
    return {**values, "queries": queries, "keys": keys}


def compare_heads(pinned: Run, run: Run, before: str, now: str) -> Numbers:
    """Compares all heads of the pinned run's map named `before` with those of the other run's map named `now`.

    Returns:
        "rows" and "columns" as in `compare_maps`; "moved" (layers, h): the share of each head's attention that has
        moved, None unless the maps have the same name, layers and heads; "mean" over the heads, and the "most" moved.
    """
    one, other = pinned.maps[before], run.maps[now]
    aligned = align_maps(pinned, run, one, other)
    if not aligned or one.name != other.name or one.weights.shape[:2] != other.weights.shape[:2]:
        return {"rows": None, "columns": None, "moved": None, "mean": None, "most": None}
    moved = aligned.moved(aligned.pick(other.weights, 1) - aligned.pick(one.weights, 0))
    layer, head = divmod(int(moved.argmax()), moved.shape[1])
    most = {"layer": layer, "head": head, "share": float(moved[layer, head])}
    sides = {"rows": aligned.rows, "columns": aligned.columns}
    return {**sides, "moved": moved, "mean": float(moved.mean()), "most": most}


class Aligned(NamedTuple):
    """The aligned queries and keys of two maps: pairs of indices, as `align` returns them."""

    rows: Pairs
    columns: Pairs

    def pick(self, cells: Tensor, side: int) -> Tensor:
        """Arranges the cells of a map by the aligned pairs: (..., t_query, t_key) → (..., rows, columns). `side` is 0
        for the first map, 1 for the second. Cells are 0 for a key that the map lacks, and for a query that only one map
        has."""
        across, down = (
            [-1 if pair[side] is None else pair[side] for pair in pairs] for pairs in (self.columns, self.rows)
        )
        return F.pad(cells, (0, 1, 0, 1))[..., down, :][..., across] * self._both()[:, None]

    def moved(self, difference: Tensor) -> Tensor:
        """Returns the share of a query's attention that goes to other keys in the second map, averaged over common
        queries, given the difference of the two maps, (..., rows, columns)."""
        return difference.abs().sum((-2, -1)) / 2 / self._both().sum()

    def _both(self) -> Tensor:
        return torch.tensor([None not in pair for pair in self.rows])


def align_maps(pinned: Run, run: Run, one: Map, other: Map) -> Aligned | None:
    """Aligns the queries and keys of two maps, `one` of a pinned run and `other` of another run; None if they cannot be
    compared."""
    unit = pinned.source.tokenizer.unit
    least = 3 if unit in ("byte", "character") else 1
    rows, columns = align(one.queries, other.queries, least), align(one.keys, other.keys, least)
    same = one.allowed.shape == other.allowed.shape
    return Aligned(rows, columns) if rows and columns and (same or unit == run.source.tokenizer.unit) else None


def _joined(pair: tuple[int | None, int | None], *labels: Sequence[str]) -> str:
    """Returns the label of two aligned tokens: both if they differ, with "–" for a missing one."""
    one, other = ("–" if at is None else side[at] for at, side in zip(pair, labels, strict=True))
    return one if one == other else f"{one}|{other}"


def align(one: Sequence[str], other: Sequence[str], least: int = 1) -> Pairs | None:
    """Aligns the labels of two texts by their longest common parts.

    Args:
        one, other: the labels. Lists of one length are paired by position.
        least: minimum number of labels in a common part.
    Returns:
        Pairs of indices in order, with None for a label that only one text has; between two common parts, labels are
        paired if both texts have equally many. None if the common parts are less than half of the shorter text.
    """
    if len(one) == len(other):
        return [(i, i) for i in range(len(one))]
    common = SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks()
    blocks = [block for block in common if block.size >= least]
    if 2 * sum(block.size for block in blocks) < min(len(one), len(other)):
        return None
    pairs: Pairs = []
    i = j = 0
    for start, partner, size in [*blocks, (len(one), len(other), 0)]:
        if start - i == partner - j:
            pairs += zip(range(i, start), range(j, partner), strict=True)
        else:
            pairs += [(at, None) for at in range(i, start)] + [(None, at) for at in range(j, partner)]
        pairs += zip(range(start, start + size), range(partner, partner + size), strict=True)
        i, j = start + size, partner + size
    return pairs
