"""Transformer-XL: attention that reaches into earlier segments (Dai et al. 2019).

A text is read segment by segment. Every layer stores its inputs, the memory, and the queries of the next segment
attend to that too. With h the input of a layer and [ ; ] concatenation (section 3.2),

    q = W_q h        k, v = W_k [memory ; h], W_v [memory ; h]

No gradient flows into the memory. Each layer extends the reach by another memory length.

Positions counted from the segment's start would be ambiguous for the memory, so attention uses distances (section
3.3), by `positions.RelativePositions`:

    √s · score_ij = q_i · k_j  +  q_i · W_r r_(i−j)  +  u · k_j  +  v · W_r r_(i−j)

r is the sinusoidal encoding; every layer learns its own W_r, u and v. u weights the content of a key, v its distance.

Sizes: b batch, t tokens of a segment, m of the memory, e embedding.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from former import masks
from former.attention import Extend
from former.checks import is_whole, require_instance, require_positive
from former.config import StackConfig, require_positions
from former.hooks import Capture, Chain, Observer
from former.observable import observable
from former.positions import RelativePositions
from former.stack import Transformer, last_norm


@dataclass(frozen=True, kw_only=True)
class TransformerXLConfig(StackConfig):
    """The shape of a `TransformerXL`.

    Raises:
        ValueError: a field out of range; the message names the field, its value and what is expected.
    """

    mask: ClassVar[str] = "causal"  # within the segment; the whole memory is visible

    seq_length: int = 128  # tokens of a segment
    memory_length: int = 128  # tokens of memory in each layer

    def __post_init__(self) -> None:
        super().__post_init__()
        require_positive("memory_length", self.memory_length)
        require_positions("relative", self.emb)


class TransformerXL(nn.Module):
    """A generator that carries a memory from segment to segment.

    Args:
        config: the model's shape.
    """

    def __init__(self, config: TransformerXLConfig) -> None:
        super().__init__()
        require_instance("config", config, TransformerXLConfig)
        self.config = config
        positions = RelativePositions(config.depth, config.emb, config.heads, config.head_size)
        self.transformer = Transformer(config, positions)
        self.norm = last_norm(config)
        self.toprobs = nn.Linear(config.emb, config.num_tokens)

    @observable
    def forward(
        self,
        tokens: Tensor,
        memory: Tensor | None = None,
        *,
        mask: Tensor | None = None,
        observer: Observer | None = None,
        memory_length: int | None = None,
        recompute: bool = False,
    ) -> tuple[Tensor, Tensor]:
        """Computes logits for the token after each position, and the memory for the next segment.

        Args:
            tokens: (b, t), a segment of any length.
            memory: (depth, b, m, e), of any m, from an earlier call; None at the start of a text.
            mask: bool (t, m + t), True = may attend; None for the whole memory and the segment up to the query.
            observer: as in `Generator.forward`; `k` and `v` include the memory's.
            memory_length: the most tokens to store, at least 0, possibly more than in training; None for the config's.
            recompute: whether to recompute each block in the backward pass instead of storing its activations.
        Returns:
            logits (b, t, num_tokens) and the new memory (depth, b, at most memory_length, e), without gradient.
        Raises:
            ValueError: tokens, a memory or a mask that do not fit, or a memory_length below 0.
        """
        self.transformer.check(tokens)
        past = 0 if memory is None else self._check_memory(memory, tokens).shape[2]
        recall = MemoryCache(self.transformer.blocks, memory.detach()) if memory is not None and past else None
        length = self.config.memory_length if memory_length is None else memory_length
        if not is_whole(length) or length < 0:
            raise ValueError(f"memory_length must be None or a whole number of at least 0, got {memory_length!r}")
        if mask is None:
            mask = masks.named("causal", tokens.shape[1], past=past, device=tokens.device)
        read = Capture("resid_pre")  # each layer's input, after all edits
        x = self.transformer.embed(tokens, past)
        observers = read if observer is None else Chain((observer, read))
        logits = self.unembed(self.transformer(x, mask, observers, recall, recompute))
        memory = read.stack("resid_pre") if memory is None else torch.cat((memory, read.stack("resid_pre")), 2)
        return logits, memory[:, :, max(0, memory.shape[2] - length) :].detach()

    @observable
    def step(
        self, tokens: Tensor, state: Tensor | None = None, observer: Observer | None = None
    ) -> tuple[Tensor, Tensor]:
        """Computes the same as `forward`, with the name and signature that `former.generate` uses for models with a
        state."""
        return self(tokens, state, observer=observer)

    def unembed(self, x: Tensor) -> Tensor:
        """Maps the residual stream to logits, by the last norm and the output layer: (b, t, e) → (b, t, num_tokens)."""
        return self.toprobs(self.norm(x))

    def _check_memory(self, memory: Tensor, tokens: Tensor) -> Tensor:
        config = self.config
        if memory.dim() != 4 or memory.shape[:2] != (config.depth, len(tokens)) or memory.shape[3] != config.emb:
            expected = f"({config.depth}, {len(tokens)}, m, {config.emb})"
            raise ValueError(f"memory must have shape {expected}, got {tuple(memory.shape)}")
        return memory


class MemoryCache:
    """A cache of keys and values (`former.stack.Cache`), which are computed from the memory.

    Args:
        blocks: the stack's blocks.
        memory: (depth, b, m, e).
    """

    def __init__(self, blocks: Any, memory: Tensor) -> None:
        self.blocks, self.memory = blocks, memory
        self.length = memory.shape[2]

    def at(self, layer: int) -> Extend:
        """Returns the function that prepends a layer's memory keys and values to the segment's."""
        block, memory = self.blocks[layer], self.memory[layer]

        def extend(k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
            old_k, old_v = block.attention.keys_and_values(block.norm1(memory) if block.pre_norm else memory)
            return torch.cat((old_k, k), 2), torch.cat((old_v, v), 2)

        return extend
