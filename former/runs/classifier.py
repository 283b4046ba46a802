"""Models that classify a whole text: a `Classifier`, or a `BertClassifier`, which reads `[CLS]`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor

from former import masks
from former.bert import BertClassifier
from former.models import Classifier
from former.runs.kind import (
    Inputs,
    Kind,
    Measure,
    Reading,
    Sides,
    Source,
    as_input,
    readable,
    require_no_answer,
    tokenize,
)


class Judge(Kind):
    """The kind of models that give the whole text one class."""

    name = "classifier"
    models = (Classifier, BertClassifier)
    says = "class"
    keeps = "last"
    effect_on = "verdict"

    def pools(self, model: Any) -> bool:
        """Returns whether the model is a `Classifier`; a `BertClassifier` reads `[CLS]` instead of pooling."""
        return isinstance(model, Classifier)

    def read(self, source: Source, text: str, answer: str | None = None, limit: int | None = None) -> Reading:
        """Tokenises a text; one that is too long is cut at its beginning, as reviews state their verdict at the end."""
        require_no_answer(answer, source)
        ids, labels, total = tokenize(source, text, limit, end=self.keeps == "last")
        model = readable(source.model)
        mask = model.mask(len(ids)) if isinstance(model, Classifier) and model.config.mask != "none" else None
        sides = Sides(labels, labels, cells_of(model, ids, mask), tuple(ids))
        return Reading(text, ids, labels, total, (as_input(source, ids),), {"self": sides})

    def measure(self, model: Any, reading: Reading, inputs: Inputs, result: Tensor) -> Measure:
        """Returns the function that measures a prediction by log((1 − p) / p), in nats, with p the probability of the
        predicted class."""
        del model, reading, inputs
        return odds_against(int(result[0].argmax()))

    def prediction(self, model: Any, reading: Reading, inputs: Inputs, result: Tensor, at: int = -1) -> Tensor:
        """Returns the log-probabilities of the classes (b, num_classes); `at` is ignored."""
        del model, reading, inputs, at
        return result

    def read_stream(self, model: Any, reading: Reading, inputs: Inputs, x: Tensor, at: int) -> Tensor:
        """Returns log-probabilities of the classes (b, num_classes), from vectors x (b, t, e); `at` is ignored."""
        del reading, at
        return self.unembed(model, inputs)(x)

    def classes(self, source: Source) -> list[str]:
        """Returns the names of the classes in the card; without a name for each, numbers."""
        names, count = source.card.get("classes") or (), source.model.config.num_classes
        return list(names) if len(names) == count else [str(i) for i in range(count)]

    def unembed(self, model: Any, inputs: Inputs) -> Callable[[Tensor], Tensor]:
        """Returns the function that pools, or takes `[CLS]`, and classifies: (b, t, e) → log-probabilities
        (b, num_classes)."""
        if isinstance(model, Classifier):
            return partial(model.unembed, real=model.real(*inputs))
        return model.unembed


def cells_of(model: Any, ids: Sequence[int], mask: Tensor | None = None) -> Tensor:
    """Returns which cells of its maps a model that may have a `pad_token` computes for a text under a mask (t, t), or
    none: bool (t, t)."""
    if model.config.pad_token is not None:  # a visitor may type it
        mask = masks.without_padding(torch.tensor([ids]) != model.config.pad_token, mask)[0, 0]
    return torch.ones(len(ids), len(ids)).bool() if mask is None else mask.expand(len(ids), -1)


def odds_against(predicted: int) -> Measure:
    """Returns the measure log((1 − p) / p), with p the probability of the class `predicted`, as a function:
    log-probabilities (b, num_classes) → (b,)."""

    def measure(log_probs: Tensor) -> Tensor:
        others = torch.cat((log_probs[:, :predicted], log_probs[:, predicted + 1 :]), 1)
        return others.logsumexp(1) - log_probs[:, predicted]

    return measure


def shares_read(model: Any, rolled: Tensor) -> Tensor:
    """Returns the shares of the tokens in the vector that is classified, (t,), from a rollout (t, t): its row for
    `[CLS]` or, if the model pools, the mean of its rows."""
    return rolled[0] if isinstance(model, BertClassifier) else rolled.mean(0)
