"""GPT-2 (article, section "GPT-2"): the article's generator, in OpenAI's shape (Radford et al. 2019).

It is an ordinary `Generator`, only larger, and its tokens are pieces of words (`former.tokens.BpeTokenizer`). Compared
with the article's character generator, it changes

- the norms: before each sublayer, and once more before the output layer, so that deep stacks train;
- the activation: gelu, approximated with tanh, instead of relu;
- the maps to queries, keys and values: with biases;
- the output layer: the transposed token embedding, without weights of its own;
- the initial weights: small, and smaller still in the last map of each residual branch (`initialize`).
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import nn

from former.attention import ChunkedLinear
from former.config import ModelConfig
from former.models import Generator

SIZES = {
    "distilgpt2": {"emb": 768, "heads": 12, "depth": 6},
    "gpt2": {"emb": 768, "heads": 12, "depth": 12},
    "gpt2-medium": {"emb": 1024, "heads": 16, "depth": 24},
    "gpt2-large": {"emb": 1280, "heads": 20, "depth": 36},
    "gpt2-xl": {"emb": 1600, "heads": 25, "depth": 48},  # the article's "largest", 1.5 billion parameters
}
"""The published shapes, as keyword arguments of `config`."""


def config(**changes: Any) -> ModelConfig:
    """Returns GPT-2's configuration for a `Generator`: by default the smallest published size.

    Args:
        changes: fields of `ModelConfig` to change.
    Raises:
        ValueError: a field out of range.
    """
    own = {
        "norm": "pre",
        "activation": "gelu_tanh",
        "attention_bias": True,
        "tied": True,
        "mask": "causal",
        "num_tokens": 50257,
        "seq_length": 1024,
        "dropout": 0.1,
    }
    return ModelConfig(**{**own, **SIZES["gpt2"], **changes})


def initialize(model: Generator, generator: torch.Generator | None = None) -> Generator:
    """Initializes a model as GPT-2: every weight from N(0, 0.02²), biases 0.

    The residual stream is a sum of 2 · depth branches. To give deep models no larger initial variance, the last map of
    each branch has its standard deviation divided by √(2 · depth).

    Args:
        model: initialized in place.
        generator: source of random numbers; None for torch's global generator.
    Returns:
        The same model.
    """
    for module in model.modules():
        if isinstance(module, nn.Linear | nn.Embedding | ChunkedLinear):
            nn.init.normal_(module.weight, std=0.02, generator=generator)
        if isinstance(module, nn.Linear | ChunkedLinear) and module.bias is not None:
            nn.init.zeros_(module.bias)
    for name, parameter in model.named_parameters():
        if name.endswith(("unifyheads.weight", "ff.2.weight")):
            nn.init.normal_(parameter, std=0.02 / math.sqrt(2 * model.config.depth), generator=generator)
    return model
