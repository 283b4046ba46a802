"""Activation patching for the page: parts of the pinned run carried into the run on screen (`former.patching`).

Sizes: h heads, t tokens, n parts of a layer: heads or tokens.
"""

from __future__ import annotations

import math
from typing import Any

from former import analysis, patching
from former.runs import Run
from viz import figures
from viz.panels import Draw, Field, Numbers
from viz.passes.loaded import Loaded
from viz.passes.run import RunRequest
from viz.passes.said import class_names
from viz.text import NothingToShow

PARTS = {"heads": "out", "attention": "weights", "stream": "resid_pre", "mlp": "mlp_out"}  # and the point of each
OF_TOKENS = ("stream", "mlp")  # the others are of heads
TOP = 5  # predictions of each run that are named
WORK = 4e11  # products in a visitor's turn: about ten seconds of one core


def check(pinned: RunRequest, run: RunRequest, part: str) -> None:
    """Raises Refusal unless `part` of one run can be carried into the other: one model, equal lengths, not too long."""
    if pinned.loaded is not run.loaded:
        raise NothingToShow("carry_models", pinned=pinned.loaded.name, model=run.loaded.name)
    for name, side in run.reading.sides.items():
        for there, here in (
            (pinned.reading.sides[name].queries, side.queries),
            (pinned.reading.sides[name].keys, side.keys),
        ):
            if len(there) != len(here):
                raise NothingToShow("carry_lengths", pinned=len(there), tokens=len(here))
    kind = run.loaded.kind
    if kind.says == "blank" and kind.places(pinned.reading) != kind.places(run.reading):
        raise NothingToShow("carry_blanks")
    tokens, limit = max(len(side.queries) for side in run.reading.sides.values()), most_tokens(run.loaded, part)
    if tokens > limit:
        raise NothingToShow("carry_work", part=part, tokens=tokens, limit=limit)


def most_tokens(loaded: Loaded, part: str) -> int:
    """Returns the most tokens of a text whose parts can all be carried, by one run of the model each, within `WORK`."""
    config = loaded.bundle.config
    work = config.depth * sum(each.numel() for each in loaded.bundle.model.parameters())  # for one token, at each layer
    if loaded.kind.resumes:
        work /= 2  # a run begins at the layer of its part
    return math.isqrt(int(WORK / work)) if part in OF_TOKENS else int(WORK / work / config.heads)


def count(run: RunRequest) -> int:
    """Returns how many tokens, or classes, a run's model chooses from when it predicts."""
    bundle = run.loaded.bundle
    return bundle.config.num_classes if run.loaded.kind.says == "class" else bundle.tokenizer.num_tokens


def stack_of(run: Run, name: str, part: str) -> str:
    """Returns the stack whose points the map `name` patches: "" for a model of one stack, else "encoder", "decoder" or
    "cross". The vectors at a token of cross-attention are the decoder's."""
    if len(run.reading.sides) == 1:
        return ""
    return "decoder" if name == "cross" and part in OF_TOKENS else name


def names_of(run: Run, ids: list[int]) -> list[str]:
    """Returns the names of a run's predictions with these ids: labels of tokens, or names of classes."""
    if run.kind.says != "class":
        return run.source.tokenizer.labels(ids)
    names = class_names(run.source)
    return [names[i] for i in ids]


def compared(pinned: Run, run: Run, answer: int | None, rival: int | None) -> tuple[int, int, int, list[int]]:
    """Fills in the ids that are None: those that distinguish the runs best (`former.analysis.tell_apart`).

    Returns:
        `answer`, `rival` and "at", as in `carry_parts`, and the ids that a visitor can choose from.
    """
    apart = analysis.tell_apart(pinned, run)
    answer = next(each for each in apart.answers if each != rival) if answer is None else answer
    rival = next(each for each in apart.rivals + apart.answers if each != answer) if rival is None else rival
    choices = list(dict.fromkeys([answer, rival, *apart.answers, *apart.rivals]))
    return answer, rival, apart.at, choices


def carry_parts(
    pinned: Run, run: Run, name: str, part: str, answer: int | None = None, rival: int | None = None
) -> Numbers:
    """Carries each part of a pinned run into another, one at a time, and measures how much of their difference returns.

    Args:
        pinned, run: runs of one model, on texts with the same number of tokens.
        name: the map whose heads, or whose queries' vectors, are carried.
        part: "heads" (a head's output), "attention" (a head's weights, with the values unchanged), "stream" (the vector
            before a block, at one token) or "mlp" (the feed-forward's output, at one token).
        answer, rival: the ids whose logit difference is measured; None for those of `former.analysis.tell_apart`.
    Returns:
        "shares" (layers, n): (carried − run) / (pinned − run), 0 for no effect and 1 for the pinned run's logits, with
        labels "rows" and "columns" and titles of the "axes"; the difference of logits "before" and in the "pinned" run;
        "answer", "rival", and "at", the prediction that distinguishes the runs best (`former.analysis.tell_apart`);
        "choices", ids to choose from, and their "names".
    Raises:
        Unanswerable: both predict the same.
    """
    answer, rival, at, choices = compared(pinned, run, answer, rival)
    metric = patching.logit_difference(answer, rival, at)
    before, clean = metric(run), metric(pinned)
    stack = stack_of(run, name, part)
    if part in OF_TOKENS:
        shares = patching.stream(pinned, run, metric, PARTS[part], share=True, stack=stack)
        columns = run.maps[name].queries
    else:
        carry = patching.heads if part == "heads" else patching.attention
        shares = carry(pinned, run, metric, share=True, stack=stack)
        columns = [str(head) for head in range(shares.shape[1])]
    return {
        **{"shares": shares, "rows": [str(layer) for layer in range(len(shares))], "columns": columns},
        **{"axes": ("token" if part in OF_TOKENS else "head", "layer")},
        **{"before": before, "pinned": clean, "answer": answer, "rival": rival, "at": at},
        **{"choices": choices, "names": names_of(run, choices)},
    }


def carry_one(pinned: Run, run: Run, name: str, part: str, layer: int, index: int) -> Numbers:
    """Carries one part of a pinned run into another, and returns the resulting prediction.

    Args:
        pinned, run, name, part: as in `carry_parts`.
        layer: the layer in both runs.
        index: the head, or the token.
    Returns:
        "names" of the likeliest tokens or classes in any of the three runs; their probabilities in the patched run
        ("probs"), in the run without the part ("before"), and in the "pinned" run.
    """
    selection: dict[str, Any] = {"tokens": [index]} if part in OF_TOKENS else {"head": index}
    carried = pinned.patched_into(run, layer, point=PARTS[part], stack=stack_of(run, name, part), **selection)
    return predict_each(carried, run, pinned)


def predict_each(carried: Run, run: Run, pinned: Run) -> Numbers:
    """Compares the predictions of three runs, with the carried part, without it, and pinned, where the last two differ
    most; returns the result of `carry_one`."""
    at = analysis.tell_apart(pinned, run).at
    probs = [analysis.predicted(each, at).exp() for each in (carried, run, pinned)]
    named = {i for each in probs for i in each.topk(min(TOP, len(each))).indices.tolist()}
    ids = sorted(named, key=lambda i: -float(probs[0][i]))
    after, before, clean = (each[ids] for each in probs)
    return {"names": names_of(run, ids), "probs": after, "before": before, "pinned": clean}


SHARES = Draw(
    figures.attention,
    *(Field("shares"), Field("rows"), Field("columns")),
    axes=Field("axes"),
    scale="scores",
    unit="share restored",
)
SAID = Draw(figures.bars, Field("probs"), Field("names"), axis="probability", before=Field("before"))
