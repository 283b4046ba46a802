"""Measures what a prediction depends on, by removing parts: results of `former.analysis` as lines of plain values.

Every function takes the pass on the screen and keeps its edits.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from former import analysis
from former.analysis import effects
from viz.passes.loaded import Loaded
from viz.passes.run import Pass, as_refusals

UNASKED = 48  # maximum number of words measured automatically; each is a run of the model


def heads(loaded: Loaded, pass_: Pass) -> Iterator[dict[str, Any]]:
    """Yields the effect of removing each head, layer by layer: {"map": name, "layer", "effects": h numbers}.

    Raises:
        Refusal: a text or an answer too short to predict, one that hides nothing, or a model without a head.
    """
    del loaded
    with as_refusals():
        for each in analysis.head_effects(pass_.run):
            yield {"map": each.map, "layer": each.layer, "effects": _plain(each.effects)}


def each_word(loaded: Loaded, pass_: Pass) -> Iterator[dict[str, Any]]:
    """Yields the influence of each word on a classifier's verdict, by two methods that need not agree.

    First {"attention": t shares, "size", "blank"}: attention rollout to the position where the verdict is read, and
    the label that replaces words. Then, in batches, {"changes"}: the decrease of the chosen class's log-odds when words
    are replaced, each word alone or, in a long text, each group of `size` neighbours. Last {"agreement"}: the rank
    correlation between the shares and the sizes of the changes, or None if it is undefined.

    Raises:
        Refusal: the model is not a classifier.
    """
    with as_refusals():
        shares = analysis.word_shares(pass_.run)
        tokenizer, changes = loaded.bundle.tokenizer, []
        nothing = tokenizer.labels([effects.blank(tokenizer)])[0]
        yield {"attention": _plain(shares), "size": effects.word_size(pass_.run), "blank": nothing}
        for batch in analysis.word_changes(pass_.run):
            changes.append(batch)
            yield {"changes": _plain(batch)}
        agreement = effects.agreement(pass_.run, shares, torch.cat(changes))
        yield {"agreement": None if math.isnan(agreement) else round(agreement, 4)}


def _plain(values: Tensor) -> list[float]:
    return [round(value, 5) + 0.0 for value in values.tolist()]
