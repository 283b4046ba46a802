"""The training tasks: each provides the batch of a step, its loss, and measures of a model's quality.

A new model needs a place in a kind (`former.runs`), a recipe in `RECIPES`, and, if no task here fits, a new class with
the methods of `Task` in `TASKS`. No other file lists the tasks.

A batch depends only on (seed, step). So a resumed run sees the same batches as an uninterrupted one, and several
processes take their rows from the same batch.
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
    """A training task on a corpus, as the training loop and the command line use it."""

    figure: ClassVar[str]  # name of the measure on validation
    higher_is_better: ClassVar[bool]
    recipe: Recipe  # the run's recipe, with values that depend on the corpus, such as the size of the vocabulary
    corpus: data.Origin

    @classmethod
    def open(cls, recipe: Recipe, path: Path, unchecked: bool, folder: Path | None = None) -> Task:
        """Opens a corpus.

        Args:
            recipe: the settings of the run.
            path: file with the corpus; ignored by a task that generates its data.
            unchecked: accept any file, not only a known copy of the recipe's corpus.
            folder: the run's, to cache tokens that are slow to compute (`former.training.cache`); None for no cache.
        Raises:
            ValueError: the corpus is missing or wrong.
        """
        ...

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer of the corpus."""
        ...

    def batch(self, step: int) -> Batch:
        """Returns a step's whole batch, for all processes, on the CPU; the first axis of each tensor is the row."""
        ...

    @property
    def loss(self) -> Callable[..., Tensor]:
        """The function loss(model, *batch), for a batch or part of one on the model's device. It returns the mean loss
        in nats; or several means (n,), whose sum is minimised.

        If rows have different numbers of targets, a method `scored(*batch)` returns how many targets each mean
        averages.
        """
        ...

    def validate(self, model: nn.Module) -> float:
        """Returns a quick measure of quality on a fixed part of the validation split."""
        ...

    @classmethod
    def evaluate(cls, bundle: former.Bundle, recipe: Recipe, path: Path, measure: Measure) -> dict[str, Any]:
        """Returns the quality on a whole split and the settings of the measurement, as plain values for a card.

        Raises:
            ValueError: the corpus is missing or wrong, or the task does not support a setting of `measure`.
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
"""By the name that recipes use."""


def make_task(recipe: Recipe, path: Path, unchecked: bool = False, folder: Path | None = None) -> Task:
    """Opens a recipe's task on a corpus. The arguments are those of `Task.open`.

    Raises:
        ValueError: `TASKS` lacks the recipe's task, or the corpus is missing or wrong.
    """
    require_choice("task", recipe.task, tuple(TASKS))
    return TASKS[recipe.task].open(recipe, path, unchecked, folder)
