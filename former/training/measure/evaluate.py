"""What a model is worth: bits per byte over a whole split, or accuracy over all its reviews; and what it writes.

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
from former.training.batches import Model, moved, padded
from former.training.compute import CPU, products
from former.training.recipes import Precision

ARTICLE_SEED = (
    "1228X Human & Rousseau. Because many of his stories were originally published in long-forgotten magazines and "
    "journals, there are a number of anthologies by different collators each containing a different selection. "
    "His original books have been considered an authority "
)  # the seed of the article's own sample, without its wiki markup


@dataclass(frozen=True, kw_only=True)
class Measure:
    """How a figure on a split is taken.

    Args:
        split: "train", "val" or "test".
        stride: of a text's windows, in bytes; None for half of the context, or all of it without the causal mask.
        precision: of the products; bf16 is nearly twice as fast as fp32 on a processor that has it, and moved
            the generator's figure by 0.0003 bits. "int8": the weights rounded as `former.cpu` does it, fp32 products;
            of a generator only, and where numba is.
        most: bytes of a text's split to measure, from its beginning; None for all.
        unchecked: take any file, not only a known one.
        device: where the model is.
    """

    split: str
    stride: int | None = None
    precision: Precision | Literal["int8"] = "bf16"
    most: int | None = None
    unchecked: bool = False
    device: torch.device = CPU

    def products(self) -> AbstractContextManager[object]:
        """Within it, products are made in this precision."""
        return products(self.precision, self.device)


@torch.inference_mode()
def bits_per_byte(
    model: Model, text: Tensor, begin: int, end: int, *, context: int, stride: int, batch: int = 32
) -> float:
    """The mean of −log₂ p over the bytes of text[begin:end], each predicted once from bytes before it.

    Windows of `context` bytes move on by `stride`, and of each only the last `stride` predictions count: every byte
    is predicted from context − stride + 1 to context bytes, fewer only at the start of the text. A first byte with
    nothing before it counts 8 bits.

    Args:
        model: tokens (b, t) → logits (b, t, num_tokens).
        text: uint8 (bytes,), on the model's device; or the ids of other tokens.
        begin, end: the part that counts; what stands before it serves as context.
        context: bytes the model reads at once.
        stride: in [1, context].
        batch: windows at a time.
    Returns:
        Bits per byte; of other tokens, per token.
    Raises:
        ValueError: an empty part, or a stride out of its range.
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
    """Inputs (b, t), and the targets (b, counted) of their last positions; windows of one shape go together."""
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
    """The share of reviews whose label the model finds.

    Args:
        model: tokens (b, t) → log-probabilities (b, 2).
        reviews: ids and label of each.
        limit: ids the model reads at once, at least the longest review's.
        batch: reviews at a time, of about one length.
        device: where the model is.
    Raises:
        ValueError: no reviews.
    """
    if not reviews:
        raise ValueError("reviews must be at least one, got none")
    ordered = sorted(reviews, key=lambda review: len(review[0]))
    right = torch.zeros((), dtype=torch.long, device=device)
    for start in range(0, len(ordered), batch):
        inputs, labels = moved(padded(ordered[start : start + batch], limit), device)
        right += (model(inputs).argmax(-1) == labels).sum()
    return int(right) / len(ordered)


def sample(bundle: former.Bundle, prompt: str, length: int, temperature: float, seed: int) -> str:
    """What a generator writes after a prompt, under the mask it was trained with.

    Args:
        bundle: a Generator of bytes.
        prompt: text; its last bytes are read where it does not fit the context.
        length: bytes to write.
        temperature: of the sampling.
        seed: of the sampling.
    Raises:
        ValueError: another kind of model, or a number out of its range.
    """
    if not isinstance(bundle.model, former.Generator):
        raise ValueError(f"bundle must hold a Generator, got a {type(bundle.model).__name__}")
    ids = bundle.tokenizer.encode(prompt)
    steps = former.generate(bundle.model, ids, length, temperature=temperature, seed=seed)
    return bundle.tokenizer.decode([step.token for step in steps])
