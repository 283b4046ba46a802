"""A model's quality: bits per byte over a whole split, or accuracy over all its reviews; and samples of its text.

Sizes: b batch, t tokens.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Literal

import torch
import torch.nn.functional as F
from torch import Tensor

import former
from former.training.batches import Model, pad_reviews, to_device
from former.training.compute import CPU, products
from former.training.recipes import Precision

ARTICLE_SEED = (
    "1228X Human & Rousseau. Because many of his stories were originally published in long-forgotten magazines and "
    "journals, there are a number of anthologies by different collators each containing a different selection. "
    "His original books have been considered an authority "
)  # the seed of the article's own sample, without its wiki markup


@dataclass(frozen=True, kw_only=True)
class Measure:
    """Settings of a measurement on a split.

    Args:
        split: "train", "val" or "test".
        stride: bytes between two windows; None for half of the context, or all of it without a causal mask.
        precision: of matrix products; bf16 is nearly twice as fast as fp32 on a processor that has it, and changed
            the generator's figure by 0.0003 bits. "int8" rounds the weights as `former.cpu` does, with fp32 products;
            it needs a generator, and numba.
        most: number of bytes to read, from the beginning of the split; None for all.
        unchecked: accept any file, not only a known one.
        device: the model's.
    """

    split: str
    stride: int | None = None
    precision: Precision | Literal["int8"] = "bf16"
    most: int | None = None
    unchecked: bool = False
    device: torch.device = CPU

    def products(self) -> AbstractContextManager[object]:
        """Context manager: matrix products run in this precision."""
        return products(self.precision, self.device)


@torch.inference_mode()
def bits_per_byte(
    model: Model, text: Tensor, begin: int, end: int, *, context: int, stride: int, batch: int = 32
) -> float:
    """Returns the mean of −log₂ p over the bytes of text[begin:end], each predicted once from the bytes before it.

    Windows of `context` bytes start `stride` bytes apart, and only the last `stride` predictions of each count. So
    every byte is predicted from at least context − stride + 1 bytes, except at the start of the text. The first byte
    of the text, which has nothing before it, counts 8 bits.

    Args:
        model: tokens (b, t) → logits (b, t, num_tokens).
        text: uint8 (bytes,), on the model's device; or the ids of other tokens.
        begin, end: the part to measure; the text before it serves as context.
        context: number of bytes that the model reads at once.
        stride: in [1, context].
        batch: number of windows per forward pass.
    Returns:
        Bits per byte; for other tokens, bits per token.
    Raises:
        ValueError: the part is empty, or the stride is out of range.
    """
    if not 1 <= stride <= context:
        raise ValueError(f"stride must be in [1, {context}], got {stride}")
    if not 0 <= begin < end <= len(text):
        raise ValueError(f"begin and end must cut a part of {len(text)} bytes, got {begin} and {end}")
    nats = torch.zeros((), dtype=torch.float64, device=text.device)
    for inputs, targets in _strided(text, max(begin, 1), end, context, stride, batch):
        logits = model(inputs)[:, -targets.shape[1] :]
        nats += F.cross_entropy(logits.double().flatten(0, 1), targets.flatten(), reduction="sum")
    return (float(nats) / math.log(2) + (8.0 if begin == 0 else 0.0)) / (end - begin)


def _strided(
    text: Tensor, begin: int, end: int, context: int, stride: int, batch: int
) -> Iterator[tuple[Tensor, Tensor]]:
    """Yields inputs (b, t) and the targets (b, counted) of their last positions, batched by shape."""
    shapes: dict[tuple[int, int], list[int]] = {}
    for first in range(begin, end, stride):
        last = min(first + stride, end)  # targets are text[first:last]
        shapes.setdefault((last - max(last - 1 - context, 0), last - first), []).append(last)
    for (length, counted), lasts in shapes.items():
        for group in torch.tensor(lasts, device=text.device).split(batch):
            windows = text[group[:, None] - length + torch.arange(length, device=text.device)].long()
            yield windows[:, :-1], windows[:, -counted:]


@torch.inference_mode()
def accuracy(
    model: Model,
    reviews: Sequence[tuple[list[int], int]],
    limit: int,
    batch: int = 32,
    device: torch.device = CPU,
) -> float:
    """Returns the share of reviews that a model classifies correctly.

    Args:
        model: tokens (b, t) → log-probabilities (b, 2).
        reviews: (ids, label) of each.
        limit: the model's context; no review may be longer.
        batch: number of reviews per forward pass; reviews of similar length go together.
        device: of the model.
    Raises:
        ValueError: there are no reviews.
    """
    if not reviews:
        raise ValueError("reviews must be at least one, got none")
    ordered = sorted(reviews, key=lambda review: len(review[0]))
    right = torch.zeros((), dtype=torch.long, device=device)
    for start in range(0, len(ordered), batch):
        inputs, labels = to_device(pad_reviews(ordered[start : start + batch], limit), device)
        right += (model(inputs).argmax(-1) == labels).sum()
    return int(right) / len(ordered)


def sample(bundle: former.Bundle, prompt: str, length: int, temperature: float, seed: int) -> str:
    """Returns the text that a generator writes after a prompt.

    Args:
        bundle: a generator and its tokenizer.
        prompt: the text before; if it does not fit the context, only its last tokens are read.
        length: number of tokens to write.
        temperature: of the sampling.
        seed: of the sampling.
    Raises:
        ValueError: the model is not a Generator, or a number is out of range.
    """
    if not isinstance(bundle.model, former.Generator):
        raise ValueError(f"bundle must hold a Generator, got {type(bundle.model).__name__}")
    ids = bundle.tokenizer.encode(prompt)
    steps = former.generate(bundle.model, ids, length, temperature=temperature, seed=seed)
    return bundle.tokenizer.decode([step.token for step in steps])
