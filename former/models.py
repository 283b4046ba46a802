"""The two models of the article: a `Classifier` and a character `Generator`, on one stack of blocks (`former.stack`).

Sizes: b batch, t tokens, e embedding.
"""

from __future__ import annotations

import math
from dataclasses import replace

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from former import masks, sparse
from former.config import ModelConfig, Pooling
from former.hooks import Observer, also_capture
from former.stack import Cache, last_norm, make_stack, not_padding


class Generator(nn.Module):
    """An autoregressive model (article, "Text generation transformer"): a logit for each next token.

    Args:
        config: its shape; without a mask of its own, it is causal.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = replace(config, mask=config.mask or "causal")
        self.transformer = make_stack(config)
        self.norm = last_norm(config)
        self.toprobs = None if config.tied else nn.Linear(config.emb, config.num_tokens)

    @also_capture
    def forward(
        self,
        tokens: Tensor,
        mask: Tensor | None = None,
        observer: Observer | None = None,
        cache: Cache | None = None,
        *,
        recompute: bool = False,
    ) -> Tensor:
        """Logits for the token after each position.

        Args:
            tokens: (b, t), t at most the context where positions are learned.
            mask: bool (t, t), with a cache (t, past + t), True = may attend; None for the model's own, of its config;
                `masks.none(t)` to run without.
            observer: sees, and may replace, what `former.hooks` lists.
            cache: keys and values of `past` earlier tokens, which these follow; it takes up the new ones.
            recompute: whether the backward pass computes each block again instead of keeping its insides.
        Returns:
            logits (b, t, num_tokens).
        Raises:
            ValueError: tokens or a mask that do not fit, or another number of sequences than the cache is for;
                `recompute` with a cache.
        """
        past = 0 if cache is None else cache.length
        if recompute and cache is not None:
            raise ValueError("recompute must be False with a cache: a block computed twice would add its keys twice")
        self.transformer.check(tokens, past)
        own = self.pattern() if past == 0 else None
        if mask is None and own is None:
            mask = self.mask(tokens.shape[1], past, tokens.device)
        x = self.transformer.embed(tokens, past)  # (b, t, e)
        return self.unembed(self.transformer(x, own if mask is None else mask, observer, cache, recompute))

    def pattern(self) -> masks.Pattern | None:
        """The model's mask by name, where attention can go by it (`former.sparse`): it has no terms of positions."""
        kind, size = self.config.mask, self.config.mask_size
        if kind not in sparse.KINDS or size is None or self.config.positions == "relative":
            return None
        return masks.Pattern(kind, size)

    def mask(self, t: int, past: int = 0, device: torch.device | None = None) -> Tensor:
        """Which keys each of t queries may attend to, `past` tokens before them included: bool (t, past + t)."""
        assert self.config.mask is not None
        return masks.named(self.config.mask, t, self.config.mask_size, past=past, device=device)

    def unembed(self, x: Tensor) -> Tensor:
        """From the residual stream to logits, by the last norm and the output layer: (b, t, e) → (b, t, num_tokens)."""
        x = self.norm(x)
        return F.linear(x, self.output_weight) if self.toprobs is None else self.toprobs(x)

    @property
    def output_weight(self) -> Tensor:
        """The matrix of the output layer (num_tokens, e), which a tied model shares with its token embedding."""
        return self.transformer.token_embedding.weight if self.toprobs is None else self.toprobs.weight


class Classifier(nn.Module):
    """A sequence classifier (article, "Classification transformer"): blocks, pooling over time, one linear map.

    Where the config names a `pad_token`, no other token attends to it and pooling leaves it out.

    Args:
        config: its shape; without a mask of its own, every token sees every other.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = replace(config, mask=config.mask or "none")
        self.transformer = make_stack(config)
        self.norm = last_norm(config)
        self.toprobs = nn.Linear(config.emb, config.num_classes)

    @also_capture
    def forward(
        self,
        tokens: Tensor,
        mask: Tensor | None = None,
        observer: Observer | None = None,
        *,
        recompute: bool = False,
    ) -> Tensor:
        """Log-probabilities of the classes.

        Args:
            tokens: (b, t), t at most the context where positions are learned; padded where the config says so.
            mask: bool (t, t), True = may attend; None for the model's own, of its config.
            observer: sees, and may replace, what `former.hooks` lists.
            recompute: whether the backward pass computes each block again instead of keeping its insides.
        Returns:
            log-probabilities (b, num_classes).
        Raises:
            ValueError: tokens or a mask that do not fit, or a sequence that is all padding.
        """
        real = self.real(tokens)  # (b, t)
        b, t = tokens.shape
        if mask is None and self.config.mask != "none":
            mask = self.mask(t, device=tokens.device)
        if mask is not None:
            masks.check(mask, torch.Size((b, self.config.heads, t, t)))
        if self.config.pad_token is not None:
            mask = masks.without_padding(real, mask)
        x = self.transformer.embed(tokens)  # (b, t, e)
        return self.unembed(self.transformer(x, mask, observer, recompute=recompute), real)

    def mask(self, t: int, device: torch.device | None = None) -> Tensor:
        """Which keys each of t queries may attend to: bool (t, t)."""
        assert self.config.mask is not None
        return masks.named(self.config.mask, t, self.config.mask_size, device=device)

    def unembed(self, x: Tensor, real: Tensor) -> Tensor:
        """From the residual stream to log-probabilities: the last norm, pooling, the output layer.

        Args:
            x: (b, t, e).
            real: bool (b, t), True where a token is not padding.
        Returns:
            (b, num_classes).
        """
        return F.log_softmax(self.toprobs(pool(self.norm(x), real, self.config.pooling)), dim=-1)

    def real(self, tokens: Tensor) -> Tensor:
        """Where tokens are not padding: bool (b, t).

        Raises:
            ValueError: tokens that this model cannot read, or a sequence that is all padding.
        """
        self.transformer.check(tokens)
        if self.config.pad_token is None:
            return torch.ones_like(tokens, dtype=torch.bool)
        return not_padding(tokens, self.config.pad_token, self.training)


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
