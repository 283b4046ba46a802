"""A head's effect on the logits at one position, and the parts that add up to a logit.

Results of `former.analysis.head_writes` as plain values for the browser.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from former import analysis
from former.analysis.parts import check_writes
from viz.passes.edits import is_index
from viz.passes.loaded import Loaded
from viz.passes.run import Pass, as_refusals

TOP = 10  # tokens that are raised most, and as many that are lowered most
LIKELIEST = 6  # next tokens to choose among


def writes(
    loaded: Loaded, made: Pass, name: str, layer: int, head: int, at: int, token: int | None = None
) -> dict[str, Any]:
    """Returns what a head adds to the logits at one position, and the parts of one next token's logit.

    Args:
        loaded: the model.
        made: the pass, with its edits.
        name: of the head's map.
        layer, head: the head.
        at: the position.
        token: the next token whose logit is split; None for the one that follows in the text, or else the likeliest.
    Returns:
        {"raised" and "lowered": [[id, what is added]], the largest first; "likeliest": [[id, probability]]; "follows":
        id or None; "token": id; "logit" and "prob" of it; "parts": as of `former.logit_parts`, of this token, with
        "common"; "without": {"logit" and "prob" of it with the head switched off}; "labels": {id: label}}.
    Raises:
        LookupError: a map, a head, a position or a token out of range.
        NothingToShow: the model or the map has no heads whose output goes directly to the last norm.
    """
    check(loaded, made, name, layer, head, at, token)
    with as_refusals():
        result = analysis.head_writes(made.run, layer, head, at, token, name=name)
    likeliest = result.logits.softmax(-1).topk(LIKELIEST)
    raised, lowered = (pairs(*result.added.topk(TOP, largest=largest)) for largest in (True, False))
    pieces = {i for i, _ in [*raised, *lowered]} | {*likeliest.indices.tolist(), result.token}
    pieces |= set() if result.follows is None else {result.follows}
    return {
        "raised": raised,
        "lowered": lowered,
        "likeliest": pairs(*likeliest),
        "follows": result.follows,
        "token": result.token,
        **spoken(result.logits, result.token),
        "parts": {part: digits(values) for part, values in result.parts.items()},
        "without": spoken(result.without, result.token),
        "labels": {str(i): loaded.bundle.tokenizer.labels([i])[0] for i in sorted(pieces)},
    }


def check(loaded: Loaded, made: Pass, name: str, layer: int, head: int, at: int, token: int | None) -> None:
    """Raises the errors of `writes`."""
    heads = made.map(name).weights.shape[:2]
    places = len(made.map(name).queries)
    known = is_index(layer, heads[0]) and is_index(head, heads[1]) and is_index(at, places)
    if not known or not (token is None or is_index(token, loaded.bundle.config.num_tokens)):
        raise LookupError(name)
    with as_refusals():
        check_writes(made.run.kind, made.run.model, name)


def spoken(logits: Tensor, token: int) -> dict[str, float]:
    """Returns a token's logit and its probability."""
    return {"logit": digits(logits[token]), "prob": digits(logits.softmax(-1)[token])}


def pairs(values: Tensor, ids: Tensor) -> list[tuple[int, float]]:
    """Returns pairs (id, value), in order."""
    return list(zip(ids.tolist(), digits(values), strict=True))


def digits(values: Tensor) -> Any:
    """Converts numbers to lists, precise enough to add hundreds of them."""
    return torch.round(values.detach().double(), decimals=7).tolist()
