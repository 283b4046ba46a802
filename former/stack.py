"""The stack that all models share: embeddings of tokens and positions, then blocks; and checks of its input.

Sizes: b batch, t tokens, e embedding.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Protocol

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from former.attention import Extend
from former.blocks import NORMS, Block, TransformerBlock
from former.checks import holds_whole
from former.config import SequenceConfig, StackConfig
from former.hooks import Observer
from former.masks import Mask
from former.positions import Positions, Shape, Turn, make_positions


class Cache(Protocol):
    """Stores the keys and values of one generation (`former.generate.KeyValueCache`)."""

    length: int  # tokens stored

    def at(self, layer: int) -> Extend:
        """Returns the function that prepends this layer's stored keys and values to new ones."""
        ...


class Transformer(nn.Module):
    """Embeds tokens and positions, then applies `depth` blocks. The last norm and the output layer are the model's.

    Args:
        config: shape of the stack.
        positions: the position scheme.
        block: class of the blocks.
    """

    def __init__(self, config: StackConfig, positions: Positions, block: type[Block] = TransformerBlock) -> None:
        super().__init__()
        self.num_tokens = config.num_tokens
        self.token_embedding = nn.Embedding(config.num_tokens, config.emb)
        self.positions = positions
        self.drop = nn.Dropout(config.dropout)
        self.blocks = nn.ModuleList(
            block(config.emb, config.heads, **config.block_options(layer)) for layer in range(config.depth)
        )

    def embed(self, tokens: Tensor, past: int = 0) -> Tensor:
        """Returns the sum of token and position vectors (b, t, e) of tokens (b, t), which follow `past` earlier ones
        and were already checked."""
        index = torch.arange(past, past + tokens.shape[1], device=tokens.device)
        x = self.token_embedding(tokens.long())
        return x + self.positions(index, x.dtype)

    def forward(
        self,
        x: Tensor,
        mask: Mask | None = None,
        observer: Observer | None = None,
        cache: Cache | None = None,
        recompute: bool = False,
        first: int = 0,
        options: Sequence[dict[str, Any]] | None = None,
    ) -> Tensor:
        """Applies the blocks to vectors x (b, t, e) → (b, t, e).

        With a cache, x follows the cached tokens. Blocks before `first` are skipped: x is the input of block `first`.
        With `recompute`, activations are not stored but recomputed in the backward pass. `options` are further
        arguments of each layer's block.
        """
        turn = self.turn(x, 0 if cache is None else cache.length)
        x = self.drop(x)
        for layer, block in enumerate(self.blocks):
            if layer < first:
                continue
            hook = None if observer is None else observer.at(layer)
            extend = None if cache is None else cache.at(layer)
            run = partial(checkpoint, block, use_reentrant=False) if recompute else block
            x = run(
                x,
                mask,
                hook,
                extend,
                terms=self.positions.terms(layer),
                turn=turn,
                **(options[layer] if options else {}),
            )
        if cache is not None:
            cache.length += x.shape[1]
        return x

    def turn(self, x: Tensor, past: int = 0) -> Turn | None:
        """Returns the function that turns the queries and keys of vectors x (b, t, e) by their positions; None without
        one."""
        return self.positions.turn(torch.arange(past, past + x.shape[1], device=x.device), x.dtype)

    def check(self, tokens: Tensor, past: int = 0, name: str = "tokens") -> None:
        """Raises ValueError unless `tokens` is a batch that this stack can read (`check_tokens`)."""
        check_tokens(tokens, self.num_tokens, self.positions.limit, past, training=self.training, name=name)


def require_no_recompute(cache: Cache | None, recompute: bool) -> None:
    """Raises ValueError for `recompute` with a cache that the blocks extend."""
    if recompute and cache is not None:
        raise ValueError("recompute must be False with a cache: a block computed twice would add its keys twice")


def check_tokens(
    tokens: Tensor,
    num_tokens: int,
    limit: int | None = None,
    past: int = 0,
    *,
    training: bool = False,
    name: str = "tokens",
) -> None:
    """Raises ValueError unless `tokens` is a batch that a model can read.

    Args:
        tokens: the batch.
        limit: the most tokens the model can read, including the `past` ones; None for no limit.
        past: number of earlier tokens.
        training: whether to skip checking ids on a GPU, where reading them would delay every step.
        name: the argument's name in errors.
    Raises:
        ValueError: not whole numbers (b, t), empty, longer than the limit, or ids outside the vocabulary.
    """
    if not isinstance(tokens, Tensor):
        raise ValueError(f"{name} must be a tensor of whole numbers (b, t), got {type(tokens).__name__}")
    if tokens.dim() != 2 or not holds_whole(tokens):
        raise ValueError(f"{name} must be whole numbers (b, t), got {tokens.dtype} {tuple(tokens.shape)}")
    if tokens.numel() == 0:
        raise ValueError(f"{name} must hold at least one token, got shape {tuple(tokens.shape)}")
    length = past + tokens.shape[1]
    if limit is not None and length > limit:
        raise ValueError(f"{name} must fit the context of {limit} tokens, got {length}")
    check_range(name, tokens, num_tokens, training)


def check_range(name: str, ids: Tensor, count: int, training: bool) -> None:
    """Raises ValueError unless all ids are in [0, count); in `training`, a GPU's are not checked."""
    if not may_read(ids, training):
        return
    # As long: torch has no extremes of the larger unsigned types, and would compare uint8 with 256 modulo 256.
    low, high = map(int, ids.long().aminmax())
    if low < 0 or high >= count:
        raise ValueError(f"{name} must be in [0, {count}), got {low} to {high}")


def may_read(ids: Tensor, training: bool) -> bool:
    """Returns whether a check may read the values of ids: reading them breaks a graph that is compiled, and makes each
    step of a training on a GPU wait."""
    return not (torch.compiler.is_compiling() or (ids.is_cuda and training))


def not_padding(tokens: Tensor, pad_token: int, training: bool, name: str = "tokens") -> Tensor:
    """Returns where tokens (b, t) are not padding: bool (b, t). `name` is the argument's name in errors; in `training`,
    a GPU's tokens are not checked.

    Raises:
        ValueError: a sequence of padding only.
    """
    real = tokens != pad_token
    if may_read(tokens, training) and not real.any(-1).all():
        raise ValueError(f"{name} must hold a token that is not padding in every sequence, got one of padding only")
    return real


def make_stack(config: SequenceConfig, block: type[Block] = TransformerBlock) -> Transformer:
    """Builds the `Transformer` of a model from its config, with blocks of the class `block`."""
    shape = Shape(config.seq_length, config.emb, config.heads, config.depth, config.head_size, config.rotary)
    return Transformer(config, make_positions(config.positions, shape), block)


def last_norm(config: StackConfig) -> nn.Module:
    """Returns the norm before the output layer, which a pre-norm stack needs: its residual stream is not normed."""
    return NORMS[config.normalisation](config.emb, config.norm_eps) if config.norm == "pre" else nn.Identity()
