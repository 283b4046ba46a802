"""What a prediction depends on, measured by taking parts away: `former.analysis`, as lines of plain values.

Every function takes a pass that is on the screen and measures under its edits.
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

UNASKED = 48  # words of a text that are measured without being asked for: each is a run of the model


def heads(loaded: Loaded, made: Pass) -> Iterator[dict[str, Any]]:
    """What each head's removal does, a layer at a time: {"map": whose heads, "layer", "effects": h numbers}.

    Raises:
        Refusal: a text or an answer too short to predict, one that hides nothing, or a model without a head.
    """
    del loaded
    with as_refusals():
        for each in analysis.head_effects(made.run):
            yield {"map": each.map, "layer": each.layer, "effects": _plain(each.effects)}


def each_word(loaded: Loaded, made: Pass) -> Iterator[dict[str, Any]]:
    """What carried a classifier's verdict, in two ways that need not agree.

    First {"attention": t shares, "size", "blank"}: attention rollout to where the verdict is read; and the label of
    what words become. Then, a batch at a time, {"changes"}: by how much the log-odds of the chosen class fall where
    words are blanked out, each word alone or, in a long text, each `size` neighbours together. Last {"agreement"}: the
    rank correlation of the shares with the sizes of the changes; None where there is none.

    Raises:
        Refusal: a model that gives no verdict.
    """
    with as_refusals():
        shares = analysis.word_shares(made.run)
        tokenizer, changes = loaded.bundle.tokenizer, []
        nothing = tokenizer.labels([effects.blank(tokenizer)])[0]
        yield {"attention": _plain(shares), "size": effects.word_size(made.run), "blank": nothing}
        for batch in analysis.word_changes(made.run):
            changes.append(batch)
            yield {"changes": _plain(batch)}
        agreement = effects.agreement(made.run, shares, torch.cat(changes))
        yield {"agreement": None if math.isnan(agreement) else round(agreement, 4)}


def _plain(values: Tensor) -> list[float]:
    return [round(value, 5) + 0.0 for value in values.tolist()]
