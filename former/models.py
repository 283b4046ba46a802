"""The two models of the article: a `Classifier` and a character `Generator`, on one stack of blocks.

Sizes: b batch, t tokens, e embedding.
"""

from __future__ import annotations

import math
from typing import Protocol

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from former import masks
from former.attention import Extend
from former.blocks import TransformerBlock
from former.config import ModelConfig, Pooling
from former.hooks import Observer
from former.positions import make_positions


class Cache(Protocol):
    """Where one generation keeps its keys and values (`former.generate.KeyValueCache`)."""

    length: int  # tokens held

    def at(self, layer: int) -> Extend:
        """Joins this layer's new keys and values to those held."""
        ...


class Transformer(nn.Module):
    """Tokens and positions embedded, then `depth` blocks: what both models share."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.num_tokens = config.num_tokens
        self.token_embedding = nn.Embedding(config.num_tokens, config.emb)
        self.positions = make_positions(config.positions, config.seq_length, config.emb)
        self.drop = nn.Dropout(config.dropout)
        self.blocks = nn.ModuleList(
            TransformerBlock(
                config.emb,
                config.heads,
                variant=config.variant,
                norm=config.norm,
                activation=config.activation,
                ff_hidden_mult=config.ff_hidden_mult,
                dropout=config.dropout,
            )
            for _ in range(config.depth)
        )
        self.checkpointing = False  # True: in training, recompute each block's insides instead of keeping them
        # A pre-norm stack leaves its sum of residuals unnormalised.
        self.norm = nn.LayerNorm(config.emb) if config.norm == "pre" else nn.Identity()

    def forward(
        self, tokens: Tensor, mask: Tensor | None = None, capture: Observer | None = None, cache: Cache | None = None
    ) -> Tensor:
        """tokens (b, t), already checked → (b, t, e). With a cache, they follow the tokens it holds."""
        past = cache.length if cache else 0
        index = torch.arange(past, past + tokens.shape[1], device=tokens.device)
        x = self.token_embedding(tokens)
        x = self.drop(x + self.positions(index, x.dtype))  # (b, t, e)
        for layer, block in enumerate(self.blocks):
            hook = capture.at(layer) if capture else None
            if self.checkpointing and self.training:
                x = checkpoint(block, x, mask, hook, use_reentrant=False)
            else:
                x = block(x, mask, hook, cache.at(layer) if cache else None)
        if cache:
            cache.length += tokens.shape[1]
        return self.norm(x)

    def check(self, tokens: Tensor, past: int = 0) -> None:
        """Refuses what is no batch of token sequences this model can read.

        Raises:
            ValueError: not (b, t) of whole numbers, empty, beyond the context, or ids out of the vocabulary.
        """
        if tokens.dim() != 2 or tokens.is_floating_point() or tokens.is_complex() or tokens.dtype == torch.bool:
            raise ValueError(f"tokens must be whole numbers (b, t), got {tokens.dtype} {tuple(tokens.shape)}")
        if tokens.numel() == 0:
            raise ValueError(f"tokens must hold at least one token, got shape {tuple(tokens.shape)}")
        limit, length = self.positions.limit, past + tokens.shape[1]
        if limit is not None and length > limit:
            raise ValueError(f"tokens must fit the context of {limit} tokens, got {length}")
        if torch.compiler.is_compiling():
            return  # reading the values would break the graph
        low, high = tokens.aminmax()
        if low < 0 or high >= self.num_tokens:
            raise ValueError(f"tokens must be in [0, {self.num_tokens}), got {int(low)} to {int(high)}")


class Generator(nn.Module):
    """An autoregressive model (article, "Text generation transformer"): a logit for each next token.

    Args:
        config: its shape.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        self.transformer = Transformer(config)
        self.toprobs = nn.Linear(config.emb, config.num_tokens)

    def forward(
        self,
        tokens: Tensor,
        mask: Tensor | None = None,
        capture: Observer | None = None,
        cache: Cache | None = None,
    ) -> Tensor:
        """Logits for the token after each position.

        Args:
            tokens: (b, t), t at most the context where positions are learned.
            mask: bool (t, t), with a cache (t, past + t), True = may attend; None for the causal mask,
                `masks.none(t)` to run without.
            capture: sees, and may replace, what attention does (`former.hooks`).
            cache: keys and values of `past` earlier tokens, which these follow; it takes up the new ones.
        Returns:
            logits (b, t, num_tokens).
        Raises:
            ValueError: tokens or a mask that do not fit, or more than one sequence with a cache.
        """
        past = cache.length if cache else 0
        self.transformer.check(tokens, past)
        if mask is None:
            mask = masks.causal(past + tokens.shape[1])[past:].to(tokens.device)  # rows of the new queries
        return self.toprobs(self.transformer(tokens, mask, capture, cache))


class Classifier(nn.Module):
    """A sequence classifier (article, "Classification transformer"): blocks, pooling over time, one linear map.

    Where the config names a `pad_token`, no other token attends to it and pooling leaves it out.

    Args:
        config: its shape.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        self.transformer = Transformer(config)
        self.toprobs = nn.Linear(config.emb, config.num_classes)

    def forward(self, tokens: Tensor, mask: Tensor | None = None, capture: Observer | None = None) -> Tensor:
        """Log-probabilities of the classes.

        Args:
            tokens: (b, t), t at most the context where positions are learned; padded where the config says so.
            mask: bool (t, t), True = may attend; None for none.
            capture: sees, and may replace, what attention does (`former.hooks`).
        Returns:
            log-probabilities (b, num_classes).
        Raises:
            ValueError: tokens or a mask that do not fit, or a sequence that is all padding.
        """
        real = self._real(tokens)  # (b, t)
        if self.config.pad_token is not None:
            keys = real[:, None, None, :]  # (b, 1, 1, t): no query looks at padding
            if mask is not None:
                b, t = tokens.shape
                masks.check(mask, torch.Size((b, self.config.heads, t, t)))
                # Padding may: the mask might leave it nothing else, and pooling leaves out what comes of it.
                keys = (keys | ~real[:, None, :, None]) & mask
            mask = keys
        x = self.transformer(tokens, mask, capture)  # (b, t, e)
        return F.log_softmax(self.toprobs(pool(x, real, self.config.pooling)), dim=-1)

    def _real(self, tokens: Tensor) -> Tensor:
        """Where tokens are not padding: bool (b, t)."""
        self.transformer.check(tokens)
        if self.config.pad_token is None:
            return torch.ones_like(tokens, dtype=torch.bool)
        real = tokens != self.config.pad_token
        if not torch.compiler.is_compiling() and not real.any(-1).all():
            raise ValueError("tokens must hold a token that is not padding in every sequence, got one without")
        return real


def pool(x: Tensor, real: Tensor, how: Pooling) -> Tensor:
    """One vector for each sequence: the average, or the maximum, over the tokens that are not padding.

    Args:
        x: (b, t, e).
        real: bool (b, t), True where a token is not padding, at least once a sequence.
        how: "average" or "max".
    Returns:
        (b, e).
    """
    if how == "max":
        return x.masked_fill(~real[..., None], -math.inf).amax(1)
    return (x * real[..., None]).sum(1) / real.sum(1, keepdim=True)
