"""The panel "scan": results of a scan of a model's heads over a corpus (`former.analysis.scan`)."""

from __future__ import annotations

import shlex
from typing import Any

import torch
from torch import Tensor

import former
from former.analysis import scan
from former.analysis.statistics import PLACES
from former.checkpoints.files import CheckpointError
from former.runs import kind_of
from former.tokens.labels import special_ids
from viz import figures
from viz.panels import Draw, Field, Numbers, Question
from viz.passes.loaded import Loaded, Models
from viz.server.view import View, read_choice, read_index, read_model
from viz.text import NothingToShow

MEASURES = (*PLACES, "decided", "entropy", "distance", "effect")
SEEN = 0.02  # minimum weight of a token to show
AROUND = 3  # neighbours of such a token that are shown too
SPREAD = ("mean", "tenth", "ninetieth")  # of a dot


def has_scan(loaded: Loaded) -> bool:
    """Returns whether a model has a scan in its folder."""
    return bool(loaded.folder and (loaded.folder / scan.FILE).is_file())


def read_scan(models: Models, view: View) -> tuple[Loaded, dict[str, int]]:
    """Reads from a view a model that has a scan, and one of its heads.

    Raises:
        Refusal: no such model or head, or no scan.
    """
    loaded = read_model(models, view)
    command = f"python -m former.training scan {shlex.quote(loaded.source)}"
    if not scan.can_scan(loaded.bundle):
        raise NothingToShow("scan_kind")
    if loaded.folder is None:
        raise NothingToShow("scan_elsewhere")
    try:
        scan_result = scan.load(loaded.folder)
    except CheckpointError as error:
        raise NothingToShow("scan_damaged", command=command) from error
    if scan_result is None:
        raise NothingToShow("scan_none", name=loaded.name, command=command)
    layers, count = scan_result.explained.shape
    return loaded, {"layer": read_index(view, "layer", layers), "head": read_index(view, "head", count)}


def read_axes(models: Models, view: View) -> dict[str, Any]:
    """Reads from a view the arguments of `scan_heads`."""
    loaded, chosen = read_scan(models, view)
    x, y = (read_choice(view, f"scan_{side}", MEASURES) for side in "xy")
    return {"bundle": loaded, "x": x, "y": y, **chosen}


def read_head(models: Models, view: View) -> dict[str, Any]:
    """Reads from a view the arguments of `scan_head`."""
    loaded, chosen = read_scan(models, view)
    return {"bundle": loaded, **chosen}


def load_scan(bundle: former.Bundle) -> scan.Scan:
    """Loads the scan in a model's folder.

    Raises:
        ValueError: there is no scan, or it was made with other weights.
    """
    scan_result = scan.load(bundle.folder) if bundle.folder else None
    if scan_result is None:
        raise ValueError(f"bundle must have a scan in its folder, got {bundle}")
    return scan_result


def scan_heads(bundle: former.Bundle, x: str, y: str, layer: int, head: int) -> Numbers:
    """Returns two measures of every head, from a scan.

    Args:
        bundle: a model with a scan in its folder.
        x, y: names in `MEASURES`; a measure that the scan lacks is replaced by another.
        layer, head: the head to mark.
    Returns:
        "across" and "down" (layers, h, 3): mean, tenth and ninetieth percentile of x and of y; "axes": the two names;
        "measures": all names of the scan; "chosen": the marked head, and "values" (2, 3), its numbers; "stretches":
        number of passages, and "length", tokens in each; "removals": number of passages on which heads were removed,
        and "asked": whether the effect is measured on "hidden" pieces or "next" tokens; "corpus", "split".
    """
    scan_result = load_scan(bundle)
    measures = [name for name in MEASURES if name in scan_result.facts["measures"]]
    x = x if x in measures else measures[0]
    y = y if y in measures else next(name for name in measures if name != x)
    across, down = (torch.stack([scan_result.of(name, of) for of in SPREAD], -1) for name in (x, y))
    return {
        **{"across": across, "down": down, "measures": measures, "axes": (x, y), "chosen": (layer, head)},
        "values": torch.stack((across, down))[:, layer, head],
        **{"stretches": scan_result.facts["passages"], "length": scan_result.tokens.shape[1]},
        "asked": "hidden" if kind_of(bundle).says == "blank" else "next",
        **{name: scan_result.facts[name] for name in ("removals", "corpus", "split")},
    }


