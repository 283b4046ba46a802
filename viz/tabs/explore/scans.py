"""What a scan over a corpus found of a model's heads (`former.analysis.scan`), for the panel of that name.

POST /scan/heads   {model, x, y}: all heads over two measures
POST /scan/head    {model, layer, head}: one head's spread, its stretches and its plane
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

import former
from former.analysis import scan
from former.checkpoints import CHECKPOINTS, CheckpointError
from former.tokens.wordpiece import special_ids
from viz import figures
from viz.figures.frame import themed
from viz.passes.habits import rounded
from viz.passes.loaded import Loaded, Models
from viz.server.view import View, read_choice, read_index, read_model
from viz.tabs.python import IMPORTS
from viz.text import Note, NothingToShow, note

MEASURES = (
    *("previous", "next", "first", "separator", "self", "same", "elsewhere", "copying"),
    *("decided", "entropy", "distance", "effect"),
)
SEEN = 0.02  # the least weight on a token that a stretch is cut around
AROUND = 3  # tokens beside it that are shown too
SPREAD = ("mean", "tenth", "ninetieth")  # of a dot


def found(loaded: Loaded) -> scan.Scan | Note:
    """The scan that stands in the model's folder, or why there is none to show."""
    if not isinstance(loaded.bundle.model, former.Generator | former.Bert):
        return note("scan_kind")
    if loaded.folder is None:
        return note("scan_elsewhere")
    try:
        kept = scan.load(loaded.folder)
    except CheckpointError:
        return note("scan_damaged", command=command(loaded))
    return note("scan_none", name=loaded.name, command=command(loaded)) if kept is None else kept


def scanned(models: Models) -> list[str]:
    """The names of the models in whose folder a scan stands."""
    return [name for name, loaded in models.items() if loaded.folder and (loaded.folder / scan.FILE).is_file()]


def command(loaded: Loaded) -> str:
    """What makes a model's scan."""
    return f"python -m former.training scan {shlex.quote(place(loaded))}"


def place(loaded: Loaded) -> str:
    """What `former.load` takes for a model: the name of a shipped one, or its folder."""
    return loaded.name if loaded.folder == CHECKPOINTS / loaded.name else str(loaded.folder)


def at(kept: scan.Scan, view: View) -> tuple[int, int]:
    """The "layer" and "head" of a view.

    Raises:
        Refusal: they are none of the scan's.
    """
    layers, count = kept.explained.shape
    return read_index(view, "layer", layers), read_index(view, "head", count)


def axes(measures: Sequence[str], x: str, y: str) -> tuple[str, str]:
    """Two measures to show: those that are asked for, or in place of one that there is not, another."""
    x = x if x in measures else measures[0]
    return x, y if y in measures else next(name for name in measures if name != x)


def heads(models: Models, view: View) -> dict[str, Any]:
    """All heads over two measures, by their means.

    Args:
        models: by name.
        view: "model", and the measures "x" and "y".
    Returns:
        {"figures", "measures" that there are, "x" and "y" that are shown, "stretches", "length" of each in tokens,
        "removals", "asked", "corpus", "split"}; {"missing": a note} where there is no scan. "asked" is what a head was
        removed on: "hidden" pieces, or the "next" ones.
    Raises:
        Refusal: a view that is none.
    """
    loaded = read_model(models, view)
    kept = found(loaded)
    x, y = (read_choice(view, name, MEASURES) for name in "xy")
    if isinstance(kept, dict):
        return {"missing": kept}
    measures = [name for name in MEASURES if name in kept.facts["measures"]]
    x, y = axes(measures, x, y)
    points = [torch.stack([kept.of(name, of) for of in SPREAD], -1).numpy() for name in (x, y)]
    return {
        "figures": themed(lambda theme: figures.scan(*points, chosen=(0, 0), axes=(x, y), theme=theme)),
        "measures": measures,
        "x": x,
        "y": y,
        "stretches": len(kept.tokens),
        "length": kept.tokens.shape[1],
        "asked": "hidden" if isinstance(loaded.bundle.model, former.Bert) else "next",
        **{name: kept.facts[name] for name in ("removals", "corpus", "split")},
    }


