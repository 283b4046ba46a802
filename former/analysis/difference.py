"""Finds the tokens or classes that distinguish the predictions of two runs."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from former.checks import require_instance, require_positive
from former.runs import Run, Unanswerable
from former.runs.carry import check_alike
from former.sampling import precise, require_numbers


class Difference(NamedTuple):
    """The tokens or classes that are likelier in one of two runs than in the other, the largest contribution first; of
    few classes, the list ends with those that are not."""

    answers: list[int]  # likelier in the first
    rivals: list[int]  # likelier in the second
    at: int  # the prediction, as in `former.patching.Metric`


def predicted(run: Run, at: int) -> Tensor:
    """Returns the log-probabilities of prediction `at` of a run: of tokens (num_tokens,), or of
    classes (num_classes,)."""
    require_instance("run", run, Run)
    logits = run.kind.prediction(run.model, run.reading, run.inputs, run.result, at)[0]
    return require_numbers(precise(logits).log_softmax(-1))


@torch.no_grad()
def tell_apart(one: Run, other: Run, count: int = 5) -> Difference:
    """Finds the tokens or classes that contribute most to the Kullback-Leibler divergence of two predictions.

    The runs' last predictions are compared; for an encoder-decoder, whose answers all end with the same token, the
    predictions that differ most.

    Args:
        one, other: runs of one model on texts of equally many tokens.
        count: the most tokens to return for each run.
    Raises:
        ValueError: no runs, runs of two models, of texts of different lengths or with different hidden tokens, or
            predictions that are NaN.
        Unanswerable: both predict the same.
    """
    for name, run in (("one", one), ("other", other)):
        require_instance(name, run, Run)
    check_alike(one, other)
    require_positive("count", count)
    places = one.kind.places(one.reading)
    if places != one.kind.places(other.reading):
        raise ValueError("both texts must hide the same tokens, got different ones")
    every = 1 if one.kind.says == "class" else one.result.shape[1]
    last = (every if places is None else len(places)) - 1
    first = 0 if len(one.reading.sides) > 1 else last
    pairs = [(predicted(one, at), predicted(other, at)) for at in range(first, last + 1)]
    gains = [mine.exp() * (mine - theirs) for mine, theirs in pairs]
    best = int(torch.stack([each.sum() for each in gains]).argmax())
    mine, theirs = pairs[best]
    if mine.equal(theirs):
        raise Unanswerable("carry_same", "both runs must predict differently, got the same prediction in both")
    losses = theirs.exp() * (theirs - mine)
    answers, rivals = (each.topk(min(count, len(each))).indices.tolist() for each in (gains[best], losses))
    return Difference(answers, [each for each in rivals if each != answers[0]], first + best)
