"""A visitor's edits of a model's heads: reads them from the page or a link, and turns them into observers.

An edit is a plain value:

    {"layer": int, "head": int, or None for the whole layer, "do": "scale", "factor": number; 0 switches off}
    {"layer", "head", "do": "uniform"}
    {"layer", "head", "do": "weight", "query", "key", "weight": in [0, 1],
     "renormalise": whether the other weights of the row are scaled so that it sums to 1}

An edit of a weight has no effect in a text where the mask hides the key from the query. In a model with several stacks,
each edit also has "map", one of `former.hooks.STACKS`. In a link, `edits=0.3.off,2.L.uniform,1.2.x-1.5,0.1.w5_2_0.8`
gives layer, head (or L for the layer) and action, with indices from 0; `w` is followed by query, key and weight, `W` is
the same without `renormalise`. With several stacks, the map comes first: `cross.0.3.off`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from torch import Tensor

import former
from former.checks import is_index
from former.config import StackConfig
from former.hooks import STACKS, Observer, points_of
from former.runs import Reading
from viz.text import Refusal

LIMIT = 32  # edits at once, so that a link can hold them
FACTOR_LIMIT = 10  # largest magnitude of a factor; beyond it, a model's numbers are meaningless

Edit = dict[str, Any]

_IN_LINK = re.compile(
    rf"(?:(?P<map>{'|'.join(STACKS)})\.)?"
    r"(?P<layer>\d{1,4})\.(?P<head>\d{1,4}|L)\."
    r"(?:off|(?P<uniform>uniform)|x(?P<factor>-?\d{1,3}(?:\.\d{1,3})?)"
    r"|(?P<weight>[wW])(?P<query>\d{1,5})_(?P<key>\d{1,5})_(?P<value>[01](?:\.\d{1,3})?))",
    re.ASCII,
)


def read(sent: Any, model: Any) -> list[Edit]:
    """Reads the edits that the page sends for a model, as plain values of the form described above.

    Args:
        sent: the value sent: None, or a list of edits.
        model: the model that will run.
    Raises:
        Refusal: anything else, or too many.
    """
    if sent is None:
        return []
    if not isinstance(sent, (list, tuple)):
        raise Refusal("bad_edit")
    if len(sent) > LIMIT:
        raise Refusal("many_edits", given=len(sent), limit=LIMIT)
    return [_read_one(edit, model) for edit in sent]


def from_link(link: str, model: Any) -> tuple[list[Edit], list[str]]:
    """Reads the edits of a link; returns them and the parts that are invalid for this model."""
    edits: list[Edit] = []
    refused: list[str] = []
    for piece in filter(None, link.split(",")):
        match = _IN_LINK.fullmatch(piece)
        if match is None or len(edits) == LIMIT:
            refused.append(piece)
            continue
        try:
            edits.append(_read_one(_of_match(match.groupdict()), model))
        except Refusal:
            refused.append(piece)
    return edits, refused


def _of_match(groups: Mapping[str, str | None]) -> Edit:
    """Builds the edit that a part of a link describes, from the groups of the regular expression `_IN_LINK`."""
    layer, head, factor, value = (groups[name] for name in ("layer", "head", "factor", "value"))
    edit: Edit = {"layer": int(layer or 0), "head": None if head == "L" else int(head or 0)}
    edit |= {"map": groups["map"]} if groups["map"] else {}
    if value is not None:
        cell = {"query": int(groups["query"] or 0), "key": int(groups["key"] or 0)}
        return edit | {"do": "weight", **cell, "weight": float(value), "renormalise": groups["weight"] == "w"}
    return edit | ({"do": "uniform"} if groups["uniform"] else {"do": "scale", "factor": float(factor or 0)})


def calls(edits: Sequence[Edit], reading: Reading, config: StackConfig) -> list[partial[Observer]]:
    """Returns the calls of `former.edits` that apply the edits to a text.

    There is one call for each head; an edit of a weight that the text does not have is left out.

    Args:
        edits: as returned by `read`.
        reading: the text, tokenised.
        config: the model's.
    """

    def call(edit: Edit, head: int) -> partial[Observer]:
        layer, stack = edit["layer"], {"stack": edit["map"]} if "map" in edit else {}
        if edit["do"] == "uniform":
            return partial(former.edits.spread_head, layer, head, **stack)
        if edit["do"] == "weight":
            cell, rest = (edit["query"], edit["key"]), {} if edit["renormalise"] else {"renormalise": False}
            return partial(former.edits.set_weight, layer, head, *cell, edit["weight"], **rest, **stack)
        if edit["factor"] == 0:
            return partial(former.edits.ablate_head, layer, head, **stack)
        return partial(former.edits.scale_head, layer, head, edit["factor"], **stack)

    return [
        call(edit, head)
        for edit in edits
        if applies(edit, reading.sides[edit.get("map", "self")].allowed)
        for head in (range(config.heads) if edit["head"] is None else [edit["head"]])
    ]


def applies(edit: Edit, mask: Tensor) -> bool:
    """Returns whether an edit has an effect in a text with this mask, bool (t_query, t_key).

    An edit of one weight has no effect if the mask hides its key from its query.
    """
    if edit["do"] != "weight":
        return True
    query, key = edit["query"], edit["key"]
    return query < mask.shape[0] and key < mask.shape[1] and bool(mask[query, key])


def _read_one(edit: Any, model: Any) -> Edit:
    if not isinstance(edit, Mapping):
        raise Refusal("bad_edit")
    stacks = [stack for stack in STACKS if f"{stack}.weights" in points_of(model)]
    if not stacks and "map" not in edit:
        return _read_of_stack(edit, model.config)
    if edit.get("map") not in stacks:
        raise Refusal("bad_edit")
    return {"map": edit["map"], **_read_of_stack(edit, model.config)}


def _read_of_stack(edit: Mapping[Any, Any], config: StackConfig) -> Edit:
    layer, head, do, factor = (edit.get(name) for name in ("layer", "head", "do", "factor"))
    if not is_index(layer, config.depth) or not (head is None or is_index(head, config.heads)):
        raise Refusal("bad_edit")
    if do == "uniform":
        return {"layer": layer, "head": head, "do": do}
    if do == "weight":
        return _read_weight(edit, config)
    if do != "scale" or isinstance(factor, bool) or not isinstance(factor, (int, float)):
        raise Refusal("bad_edit")
    if not abs(factor) <= FACTOR_LIMIT:  # NaN is not either
        raise Refusal("bad_edit")
    return {"layer": layer, "head": head, "do": do, "factor": float(factor)}


def _read_weight(edit: Mapping[Any, Any], config: Any) -> Edit:
    """Reads an edit of one weight, given its layer and head."""
    query, key, weight, renormalise = (edit.get(name) for name in ("query", "key", "weight", "renormalise"))
    reach = config.seq_length + getattr(config, "memory_length", 0)
    if edit.get("head") is None or not (is_index(query, reach) and is_index(key, reach)):
        raise Refusal("bad_edit")
    if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not 0 <= weight <= 1:
        raise Refusal("bad_edit")
    if not isinstance(renormalise, bool):
        raise Refusal("bad_edit")
    cell = {"layer": edit["layer"], "head": edit["head"], "query": query, "key": key}
    return cell | {"do": "weight", "weight": float(weight), "renormalise": renormalise}  # in the page's order
