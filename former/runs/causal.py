"""Models that predict the next token: a `Generator`, whatever its mask."""

from __future__ import annotations

import math
from typing import Any

import torch.nn.functional as F
from torch import Tensor

from former import masks, sparse
from former.models import Generator
from former.runs.kind import (
    Inputs,
    Kind,
    Measure,
    Reading,
    Sides,
    Source,
    Unanswerable,
    as_input,
    readable,
    require_no_answer,
    tokenize,
)
from former.sampling import precise


class Causal(Kind):
    """The kind of models in which each token predicts the next one."""

    name = "causal"
    models = (Generator,)

    def variant(self, model: Any) -> str:
        """Returns "pattern" for a model whose mask is a sparse pattern, and "bare" for one without an output layer."""
        sparsely = getattr(model.config, "mask", None) in sparse.PATTERNS  # an `EncoderDecoder` names no mask
        return "pattern" if self.predicts(model) and sparsely else super().variant(model)

    def predicts(self, model: Any) -> bool:
        """Returns whether the model has an output layer."""
        return getattr(model.config, "output_layer", True)  # a `TransformerXL` has one

    def continues(self, model: Any) -> bool:
        """Returns whether the model has an output layer, and no token attends to a later one."""
        return self.predicts(model) and masks.MASKS[model.config.mask].causal

    def read(self, source: Source, text: str, answer: str | None = None, limit: int | None = None) -> Reading:
        """Tokenises a text; one that is too long is cut at its end."""
        require_no_answer(answer, source)
        ids, labels, total = tokenize(source, text, limit)
        sides = Sides(labels, labels, readable(source.model).mask(len(ids)), tuple(ids))
        return Reading(text, ids, labels, total, (as_input(source, ids),), {"self": sides})

    def measure(self, model: Any, reading: Reading, inputs: Inputs, result: Tensor) -> Measure:
        """Returns the function that measures a prediction in bits per token, over all tokens but the first."""
        del reading, result
        return bits_of(self.written(model, inputs))

    def written(self, model: Any, inputs: Inputs) -> Tensor:
        """Returns the tokens (1, t) after each of which the model predicts the next: the text's own."""
        self.unembed(model, inputs)  # raises without an output layer
        return inputs[0]

    def next_logits(self, model: Any, result: Tensor) -> Tensor:
        """Returns logits (num_tokens,) of the next token."""
        self.unembed(model, ())
        return result[0, -1]


def bits_of(tokens: Tensor) -> Measure:
    """Returns a measure of how well tokens (1, t) are predicted: logits (b, t, num_tokens) → bits per token, (b,).

    Bits are counted in float32 at least: in half precision they are too coarse for the effect of a head.

    Raises:
        Unanswerable: fewer than two tokens.
    """
    if tokens.shape[1] < 2:
        raise Unanswerable(
            "too_short", "tokens must hold at least 2 tokens, so that there is a next one to predict, got 1"
        )

    def bits(logits: Tensor) -> Tensor:
        targets = tokens[:, 1:].long().expand(len(logits), -1)
        logits = precise(logits[:, :-1].transpose(1, 2))
        loss = F.cross_entropy(logits, targets, reduction="none")
        return loss.mean(-1) / math.log(2)

    return bits
