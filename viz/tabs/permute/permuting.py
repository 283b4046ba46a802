"""The effect of the words' order on a model's outputs: compares a text in two orders.

A permutation P is given by `order`, indices into the words as typed: P moves word `order[i]` to position i, so
(P x)[i] = x[order[i]]. f is equivariant if f(P x) = P f(x), and invariant if f(P x) = f(x).

Sizes: t words, e embedding.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor

import former
from former.config import shapes_only
from former.models import pool
from viz.panels import Numbers
from viz.passes.loaded import Loaded, Models, poolers
from viz.text.examples import PAIRS, REVIEW

MOST_WORDS = 24  # a picture with more rows can no longer be read
OUTPUTS = ("basic", "layer", "block", "classifier")
POSITIONS = ("none", "learned", "sinusoidal")
MASKS = ("none", "causal")
AS_TYPED = "typed"  # the order of a text that nothing moved in
# Equal up to rounding: this many units in float32's last place, times the largest output. Sums taken in another order
# differ by one to five of them here (on random texts); what breaks equivariance, by thousands.
LAST_PLACE = 2.0**-23
ROUNDING_STEPS = 16
ROUNDING = ROUNDING_STEPS * LAST_PLACE

Function = Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class Subject:
    """The classifier of this tab, and, for comparison, one with the same vocabulary but without positions."""

    loaded: Loaded
    bag: Loaded | None

    @property
    def classifiers(self) -> list[Loaded]:
        """The tab's classifiers by name: the classifier and, if available, the one without positions."""
        return [loaded for loaded in (self.loaded, self.bag) if loaded]

    @property
    def kinds(self) -> list[str]:
        """The kinds of positions, names in `POSITIONS`, with which the classifier can run."""
        config = self.loaded.bundle.config
        return [
            kind
            for kind in POSITIONS
            if kind in ("none", config.positions) or (kind == "sinusoidal" and config.emb % 2 == 0)
        ]

    @property
    def most(self) -> int:
        """The maximum number of words: as many as a picture can show and both classifiers can read."""
        return min(MOST_WORDS, *(loaded.bundle.config.seq_length for loaded in self.classifiers))


def find(models: Models) -> Subject | None:
    """Finds the tab's classifiers among the models; None if there is no classifier."""
    classifiers = list(poolers(models).values())
    if not classifiers:
        return None
    with_positions = [loaded for loaded in classifiers if loaded.bundle.config.positions != "none"]
    without = [loaded for loaded in classifiers if loaded.bundle.config.positions == "none"]
    loaded = (with_positions or classifiers)[0]
    vocabulary = loaded.bundle.tokenizer.to_dict()  # where it is the same, the ids of one are those of the other
    alike = (one for one in without if one is not loaded and one.bundle.tokenizer.to_dict() == vocabulary)
    return Subject(loaded, next(alike, None))


def pairs(subject: Subject) -> list[dict[str, str]]:
    """Returns the examples, {"text", "order", "other"}: in the order "order", the words of "text" give the text
    "other". The last example is a review."""
    split = subject.loaded.bundle.tokenizer.encode
    pairs = [{"text": a, "order": order_of(split(a), split(b)), "other": b} for a, b in PAIRS]
    return [*pairs, {"text": REVIEW, "order": AS_TYPED, "other": ""}]


def order_of(ids: list[int], others: list[int]) -> str:
    """Returns the order that turns `ids` into `others`, which has the same elements; elements that are already in place
    stay there."""
    free = set(range(len(ids)))
    order = []
    for position, wanted in enumerate(others):
        stays = position in free and ids[position] == wanted
        word = position if stays else next(i for i in sorted(free) if ids[i] == wanted)
        free.remove(word)
        order.append(word)
    return ".".join(map(str, order))


# --- the panels' numbers ---------------------------------------------------------------------------------------------


def permute(words: Sequence[str], order: Sequence[int]) -> Numbers:
    """Puts words in another order.

    Args:
        words: t words.
        order: position i gets word order[i].
    Returns:
        "typed": the words as typed; "words" in the new order, and "places": the old position of each, from 1; "moved":
        the number of words that are not in their old position; "matrix" P (t, t), one row per position, and "cells"
        (t, t), all True, for the figure.
    """
    matrix = torch.eye(len(order))[list(order)]
    places = [word + 1 for word in order]
    moved = sum(word != position for position, word in enumerate(order))
    values = {"typed": words, "words": [words[word] for word in order], "places": places, "moved": moved}
    return {**values, "matrix": matrix, "cells": matrix >= 0}


@torch.inference_mode()
def measure_errors(
    bundle: former.Bundle, text: str, order: Sequence[int], positions: str = "none", mask: str = "none"
) -> Numbers:
    """Measures the equivariance error of each output of a classifier, max |f(Px) − P f(x)|.

    Args:
        bundle: a classifier.
        text: its first words are read, as many as `order` has elements.
        order: position i gets word order[i].
        positions: one of `POSITIONS`; the weights stay the same.
        mask: one of `MASKS`.
    Returns:
        "outputs": names of the four outputs f; for each, "errors", "sizes": max |f(x)|, "limits": the largest error
        that rounding may cause, and "plain": the errors without positions and mask, None if the request has neither.
    """
    ids = torch.tensor([bundle.tokenizer.encode(text)[: len(order)]])
    both = ids, ids[:, list(order)]
    seen = former.masks.causal(len(order)) if mask == "causal" else None
    outputs = {
        name: [f(x) for x in both] for name, f in functions(with_positions(bundle.model, positions), seen).items()
    }
    sizes = torch.stack([before.abs().max() for before, _ in outputs.values()])
    plain = positions == mask == "none"
    return {
        "outputs": list(outputs),
        "errors": torch.stack([off(before, after, order) for before, after in outputs.values()]),
        "sizes": sizes,
        "limits": ROUNDING * sizes,
        "plain": None if plain else measure_errors(bundle, text, order)["errors"],
    }


