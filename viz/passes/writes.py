"""What one head writes at one place of a pass: the tokens it raises and lowers, and how all parts add up to a logit.

A number added to the logits of all tokens alike changes no probability. So what a part adds is counted from its average
over the vocabulary, and the averages together are one part of their own, "common".
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

import former
from former.analysis.parts import output_layer, stream_parts
from viz.passes.again import again
from viz.passes.edits import is_index
from viz.passes.loaded import Loaded
from viz.passes.run import Pass
from viz.text import NothingToShow

TOP = 10  # tokens that are raised most, and as many that are lowered most
LIKELIEST = 6  # next tokens to choose among


def writes(
    loaded: Loaded, made: Pass, name: str, layer: int, head: int, at: int, token: int | None = None
) -> dict[str, Any]:
    """What a head adds to the logits after one token, under the edits, and the sum of all parts for one next token.

    Args:
        loaded: the model.
        made: the pass.
        name: of the head's map.
        layer, head: the head.
        at: the query that it writes for.
        token: the next token whose logit is taken apart; None for the one that follows in the text, or else the
            likeliest.
    Returns:
        {"raised" and "lowered": [[id, what is added]], the most first; "likeliest": [[id, probability]]; "follows": id
        or None; "token": id; "logit" and "prob" of it; "parts": as of `former.logit_parts`, of this token, with
        "common"; "without": {"logit" and "prob" of it where the head is switched off}; "labels": {id: label}}.
    Raises:
        LookupError: a map, a head, a place or a token that is not there.
        NothingToShow: a model, or a map, whose heads write nothing that the last norm reads directly.
    """
    check(loaded, made, name, layer, head, at, token)
    model = loaded.bundle.model
    inputs, observers = again(loaded, made)
    removed = former.edits.ablate_head(layer, head)
    if loaded.translates:
        removed = replace(removed, point=f"{name}.out")
    logits, without = (
        former.run_with_capture(model, inputs, (), edits=edits)[0][0, at]
        for edits in (observers, [*observers, removed])
    )
    ids = inputs[-1][0].tolist()
    follows = ids[at + 1] if at + 1 < len(ids) else None
    likeliest = logits.softmax(-1).topk(LIKELIEST)
    if token is None:
        token = int(likeliest.indices[0]) if follows is None else follows
    vectors = stream_parts(model, inputs, at, edits=observers)
    added = of_all(model, vectors["cross" if name == "cross" else "heads"][layer, head])
    raised, lowered = (pairs(*added.topk(TOP, largest=largest)) for largest in (True, False))
    pieces = {i for i, _ in [*raised, *lowered]} | {*likeliest.indices.tolist(), token, *ids[at + 1 : at + 2]}
    return {
        "raised": raised,
        "lowered": lowered,
        "likeliest": pairs(*likeliest),
        "follows": follows,
        "token": token,
        **spoken(logits, token),
        "parts": {**of_one(model, vectors, token), "common": digits(logits.mean())},
        "without": spoken(without, token),
        "labels": {str(i): loaded.bundle.tokenizer.labels([i])[0] for i in sorted(pieces)},
    }


def check(loaded: Loaded, made: Pass, name: str, layer: int, head: int, at: int, token: int | None) -> None:
    """Raises unless there is something to say (`writes`)."""
    heads = made.map(name).weights.shape[:2]
    places = len(made.map(name).queries)
    known = is_index(layer, heads[0]) and is_index(head, heads[1]) and is_index(at, places)
    if not known or not (token is None or is_index(token, loaded.bundle.config.num_tokens)):
        raise LookupError(name)
    check_model(loaded, name)


def check_model(loaded: Loaded, name: Any) -> None:
    """Raises NothingToShow unless the heads of a model's map write what the last norm reads directly."""
    if name == "encoder":
        raise NothingToShow("writes_encoder")
    model = loaded.bundle.model
    if not isinstance(model, former.Generator | former.EncoderDecoder) or model.config.norm != "pre":
        raise NothingToShow("writes_not")


def of_all(model: Any, vector: Tensor) -> Tensor:
    """What a part (e,) adds to each token's logit, from its average over the vocabulary: (num_tokens,)."""
    added = F.linear(vector, output_layer(model)[0])
    return added - added.mean()


def of_one(model: Any, vectors: dict[str, Tensor], token: int) -> dict[str, Any]:
    """What each part of `stream_parts` adds to one token's logit, from its average over the vocabulary."""
    weight, bias = output_layer(model)
    direction = weight[token] - weight.mean(0)  # (e,)
    parts = {name: part @ direction for name, part in vectors.items()}
    if bias is not None:
        parts["constant"] = parts["constant"] + bias[token] - bias.mean()
    return {name: digits(part) for name, part in parts.items()}


def spoken(logits: Tensor, token: int) -> dict[str, float]:
    """A token's logit and its probability."""
    return {"logit": digits(logits[token]), "prob": digits(logits.softmax(-1)[token])}


def pairs(values: Tensor, ids: Tensor) -> list[tuple[int, float]]:
    """(id, value) each, in their order."""
    return list(zip(ids.tolist(), digits(values), strict=True))


def digits(values: Tensor) -> Any:
    """Plain numbers, with digits enough that hundreds of them add up."""
    return torch.round(values.detach().double(), decimals=7).tolist()
