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
STRONGEST = -1
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
        at: the position; `STRONGEST` for that at which the head adds most to the logit of the token that follows.
        token: the next token whose logit is split; None for the one that follows in the text, or else the likeliest.
        rival: a token whose logit is subtracted from it, or None.
    Returns:
        {"at": the position; "strongest": [layer, head, position, what is added] of the head that adds most to the
        logit of a token that follows, or None; "raised" and "lowered": [[id, what is added]], the largest first,
        without `rare_tokens`; "every": the same two with them, if they differ; "rare": their number; "likeliest":
        [[id, probability]]; "follows": id or None; "token" and "rival": ids; "logit" (less the rival's) and "prob" of
        the token; "parts" of the logit: as of `former.analysis.head_writes`; "without": {"logit" and "prob" with the
        head switched off}; "labels": {id: label}}.
    Raises:
        LookupError: a map, a head, a position or a token out of range.
        NothingToShow: the model or the map has no heads whose output goes directly to the last norm.
    """
    check(loaded, made, name, layer, head, 0 if at == STRONGEST else at, token, rival)
    with as_refusals():
        adds = analysis.head_adds(made.run, name)
        if at == STRONGEST:
            at = int(adds[layer, head].argmax()) if adds.numel() else 0
        result = analysis.head_writes(made.run, layer, head, at, token, rival, name=name)
    likeliest = result.logits.softmax(-1).topk(LIKELIEST)
    rare = analysis.rare_tokens(made.run.model, loaded.bundle.tokenizer)
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


def check(loaded: Loaded, made: Pass, name: str, layer: int, head: int, at: int, *tokens: int | None) -> None:
    """Checks the arguments of `writes`; raises the errors that it describes."""
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
