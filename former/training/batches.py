"""What every task's batches are made with: random numbers of their own, padding, and the device they go to.

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

Batch = tuple[Tensor, ...]  # what the model reads, and what it should say: rows along the first axis of each
Model = Callable[..., Tensor]


def generator_of(*numbers: int) -> torch.Generator:
    """A random generator that depends on these numbers alone."""
    return torch.Generator().manual_seed(int(np.random.SeedSequence(numbers).generate_state(1, np.uint64)[0] >> 1))


def moved(batch: Batch, device: torch.device) -> Batch:
    """A batch on the device where the model is; from pinned memory, so that the copy waits for no step before."""
    if device.type == "cpu":
        return batch
    return tuple(tensor.pin_memory().to(device, non_blocking=True) for tensor in batch)


def device_of(model: nn.Module) -> torch.device:
    """Where a model's weights are."""
    return next(model.parameters()).device


def last_words(tokenizer: Tokenizer, text: str, length: int) -> list[int]:
    """Ids of a review's last words: where one is too long, its verdict stands at the end more often than not.

    Of a tokenizer that puts a text between two tokens, `[CLS]` and `[SEP]`, these stand around what is left.
    """
    ids = tokenizer.encode(text)
    if len(ids) > length and hasattr(tokenizer, "cls_token"):
        return [ids[0], *ids[-(length - 1) :]]
    return ids[-length:] or [UNK_ID]


def padded(reviews: Sequence[tuple[list[int], float]], limit: int) -> tuple[Tensor, Tensor]:
    """Reviews (b, t) and what is said of each (b,), padded to a multiple of 64 or to the limit: few shapes."""
    width = min(math.ceil(max(len(ids) for ids, _ in reviews) / 64) * 64, limit)
    rows = [ids + [PAD_ID] * (width - len(ids)) for ids, _ in reviews]
    return torch.tensor(rows), torch.tensor([label for _, label in reviews])
