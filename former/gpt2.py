"""GPT-2 (article, section "GPT-2"): the article's generator, in OpenAI's shape (Radford et al. 2019).

Nothing in it is new: it is a `Generator` of a certain configuration, larger, and read and written in pieces of words
(`former.tokens.BpeTokenizer`). Against the article's character generator it changes

- the norms: before each sublayer, and once more before the output layer, so that deep stacks train;
- the activation: gelu, in its approximation by tanh, for relu;
- the maps to queries, keys and values: with a bias;
- the output layer: the token embedding itself, transposed, without weights of its own;
- the start: small weights, and smaller ones where a branch joins the residual stream (`initialize`).
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
"""The shapes that were published, as `config(**SIZES[name])` takes them."""


def config(**changes: Any) -> ModelConfig:
    """GPT-2's configuration, for `Generator`: the smallest published size but for what is changed.

    Args:
        changes: fields of `ModelConfig`.
    Raises:
        ValueError: a field out of its range.
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
    """GPT-2's start of training: every weight from N(0, 0.02²), biases 0.

    The residual stream is a sum of 2 · depth branches. So that it starts no wider in a deeper model, the last map of
    each branch starts smaller by √(2 · depth).

    Args:
        model: changed in place.
        generator: where the numbers are drawn from; None for torch's global one, as every module's own start is.
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
