"""The computations of Explore's panels about a map: all heads, one head, one pair, one token.

Sizes: t tokens, h heads, s size of one head.
"""

from __future__ import annotations

import csv
import io

import torch
from torch import Tensor

from former import analysis
from former.runs import Map, Run
from viz.panels import Numbers


def show_heads(run: Run, name: str) -> Numbers:
    """Returns all heads of a map: "weights" (layers, h, t_query, t_key), labels, and cells "allowed" by the mask."""
    shown = run.maps[name]
    return {"weights": shown.weights, "queries": shown.queries, "keys": shown.keys, "allowed": shown.allowed}


def cells_of(shown: Map, layer: int, head: int, of: str) -> Tensor:
    """Returns one head, a layer's mean or a rollout of a map, (t_query, t_key).

    Args:
        shown: the map.
        layer, head: indices from 0.
        of: "head", "mean" (over the layer's heads), or "rollout" (up to the layer).
    """
    if of == "rollout":
        return analysis.rollout(shown.weights[: layer + 1])
    return shown.weights[layer].mean(0) if of == "mean" else shown.weights[layer, head]


def show_map(run: Run, name: str, layer: int, head: int, of: str, scale: str) -> Numbers:
    """Returns one map: "cells" (t_query, t_key), labels, the cells "allowed" by the mask, and its "scale".

    Args:
        run, name: the run, and the name of its map.
        layer, head, of: as of `cells_of`.
        scale: of the colours, as of `figures.attention`; "scores", for one head, shows the scores before the softmax.
    """
    shown = run.maps[name]
    cells = shown.scores[layer, head] if scale == "scores" else cells_of(shown, layer, head, of)
    return {"cells": cells, "queries": shown.queries, "keys": shown.keys, "allowed": shown.allowed, "scale": scale}


def write_table(run: Run, name: str, layer: int, head: int, of: str) -> Numbers:
    """Returns one map as "rows", one for each pair that the mask allows, and as "table", the text of a CSV file."""
    shown = run.maps[name]
    cells, table = cells_of(shown, layer, head, of), io.StringIO()
    pairs = shown.allowed.nonzero().tolist()
    rows = [(query, key, shown.queries[query], shown.keys[key], float(cells[query, key])) for query, key in pairs]
    csv.writer(table).writerows([("query", "key", "query_token", "key_token", "weight"), *rows])
    found = {"rows": rows, "table": table.getvalue(), "cells": cells}
    return {**found, "queries": shown.queries, "keys": shown.keys, "allowed": shown.allowed}


def measure_map(run: Run, name: str, layer: int, head: int, of: str) -> Numbers:
    """Returns the statistics of one self-attention map as "names" and "values" (`head_statistics`)."""
    shown = run.maps[name]
    found = analysis.head_statistics(cells_of(shown, layer, head, of), torch.tensor(shown.ids))
    return {"values": torch.stack(list(found.values())), "names": list(found)}


def follow_pair(run: Run, name: str, layer: int, head: int, query: int, key: int) -> Numbers:
    """Returns the steps from a pair's q and k to its weight, and from weights and values to the query's output.

    Returns:
        "products" (s,) of q and k; "score" before the softmax; "weight"; "output" (s,) = Σ weight · value.
    """
    shown = run.maps[name]
    return {
        "products": shown.q[layer, head, query] * shown.k[layer, head, key],
        "score": float(shown.scores[layer, head, query, key]),
        "weight": float(shown.weights[layer, head, query, key]),
        "output": shown.weights[layer, head, query] @ shown.v[layer, head],
    }


def look_around(run: Run, name: str, layer: int, head: int, of: str, query: int) -> Numbers:
    """Returns a token's own weights, "looks" (t_key,), and those on it, "looked_at" (t,); None across texts."""
    shown = run.maps[name]
    cells = cells_of(shown, layer, head, of)
    return {"looks": cells[query], "looked_at": cells[:, query] if shown.ids else None, "keys": shown.keys}


def compare_maps(pinned: Run, run: Run, before: tuple[str, int, int, str], now: tuple[str, int, int, str]) -> Numbers:
    """Compares a map of a pinned run with a map of another.

    Args:
        pinned, run: the two runs.
        before, now: for each run, the name of the map, and layer, head and of as of `cells_of`.
    Returns:
        "before" and "now": the cells of both; "moved" (layers, h): for each head the share of attention that has
        moved, None for maps that cannot be compared; and for the figure, with labels and "mask", "cells": the
        difference, or the pinned map if the shapes differ.
    """
    one, other = pinned.maps[before[0]], run.maps[now[0]]
    cells, after = cells_of(one, *before[1:]), cells_of(other, *now[1:])
    found = {"before": cells, "now": after, "moved": None, "cells": cells, "mask": one.allowed, "unit": None}
    if cells.shape == after.shape:
        found |= {"cells": after - cells, "mask": one.allowed | other.allowed, "unit": "difference"}
    if one.weights.shape == other.weights.shape and one.name == other.name:
        found["moved"] = (other.weights - one.weights).abs().sum(-1).mean(-1) / 2
    return {**found, "queries": one.queries, "keys": one.keys}
