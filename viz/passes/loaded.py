"""A model as the server holds it: its name, its kind, and the size of its passes."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import torch

import former
from former import cpu
from former.runs import Kind, Reading, kind_of
from viz.text.examples import EXAMPLES

CELLS = 12 * 12 * 256 * 256  # layers × heads × tokens² of a pass, at most: GPT-2's heads over 256 tokens
READINGS = 4  # cached for each model
_building = threading.Lock()  # builds one twin at a time


@dataclass(frozen=True)
class Loaded:
    """A model that is ready to serve, under its name on the page; it is never modified."""

    name: str
    bundle: former.Bundle
    fingerprint: str  # of its weights, so that two checkpoints of one name do not share keys
    folder: Path | None = None  # of its checkpoint and its recorded measurements
    opened: str = ""  # the source that it was loaded from, if its name is not enough
    theirs: bool = False  # whether that is in Hugging Face's format
    revisions: Mapping[int, Path] = field(default_factory=dict)  # the folders of a repository's steps of training

    @property
    def source(self) -> str:
        """The argument with which `former.load`, or for Hugging Face's format `former.pretrained.load`, opens this
        model again."""
        return self.opened or self.name

    @property
    def max_tokens(self) -> int:
        """The maximum number of tokens of a pass: the model's context, or fewer if all maps would have more than
        `CELLS` cells."""
        config = self.bundle.config
        return min(config.seq_length, math.isqrt(CELLS // (config.depth * config.heads)))

    @cached_property
    def fast(self) -> Any:
        """The model's fast twin, which is called in the same way and built on first use; the model itself if it has no
        twin."""
        with _building:
            if "fast" not in self.__dict__:  # else another thread has built it meanwhile
                self.__dict__["fast"] = cpu.optimise(self.bundle.model)
            return self.__dict__["fast"]

    @property
    def fast_bundle(self) -> former.Bundle:
        """The bundle with the fast twin as its model, for functions that only call the model."""
        return replace(self.bundle, model=self.fast)

    @cached_property
    def kind(self) -> Kind:
        """The model's kind (`former.runs`), which reads and runs a text, and knows which questions the model can
        answer."""
        return kind_of(self.bundle)

    @cached_property
    def read(self) -> Callable[[str], Reading]:
        """A function read(text), which tokenises a text up to `max_tokens`. It caches the last results, because each
        question about a text reads it again, and a translator's reading includes the answer that the model writes."""

        def read(text: str) -> Reading:
            with torch.inference_mode(False):  # a later question may need gradients
                return self.kind.read(self.bundle, text, limit=self.max_tokens)

        return lru_cache(READINGS)(read)

    @property
    def variant(self) -> str:
        """The name of the model's kind, or of a variant of the kind (`Kind.variant`), such as "causal"."""
        return self.kind.variant(self.bundle.model)

    @property
    def heads_left(self) -> list[str]:
        """The names of output heads in the model's file that are not supported, and were left out."""
        return self.bundle.card.get("heads_left", [])

    @property
    def examples(self) -> str:
        """The names of the model's example texts in `viz.text.examples.EXAMPLES`."""
        repeats = self.bundle.card.get("recipe", {}).get("repeats")  # it was also trained on repeated letters
        names = (self.kind.says, "letters" if repeats else "", self.variant, self.bundle.tokenizer.unit)
        return next(name for name in names if name in EXAMPLES)


Models = Mapping[str, Loaded]  # by name
FIRST = "gpt"  # the model that tabs Explore and Generate open with, if it is loaded


def first_ahead(models: Models) -> dict[str, Loaded]:
    """Returns the models in their order, but with the model named `FIRST` before all others."""
    return dict(sorted(models.items(), key=lambda item: item[0] != FIRST))


def word_model(models: Models) -> Loaded:
    """Returns the first model that pools the vectors of words and has two classes, else the first that pools, else the
    first model."""
    pooling = poolers(models)
    bundles = {name: each.bundle for name, each in pooling.items()}
    fits = [pooling[name] for name, of in bundles.items() if of.tokenizer.unit == "word" and of.config.num_classes == 2]
    return [*fits, *(pooling or models).values()][0]


def filler(models: Models) -> Loaded | None:
    """Returns the model that fills in hidden words, shipped or the visitor's own; None if there is no such model."""
    blanks = {name: each for name, each in models.items() if each.kind.says == "blank"}
    fillers = {name: each for name, each in blanks.items() if each.kind.predicts(each.bundle.model)}
    return fillers.get("bert") or next(iter(fillers.values()), None)


def poolers(models: Models) -> dict[str, Loaded]:
    """Returns the classifiers of the article's kind, which pool the vectors of all tokens."""
    return {name: each for name, each in models.items() if each.kind.pools(each.bundle.model)}


def writers(models: Models) -> dict[str, Loaded]:
    """Returns the models that can continue a text."""
    return {name: each for name, each in models.items() if each.kind.continues(each.bundle.model)}


def causal(models: Models) -> dict[str, Loaded]:
    """Returns those of `writers` that are a single stack of blocks."""
    return {name: each for name, each in writers(models).items() if each.kind.resumes}


def maskable(models: Models) -> dict[str, Loaded]:
    """Returns those of `causal` with full attention to all earlier tokens, not a sparse pattern."""
    return {name: each for name, each in causal(models).items() if each.bundle.model.config.mask == "causal"}
