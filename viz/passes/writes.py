"""A head's effect on the logits at one position, and the parts that add up to a logit.

Results of `former.analysis.head_writes` as plain values for the browser.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from former import analysis
from former.analysis.parts import HeadWrites, check_writes
from viz.passes.edits import is_index
from viz.passes.loaded import Loaded
from viz.passes.run import Pass, as_refusals

TOP = 10  # tokens that are raised most, and as many that are lowered most
LIKELIEST = 6  # next tokens to choose among


def writes(
    loaded: Loaded,
    made: Pass,
    name: str,
    layer: int,
    head: int,
    at: int,
    token: int | None = None,
    rival: int | None = None,
) -> dict[str, Any]:
    """Returns what a head adds to the logits at one position, and the parts of one next token's logit.

    Args:
        loaded: the model.
        made: the pass, with its edits.
        name: of the head's map.
        layer, head: the head.
        at: the position.
        token: the next token whose logit is split; None for the one that follows in the text, or else the likeliest.
        rival: a token whose logit is subtracted from it, or None.
    Returns:
        {"raised" and "lowered": [[id, what is added]], the largest first; "likeliest": [[id, probability]]; "follows":
        id or None; "token" and "rival": ids; "logit" (less the rival's) and "prob" of the token; "parts" of the
        logit: as of `former.analysis.head_writes`; "without": {"logit" and "prob" with the head switched off};
        "labels": {id: label}}.
    Raises:
        LookupError: a map, a head, a position or a token out of range.
        NothingToShow: the model or the map has no heads whose output goes directly to the last norm.
    """
    check(loaded, made, name, layer, head, at, token, rival)
    with as_refusals():
        result = analysis.head_writes(made.run, layer, head, at, token, rival, name=name)
    likeliest = result.logits.softmax(-1).topk(LIKELIEST)
    raised, lowered = (pairs(*result.added.topk(TOP, largest=largest)) for largest in (True, False))
    pieces = {i for i, _ in [*raised, *lowered]} | {*likeliest.indices.tolist(), result.token}
    pieces |= {each for each in (result.follows, rival) if each is not None}
    return {
        "raised": raised,
        "lowered": lowered,
        "likeliest": pairs(*likeliest),
        "follows": result.follows,
        "token": result.token,
        "rival": rival,
        **spoken(result, result.logits),
        "parts": {part: digits(values) for part, values in result.parts.items()},
        "without": spoken(result, result.without),
        "labels": {str(i): loaded.bundle.tokenizer.labels([i])[0] for i in sorted(pieces)},
    }


def check(loaded: Loaded, made: Pass, name: str, layer: int, head: int, at: int, *tokens: int | None) -> None:
    """Raises the errors of `writes`."""
    heads = made.map(name).weights.shape[:2]
    places = len(made.map(name).queries)
    known = is_index(layer, heads[0]) and is_index(head, heads[1]) and is_index(at, places)
    if not known or not all(each is None or is_index(each, loaded.bundle.config.num_tokens) for each in tokens):
        raise LookupError(name)
    with as_refusals():
        check_writes(made.run.kind, made.run.model, name)


def spoken(result: HeadWrites, logits: Tensor) -> dict[str, float]:
    """Returns a token's logit, less its rival's, and its probability."""
    return {"logit": round(result.logit(logits), 7), "prob": digits(logits.softmax(-1)[result.token])}


def pairs(values: Tensor, ids: Tensor) -> list[tuple[int, float]]:
    """Returns pairs (id, value), in order."""
    return list(zip(ids.tolist(), digits(values), strict=True))


def digits(values: Tensor) -> Any:
    """Converts numbers to lists, precise enough to add hundreds of them."""
    return torch.round(values.detach().double(), decimals=7).tolist()
