"""The numbers that panels show without a request of their own: for a pass, from the browser's data and its routes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor

from former import analysis
from tests.viz.passes.answered import run
from viz.passes import edits, measures
from viz.passes.loaded import Models


class Shown:
    """The page's display of a view of tab Explore."""

    def __init__(self, models: Models, view: dict[str, Any]) -> None:
        self.loaded, self.view = models[view["model"]], view
        self.made = run(self.loaded, view["text"], edits.read(view["edits"], self.loaded.bundle.model))
        self.map = self.made.maps[0] if len(self.made.maps) == 1 else self.made.map(view["map"])
        self.layer, self.head, self.query, self.key = (view[name] for name in ("layer", "head", "query", "key"))
        self.place = self.map.name, self.layer, self.head, self.query

    @property
    def described(self) -> dict[str, Any]:
        return self.made.header["maps"][self.made.maps.index(self.map)]

    @property
    def cells(self) -> Tensor:
        if self.view["of"] == "rollout":
            return analysis.rollout(self.map.weights[: self.layer + 1])
        layer = self.map.weights[self.layer]
        return layer.mean(0) if self.view["of"] == "mean" else layer[self.head]


def overview(shown: Shown) -> dict[str, Any]:
    """Returns all heads, and the habit that the panel's sentence names."""
    described = shown.described
    kind, share = "one token", described.get("sharpness", {}).get("head")
    if share is None:
        kind, statistics = described["habits"][shown.layer][shown.head][0], described["statistics"]
        share = statistics.get(kind, statistics["entropy"])
    parts = {name: getattr(shown.map, name) for name in ("weights", "queries", "keys", "allowed")}
    return {**parts, "habit": [kind, share[shown.layer][shown.head]]}


def head_map(shown: Shown) -> dict[str, Any]:
    cells = shown.map.scores[shown.layer, shown.head] if shown.view["show"] == "scores" else shown.cells
    return {"cells": cells, "pair": float(cells[shown.query, shown.key])}


def lines(shown: Shown) -> dict[str, Any]:
    """Counts lines as `linksOf` in viz/tabs/explore/lib/selection.js does."""
    count, carried = 0, 0.0
    for row, length in zip(shown.cells.tolist(), shown.map.lengths, strict=True):
        mass = 0.0
        for weight in sorted(row[:length], reverse=True)[:8]:
            if mass >= 0.9:
                break
            count, mass = count + 1, mass + weight
        carried += mass / len(shown.cells)
    return {"cells": shown.cells, "lines": count, "carried": carried}


def statistics(shown: Shown) -> dict[str, Any]:
    if shown.view["of"] == "head":
        measured = {name: each[shown.layer][shown.head] for name, each in shown.described["statistics"].items()}
    else:
        measured = shown.map.describe_view(shown.cells, shown.loaded.bundle.tokenizer)["statistics"]
    names = [name for name in measured if name != "by"]
    return {"names": names, "values": [measured[name] for name in names]}


def pair(shown: Shown) -> dict[str, Any]:
    head, (*_, query), key = (shown.layer, shown.head), shown.place, shown.key
    q, k = shown.map.q[head][query], shown.map.k[head][key]
    weight, score = (maps[head][query, key] for maps in (shown.map.weights, shown.map.scores))
    return {"products": q * k, "weight": float(weight), "score": float(score)}


def token(shown: Shown) -> dict[str, Any]:
    looked_at = shown.cells[:, shown.query] if shown.map.ids else None
    looks = shown.cells[shown.query].tolist()
    strongest = max(range(len(looks)), key=lambda key: looks[key])
    values = {"looks": looks, "looked_at": looked_at, "keys": shown.map.keys}
    return {**values, "strongest": [shown.map.keys[strongest], looks[strongest]]}


def removed(shown: Shown) -> dict[str, Any]:
    return {"effects": [value for row in measures.heads(shown.made.run) for value in row["effects"]]}


def words(shown: Shown) -> dict[str, Any]:
    first, *rest, last = measures.each_word(shown.made.run)
    changes = [value for piece in rest for value in piece["changes"]]
    return {"shares": first["attention"], "changes": changes, "agreement": last["agreement"]}


def surprise(shown: Shown) -> dict[str, Any]:
    bits = [each for each in shown.made.header["output"]["bits"] if each is not None]
    return {"bits": bits, "mean": sum(bits) / len(bits)}


def said(shown: Shown) -> dict[str, Any]:
    after, before = (shown.made.header[name] or shown.made.header["output"] for name in ("output", "baseline"))
    if "classes" in after:
        return {"names": after["classes"], "probs": after["probs"], "before": before["probs"]}
    both = [[each["next"] for each in output.get("blanks", [output])] for output in (after, before)]
    probs = [each["prob"] for named in both[0] for each in named]
    earlier = [{each["id"]: each["prob"] for each in named} for named in both[1]]
    plain = [old[each["id"]] for named, old in zip(both[0], earlier, strict=True) for each in named]
    return {"probs": probs, "before": plain}


def table(shown: Shown) -> dict[str, Any]:
    """Returns every pair that the mask allows, row by row."""
    queries, keys, cells = shown.map.queries, shown.map.keys, shown.cells
    observed = [(i, j) for i in range(len(queries)) for j in range(len(keys)) if shown.map.allowed[i, j]]
    return {"rows": [(i, j, queries[i], keys[j], float(cells[i, j])) for i, j in observed], "pairs": len(observed)}


PAGE: dict[str, Callable[[Shown], dict[str, Any]]] = {
    **{"overview": overview, "head-map": head_map, "lines": lines, "statistics": statistics, "pair": pair},
    **{"token-strip": token, "interventions": removed, "words": words},
    **{"surprise": surprise, "prediction": said, "blanks": said, "export": table},
}


def of(models: Models, panel: str, view: dict[str, Any]) -> dict[str, Any]:
    """Returns what the page shows in a panel without a request, under the names of the program's result."""
    if panel == "trail":
        lengths: list[int] = []
        for parent, at, own in view["branches"]:
            lengths.append(min(at, lengths[parent] if lengths else 0) + len(own))
        return {"lengths": lengths}
    if panel == "beside":
        return {"now": Shown(models, view).cells, "before": Shown(models, view["beside"]).cells}
    return PAGE[panel](Shown(models, view)) if panel in PAGE else {}
