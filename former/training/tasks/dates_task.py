"""The task of the encoder-decoder `dates`: dates to read and to write, and measures of its quality.

Sizes: b batch, t tokens.
"""

from __future__ import annotations

import datetime
import math
import string
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

import former
from former.encoder_decoder import EncoderDecoder, write
from former.tokens import CharacterTokenizer, Tokenizer
from former.tokens.words import PAD_ID
from former.training import data
from former.training.batches import Batch, Model, device_of, generator_of
from former.training.measure.evaluate import Measure
from former.training.recipes import Recipe
from former.training.tasks import dates
from former.training.tasks.dates import Example, Split, examples
from former.training.tasks.dates_reader import read

TOKENIZER = CharacterTokenizer(
    string.digits + string.ascii_letters + " ,.-/'()", {"<write>": "0000-00-00", "<read>": ""}
)
POOL = 8  # batches that are drawn together and sorted by length, which saves padding
ROWS = 250  # texts per batch of answers
SAMPLES = 20  # texts sampled for each date
NUCLEUS = 0.95  # `top_p` of the second measurement by sampling
TEXTS, QUICK_TEXTS = 10_000, 500  # texts per measure, in an evaluation and in a validation during training


class DatesTask:
    """The task of reading dates and of writing them; half of the batches are for each.

    Args:
        recipe: the settings: batch, seed and share of hard texts. The task sets its model's vocabulary size.
    """

    figure: ClassVar[str] = "right"
    higher_is_better: ClassVar[bool] = True

    def __init__(self, recipe: Recipe) -> None:
        self.tokenizer: Tokenizer = TOKENIZER
        self.recipe = replace(recipe, model=replace(recipe.model, num_tokens=TOKENIZER.num_tokens))
        self.corpus = data.origin(Path(dates.__file__), unchecked=False)  # the program determines its texts
        self._pool = lru_cache(maxsize=1)(self._make_pool)

    @classmethod
    def open(cls, recipe: Recipe, path: Path, unchecked: bool, folder: Path | None = None) -> DatesTask:  # noqa: ARG003
        """Returns the task, whose data is generated, so that no file is read; see `Task.open`."""
        _refuse_file(path)
        return cls(recipe)

    def batch(self, step: int) -> Batch:
        """Returns sources (b, t_source) and targets (b, t_target), padded."""
        rows = self._pool(step // POOL)[step % POOL]
        return pad([source for source, _ in rows]), pad([target for _, target in rows])

    def _make_pool(self, number: int) -> list[list[tuple[list[int], list[int]]]]:
        size, batches = self.recipe.batch, []
        for direction in ("read", "write"):
            drawn = examples(direction, self.recipe.seed, number, POOL // 2 * size, hard=self.recipe.hard)
            rows = [(TOKENIZER.encode(source), TOKENIZER.encode_target(target)) for source, target in drawn]
            rows.sort(key=lambda row: len(row[0]) + len(row[1]))
            batches += [rows[first : first + size] for first in range(0, len(rows), size)]
        order = torch.randperm(POOL, generator=generator_of(self.recipe.seed, 4, number))
        return [batches[i] for i in order.tolist()]

    def loss(self, model: Model, sources: Tensor, targets: Tensor) -> Tensor:
        """Returns the mean cross-entropy of each next character of the targets, given the correct characters
        before it."""
        logits = model(sources, targets[:, :-1], recompute=self.recipe.checkpointing)
        return F.cross_entropy(logits.float().flatten(0, 1), targets[:, 1:].flatten(), ignore_index=PAD_ID)

    def scored(self, sources: Tensor, targets: Tensor) -> int:  # noqa: ARG002
        """Returns the number of characters that `loss` averages over."""
        return int((targets[:, 1:] != PAD_ID).sum())

    def validate(self, model: nn.Module) -> float:
        """Returns the mean of the three shares of `measure_quality`, on few texts."""
        assert isinstance(model, EncoderDecoder)
        figures = measure_quality(model, "val", QUICK_TEXTS)
        return sum(figures[name] for name in ("read_new_dates", "read_new_forms", "written_right")) / 3

    @classmethod
    def evaluate(cls, bundle: former.Bundle, recipe: Recipe, path: Path, measure: Measure) -> dict[str, Any]:  # noqa: ARG003
        """Returns the result of `measure_quality` on a split; see `Task.evaluate`."""
        _refuse_file(path)
        if measure.stride is not None or measure.most is not None or measure.precision == "int8":
            raise ValueError("dates do not support --stride, --bytes or --precision int8")
        assert isinstance(bundle.model, EncoderDecoder)
        with measure.products():
            return measure_quality(bundle.model, cast(Split, measure.split), TEXTS)


def _refuse_file(path: Path) -> None:
    if path.is_file():
        raise ValueError(f"--data does not apply to dates, whose texts are generated, got {path}")


def measure_quality(model: EncoderDecoder, split: Split, texts: int) -> dict[str, Any]:
    """Measures how often the model reads and writes dates of a split correctly.

    Args:
        model: in evaluation mode.
        split: of the dates, and of the forms in `read_new_forms`.
        texts: number of texts per share, a multiple of `SAMPLES`.
    Returns:
        read_new_dates: share of texts read exactly, in forms of the training split.
        read_new_forms: share of texts read exactly, in forms of this split.
        written_right: share of texts sampled at temperature 1 that `dates_reader` parses to the right date.
        fewest_forms: number of different correct texts among 20 samples of a date, minimum over the dates.
        nucleus_right, nucleus_forms: written_right and fewest_forms for texts sampled with `top_p` 0.95 (Holtzman et
            al. 2020).
        texts: number of texts per share.
    """
    plain = [example.source for example in examples("write", 0, 0, texts // SAMPLES, split)]
    right, forms = _writing_accuracy(model, plain)
    nucleus_right, nucleus_forms = _writing_accuracy(model, plain, NUCLEUS)
    return {
        "read_new_dates": round(_reading_accuracy(model, examples("read", 0, 0, texts, split)), 4),
        "read_new_forms": round(_reading_accuracy(model, examples("read", 0, 0, texts, split, split)), 4),
        "written_right": round(right, 4),
        "fewest_forms": forms,
        "nucleus_right": round(nucleus_right, 4),
        "nucleus_forms": nucleus_forms,
        "texts": texts,
    }


def _writing_accuracy(model: EncoderDecoder, plain: list[str], top_p: float | None = None) -> tuple[float, int]:
    """Samples `SAMPLES` texts per date; returns the share of correct ones, and the minimum number of different correct
    ones per date."""
    by_date: dict[str, list[str]] = {date: [] for date in plain}
    for date, text in zip(plain * SAMPLES, answer_all(model, plain * SAMPLES, 1.0, top_p), strict=True):
        if read(text) == datetime.date.fromisoformat(date):
            by_date[date].append(text)
    right = sum(map(len, by_date.values()))
    return right / (SAMPLES * len(plain)), min(len(set(texts)) for texts in by_date.values())


def _reading_accuracy(model: EncoderDecoder, texts: Sequence[Example]) -> float:
    dates = answer_all(model, [example.source for example in texts])
    return sum(date == example.target for date, example in zip(dates, texts, strict=True)) / len(texts)


def answer_all(
    model: EncoderDecoder, texts: Sequence[str], temperature: float = 0.0, top_p: float | None = None
) -> list[str]:
    """Returns the model's answer to each text; texts of similar length go in one batch.

    Args:
        model: in evaluation mode.
        texts: sources.
        temperature, top_p: of the sampling; the same texts give the same answers.
    """
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    results = [""] * len(texts)
    for first in range(0, len(order), ROWS):
        group = order[first : first + ROWS]
        sources = pad([TOKENIZER.encode(texts[i]) for i in group]).to(device_of(model))
        rows = write(model, sources, TOKENIZER.begin, TOKENIZER.end, temperature, top_p=top_p, seed=first)
        for i, ids in zip(group, rows, strict=True):
            results[i] = TOKENIZER.decode(ids)
    return results


def pad(rows: Sequence[Sequence[int]]) -> Tensor:
    """Returns rows of ids as a tensor (b, t), where t is a multiple of 8, so that batches have few different shapes."""
    width = math.ceil(max(map(len, rows)) / 8) * 8
    return torch.tensor([[*row, *[PAD_ID] * (width - len(row))] for row in rows])
