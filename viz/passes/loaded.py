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
from viz.text.examples import EXAMPLES

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
    def kind(self) -> Kind:
        """Its kind, which reads and runs a text, and says what can be asked of it (`former.runs`)."""
        return kind_of(self.bundle)

    @property
    def variant(self) -> str:
        """Its kind's name, or the name of a variant of it (`Kind.variant`)."""
        return self.kind.variant(self.bundle.model)

    @property
    def heads_left(self) -> list[str]:
        """The names of the heads in its file that were not read."""
        return self.bundle.card.get("heads_left", [])

    @property
    def examples(self) -> str:
        """Which of `viz.text.examples.EXAMPLES` are for it."""
        repeats = self.bundle.card.get("recipe", {}).get("repeats")  # it learned from letters that come again, too
        names = (self.kind.says, "letters" if repeats else "", self.variant, self.bundle.tokenizer.unit)
        return next(name for name in names if name in EXAMPLES)

    @property
    def divisors(self) -> tuple[float, ...] | None:
        """What each layer's scores are divided by besides √s; None for nothing."""
        config = self.bundle.config
        each = tuple(map(config.divisor, range(config.depth)))
        return None if set(each) == {1.0} else each

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
    return next(iter((poolers(models) or models).values()))


def filler(models: Models) -> Loaded | None:
    """The model that fills in hidden words: the shipped one, or one of the visitor's own; None where there is none."""
    blanks = {name: each for name, each in models.items() if each.kind.says == "blank"}
    found = {name: each for name, each in blanks.items() if each.kind.predicts(each.bundle.model)}
    return found.get("bert") or next(iter(found.values()), None)


def poolers(models: Models) -> dict[str, Loaded]:
    """The article's classifiers, which pool the vectors of all tokens."""
    return {name: each for name, each in models.items() if each.kind.pools(each.bundle.model)}


def writers(models: Models) -> dict[str, Loaded]:
    """The models that can continue a text."""
    return {name: each for name, each in models.items() if each.kind.continues(each.bundle.model)}


def causal(models: Models) -> dict[str, Loaded]:
    """Of `writers`, those that are one stack of blocks."""
    return {name: each for name, each in writers(models).items() if each.kind.resumes}


def maskable(models: Models) -> dict[str, Loaded]:
    """Of those that are `causal`, those whose tokens see all that came before them, and no pattern of it."""
    return {name: each for name, each in causal(models).items() if each.bundle.model.config.mask == "causal"}
