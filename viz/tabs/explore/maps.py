"""What Explore's panels show of a map: all heads, one of them, one pair, one token.

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
    """Returns all heads of a map: "weights" (layers, h, t_query, t_key), labels, and what the mask has "allowed"."""
    shown = run.maps[name]
    return {"weights": shown.weights, "queries": shown.queries, "keys": shown.keys, "allowed": shown.allowed}


def cells_of(shown: Map, layer: int, head: int, of: str) -> Tensor:
    """Returns what a map shows, (t_query, t_key).

    Args:
        shown: the map.
        layer, head: of the map, from 0.
        of: one "head", the "mean" of the layer's heads, or the "rollout" up to the layer.
    """
    if of == "rollout":
        return analysis.rollout(shown.weights[: layer + 1])
    return shown.weights[layer].mean(0) if of == "mean" else shown.weights[layer, head]


def show_map(run: Run, name: str, layer: int, head: int, of: str, scale: str) -> Numbers:
    """Returns one map: "cells" (t_query, t_key), labels, what the mask has "allowed", and its "scale".

    Args:
        run, name: the run, and which of its maps.
        layer, head, of: as of `cells_of`.
        scale: of the colours, as `figures.attention` takes it; "scores": of one head, what the softmax was taken of.
    """
    shown = run.maps[name]
    cells = shown.scores[layer, head] if scale == "scores" else cells_of(shown, layer, head, of)
    return {"cells": cells, "queries": shown.queries, "keys": shown.keys, "allowed": shown.allowed, "scale": scale}


def write_table(run: Run, name: str, layer: int, head: int, of: str) -> Numbers:
    """Returns one map as "rows", one for each pair that the mask lets pass, and as "table", the text of a CSV file."""
    shown = run.maps[name]
    cells, table = cells_of(shown, layer, head, of), io.StringIO()
    pairs = shown.allowed.nonzero().tolist()
    rows = [(query, key, shown.queries[query], shown.keys[key], float(cells[query, key])) for query, key in pairs]
    csv.writer(table).writerows([("query", "key", "query_token", "key_token", "weight"), *rows])
    found = {"rows": rows, "table": table.getvalue(), "cells": cells}
    return {**found, "queries": shown.queries, "keys": shown.keys, "allowed": shown.allowed}


def measure_map(run: Run, name: str, layer: int, head: int, of: str) -> Numbers:
    """Returns "values" by "names" of what one map of a text that looks at itself does (`head_statistics`)."""
    shown = run.maps[name]
    found = analysis.head_statistics(cells_of(shown, layer, head, of), torch.tensor(shown.ids))
    return {"values": torch.stack(list(found.values())), "names": list(found)}


def follow_pair(run: Run, name: str, layer: int, head: int, query: int, key: int) -> Numbers:
    """Returns how q and k of a pair make its weight, and all weights and values the output of the query.

    Returns:
        "products" (s,) of q and k; "score", what the softmax is taken of; "weight"; "output" (s,) = Σ weight · value.
    """
    shown = run.maps[name]
    return {
        "products": shown.q[layer, head, query] * shown.k[layer, head, key],
        "score": float(shown.scores[layer, head, query, key]),
        "weight": float(shown.weights[layer, head, query, key]),
        "output": shown.weights[layer, head, query] @ shown.v[layer, head],
    }


def look_around(run: Run, name: str, layer: int, head: int, of: str, query: int) -> Numbers:
    """Returns where a token "looks", (t_key,), and how it is "looked_at", (t,); None where another text looks."""
    shown = run.maps[name]
    cells = cells_of(shown, layer, head, of)
    return {"looks": cells[query], "looked_at": cells[:, query] if shown.ids else None, "keys": shown.keys}


def compare_maps(pinned: Run, run: Run, before: tuple[str, int, int, str], now: tuple[str, int, int, str]) -> Numbers:
    """Returns a pinned run's map and another's, and what differs.

    Args:
        pinned, run: the two runs.
        before, now: what to show of each: the name of its map, and the layer, head and of as of `cells_of`.
    Returns:
        "before" and "now": the cells of both; "moved" (layers, h): of each head the share of attention that goes
        elsewhere, None of maps that cannot be compared; and to draw, with labels and "mask", "cells": the difference,
        or of maps of two shapes the pinned one.
    """
    one, other = pinned.maps[before[0]], run.maps[now[0]]
    cells, after = cells_of(one, *before[1:]), cells_of(other, *now[1:])
    found = {"before": cells, "now": after, "moved": None, "cells": cells, "mask": one.allowed, "unit": None}
    if cells.shape == after.shape:
        found |= {"cells": after - cells, "mask": one.allowed | other.allowed, "unit": "difference"}
    if one.weights.shape == other.weights.shape and one.name == other.name:
        found["moved"] = (other.weights - one.weights).abs().sum(-1).mean(-1) / 2
    return {**found, "queries": one.queries, "keys": one.keys}