def head(models: Models, view: View) -> dict[str, Any]:
    """One head: how its measures spread, its examples, and its q and k there.

    Args:
        models: by name.
        view: "model", "layer", "head".
    Returns:
        {"spread": {measure: numbers in the order of `scan.STATISTICS`}, "even": {measure: number}, "examples": as
        `excerpt` with its "group", "figures": the plane, "explained"}; {"missing": a note} where there is no scan.
    Raises:
        Refusal: a view that is none.
    """
    loaded = read_model(models, view)
    kept = found(loaded)
    if isinstance(kept, dict):
        return {"missing": kept}
    layer, number = at(kept, view)
    groups = kept.group.tolist()
    examples = [
        {"group": group} | each for group, each in zip(groups, excerpts(loaded, kept, layer, number), strict=True)
    ]
    q, k = kept.plane[layer, number].numpy()
    names = [(each["query"], each["key"]) for each in examples]
    return {
        "spread": {name: rounded(kept.spread[layer, number, i]) for i, name in enumerate(kept.facts["measures"])},
        "even": kept.facts["even"],
        "examples": examples,
        "figures": themed(lambda theme: figures.plane(q, k, names, groups, theme=theme)),
        "explained": round(float(kept.explained[layer, number]), 4),
    }


def excerpts(loaded: Loaded, kept: scan.Scan, layer: int, number: int) -> list[dict[str, Any]]:
    """A head's examples, each as `excerpt` gives it."""
    tokenizer = loaded.bundle.tokenizer
    stretches, queries, rows = (each[layer, number] for each in (kept.examples, kept.places, kept.rows))
    shown = []
    for ids, query, row in zip(kept.tokens[stretches], queries.tolist(), rows, strict=True):
        key = int((row * scan.is_text(ids, special_ids(tokenizer))).argmax())
        shown.append(excerpt(tokenizer.labels(ids.tolist()), row, query, key))
    return shown


def excerpt(labels: list[str], row: Tensor, query: int, key: int) -> dict[str, Any]:
    """What of a stretch a query sees: the tokens around it, and around those that it looks at.

    Args:
        labels: (t,).
        row: (t,): the query's weights.
        query: its place.
        key: the place of the text that it looks at most.
    Returns:
        {"tokens": labels, "weights": one each, "at": which of them the query is, "gaps": those before which some are
        left out, "query" and "key": the labels of the two}.
    """
    near = torch.zeros(len(labels), dtype=torch.bool)
    for place in [query, *(row >= SEEN).nonzero()[:, 0].tolist()]:
        near[max(0, place - AROUND) : place + AROUND + 1] = True
    kept = near.nonzero()[:, 0].tolist()
    return {
        "tokens": [labels[i] for i in kept],
        "weights": [round(float(row[i]), 3) for i in kept],
        "at": kept.index(query),
        "gaps": [n for n, i in enumerate(kept) if i > (kept[n - 1] + 1 if n else 0)],
        "query": labels[query],
        "key": labels[key],
    }


def python(models: Models, view: View) -> str:
    """The lines that give the panel's numbers again."""
    loaded = read_model(models, view)
    kept = found(loaded)
    if isinstance(kept, dict):
        raise NothingToShow(kept["key"], **kept["values"])
    layer, number = at(kept, view)
    measures = [name for name in MEASURES if name in kept.facts["measures"]]
    x, y = axes(measures, *(read_choice(view, f"scan_{side}", MEASURES) for side in "xy"))
    lines = [
        "from former.analysis import scan",
        "from former.tokens.wordpiece import special_ids",
        "",
        f"bundle, found = former.load({place(loaded)!r}), scan.load({place(loaded)!r})",
        f"layer, head = {layer}, {number}",
        'spread = dict(zip(found.facts["measures"], found.spread[layer, head]))  # mean, deviation, three percentiles',
        f"x, y = (torch.stack([found.of(name, of) for of in {SPREAD!r}], -1) for name in {(x, y)!r})",
        f"all_heads = figures.scan(x, y, chosen=(layer, head), axes={(x, y)!r})",
        "names = []",
        "for stretch, place, row in zip(*(each[layer, head] for each in (found.examples, found.places, found.rows))):",
        "    ids = found.tokens[stretch]",
        "    labels, text = bundle.tokenizer.labels(ids.tolist()), scan.is_text(ids, special_ids(bundle.tokenizer))",
        "    names.append((labels[place], labels[(row * text).argmax()]))  # the query, and the text it looks at most",
        "    if len(names) <= 20:  # its most decided places",
        "        seen = [f'{label} {weight:.2f}' for label, weight in zip(labels, row) if weight >= 0.02]",
        "        print(labels[place], '→', ', '.join(seen))",
        "q, k = found.plane[layer, head]  # (k, 2) each",
        "figure = figures.plane(q, k, names, found.group)",
    ]
    return IMPORTS + "\n".join(lines) + "\n"


ANSWERS = {"/scan/heads": heads, "/scan/head": head}
