"""The two models of the article: a `Classifier` and a character `Generator`, on one stack of blocks.

Sizes: b batch, t tokens, e embedding.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from former import masks, sparse
from former.attention import Extend
from former.blocks import Block, TransformerBlock
from former.config import ModelConfig, Pooling, StackConfig
from former.hooks import Observer
from former.masks import Mask
from former.positions import Positions, make_positions


class Cache(Protocol):
    """Where one generation keeps its keys and values (`former.generate.KeyValueCache`)."""

    length: int  # tokens held

    def at(self, layer: int) -> Extend:
        """Joins this layer's new keys and values to those held."""
        ...


def _nothing(_: int) -> dict[str, Any]:
    return {}


class Transformer(nn.Module):
    """Tokens and positions embedded, then `depth` blocks: the stack that models share. It ends before the last norm.

    Args:
        config: shape of the stack.
        num_tokens: size of the vocabulary.
        positions: what tells a token where it stands.
        block: what it is a stack of.
    """

    def __init__(
        self,
        config: StackConfig,
        num_tokens: int,
        positions: Positions,
        block: type[Block] = TransformerBlock,
    ) -> None:
        super().__init__()
        self.num_tokens = num_tokens
        self.token_embedding = nn.Embedding(num_tokens, config.emb)
        self.positions = positions
        self.drop = nn.Dropout(config.dropout)
        self.blocks = nn.ModuleList(
            block(config.emb, config.heads, **config.block_options()) for _ in range(config.depth)
        )

    def forward(
        self,
        tokens: Tensor,
        mask: Mask | None = None,
        capture: Observer | None = None,
        cache: Cache | None = None,
        recompute: bool = False,
        others: Callable[[int], dict[str, Any]] = _nothing,
    ) -> Tensor:
        """tokens (b, t), already checked → (b, t, e). With a cache, they follow the tokens it holds."""
        past = 0 if cache is None else cache.length
        return self.through(self.drop(self.embed(tokens, past)), mask, capture, cache, recompute, others)

    def embed(self, tokens: Tensor, past: int = 0) -> Tensor:
        """Tokens (b, t), `past` others before them → their vectors and those of their positions, (b, t, e)."""
        index = torch.arange(past, past + tokens.shape[1], device=tokens.device)
        x = self.token_embedding(tokens.long())
        return x + self.positions(index, x.dtype)

    def through(
        self,
        x: Tensor,
        mask: Mask | None = None,
        capture: Observer | None = None,
        cache: Cache | None = None,
        recompute: bool = False,
        others: Callable[[int], dict[str, Any]] = _nothing,
    ) -> Tensor:
        """x (b, t, e) through the blocks → (b, t, e).

        `recompute` is gradient checkpointing: a block's insides are computed again in the backward pass, not kept.
        `others` gives what else a layer's block takes, by keyword.
        """
        for layer, block in enumerate(self.blocks):
            hook = None if capture is None else capture.at(layer)
            extend = None if cache is None else cache.at(layer)
            terms = self.positions.terms(layer)
            if recompute:
                x = checkpoint(block, x, mask, hook, extend, terms=terms, use_reentrant=False, **others(layer))
            else:
                x = block(x, mask, hook, extend, terms=terms, **others(layer))
        if cache is not None:
            cache.length += x.shape[1]
        return x

    def check(self, tokens: Tensor, past: int = 0) -> None:
        """Raises ValueError unless `tokens` is a batch that this stack can read (`check_tokens`)."""
        check_tokens(tokens, self.num_tokens, self.positions.limit, past, training=self.training)


def check_tokens(
    tokens: Tensor, num_tokens: int, limit: int | None = None, past: int = 0, *, training: bool = False
) -> None:
    """Raises ValueError unless `tokens` is a batch that a model can read.

    Args:
        tokens: to be read.
        num_tokens: size of the vocabulary.
        limit: the most tokens the model can read, those before these among them; None for no end.
        past: how many came before.
        training: whether to leave the ids on a GPU unread, as reading them makes every step wait.
    Raises:
        ValueError: not (b, t) of whole numbers, empty, beyond the limit, or ids out of the vocabulary.
    """
    if tokens.dim() != 2 or tokens.is_floating_point() or tokens.is_complex() or tokens.dtype == torch.bool:
        raise ValueError(f"tokens must be whole numbers (b, t), got {tokens.dtype} {tuple(tokens.shape)}")
    if tokens.numel() == 0:
        raise ValueError(f"tokens must hold at least one token, got shape {tuple(tokens.shape)}")
    length = past + tokens.shape[1]
    if limit is not None and length > limit:
        raise ValueError(f"tokens must fit the context of {limit} tokens, got {length}")
    if torch.compiler.is_compiling() or (tokens.is_cuda and training):
        return  # reading the values would break the graph, or make every step wait for the device
    low, high = tokens.aminmax()
    if low < 0 or high >= num_tokens:
        raise ValueError(f"tokens must be in [0, {num_tokens}), got {int(low)} to {int(high)}")


