"""What the panels of tab Mask compute: one head under a mask, what the mask costs, where it lets information flow.

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


def run_head(bundle: former.Bundle, text: str, layer: int, head: int, mask: str, size: int = 1) -> Numbers:
    """Runs a model with a mask in every layer, and returns what one head does.

    Args:
        bundle: a causal model.
        text: of which the first `SHOWN` tokens are read.
        layer, head: of the head.
        mask: one of `masks.KINDS`.
        size: of its window or stride.
    Returns:
        "labels" of the t tokens; "scores" q·k/√s before the mask, "allowed" and "weights", (t, t) each.
    """
    ids = bundle.tokenizer.encode(text)[:SHOWN]
    allowed = masks.named(mask, len(ids), size)
    points = ("q", "k", "weights")
    _, capture = former.run_with_capture(bundle.model, torch.tensor([ids]), points, [layer], mask=allowed)
    q, k, weights = (capture.get(point, layer)[:, [head]] for point in points)  # (1, 1, t, ·)
    scores = attention_scores(q, k, divisor=bundle.config.divisor(layer))[0, 0]
    labels = bundle.tokenizer.labels(ids)
    return {"labels": labels, "scores": scores, "allowed": allowed, "weights": weights[0, 0]}


def count_cells(mask: str, size: int, t: int) -> Numbers:
    """Counts the cells that each mask allows, from 1 to `FARTHEST` tokens.

    Args:
        mask, size: the chosen one, with its window or stride.
        t: a number of tokens that is among the lengths.
    Returns:
        "lengths"; "cells": for each mask its count at each length, of `local` with this window, of `strided` and
        `fixed` with the stride ⌊√tokens⌋, as they are meant. Where one of these is chosen, "own" is the count with the
        stride that stays. "chosen": the line of the chosen mask; "at": t.
    """
    steps = round(math.log10(FARTHEST) * PER_DECADE)
    lengths = sorted({t, *(round(10 ** (i / PER_DECADE)) for i in range(steps + 1))})
    cells = {
        kind: [masks.count(kind, n, math.isqrt(n) if kind in ROOT_STRIDES else size) for n in lengths]
        for kind in masks.KINDS
    }
    chosen = "own" if mask in ROOT_STRIDES else mask
    cells[chosen] = [masks.count(mask, n, size) for n in lengths]
    return {"lengths": lengths, "cells": cells, "chosen": chosen, "at": t}


def move_outputs(bundle: former.Bundle, text: str, mask: str, size: int = 1) -> Numbers:
    """Measures which outputs of a model move as a token is changed, under a mask.

    Args:
        bundle, text, mask, size: as of `run_head`.
    Returns:
        "labels"; "moves" (t, t): how far the logits of output i (row) move at most when token j (column) is replaced,
        exactly 0 for not at all; "moved" (t, t): where they do.
    """
    ids = bundle.tokenizer.encode(text)[:SHOWN]
    allowed = masks.named(mask, len(ids), size)
    moves = former.analysis.influence(lambda tokens: bundle.model(tokens, mask=allowed), torch.tensor([ids]))
    return {"labels": bundle.tokenizer.labels(ids), "moves": moves, "moved": moves > 0}


def count_layers(bundle: former.Bundle, text: str, mask: str, size: int = 1) -> Numbers:
    """Counts the layers until an output can depend on an input, under every mask.

    Args:
        bundle, text, mask, size: as of `run_head`.
    Returns:
        "depth" of the model; "needs": for every mask (t, t), after how many layers output i (row) can first depend on
        input j (column), depth + 1 where it takes more; "labels"; of the chosen mask "layers", its `needs`, and
        "reached" (t, t), where depth layers are enough.
    """
    ids, depth = bundle.tokenizer.encode(text)[:SHOWN], bundle.config.depth
    needs = {kind: depth + 1 - masks.reach(masks.named(kind, len(ids), size), depth).sum(0) for kind in masks.KINDS}
    labels, layers = bundle.tokenizer.labels(ids), needs[mask]
    return {"depth": depth, "needs": needs, "labels": labels, "layers": layers, "reached": layers <= depth}


def first_head(bundle: former.Bundle, text: str) -> tuple[int, int]:
    """The layer and head to open with: of all heads the one nearest to half of the most entropy, so neither a single
    key a row nor all alike."""
    ids = bundle.tokenizer.encode(text)[:SHOWN]
    _, capture = former.run_with_capture(bundle.model, torch.tensor([ids]), mask=masks.causal(len(ids)))
    entropy = former.analysis.head_statistics(capture.stack("weights")[:, 0])["entropy"]  # (layers, h)
    most = sum(math.log2(seen) for seen in range(1, len(ids) + 1)) / len(ids)
    return divmod(int((entropy - most / 2).abs().argmin()), bundle.config.heads)