@torch.inference_mode()
def run_output(
    bundle: former.Bundle,
    text: str,
    order: Sequence[int],
    positions: str = "none",
    mask: str = "none",
    output: str = "block",
) -> Numbers:
    """Runs one output of a classifier on a text and on its words in another order.

    Args:
        bundle, text, order, positions, mask: as in `measure_errors`.
        output: one of `OUTPUTS`; for the whole classifier, the words' outputs are those of its last block.
    Returns:
        "words" in the new order; "before" f(x) and "after" f(Px), (t, e) each; "difference" (t,): the largest
        difference between f(Px) and P f(x) at each position; "largest" of these. For the whole classifier also "pooled"
        (2, e), the pooled rows in both orders, and "values" (2, num_classes), the log-probabilities.
    """
    ids = torch.tensor([bundle.tokenizer.encode(text)[: len(order)]])
    both = ids, ids[:, list(order)]
    model = with_positions(bundle.model, positions)
    seen = former.masks.causal(len(order)) if mask == "causal" else None
    values: Numbers = {"words": bundle.tokenizer.labels(both[1][0].tolist())}
    if output == "classifier":
        stack = model.transformer
        before, after = (model.norm(stack(stack.embed(x), seen)) for x in both)
        real = torch.ones_like(ids, dtype=torch.bool)
        values["pooled"] = torch.cat([pool(x, real, model.config.pooling) for x in (before, after)])
        values["values"] = torch.cat([model(x, mask=seen) for x in both])
    else:
        before, after = (functions(model, seen)[output](x) for x in both)
    difference = (after - before[:, list(order)]).abs().amax(2)[0]
    rows = {"before": before[0], "after": after[0], "difference": difference}
    return {**values, **rows, "largest": float(difference.max())}


@torch.inference_mode()
def classify(bundles: Mapping[str, former.Bundle], text: str, order: Sequence[int]) -> Numbers:
    """Runs trained classifiers with the same vocabulary on a text and on its words in another order.

    Args:
        bundles: the classifiers, by name.
        text, order: as in `measure_errors`.
    Returns:
        "names"; "probs" (classifiers, 2, num_classes), for both orders; "typed" and "moved" (classifiers,): the
        probability of the last class, in each order; "changed" (classifiers,): the largest change of a probability;
        "same": for each classifier, whether its two outputs are equal up to rounding.
    """
    outputs = []
    for bundle in bundles.values():
        ids = torch.tensor([bundle.tokenizer.encode(text)[: len(order)]])
        outputs.append([bundle.model(x) for x in (ids, ids[:, list(order)])])
    probs = torch.stack([torch.cat(both) for both in outputs]).double().exp()
    return {
        "names": list(bundles),
        "probs": probs,
        "typed": probs[:, 0, -1],
        "moved": probs[:, 1, -1],
        "changed": (probs[:, 1] - probs[:, 0]).abs().amax(-1),
        "same": [bool(off(out, moved, order) <= ROUNDING * out.abs().max()) for out, moved in outputs],
    }


@lru_cache(maxsize=16)
def with_positions(model: former.Classifier, kind: str) -> former.Classifier:
    """Returns a classifier with the same weights and another kind of positions."""
    if kind == model.config.positions:
        return model
    with torch.inference_mode(False), shapes_only():  # no weights of its own: it is given the model's
        other = former.Classifier(replace(model.config, positions=kind))
        other.load_state_dict(model.state_dict(), strict=False, assign=True)
    return other.eval()


def functions(model: former.Classifier, mask: Tensor | None) -> dict[str, Function]:
    """Returns the four functions f that the tab compares, by their names in `OUTPUTS`: from ids (1, t) to outputs.

    The first three return a vector per word, (1, t, e): basic self-attention on the word vectors; the first block's
    attention on its normed input; and that whole block. The last returns log-probabilities, (1, num_classes).
    """
    transformer = model.transformer
    block: Any = transformer.blocks[0]

    def vectors(ids: Tensor) -> Tensor:
        return transformer.token_embedding(ids) + transformer.positions(torch.arange(ids.shape[1]))

    def layer(ids: Tensor) -> Tensor:
        x = vectors(ids)
        return block.attention(block.norm1(x) if block.pre_norm else x, mask)

    return {
        "basic": lambda ids: former.basic_self_attention(vectors(ids), mask)[0],
        "layer": layer,
        "block": lambda ids: block(vectors(ids), mask),
        "classifier": lambda ids: model(ids, mask=mask),
    }


def off(before: Tensor, after: Tensor, order: Sequence[int]) -> Tensor:
    """Returns the equivariance error max |f(Px) − P f(x)|, given f(x), `before`, and f(Px), `after`; for outputs of a
    single row, the invariance error max |f(Px) − f(x)|."""
    return (after - (before[:, list(order)] if before.dim() == 3 else before)).abs().max()
