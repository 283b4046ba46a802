"""Computes which heads read the output of which earlier heads, and patches one such path."""

from __future__ import annotations

from typing import Literal

import former
from former import analysis, patching
from former.runs import Run
from viz import figures
from viz.panels import Draw, Field, Numbers
from viz.tabs.explore.change.carry import compared, names_of

INPUTS = ("q", "k", "v")
MOST_ARCS = 100  # arcs


def has_pairs(bundle: former.Bundle) -> bool:
    """Returns whether a model has pairs of heads to rank, which takes a single stack of at least two layers."""
    return bundle.config.depth > 1 and hasattr(bundle.model, "transformer")


def rank_readers(bundle: former.Bundle, kind: Literal["q", "k", "v"], count: int) -> Numbers:
    """Ranks pairs of heads by how much the later one reads of what the earlier one writes.

    Args:
        bundle: a model of one stack with several layers.
        kind: the input of the later head: "q", "k" or "v".
        count: the number of pairs to return.
    Returns:
        "arcs" (n, 4): layer and head of the reader, then of the writer, the highest score first; their "scores" (n,),
        `former.analysis.composition`, and "names"; "chance", the score of two random matrices, 1/√e; "layers" and
        "heads" of the model, and the number of all pairs ("pairs").
    """
    scores = analysis.composition(bundle.model, kind)
    layers, heads = scores.shape[:2]
    pairs = heads**2 * layers * (layers - 1) // 2
    values, order = scores.flatten().topk(min(count, pairs))
    ends = [divmod(pair, layers * heads) for pair in order.tolist()]
    arcs = [[*divmod(reader, heads), *divmod(writer, heads)] for reader, writer in ends]
    return {
        **{"arcs": arcs, "scores": values, "names": [f"{a}.{b} reads {c}.{d}" for a, b, c, d in arcs]},
        **{"chance": bundle.config.emb**-0.5, "layers": layers, "heads": heads, "pairs": pairs},
    }


def follow_path(
    pinned: Run,
    run: Run,
    kind: str,
    reader: tuple[int, int],
    writer: tuple[int, int],
    answer: int | None = None,
    rival: int | None = None,
) -> Numbers:
    """Patches the path from one head's output into one input of a later head (`former.patching.path`).

    Args:
        pinned, run: runs of one model, on texts with the same number of tokens.
        kind: the input: "q", "k" or "v".
        reader, writer: (layer, head) of the later head and of the earlier one.
        answer, rival: as in `carry.carry_parts`.
    Returns:
        "values" (4,): the difference of logits in the run, with this path patched from the pinned run, with the
        writer's whole output patched, and in the pinned run; "steps": names of these four; "shares" (4,): the values
        rescaled to 0 in the run and 1 in the pinned run; "answer" and "rival": the names of the two tokens.
    Raises:
        Unanswerable: both predict the same.
    """
    answer, rival, at = compared(pinned, run, answer, rival)[:3]
    metric = patching.logit_difference(answer, rival, at)
    before, after = metric(run), metric(pinned)
    values = [
        before,
        patching.path(pinned, run, writer, [(*reader, kind)], metric),
        metric(pinned.patched_into(run, *writer)),
        after,
    ]
    names = names_of(run, [answer, rival])
    return {
        **{"values": values, "steps": ["on screen", "this path", "whole head", "pinned"]},
        **{"shares": [(value - before) / (after - before) for value in values]},
        **{"answer": names[0], "rival": names[1]},
    }


RANKED = Draw(figures.bars, Field("scores"), Field("names"), axis="composition score")
FOLLOWED = Draw(figures.bars, Field("values"), Field("steps"), axis="difference of logits")
