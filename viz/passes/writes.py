"""A head's effect on the logits at one position, and the parts that add up to a logit.

Results of `former.analysis.head_writes` as plain values for the browser.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import Any

import torch
from torch import Tensor

from former import analysis
from former.analysis.parts import HeadWrites, check_writes
from viz.passes.edits import is_index
from viz.passes.loaded import Loaded
from viz.passes.run import Pass, as_refusals

TOP = 10  # tokens that are raised most, and as many that are lowered most
STRONGEST = -1
LIKELIEST = 6  # next tokens to choose among


@dataclass(frozen=True)
class Place:
    """A head at a position, and the next token whose logit is split."""

    name: str  # of the head's map
    layer: int
    head: int
    at: int  # `STRONGEST`: where the head adds most to the logit of the token that follows
    token: int | None = None  # None: the one that follows in the text, or else the likeliest
    rival: int | None = None  # a token whose logit is subtracted from it


def writes(loaded: Loaded, pass_: Pass, place: Place) -> dict[str, Any]:
    """Returns what a head adds to the logits at one position, and the parts of one next token's logit.

    Args:
        loaded: the model.
        pass_: the pass, with its edits.
        place: where.
    Returns:
        {"at": the position; "strongest": [layer, head, position, what is added] of the head that adds most to the
        logit of a token that follows, or None; "raised" and "lowered": [[id, what is added]], the largest first,
        without `rare_tokens`; "every": the same two with them, if they differ; "rare": their number; "likeliest":
        [[id, probability]]; "follows": id or None; "token" and "rival": ids; "logit" (less the rival's) and "prob" of
        the token; "parts" of the logit: as in `former.analysis.head_writes`; "without": {"logit" and "prob" with the
        head switched off}; "labels": {id: label}}.
    Raises:
        LookupError: a map, a head, a position or a token out of range.
        NothingToShow: the model or the map has no heads whose output goes directly to the last norm.
    """
    check(loaded, pass_, place)
    name, layer, head, at, token, rival = astuple(place)
    with as_refusals():
        adds = analysis.head_adds(pass_.run, name)
        if at == STRONGEST:
            at = int(adds[layer, head].argmax()) if adds.numel() else 0
        result = analysis.head_writes(pass_.run, layer, head, at, token, rival, name=name)
    likeliest = result.logits.softmax(-1).topk(LIKELIEST)
    rare = loaded.rare
    usual, every = extremes(result.added, rare), extremes(result.added)
    pieces = {i for lists in (usual, every) for each in lists.values() for i, _ in each} | {
        *likeliest.indices.tolist(),
        result.token,
    }
    pieces |= {each for each in (result.follows, rival) if each is not None}
    return {
        "at": at,
        "strongest": strongest(adds),
        **usual,
        "every": every if every != usual else None,
        "rare": int(rare.sum()),
        "likeliest": pairs(*likeliest),
        "follows": result.follows,
        "token": result.token,
        "rival": rival,
        **spoken(result, result.logits),
        "parts": {part: digits(values) for part, values in result.parts.items()},
        "without": spoken(result, result.without),
        "labels": {str(i): loaded.bundle.tokenizer.labels([i])[0] for i in sorted(pieces)},
    }


def extremes(added: Tensor, without: Tensor | None = None) -> dict[str, list[tuple[int, float]]]:
    """Returns the tokens "raised" most and those "lowered" most; skips the tokens of `without`, bool (num_tokens,)."""
    ranked = added.argsort(descending=True)
    if without is not None:
        ranked = ranked[~without[ranked]]
    return {name: pairs(added[ids], ids) for name, ids in (("raised", ranked[:TOP]), ("lowered", ranked.flip(0)[:TOP]))}


def strongest(adds: Tensor) -> tuple[int, int, int, float] | None:
    """Returns the layer, head and position of the largest of `analysis.head_adds`, and that number; None if it is
    empty."""
    if not adds.numel():
        return None
    layer, head, at = (int(index) for index in torch.unravel_index(adds.argmax(), adds.shape))
    return layer, head, at, digits(adds[layer, head, at])


def check(loaded: Loaded, pass_: Pass, place: Place) -> None:
    """Checks the arguments of `writes`; raises the errors that it describes."""
    each = pass_.map(place.name)
    at = 0 if place.at == STRONGEST else place.at
    known = map(is_index, (place.layer, place.head, at), (*each.weights.shape[:2], len(each.queries)))
    tokens = [token for token in (place.token, place.rival) if token is not None]
    if not all(known) or not all(is_index(token, loaded.bundle.config.num_tokens) for token in tokens):
        raise LookupError(place.name)
    with as_refusals():
        check_writes(pass_.run.kind, pass_.run.model, place.name)


def spoken(result: HeadWrites, logits: Tensor) -> dict[str, float]:
    """Returns a token's logit, less its rival's, and its probability."""
    return {"logit": round(result.logit(logits), 7), "prob": digits(logits.softmax(-1)[result.token])}


def pairs(values: Tensor, ids: Tensor) -> list[tuple[int, float]]:
    """Returns pairs (id, value), in order."""
    return list(zip(ids.tolist(), digits(values), strict=True))


def digits(values: Tensor) -> Any:
    """Converts numbers to lists, precise enough to add hundreds of them."""
    return torch.round(values.detach().double(), decimals=7).tolist()
