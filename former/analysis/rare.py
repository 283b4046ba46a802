"""Finds the tokens that hardly occur in the text that a model was trained on, from its weights alone."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor

from former.analysis.parts import output_layer
from former.sampling import precise
from former.tokens import Tokenizer

UNUSED = re.compile("x(C0|C1|F[5-9A-F])")  # labels of the bytes that no UTF-8 text contains
CONTROL = re.compile("x([01][0-9A-F]|7F)")
LEAST = 0.8  # cosine


@torch.no_grad()
def rare_tokens(model: Any, tokenizer: Tokenizer) -> Tensor:
    """Finds control characters and the tokens that hardly occur in the training text.

    Training only lowers the probability of a token that never occurs, so the output vectors of all such tokens move in
    the same direction (Land and Bartolo 2024, "Fishing for Magikarp"). Some bytes occur in no UTF-8 text. A token is
    rare if its vector, minus the mean of all, has a cosine of at least `LEAST` with the average vector of these bytes.
    Of `gpt`'s 8,192 tokens 215 are rare: 128 of the 185 that do not occur in the first 3 MB of its training text, and
    5 that occur 20 times or more among its 762,450 tokens.

    Args:
        model: one with an output layer for tokens.
        tokenizer: its tokenizer; if it has no single bytes, like a word tokenizer, no token is rare.
    Returns:
        bool (num_tokens,).
    """
    weight = precise(output_layer(model)[0])
    if not hasattr(tokenizer, "labels"):
        raise ValueError(f"tokenizer must be a tokenizer, such as `bundle.tokenizer`, got {type(tokenizer).__name__}")
    unused, control = (list(ids) for ids in _bytes_of(tokenizer, len(weight)))
    rare = torch.zeros(len(weight), dtype=torch.bool)
    rare[control] = True
    if not unused:
        return rare
    vectors = weight - weight.mean(0)
    return rare | (torch.cosine_similarity(vectors, vectors[unused].mean(0)[None]) >= LEAST).cpu()


@lru_cache(4)
def _bytes_of(tokenizer: Tokenizer, count: int) -> tuple[tuple[int, ...], ...]:
    """Returns the tokens that are bytes of no text, and those that are control characters; reads every label."""
    labels = [tokenizer.labels([i])[0] for i in range(count)]
    return tuple(tuple(i for i, label in enumerate(labels) if kind.fullmatch(label)) for kind in (UNUSED, CONTROL))
