"""The computations of tab Mask: one head with a mask, the cost of the mask, and the flow of information.

Sizes: t tokens shown, h heads, s size of one head.
"""

from __future__ import annotations

import math

import torch

import former
from former import masks
from former.attention import attention_scores
from viz.panels import Numbers

SHOWN = 24  # tokens of the small example: what can be read cell by cell
SIZE_LIMIT = SHOWN  # of a window or a stride
FARTHEST = 100_000  # tokens, of the growth chart
PER_DECADE = 12  # of its points
ROOT_STRIDES = ("strided", "fixed")  # masks whose stride is meant to grow with the text, as ⌊√tokens⌋


def shown_ids(bundle: former.Bundle, text: str) -> list[int]:
    """Returns the ids of a text's first `SHOWN` tokens, or of as many as fit into the model's context."""
    return bundle.tokenizer.encode(text)[: min(SHOWN, bundle.config.seq_length)]


def run_head(bundle: former.Bundle, text: str, layer: int, head: int, mask: str, size: int = 1) -> Numbers:
    """Runs a model with a mask in every layer, and returns what one head does.

    Args:
        bundle: a causal model.
        text: its `shown_ids` are read.
        layer, head: the head.
        mask: a name in `former.masks.MASKS`.
        size: the mask's window or stride.
    Returns:
        "labels" of the t tokens; "scores" q·k/√s before the mask, "allowed" and "weights", (t, t) each; "cells", the
        number of allowed ones; the steps of the softmax: "most" (t,), the row's largest allowed score, "exps" (t, t)
        = e^(score − most), "sums" (t,) of these, "shares" (t, t) = exps / sums, and "errors" (t,): the largest
        difference between shares and weights.
    """
    ids = shown_ids(bundle, text)
    allowed = masks.named(mask, len(ids), size)
    points = ("q", "k", "weights")
    _, capture = former.run_with_capture(bundle.model, torch.tensor([ids]), points, [layer], mask=allowed)
    q, k, weights = (capture.get(point, layer)[:, [head]] for point in points)  # (1, 1, t, ·)
    scores = attention_scores(q, k, divisor=bundle.config.divisor(layer))[0, 0]
    left = scores.masked_fill(~allowed, -math.inf)
    most = left.amax(-1)
    exps = (left - most[:, None]).exp()
    sums = exps.sum(-1)
    shares = exps / sums[:, None]
    return {
        "labels": bundle.tokenizer.labels(ids),
        "scores": scores,
        "allowed": allowed,
        "cells": int(allowed.sum()),
        "weights": weights[0, 0],
        "most": most,
        "exps": exps,
        "sums": sums,
        "shares": shares,
        "errors": (shares - weights[0, 0]).abs().amax(-1),
    }


def count_cells(mask: str, size: int, t: int) -> Numbers:
    """Counts the cells that each mask allows, from 1 to `FARTHEST` tokens.

    Args:
        mask, size: the chosen mask, and its window or stride.
        t: a number of tokens to include among the lengths.
    Returns:
        "lengths"; "cells": each mask's count at each length: with the window `size` for `local`, with the intended
        stride ⌊√length⌋ for `strided` and `fixed`. If one of these two is chosen, "own" is its count with the constant
        stride `size`. "chosen": the line of the chosen mask; "at": t, and its count "here".
    """
    steps = round(math.log10(FARTHEST) * PER_DECADE)
    lengths = sorted({t, *(round(10 ** (i / PER_DECADE)) for i in range(steps + 1))})
    cells = {
        kind: [masks.count(kind, n, math.isqrt(n) if kind in ROOT_STRIDES else size) for n in lengths]
        for kind in masks.MASKS
    }
    selection = "own" if mask in ROOT_STRIDES else mask
    cells[selection] = [masks.count(mask, n, size) for n in lengths]
    here = cells[selection][lengths.index(t)]
    return {"lengths": lengths, "cells": cells, "chosen": selection, "at": t, "here": here}


def move_outputs(bundle: former.Bundle, text: str, mask: str, size: int = 1) -> Numbers:
    """Measures which outputs of a model change when a token is changed, with a mask.

    Args:
        bundle, text, mask, size: as in `run_head`.
    Returns:
        "labels"; "moves" (t, t): the largest change of a logit of output i (row) when token j (column) is replaced,
        exactly 0 for no change; "moved" (t, t): whether there is a change; "before": the largest change of an output
        before the token.
    """
    ids = shown_ids(bundle, text)
    allowed = masks.named(mask, len(ids), size)
    moves = former.analysis.influence(lambda tokens: bundle.model(tokens, mask=allowed), torch.tensor([ids]))
    before = float(moves.triu(1).max())
    return {"labels": bundle.tokenizer.labels(ids), "moves": moves, "moved": moves > 0, "before": before}


def count_layers(bundle: former.Bundle, text: str, mask: str, size: int = 1) -> Numbers:
    """Counts the layers until an output can depend on an input, under every mask.

    Args:
        bundle, text, mask, size: as in `run_head`.
    Returns:
        "depth" of the model; "needs": for every mask (t, t), the number of layers after which output i (row) can first
        depend on input j (column), or depth + 1 if it takes more; "full": for every mask, the layers until every
        output can depend on all earlier inputs; "labels"; for the chosen mask, "layers": its `needs`,
        and "reached" (t, t): whether depth layers are enough.
    """
    ids, depth = shown_ids(bundle, text), bundle.config.depth
    needs = {kind: depth + 1 - masks.reach(masks.named(kind, len(ids), size), depth).sum(0) for kind in masks.MASKS}
    full = {kind: int(needed.tril().max()) for kind, needed in needs.items()}
    chosen = {"layers": needs[mask], "reached": needs[mask] <= depth}
    return {"depth": depth, "needs": needs, "full": full, "labels": bundle.tokenizer.labels(ids), **chosen}


def first_head(bundle: former.Bundle, text: str) -> tuple[int, int]:
    """Chooses the head to show first: the one whose entropy is nearest to half of the largest, neither sharp nor
    even."""
    ids = shown_ids(bundle, text)
    _, capture = former.run_with_capture(bundle.model, torch.tensor([ids]), mask=masks.causal(len(ids)))
    entropy = former.analysis.head_statistics(capture.stack("weights")[:, 0])["entropy"]  # (layers, h)
    most = sum(math.log2(seen) for seen in range(1, len(ids) + 1)) / len(ids)
    return divmod(int((entropy - most / 2).abs().argmin()), bundle.config.heads)
