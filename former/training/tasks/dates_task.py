"""Dates to read and to write: what the encoder-decoder trains on, and what it is worth.

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
POOL = 8  # batches that are made together and sorted by length, so that little of a batch is padding
ROWS = 250  # that are answered together
SAMPLES = 20  # texts that are written of one date
NUCLEUS = 0.95  # of the probability, from which texts are sampled too
TEXTS, QUICK_TEXTS = 10_000, 500  # behind each share of a figure, and of the quick figure on validation


class DatesTask:
    """Half of the batches give texts of dates to read, half give dates to write.

    Args:
        recipe: batch and seed; its model takes the size of the vocabulary.
    """

    figure: ClassVar[str] = "right"
    higher_is_better: ClassVar[bool] = True

    def __init__(self, recipe: Recipe) -> None:
        self.tokenizer: Tokenizer = TOKENIZER
        self.recipe = replace(recipe, model=replace(recipe.model, num_tokens=TOKENIZER.num_tokens))
        self.corpus = data.origin(Path(dates.__file__), unchecked=False)  # what makes the texts stands for them
        self._pool = lru_cache(maxsize=1)(self._make_pool)

    @classmethod
    def open(cls, recipe: Recipe, path: Path, unchecked: bool, folder: Path | None = None) -> DatesTask:  # noqa: ARG003
        """The task; see `Task.open`."""
        _refuse_file(path)
        return cls(recipe)

    def batch(self, step: int) -> Batch:
        """Sources (b, t_source) and targets (b, t_target), padded."""
        rows = self._pool(step // POOL)[step % POOL]
        return padded([source for source, _ in rows]), padded([target for _, target in rows])

    def _make_pool(self, number: int) -> list[list[tuple[list[int], list[int]]]]:
        size, batches = self.recipe.batch, []
        for direction in ("read", "write"):
            made = examples(direction, self.recipe.seed, number, POOL // 2 * size, hard=self.recipe.hard)
            rows = [(TOKENIZER.encode(source), TOKENIZER.encode_target(target)) for source, target in made]
            rows.sort(key=lambda row: len(row[0]) + len(row[1]))
            batches += [rows[first : first + size] for first in range(0, len(rows), size)]
        order = torch.randperm(POOL, generator=generator_of(self.recipe.seed, 4, number))
        return [batches[i] for i in order.tolist()]

    def loss(self, model: Model, sources: Tensor, targets: Tensor) -> Tensor:
        """Cross-entropy of each next character, given the true ones before it."""
        logits = model(sources, targets[:, :-1], recompute=self.recipe.checkpointing)
        return F.cross_entropy(logits.float().flatten(0, 1), targets[:, 1:].flatten(), ignore_index=PAD_ID)

    def validate(self, model: nn.Module) -> float:
        """The mean of the three shares that are `measured` to be right, on few texts."""
        assert isinstance(model, EncoderDecoder)
        figures = measured(model, "val", QUICK_TEXTS)
        return sum(figures[name] for name in ("read_new_dates", "read_new_forms", "written_right")) / 3

    @classmethod
    def evaluate(cls, bundle: former.Bundle, recipe: Recipe, path: Path, measure: Measure) -> dict[str, Any]:  # noqa: ARG003
        """The shares that are right on dates and forms held out; see `Task.evaluate` and `measured`."""
        _refuse_file(path)
        if measure.stride is not None or measure.most is not None or measure.precision == "int8":
            raise ValueError("dates have no --stride, no --bytes and no --precision int8; give none of them")
        assert isinstance(bundle.model, EncoderDecoder)
        with measure.products():
            return measured(bundle.model, cast(Split, measure.split), TEXTS)


def _refuse_file(path: Path) -> None:
    if path.is_file():
        raise ValueError(f"--data must not be given for dates, whose texts are made here, got {path}")


def measured(model: EncoderDecoder, split: Split, texts: int) -> dict[str, Any]:
    """What the model is worth on dates that it has not seen.

    Args:
        model: in evaluation mode.
        split: the dates', and that of the forms combined anew.
        texts: how many for each share, a multiple of `SAMPLES`.
    Returns:
        read_new_dates: the share of texts read exactly, in forms that training had.
        read_new_forms: the share of texts read exactly, in forms combined anew.
        written_right: the share of texts sampled at temperature 1 that are read back to their date; the weekday, where
            they name one, has to be its own.
        fewest_forms: different right texts among 20 samples of a date, the fewest of any date.
        nucleus_right, nucleus_forms: the same of texts sampled from the likeliest 95 % (`top_p`, Holtzman et al. 2020).
        texts: how many were behind each share.
    """
    plain = [example.source for example in examples("write", 0, 0, texts // SAMPLES, split)]
    written, forms = _written_right(model, plain)
    nucleus, forms_of_nucleus = _written_right(model, plain, NUCLEUS)
    return {
        "read_new_dates": round(_read_exactly(model, examples("read", 0, 0, texts, split)), 4),
        "read_new_forms": round(_read_exactly(model, examples("read", 0, 0, texts, split, split)), 4),
        "written_right": round(written, 4),
        "fewest_forms": forms,
        "nucleus_right": round(nucleus, 4),
        "nucleus_forms": forms_of_nucleus,
        "texts": texts,
    }


def _written_right(model: EncoderDecoder, plain: list[str], top_p: float | None = None) -> tuple[float, int]:
    """The share of `SAMPLES` texts of each date that are right, and the fewest different right ones of any date."""
    by_date: dict[str, list[str]] = {date: [] for date in plain}
    for date, text in zip(plain * SAMPLES, answers(model, plain * SAMPLES, 1.0, top_p), strict=True):
        if read(text) == datetime.date.fromisoformat(date):
            by_date[date].append(text)
    right = sum(map(len, by_date.values()))
    return right / (SAMPLES * len(plain)), min(len(set(texts)) for texts in by_date.values())


def _read_exactly(model: EncoderDecoder, asked: Sequence[Example]) -> float:
    given = answers(model, [example.source for example in asked])
    return sum(text == example.target for text, example in zip(given, asked, strict=True)) / len(asked)


def answers(
    model: EncoderDecoder, texts: Sequence[str], temperature: float = 0.0, top_p: float | None = None
) -> list[str]:
    """What the model makes of each text; texts of about one length go together.

    Args:
        model: in evaluation mode.
        texts: sources.
        temperature, top_p: of the sampling, which is the same for the same texts.
    """
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    made = [""] * len(texts)
    for first in range(0, len(order), ROWS):
        group = order[first : first + ROWS]
        sources = padded([TOKENIZER.encode(texts[i]) for i in group]).to(device_of(model))
        written = write(model, sources, TOKENIZER.begin, TOKENIZER.end, temperature, top_p=top_p, seed=first)
        for i, ids in zip(group, written, strict=True):
            made[i] = TOKENIZER.decode(ids)
    return made


def padded(rows: Sequence[Sequence[int]]) -> Tensor:
    """Rows of ids (b, t), padded to a multiple of 8: few shapes."""
    width = math.ceil(max(map(len, rows)) / 8) * 8
    return torch.tensor([[*row, *[PAD_ID] * (width - len(row))] for row in rows])
