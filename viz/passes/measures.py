"""Measures what a prediction depends on, by removing parts: results of `former.analysis` as lines of plain values.

Every function keeps the run's edits.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from former import analysis
from former.analysis import effects
from former.runs import Run

UNASKED = 48  # maximum number of words measured automatically; each is a run of the model


def heads(run: Run) -> Iterator[dict[str, Any]]:
    """Yields the effect of removing each head, layer by layer: {"map": name, "layer", "effects": h numbers}.

    Raises:
        ValueError: a text or an answer too short to predict, a text that hides no word from a model that fills in
            words, or a model without an output head.
    """
    for each in analysis.head_effects(run):
        yield {"map": each.map, "layer": each.layer, "effects": _plain(each.effects)}


def each_word(run: Run) -> Iterator[dict[str, Any]]:
    """Yields the influence of each word on a classifier's verdict, by two methods that need not agree.

    First {"attention", "size", "blank"}: each of t words' share of the attention rollout to the position where the
    verdict is read; the number of words replaced at a time, more than 1 in a long text; and the label that replaces
    them. Then, in batches, {"changes"}: the decrease of the chosen class's log-odds for each replacement. Last
    {"agreement"}: the rank correlation between the shares and the sizes of the changes, or NaN if it is undefined.

    Raises:
        ValueError: the model is not a classifier.
    """
    shares, tokenizer, changes = analysis.word_shares(run), run.source.tokenizer, []
    nothing = tokenizer.labels([effects.blank(tokenizer)])[0]
    yield {"attention": _plain(shares), "size": effects.word_size(run), "blank": nothing}
    for batch in analysis.word_changes(run):
        changes.append(batch)
        yield {"changes": _plain(batch)}
    yield {"agreement": effects.agreement(run, shares, torch.cat(changes))}


def _plain(values: Tensor) -> list[float]:
    return [round(value, 5) + 0.0 for value in values.tolist()]
