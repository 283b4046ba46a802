"""The article's two models, a `Classifier` and a `Generator`, on the shared stack of blocks (`former.stack`).

Sizes: b batch, t tokens, e embedding.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from former import masks, sparse
from former.checks import require_instance
from former.config import ModelConfig, Pooling
from former.hooks import Observer
from former.observable import observable
from former.stack import Cache, last_norm, make_stack, not_padding, require_no_recompute


class Generator(nn.Module):
    """An autoregressive model (article, "Text generation transformer"), which predicts each next token.

    Args:
        config: the model's shape; if it names no mask, the model is causal.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        require_instance("config", config, ModelConfig)
        self.config = replace(config, mask=config.mask or "causal")
        self.transformer = make_stack(config)
        self.norm = last_norm(config)
        own = config.output_layer and not config.tied
        self.toprobs = nn.Linear(config.emb, config.num_tokens, bias=config.output_bias) if own else None

    @observable
    def forward(
        self,
        tokens: Tensor,
        mask: Tensor | None = None,
        observer: Observer | None = None,
        cache: Cache | None = None,
        *,
        recompute: bool = False,
    ) -> Tensor:
        """Computes logits for the token after each position.

        Args:
            tokens: (b, t); with learned positions t is at most the context.
            mask: bool (t, t), with a cache (t, past + t), True = may attend; None for the config's; `masks.none(t)` for
                no mask.
            observer: observes, and may replace, the tensors that `former.hooks` lists.
            cache: keys and values of `past` earlier tokens, before these; the new ones are added to it.
            recompute: whether to recompute each block in the backward pass instead of storing its activations.
        Returns:
            logits (b, t, num_tokens); without an output layer, the vectors (b, t, e) after the last norm.
        Raises:
            ValueError: tokens or a mask that do not fit, another number of sequences than in the cache, or `recompute`
                with a cache.
        """
        past = 0 if cache is None else cache.length
        require_no_recompute(cache, recompute)
        self.transformer.check(tokens, past)
        own = self.pattern() if past == 0 else None
        if mask is None and own is None:
            mask = self.mask(tokens.shape[1], past, tokens.device)
        x = self.transformer.embed(tokens, past)  # (b, t, e)
        x = self.transformer(x, own if mask is None else mask, observer, cache, recompute)
        return self.unembed(x) if self.config.output_layer else self.norm(x)

    def pattern(self) -> masks.Pattern | None:
        """Returns the mask as a `Pattern` if `former.sparse` can compute it (it cannot with relative positions); else
        None."""
        kind, size = self.config.mask, self.config.mask_size
        if kind not in sparse.PATTERNS or size is None or self.config.positions == "relative":
            return None
        return masks.Pattern(kind, size)

    def mask(self, t: int, past: int = 0, device: torch.device | None = None) -> Tensor:
        """Builds the mask for t queries after `past` earlier tokens: bool (t, past + t)."""
        assert self.config.mask is not None
        return masks.named(self.config.mask, t, self.config.mask_size, past=past, device=device)

    def unembed(self, x: Tensor) -> Tensor:
        """Maps the residual stream to logits, by the last norm and the output layer: (b, t, e) → (b, t, num_tokens).

        Raises:
            ValueError: the model has no output layer.
        """
        x = self.norm(x)
        return F.linear(x, self.output_weight) if self.toprobs is None else self.toprobs(x)

    @property
    def output_weight(self) -> Tensor:
        """The weights of the output layer (num_tokens, e); in a tied model, the token embedding.

        Raises:
            ValueError: the model has no output layer.
        """
        require_output_layer(self)
        return self.transformer.token_embedding.weight if self.toprobs is None else self.toprobs.weight


def require_output_layer(model: Any) -> None:
    """Raises ValueError for a Generator, or its fast twin, without an output layer, and for an object that is not a
    model."""
    if not hasattr(model, "config"):
        raise ValueError(f"model must be a model, such as `bundle.model`, got {type(model).__name__}")
    if not getattr(model.config, "output_layer", True):
        raise ValueError("model must have an output layer, to predict; this one was built, or saved, without one")


class Classifier(nn.Module):
    """A sequence classifier (article, "Classification transformer"): blocks, pooling over time, a linear layer.

    If the config has a `pad_token`, no other token attends to it and pooling leaves it out.

    Args:
        config: the model's shape; if it names no mask, every token attends to every other.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        require_instance("config", config, ModelConfig)
        self.config = replace(config, mask=config.mask or "none")
        self.transformer = make_stack(config)
        self.norm = last_norm(config)
        self.toprobs = nn.Linear(config.emb, config.num_classes)

    @observable
    def forward(
        self,
        tokens: Tensor,
        mask: Tensor | None = None,
        observer: Observer | None = None,
        *,
        recompute: bool = False,
    ) -> Tensor:
        """Computes log-probabilities of the classes.

        Args:
            tokens: (b, t), padded if the config has a `pad_token`; with learned positions t is at most the context.
            mask: bool (t, t), True = may attend; None for the config's.
            observer: observes, and may replace, the tensors that `former.hooks` lists.
            recompute: whether to recompute each block in the backward pass instead of storing its activations.
        Returns:
            log-probabilities (b, num_classes).
        Raises:
            ValueError: tokens or a mask that do not fit, or a sequence of padding only.
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
        """Builds the mask for t tokens: bool (t, t)."""
        assert self.config.mask is not None
        return masks.named(self.config.mask, t, self.config.mask_size, device=device)

    def unembed(self, x: Tensor, real: Tensor) -> Tensor:
        """Maps the residual stream to log-probabilities: last norm, pooling, output layer.

        Args:
            x: (b, t, e).
            real: bool (b, t), True where a token is not padding.
        Returns:
            (b, num_classes).
        """
        return F.log_softmax(self.toprobs(pool(self.norm(x), real, self.config.pooling)), dim=-1)

    def real(self, tokens: Tensor) -> Tensor:
        """Returns where tokens are not padding: bool (b, t).

        Raises:
            ValueError: tokens that this model cannot read, or a sequence of padding only.
        """
        self.transformer.check(tokens)
        if self.config.pad_token is None:
            return torch.ones_like(tokens, dtype=torch.bool)
        return not_padding(tokens, self.config.pad_token, self.training)


def pool(x: Tensor, real: Tensor, how: Pooling) -> Tensor:
    """Pools each sequence into one vector: the average, or the maximum, over the tokens that are not padding.

    Args:
        x: (b, t, e).
        real: bool (b, t), True where a token is not padding, which each sequence must contain.
        how: "average" or "max".
    Returns:
        (b, e).
    """
    if how == "max":
        return x.masked_fill(~real[..., None], -math.inf).amax(1)
    return (x * real[..., None]).sum(1) / real.sum(1, keepdim=True)
