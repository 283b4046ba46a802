"""What a run trains on: each task gives the batch of a step, its loss, and the figures that tell what a model is worth.

A new kind of model needs an entry in `former.checkpoints.KINDS`, a recipe in `RECIPES`, and where none of the
tasks here is its own, a class of the form of `Task` in `TASKS`. Nothing else knows which tasks there are.

A batch is a function of (seed, step) alone, so a run that goes on after a kill sees what it would have seen, and
several processes cut their shares from the same batch.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, Protocol

from torch import Tensor, nn

import former
from former.checks import require_choice
from former.tokens import Tokenizer
from former.training import data
from former.training.batches import Batch
from former.training.measure.evaluate import Measure
from former.training.recipes import Recipe
from former.training.tasks.dates_task import DatesTask
from former.training.tasks.masked import MaskedTask
from former.training.tasks.pieces import PiecesTask
from former.training.tasks.reviews import ReviewTask
from former.training.tasks.segments import SegmentsTask
from former.training.tasks.text import TextTask


class Task(Protocol):
    """One corpus, to the loop and to the command line."""

    figure: ClassVar[str]  # the name of the figure on validation
    higher_is_better: ClassVar[bool]
    recipe: Recipe  # as it was given, but for what the corpus decides, such as the size of the vocabulary
    corpus: data.Origin

    @classmethod
    def open(cls, recipe: Recipe, path: Path, unchecked: bool, folder: Path | None = None) -> Task:
        """The task on a corpus.

        Args:
            recipe: what to train.
            path: the corpus, a file; not read by a task that makes its data.
            unchecked: take any file, not only a known copy of the recipe's corpus.
            folder: the run's, where what is slow to make of a corpus is kept for the next start
                (`former.training.cache`); None to keep nothing.
        Raises:
            ValueError: a missing or wrong corpus.
        """
        ...

    @property
    def tokenizer(self) -> Tokenizer:
        """What made tokens of the corpus."""
        ...

    def batch(self, step: int) -> Batch:
        """The whole batch of a step, for all processes, on the CPU; every tensor has its rows along the first axis."""
        ...

    @property
    def loss(self) -> Callable[..., Tensor]:
        """loss(model, *batch): the mean over a batch or a part of it, in nats; the batch is where the model is."""
        ...

    def validate(self, model: nn.Module) -> float:
        """A quick figure on a fixed part of the validation split."""
        ...

    @classmethod
    def evaluate(cls, bundle: former.Bundle, recipe: Recipe, path: Path, measure: Measure) -> dict[str, Any]:
        """The figure on a whole split, and how it was measured, as plain values for a card.

        Raises:
            ValueError: a missing or wrong corpus, or a measure that this task does not have.
        """
        ...


TASKS: dict[str, type[Task]] = {
    "text": TextTask,
    "pieces": PiecesTask,
    "segments": SegmentsTask,
    "reviews": ReviewTask,
    "masked": MaskedTask,
    "dates": DatesTask,
}
"""By the name that a recipe gives."""


def make_task(recipe: Recipe, path: Path, unchecked: bool = False, folder: Path | None = None) -> Task:
    """The recipe's task on a corpus, a file.

    Raises:
        ValueError: another task than `TASKS` holds, or a missing or wrong corpus.
    """
    require_choice("task", recipe.task, tuple(TASKS))
    return TASKS[recipe.task].open(recipe, path, unchecked, folder)