def scan_head(bundle: former.Bundle, layer: int, head: int) -> Numbers:
    """Returns one head's measures over a corpus, examples of its attention, and its q and k in these examples.

    Args:
        bundle: a model with a scan in its folder.
        layer, head: the head.
    Returns:
        "spread": for each measure, its `scan.STATISTICS`; "even": the same for a head that attends evenly;
        "examples": results of `excerpt`, with "group"; "queries" and "keys" (k, 2) in a plane, "names" of their tokens,
        "groups" (k,), and the share of their variance that is "explained".
    """
    scan_result = load_scan(bundle)
    groups = scan_result.group.tolist()
    pieces = excerpts(bundle.tokenizer, scan_result, layer, head)
    queries, keys = scan_result.plane[layer, head]
    return {
        "spread": dict(zip(scan_result.facts["measures"], scan_result.spread[layer, head], strict=True)),
        "even": scan_result.facts["even"],
        "examples": [{"group": group, **each} for group, each in zip(groups, pieces, strict=True)],
        **{"queries": queries, "keys": keys, "groups": groups, "explained": float(scan_result.explained[layer, head])},
        "names": [(each["query"], each["key"]) for each in pieces],
    }


def excerpts(tokenizer: Any, result: scan.Scan, layer: int, head: int) -> list[dict[str, Any]]:
    """Returns a head's examples, as results of `excerpt`."""
    stretches, queries, rows = (each[layer, head] for each in (result.examples, result.places, result.rows))
    values = []
    for ids, query, row in zip(result.tokens[stretches], queries.tolist(), rows, strict=True):
        key = int((row * scan.is_text(ids, special_ids(tokenizer))).argmax())
        values.append(excerpt(tokenizer.labels(ids.tolist()), row, query, key))
    return values


def excerpt(labels: list[str], row: Tensor, query: int, key: int) -> dict[str, Any]:
    """Shortens a passage to the tokens around a query and around the keys to which it attends.

    Args:
        labels: (t,).
        row: (t,): the query's weights.
        query: its position.
        key: the position with the largest weight.
    Returns:
        {"tokens": labels, "weights": one each, "at": index of the query, "gaps": indices before which tokens are left
        out, "query" and "key": the labels of the two}.
    """
    near = torch.zeros(len(labels), dtype=torch.bool)
    for index in [query, *(row >= SEEN).nonzero()[:, 0].tolist()]:
        near[max(0, index - AROUND) : index + AROUND + 1] = True
    indices = near.nonzero()[:, 0].tolist()
    return {
        "tokens": [labels[i] for i in indices],
        "weights": [round(float(row[i]), 3) for i in indices],
        "at": indices.index(query),
        "gaps": [n for n, i in enumerate(indices) if i > (indices[n - 1] + 1 if n else 0)],
        "query": labels[query],
        "key": labels[key],
    }


HEADS = Draw(figures.scan, Field("across"), Field("down"), chosen=Field("chosen"), axes=Field("axes"))
PLANE = Draw(figures.plane, Field("queries"), Field("keys"), Field("names"), Field("groups"))
QUESTIONS = {
    "heads": Question(
        scan_heads, read_axes, HEADS, charted=True, prints=("axes", "values"), unsent=("across", "down", "chosen")
    ),
    "head": Question(scan_head, read_head, PLANE, charted=True, unsent=("queries", "keys", "names", "groups")),
}
