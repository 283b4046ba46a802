"""What the tab Mask shows: one head under a mask, what the mask costs and where it lets information flow.

From what the page asks, a dict of plain values, to plain values. Sizes: t tokens shown, h heads, s size of one head.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

import former
from former import masks
from former.attention import attention_scores
from viz import figures
from viz.browser import chart
from viz.passes.loaded import Loaded, Models, maskable
from viz.passes.run import tokenize
from viz.text import Refusal, note

SHOWN = 24  # tokens of the small example: what can be read cell by cell
SIZE_LIMIT = SHOWN  # of a window or a stride
FARTHEST = 100_000  # tokens, of the growth chart
PER_DECADE = 12  # of its points
ROOT_STRIDES = ("strided", "fixed")  # masks whose stride is meant to grow with the text, as ⌊√tokens⌋
PICTURES = 8  # of what is in reach, at most: one for each layer

FIELDS = {"layer": "layer", "head": "head", "size": "mask_size_field", "seed": "write_seed"}  # what each is called

Asked = Mapping[str, Any]


def stages(models: Models, asked: Asked) -> dict[str, Any]:
    """One head's scores, mask and weights, with the mask laid in every layer of the model.

    Args:
        models: by name.
        asked: "model", "text", "layer", "head", "mask" (of `masks.KINDS`) and "size".
    Returns:
        What was asked; "labels" of the t tokens and how many there were in "total"; "layers", "heads", "headSize" of
        the model; "scores" q·k/√s before the mask, "allowed" 0 or 1 and "weights", each t × t; "cells" allowed.
    Raises:
        Refusal: what cannot be shown.
    """
    loaded, ids, labels, total = read_text(models, asked)
    kind, size = read_mask(asked)
    config, t = loaded.bundle.config, len(ids)
    layer = read_whole(asked, "layer", 0, config.depth - 1)
    head = read_whole(asked, "head", 0, config.heads - 1)
    mask = masks.named(kind, t, size)
    _, capture = former.run_with_capture(loaded.fast, torch.tensor([ids]), ("q", "k", "weights"), [layer], mask=mask)
    q, k, weights = (capture.get(point, layer)[0, head] for point in ("q", "k", "weights"))  # (t, s), (t, s), (t, t)
    return {
        **{name: asked[name] for name in ("model", "text", "layer", "head", "mask", "size")},
        "tokens": t,
        "total": total,
        "labels": labels,
        "layers": config.depth,
        "heads": config.heads,
        "headSize": config.head_size,
        "scores": attention_scores(q[None, None], k[None, None], divisor=config.divisor(layer))[0, 0].tolist(),
        "allowed": mask.int().tolist(),
        "weights": weights.tolist(),
        "cells": masks.count(kind, t, size),
    }


def cost(models: Models, asked: Asked) -> dict[str, Any]:
    """What each mask costs as texts grow, in numbers and as a chart.

    Args:
        models: by name.
        asked: "model", "text", "mask" and "size".
    Returns:
        What was asked; "t" tokens; "growth", see there, of which "lines" are shown, and of these "chosen" stands out;
        "figures" of them, whose lines have the names of the kinds.
    Raises:
        ValueError: what cannot be shown; the message is for the visitor.
    """
    _, ids, _, _ = read_text(models, asked)
    kind, size = read_mask(asked)
    counts = growth(kind, len(ids), size)
    lines = [*masks.KINDS, *(["own"] if kind in ROOT_STRIDES else [])]  # a stride that stays is a line of its own
    shown = {name: counts[name] for name in lines}
    chosen = lines[-1] if "own" in lines else kind
    return {
        **{name: asked[name] for name in ("model", "text", "mask", "size")},
        "t": len(ids),
        "growth": counts,
        "lines": lines,
        "chosen": chosen,
        "figures": chart.themed(
            lambda theme: figures.mask_cost(counts["tokens"], shown, chosen=chosen, at=len(ids), theme=theme)
        ),
    }


def growth(kind: str, t: int, size: int) -> dict[str, list[int]]:
    """How many cells each mask allows from 1 to `FARTHEST` tokens.

    Args:
        kind, size: the mask chosen, with its window or stride.
        t: the present number of tokens, one of the points.
    Returns:
        "tokens", and for each of them the count of every kind: of `local` with this window; of `strided` and `fixed`
        with the stride ⌊√tokens⌋, as they are meant. "own" is the mask chosen, whose window or stride stays.
    """
    tokens = sorted({t, *(round(10 ** (i / PER_DECADE)) for i in range(steps() + 1))})
    lines = {
        each: [masks.count(each, n, math.isqrt(n) if each in ROOT_STRIDES else size) for n in tokens]
        for each in masks.KINDS
    }
    return {"tokens": tokens, **lines, "own": [masks.count(kind, n, size) for n in tokens]}


def steps() -> int:
    """Points of the growth chart after the first."""
    return round(math.log10(FARTHEST) * PER_DECADE)


def proof(models: Models, asked: Asked) -> dict[str, Any]:
    """Which outputs move when an input is changed, on the running model; and how far information can reach.

    Args:
        models: by name.
        asked: as `stages`, without layer and head.
    Returns:
        What was asked; "labels"; "masked", t × t, see `moves`; "depth" of the model; and "needs" for every mask,
        t × t: after how many layers output i can first depend on input j, one more than "depth" where it takes more.
        "pictures": of how many layers it is to be drawn.
    Raises:
        Refusal: what cannot be shown.
    """
    loaded, ids, labels, _ = read_text(models, asked)
    kind, size = read_mask(asked)
    depth, t = loaded.bundle.config.depth, len(ids)
    return {
        **{name: asked[name] for name in ("model", "text", "mask", "size")},
        "labels": labels,
        "masked": moves(loaded, ids, masks.named(kind, t, size)),
        "depth": depth,
        "pictures": min(depth, PICTURES),
        "needs": {each: layers_needed(masks.named(each, t, size), depth).tolist() for each in masks.KINDS},
    }


def unmasked(models: Models, asked: Asked) -> dict[str, Any]:
    """What `proof` measures, without a mask: a question of its own, as no other mask changes the answer.

    Args:
        models: by name.
        asked: "model" and "text".
    Returns:
        What was asked; "moves", t × t.
    Raises:
        Refusal: what cannot be shown.
    """
    loaded, ids, _, _ = read_text(models, asked)
    return {"model": asked["model"], "text": asked["text"], "moves": moves(loaded, ids, masks.none(len(ids)))}


def moves(loaded: Loaded, ids: Sequence[int], mask: Tensor) -> list[list[float]]:
    """How far the logits of output i (row) move at the most when token j (column) is replaced, under a mask: t × t."""

    def logits(tokens: Tensor) -> Tensor:
        return loaded.fast(tokens, mask=mask)

    return former.analysis.influence(logits, torch.tensor([list(ids)])).tolist()


def layers_needed(mask: Tensor, layers: int) -> Tensor:
    """After how many layers output i can first depend on input j: int (t, t), layers + 1 where it takes more."""
    return layers + 1 - masks.reach(mask, layers).sum(0)


def first_head(loaded: Loaded, text: str) -> tuple[int, int]:
    """The layer and head to open with: of all heads the one nearest to half of the most entropy, so neither a single
    key a row nor all alike."""
    _, ids, _, _ = read_text({loaded.name: loaded}, {"model": loaded.name, "text": text})
    _, capture = former.run_with_capture(loaded.fast, torch.tensor([ids]), mask=masks.causal(len(ids)))
    entropy = former.analysis.head_statistics(capture.stack("weights")[:, 0])["entropy"]  # (layers, h)
    most = sum(math.log2(seen) for seen in range(1, len(ids) + 1)) / len(ids)
    return divmod(int((entropy - most / 2).abs().argmin()), loaded.bundle.config.heads)


# --- what the page asks, checked: anyone may send anything -----------------------------------------------------------


def read_model(models: Models, asked: Asked) -> Loaded:
    """The model that is asked for.

    Raises:
        Refusal: there is none such.
    """
    name = asked.get("model")
    if not isinstance(name, str) or name not in (known := maskable(models)):
        raise Refusal("no_such_model")
    return known[name]


def read_text(models: Models, asked: Asked) -> tuple[Loaded, list[int], list[str], int]:
    """The model, the tokens of the small example, their labels, and how many the whole text has.

    Raises:
        Refusal: a text without tokens or a model that is not there.
    """
    loaded = read_model(models, asked)
    ids, _, total = tokenize(loaded, read_string(asked, "text"))
    ids = ids[:SHOWN]
    return loaded, ids, loaded.bundle.tokenizer.labels(ids), total


def read_string(asked: Asked, name: str) -> str:
    """A text.

    Raises:
        Refusal: it is none.
    """
    if not isinstance(given := asked.get(name), str):
        raise Refusal("empty_text")
    return given


def read_mask(asked: Asked) -> tuple[str, int]:
    """The mask and its size.

    Raises:
        Refusal: no such mask, or a size out of its range.
    """
    kind = asked.get("mask")
    if not isinstance(kind, str) or kind not in masks.KINDS:
        raise Refusal("no_such_mask")
    return kind, read_whole(asked, "size", 1, SIZE_LIMIT)


def read_whole(asked: Asked, name: str, low: int, high: int) -> int:
    """A whole number.

    Raises:
        Refusal: it is none, or out of its range.
    """
    given = asked.get(name)
    if not isinstance(given, int) or isinstance(given, bool) or not low <= given <= high:
        raise Refusal("bad_whole_number", name=note(FIELDS[name]), low=low, high=high, given=f"{given}"[:40])
    return given