def make_stack(config: Any, block: type[Block] = TransformerBlock) -> Transformer:
    """The stack of a model whose config has a vocabulary, a context and positions."""
    shape = (config.seq_length, config.emb, config.heads, config.depth, config.head_size)
    return Transformer(config, config.num_tokens, make_positions(config.positions, *shape), block)


def last_norm(config: StackConfig) -> nn.Module:
    """A pre-norm stack leaves its sum of residuals unnormalised: one norm more stands before the output layer."""
    return nn.LayerNorm(config.emb, config.norm_eps) if config.norm == "pre" else nn.Identity()


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

    def forward(
        self,
        tokens: Tensor,
        mask: Tensor | None = None,
        capture: Observer | None = None,
        cache: Cache | None = None,
        *,
        recompute: bool = False,
    ) -> Tensor:
        """Logits for the token after each position.

        Args:
            tokens: (b, t), t at most the context where positions are learned.
            mask: bool (t, t), with a cache (t, past + t), True = may attend; None for the model's own, of its config;
                `masks.none(t)` to run without.
            capture: sees, and may replace, what `former.hooks` lists.
            cache: keys and values of `past` earlier tokens, which these follow; it takes up the new ones.
            recompute: whether the backward pass computes each block again instead of keeping its insides.
        Returns:
            logits (b, t, num_tokens).
        Raises:
            ValueError: tokens or a mask that do not fit, or more than one sequence with a cache; `recompute` with one.
        """
        past = 0 if cache is None else cache.length
        if recompute and cache is not None:
            raise ValueError("recompute must be False with a cache: a block computed twice would add its keys twice")
        self.transformer.check(tokens, past)
        own = self.pattern() if past == 0 else None
        if mask is None and own is None:
            mask = self.mask(tokens.shape[1], past, tokens.device)
        return self.unembed(self.transformer(tokens, own if mask is None else mask, capture, cache, recompute))

    def pattern(self) -> masks.Pattern | None:
        """The model's mask by name, where attention can go by it (`former.sparse`): it has no terms of positions."""
        kind, size = self.config.mask, self.config.mask_size
        if kind not in sparse.KINDS or size is None or self.config.positions == "relative":
            return None
        return masks.Pattern(kind, size)

    def mask(self, t: int, past: int = 0, device: torch.device | None = None) -> Tensor:
        """Whom each of t tokens sees that follow `past` others: bool (t, past + t)."""
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

    def forward(
        self,
        tokens: Tensor,
        mask: Tensor | None = None,
        capture: Observer | None = None,
        *,
        recompute: bool = False,
    ) -> Tensor:
        """Log-probabilities of the classes.

        Args:
            tokens: (b, t), t at most the context where positions are learned; padded where the config says so.
            mask: bool (t, t), True = may attend; None for the model's own, of its config.
            capture: sees, and may replace, what `former.hooks` lists.
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
        return self.unembed(self.transformer(tokens, mask, capture, recompute=recompute), real)

    def mask(self, t: int, device: torch.device | None = None) -> Tensor:
        """Whom each of t tokens sees: bool (t, t)."""
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


def not_padding(tokens: Tensor, pad_token: int, training: bool, name: str = "tokens") -> Tensor:
    """Where tokens (b, t), an argument of this name, are not padding: bool (b, t).

    Raises:
        ValueError: a sequence that is all padding.
    """
    real = tokens != pad_token
    unread = torch.compiler.is_compiling() or (tokens.is_cuda and training)  # as in `Transformer.check`
    if not unread and not real.any(-1).all():
        raise ValueError(f"{name} must hold a token that is not padding in every sequence, got one without")
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
