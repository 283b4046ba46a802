"""Transformer-XL: attention that reaches back over the edge of its segment (Dai et al. 2019).

A text is read segment by segment. Every layer keeps what it read, its memory, and the next segment's queries look at
that too. With h what a layer reads and [ ; ] one after the other (section 3.2),

    q = W_q h        k, v = W_k [memory ; h], W_v [memory ; h]

No gradient flows into the memory. A layer reaches one memory further back than the layer below it.

Places counted from the segment's start would mean nothing in a memory, so attention is told distances instead (section
3.3), by `positions.RelativePositions`:

    √s · score_ij = q_i · k_j  +  q_i · W_r r_(i−j)  +  u · k_j  +  v · W_r r_(i−j)

r is the sinusoidal encoding, W_r is learned by each layer, as are u, which asks what a key holds, and v, which asks how
far away it is.

Sizes: b batch, t tokens of a segment, m of the memory, e embedding.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from former import masks
from former.attention import Extend
from former.checks import is_whole, require_positive
from former.config import StackConfig, require_positions
from former.hooks import Capture, Chain, Observer, also_capture
from former.positions import RelativePositions
from former.stack import Transformer, last_norm


@dataclass(frozen=True, kw_only=True)
class TransformerXLConfig(StackConfig):
    """The shape of a `TransformerXL`.

    Raises:
        ValueError: a field out of its range; the message names the field, what was given and what is expected.
    """

    mask: ClassVar[str] = "causal"  # of the segment; all of the memory is seen

    num_tokens: int = 256  # size of the vocabulary; 256 for bytes
    seq_length: int = 128  # tokens of a segment
    memory_length: int = 128  # tokens that each layer keeps from before

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("num_tokens", "seq_length", "memory_length"):
            require_positive(name, getattr(self, name))
        require_positions("relative", self.emb)


class TransformerXL(nn.Module):
    """A generator that carries a memory from segment to segment.

    Args:
        config: its shape.
    """

    def __init__(self, config: TransformerXLConfig) -> None:
        super().__init__()
        self.config = config
        positions = RelativePositions(config.depth, config.emb, config.heads, config.head_size)
        self.transformer = Transformer(config, config.num_tokens, positions)
        self.norm = last_norm(config)
        self.toprobs = nn.Linear(config.emb, config.num_tokens)

    @also_capture
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
        """Logits for the token after each position, and the memory for the segment that follows.

        Args:
            tokens: (b, t), a segment of any length.
            memory: (depth, b, m, e), of any m, as an earlier call gave it; None at the beginning of a text.
            mask: bool (t, m + t), True = may attend; None for all of the memory and the segment up to the query.
            observer: sees, and may replace, what `former.hooks` lists; `k` and `v` hold the memory's and the segment's.
            memory_length: the most tokens to keep, at least 0, also more than in training; None for the config's.
            recompute: whether the backward pass computes each block again instead of keeping its insides.
        Returns:
            logits (b, t, num_tokens) and the new memory (depth, b, at most memory_length, e), without gradient.
        Raises:
            ValueError: tokens, a memory or a mask that do not fit, or a memory_length below 0.
        """
        self.transformer.check(tokens)
        past = 0 if memory is None else self._checked(memory, tokens).shape[2]
        recall = Recall(self.transformer.blocks, memory.detach()) if memory is not None and past else None
        length = self.config.memory_length if memory_length is None else memory_length
        if not is_whole(length) or length < 0:
            raise ValueError(f"memory_length must be None or a whole number of at least 0, got {memory_length!r}")
        if mask is None:
            mask = masks.named("causal", tokens.shape[1], past=past, device=tokens.device)
        read = Capture("resid_pre")  # what each layer reads, after all edits
        x = self.transformer.embed(tokens, past)
        observers = read if observer is None else Chain((observer, read))
        logits = self.unembed(self.transformer(x, mask, observers, recall, recompute))
        memory = read.stack("resid_pre") if memory is None else torch.cat((memory, read.stack("resid_pre")), 2)
        return logits, memory[:, :, max(0, memory.shape[2] - length) :].detach()

    @also_capture
    def read_on(
        self, tokens: Tensor, state: Tensor | None = None, observer: Observer | None = None
    ) -> tuple[Tensor, Tensor]:
        """`forward`, as `former.generate` calls models that carry a state from one read to the next."""
        return self(tokens, state, observer=observer)

    def unembed(self, x: Tensor) -> Tensor:
        """From the residual stream to logits, by the last norm and the output layer: (b, t, e) → (b, t, num_tokens)."""
        return self.toprobs(self.norm(x))

    def _checked(self, memory: Tensor, tokens: Tensor) -> Tensor:
        config = self.config
        if memory.dim() != 4 or memory.shape[:2] != (config.depth, len(tokens)) or memory.shape[3] != config.emb:
            expected = f"({config.depth}, {len(tokens)}, m, {config.emb})"
            raise ValueError(f"memory must have shape {expected}, got {tuple(memory.shape)}")
        return memory


class Recall:
    """The memory where a Generator has a cache of keys and values: it makes them from what was kept.

    Args:
        blocks: of the stack.
        memory: (depth, b, m, e).
    """

    def __init__(self, blocks: Any, memory: Tensor) -> None:
        self.blocks, self.memory = blocks, memory
        self.length = memory.shape[2]

    def at(self, layer: int) -> Extend:
        """The function by which one layer puts the memory's keys and values before the segment's."""
        block, kept = self.blocks[layer], self.memory[layer]

        def extend(k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
            old_k, old_v = block.attention.keys_and_values(block.norm1(kept) if block.pre_norm else kept)
            return torch.cat((old_k, k), 2), torch.cat((old_v, v), 2)

        return extend
