"""A model's predictions for a text, as plain values for the browser.

Sizes: t tokens.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from former import runs
from former.tokens import Tokenizer
from viz.passes.habits import rounded

CANDIDATES = 10  # next tokens to name, of each run


def class_names(source: runs.kind.Source) -> list[str]:
    """Returns the names of a classifier's classes: from its card, or numbers."""
    return runs.kind_of(source).classes(source)


@torch.inference_mode()
def output(run: runs.Run, other: runs.Run | None = None) -> dict[str, Any]:
    """Returns the prediction of a run as plain values. With `other`, its likeliest tokens are listed too, to compare.

    Returns:
        For next tokens, {"bits": the surprise of each token, None for the first, "bitsPerToken", "next": the likeliest
        `candidates` after the last}, or {} without an output layer; for classes, {"classes", "probs"}; for blanks,
        `describe_blanks`.
    """
    if run.kind.says == "blank":
        return describe_blanks(run, other)
    if run.kind.says == "class":
        return {"classes": class_names(run.source), "probs": in_digits(run.result[0].exp())}
    if not run.kind.predicts(run.model):
        return {}
    logits, bits = run.result[0, -1], run.surprise()
    known = torch.tensor([each for each in bits if each is not None])
    return {
        "bits": [*[None] * (len(bits) - len(known)), *rounded(known)],
        "bitsPerToken": round(float(known.mean()), 4) if len(known) else None,
        "next": candidates(run.source.tokenizer, logits, most_likely(logits, other and other.result[0, -1])),
    }


def most_likely(*logits: Tensor | None) -> list[int]:
    """Returns the ids to list: the likeliest tokens by any of several logits, (num_tokens,) each; None is skipped."""
    tops = [each.topk(min(CANDIDATES, len(each))).indices.tolist() for each in logits if each is not None]
    return sorted(set(itertools.chain(*tops)))


def candidates(tokenizer: Tokenizer, logits: Tensor, named: Sequence[int]) -> list[dict[str, Any]]:
    """Describes the tokens `named` in descending order of their logits: for each {"id", "label", "prob"}. `logits` are
    those of all tokens, (num_tokens,)."""
    probs, order = logits.softmax(-1)[list(named)].sort(descending=True)
    ids = [named[i] for i in order.tolist()]
    return [
        {"id": i, "label": tokenizer.labels([i])[0], "prob": prob}
        for i, prob in zip(ids, in_digits(probs), strict=True)
    ]


def in_digits(probs: Tensor) -> list[float]:
    """Rounds probabilities to seven significant digits: a tiny one is not 0, which the page shows as impossible."""
    return [float(f"{prob:.7g}") for prob in probs.tolist()]


def describe_blanks(run: runs.Run, other: runs.Run | None) -> dict[str, Any]:
    """Returns a model's predictions for hidden pieces.

    Returns:
        {"blanks": for each hidden piece {"token", "truth": {"id", "label", "prob"} or None, "next": candidates, the
        likeliest first}, or None without the output head; "follows": the probability that the second text follows the
        first, or None for one text or without the output head; "pairs": whether the model has that head}.
    """
    model, kind, tokenizer, blanks = run.model, run.kind, run.source.tokenizer, None
    if kind.predicts(model):
        unembed, blanks = kind.unembed(model, run.inputs), []
        for at, truth in kind.truths(run.reading).items():
            both = [unembed(each.result[0, at]) for each in (run, other) if each is not None]  # (num_tokens,) each
            known = None if truth is None else candidates(tokenizer, both[0], [truth])[0]
            named = candidates(tokenizer, both[0], most_likely(*both))
            blanks.append({"token": at, "truth": known, "next": named})
    follows = kind.follows(model, run.reading, run.result)
    return {
        "blanks": blanks,
        "follows": None if follows is None else round(follows, 7),
        "pairs": model.sentence is not None,
    }
