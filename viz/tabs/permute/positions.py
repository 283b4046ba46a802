"""Vectors of positions, packed for the browser: learned ones of the shipped models, and sinusoidal encodings.

Sizes: t positions, e embedding.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_UP, Context
from typing import Any, Literal

import torch
from torch import Tensor

import former
from former.positions import LearnedPositions, sinusoidal
from viz.panels import Numbers
from viz.passes.loaded import Models
from viz.passes.run import digest
from viz.tabs.permute import permuting

PRODUCTS = ("cosine", "dot")
NEAR = (1, 10, 100)  # positions ahead
FINEST = 32_767  # levels of a number on either side of 0


@dataclass(frozen=True)
class Table:
    """The vectors of one kind of positions (t, e), packed for the browser."""

    name: str  # of the model, or "sinusoidal"
    kind: Literal["learned", "sinusoidal"]
    key: str  # of its content
    rows: int  # positions it has a vector for
    emb: int
    trained: int  # positions the model was trained with
    scale: float  # a level is this much
    error: float  # no number is further than this from the exact one
    body: bytes  # int16 levels, little-endian, position by position, gzipped

    def describe(self) -> dict[str, Any]:
        """Returns all fields of the table except its packed vectors, as plain values."""
        return {name: value for name, value in vars(self).items() if name != "body"}


Source = tuple[str, Literal["learned", "sinusoidal"], Tensor, int, str]


def sources(models: Models) -> Iterator[Source]:
    """Yields what the tables show: the learned positions of the first generator and of the tab's classifier, and
    sinusoidal encodings, of the size of the classifier's vectors, for twice as many positions.

    Each is its name, its kind, its vectors (t, e), the number of positions in training, and the fingerprint of its
    model.
    """
    generators = [loaded for loaded in models.values() if loaded.kind.says == "next" and loaded.kind.resumes]
    subject = permuting.find(models)
    having = [*generators[:1], *([subject.loaded] if subject else [])]
    for loaded in having:
        positions = loaded.bundle.model.transformer.positions
        if isinstance(positions, LearnedPositions):
            vectors = positions.embedding.weight.detach()
            yield loaded.name, "learned", vectors, len(vectors), loaded.fingerprint
    if having and having[-1].bundle.config.emb % 2 == 0:
        config = having[-1].bundle.config
        vectors = sinusoidal(torch.arange(2 * config.seq_length), config.emb, torch.float64)
        yield "sinusoidal", "sinusoidal", vectors, config.seq_length, ""


def tables(models: Models) -> list[Table]:
    """Packs the `sources`, which is slow."""
    return [_table(*source) for source in sources(models)]


def _table(name: str, kind: Literal["learned", "sinusoidal"], vectors: Tensor, trained: int, fingerprint: str) -> Table:
    vectors = vectors.double()
    scale = float(vectors.abs().max()) / FINEST or 1.0
    levels = (vectors / scale).round()
    error = round_up(float((levels * scale - vectors).abs().max()))
    rows, emb = vectors.shape
    key = digest(name, kind, fingerprint, rows, emb)
    body = gzip.compress(levels.numpy().astype("<i2").tobytes(), 6, mtime=0)
    return Table(name, kind, key, rows, emb, trained, scale, error, body)


def round_up(number: float) -> float:
    """Rounds a positive number up to two digits."""
    return float(Context(2, ROUND_UP).create_decimal_from_float(number))


def compare_positions(
    at: int, product: str = "cosine", bundle: former.Bundle | None = None, size: Sequence[int] = (512, 128)
) -> Numbers:
    """Compares the vector of one position with that of every other.

    Args:
        at: the position.
        product: one of `PRODUCTS`.
        bundle: a model with learned positions; None for sinusoidal encodings.
        size: (rows, e) of the encodings; the first half of the rows counts as trained.
    Returns:
        "values" (rows,); "near": the values at those distances of `NEAR` that exist; "at"; "trained":
        number of positions in training; "length": twice that.
    """
    if bundle:
        vectors = bundle.model.transformer.positions.embedding.weight.detach()  # (rows, e)
        trained = len(vectors)
    else:
        vectors, trained = sinusoidal(torch.arange(size[0]), size[1], torch.float64), size[0] // 2
    if product == "cosine":
        vectors = torch.nn.functional.normalize(vectors)
    values = vectors @ vectors[at]
    near = [float(values[at + step]) for step in NEAR if at + step < len(values)]
    return {"values": values, "near": near, "at": at, "trained": trained, "length": 2 * trained}
