"""A model that the page serves: what it can do, and how much of it a pass holds."""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

import former
from former import cpu
from former.runs import Kind, kind_of

CELLS = 12 * 12 * 256 * 256  # layers × heads × tokens² of a pass, at most: GPT-2's heads over 256 tokens
_building = threading.Lock()  # one twin at a time


@dataclass(frozen=True)
class Loaded:
    """A model ready to serve: under its name on the page, never written to."""

    name: str
    bundle: former.Bundle
    fingerprint: str  # of its weights: two checkpoints of one name do not share keys
    folder: Path | None = None  # where its checkpoint stands, and what was measured of it beside
    opened: str = ""  # the Python that loads it, where its name is not enough

    @property
    def code(self) -> str:
        """The Python that loads it."""
        return self.opened or f"former.load({self.name!r})"

    @property
    def reads(self) -> int:
        """How many tokens a pass has at most: the model's context, or as many as keep all its maps within `CELLS`."""
        config = self.bundle.config
        return min(config.seq_length, math.isqrt(CELLS // (config.depth * config.heads)))

    @cached_property
    def fast(self) -> Any:
        """Called as the model is: its fast twin, where there is one, built when it is first asked for."""
        with _building:
            if "fast" not in self.__dict__:  # else another thread has built it meanwhile
                self.__dict__["fast"] = cpu.optimise(self.bundle.model)
            return self.__dict__["fast"]

    @property
    def fast_bundle(self) -> former.Bundle:
        """The bundle with the fast twin for its model: for what only calls the model."""
        return replace(self.bundle, model=self.fast)

    @cached_property
    def kind_of_run(self) -> Kind:
        """Its kind, by which it reads and runs a text (`former.runs`)."""
        return kind_of(self.bundle)

    @property
    def is_classifier(self) -> bool:
        """Whether it is the article's classifier."""
        return isinstance(self.bundle.model, former.Classifier)

    @property
    def translates(self) -> bool:
        """Whether it reads one text and writes another."""
        return isinstance(self.bundle.model, former.EncoderDecoder)

    @property
    def judges(self) -> bool:
        """Whether it judges a whole text, whatever it was trained as before."""
        return isinstance(self.bundle.model, former.Classifier | former.BertClassifier)

    @property
    def fills(self) -> bool:
        """Whether it reads a text as a `Bert` does, which fills in hidden words where it has the head for it."""
        return isinstance(self.bundle.model, former.Bert)

    @property
    def has_head(self) -> bool:
        """Whether it says something: a `Bert` may lack the head that fills in words."""
        return not self.fills or self.bundle.model.has_head

    @property
    def heads_left(self) -> list[str]:
        """The names of the heads in its file that were not read."""
        return self.bundle.card.get("heads_left", [])

    @property
    def remembers(self) -> bool:
        """Whether it reads on with a memory of what came before."""
        return isinstance(self.bundle.model, former.TransformerXL)

    @property
    def kind(self) -> str:
        """What it does with a text: "classifier", "translator", "bert" or "generator"."""
        if self.judges:
            return "classifier"
        return "translator" if self.translates else "bert" if self.fills else "generator"

    @property
    def manner(self) -> str:
        """What it is, more exactly than its kind: "bare" without a head; with a "memory", or a "pattern" for a mask."""
        if not self.has_head:
            return "bare"
        pattern = getattr(self.bundle.config, "mask", None) in former.sparse.KINDS
        return "memory" if self.remembers else "pattern" if pattern else self.kind

    @property
    def examples(self) -> str:
        """Which of `viz.text.examples.EXAMPLES` are for it."""
        if self.fills:
            return "blank"
        if self.judges:
            return "word"
        if self.bundle.card.get("recipe", {}).get("repeats"):  # it learned from letters that come again, too
            return "letters"
        return "long" if self.manner in ("pattern", "memory") else self.bundle.tokenizer.unit

    @property
    def divisors(self) -> tuple[float, ...] | None:
        """What each layer's scores are divided by besides √s; None for nothing."""
        config = self.bundle.config
        each = tuple(map(config.divisor, range(config.depth)))
        return None if set(each) == {1.0} else each

    @property
    def causal(self) -> bool:
        """Whether it is one stack in which a token sees only what came before it."""
        model = self.bundle.model
        return isinstance(model, former.Generator) and former.masks.KINDS[str(model.config.mask)].causal

    def mask(self, t: int) -> Tensor:
        """Which of t tokens may see which: bool (t, t)."""
        model = self.bundle.model
        return model.mask(t) if hasattr(model, "mask") else torch.ones(t, t, dtype=torch.bool)


Models = Mapping[str, Loaded]  # by name
FIRST = "gpt"  # what tabs Explore and Generate open with, where it is among the models


def first_ahead(models: Models) -> dict[str, Loaded]:
    """The models, with `FIRST` before all others."""
    return dict(sorted(models.items(), key=lambda item: item[0] != FIRST))


def reader(models: Models) -> Loaded:
    """The model for a text of words: one that reads words, where there is one."""
    return next((loaded for loaded in models.values() if loaded.is_classifier), next(iter(models.values())))


def filler(models: Models) -> Loaded | None:
    """The model that fills in hidden words: the shipped one, or one of the visitor's own; None where there is none."""
    found = {name: loaded for name, loaded in models.items() if loaded.fills and loaded.has_head}
    return found.get("bert") or next(iter(found.values()), None)


def writers(models: Models) -> dict[str, Loaded]:
    """Those that can write: they say a next token and have not seen it."""
    return {name: loaded for name, loaded in models.items() if loaded.causal or loaded.remembers}


def causal(models: Models) -> dict[str, Loaded]:
    """Of `writers`, those that are one stack under a causal mask."""
    return {name: loaded for name, loaded in models.items() if loaded.causal}


def maskable(models: Models) -> dict[str, Loaded]:
    """Of those that are `causal`, those whose tokens see all that came before them, and no pattern of it."""
    return {name: loaded for name, loaded in causal(models).items() if loaded.manner != "pattern"}
