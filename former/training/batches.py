"""Helpers for every task's batches: reproducible random numbers, padding, and the copy to the device.

Sizes: b batch, t tokens.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor, nn

from former.tokens import Tokenizer
from former.tokens.words import PAD_ID, UNK_ID

Batch = tuple[Tensor, ...]  # inputs and targets; the first axis of each tensor is the row
Model = Callable[..., Tensor]


def generator_of(*numbers: int) -> torch.Generator:
    """Returns a random generator whose seed is computed from these numbers, such as the run's seed and the step."""
    return torch.Generator().manual_seed(int(np.random.SeedSequence(numbers).generate_state(1, np.uint64)[0] >> 1))


def to_device(batch: Batch, device: torch.device) -> Batch:
    """Copies a batch to a device, through pinned memory, so that the copy does not wait for the previous step."""
    if device.type == "cpu":
        return batch
    return tuple(tensor.pin_memory().to(device, non_blocking=True) for tensor in batch)


def device_of(model: nn.Module) -> torch.device:
    """Returns the device of a model's weights."""
    return next(model.parameters()).device


def last_words(tokenizer: Tokenizer, text: str, length: int) -> list[int]:
    """Returns the ids of a review's last `length` words, because a long review mostly ends with its verdict.

    If the tokenizer adds `[CLS]` and `[SEP]`, the result begins and ends with them.
    """
    ids = tokenizer.encode(text)
    if len(ids) > length and hasattr(tokenizer, "cls_token"):
        return [ids[0], *ids[-(length - 1) :]]
    return ids[-length:] or [UNK_ID]


def pad_reviews(reviews: Sequence[tuple[list[int], float]], limit: int) -> tuple[Tensor, Tensor]:
    """Pads reviews, (ids, label) of each, to one length t: returns their ids (b, t) and labels (b,).

    t is a multiple of 64, but at most `limit`, so that batches have few different shapes.
    """
    width = min(math.ceil(max(len(ids) for ids, _ in reviews) / 64) * 64, limit)
    rows = [ids + [PAD_ID] * (width - len(ids)) for ids, _ in reviews]
    return torch.tensor(rows), torch.tensor([label for _, label in reviews])
