"""What tells a token where it stands (article, section "Using the positions").

Blocks alone are permutation equivariant; a vector for each position, added to the token's, breaks that. Each kind
is a module from position indices to such vectors: indices (t,), from 0 → (t, e), of the dtype asked for, else its own.

Sizes: t tokens, e embedding.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from former.config import Positions, require_choice


class NoPositions(nn.Module):
    """Adds nothing: the model stays permutation equivariant."""

    limit: int | None = None

    def forward(self, index: Tensor, dtype: torch.dtype | None = None) -> Tensor:
        """index (t,) → 0, which broadcasts against (b, t, e)."""
        return torch.zeros((), dtype=dtype, device=index.device)


class LearnedPositions(nn.Module):
    """Position embeddings: one learned vector for each position of the context, and none beyond it.

    Args:
        seq_length: number of positions.
        emb: size of a vector.
    """

    def __init__(self, seq_length: int, emb: int) -> None:
        super().__init__()
        self.limit: int | None = seq_length
        self.embedding = nn.Embedding(seq_length, emb)

    def forward(self, index: Tensor, dtype: torch.dtype | None = None) -> Tensor:
        """index (t,), each below seq_length → (t, e)."""
        return self.embedding(index).to(dtype=dtype)


class SinusoidalPositions(nn.Module):
    """Position encodings: sines and cosines of fixed frequencies, `sinusoidal`; nothing is learned.

    Args:
        emb: size of a vector, even.
    """

    limit: int | None = None

    def __init__(self, emb: int) -> None:
        super().__init__()
        self.emb = emb

    def forward(self, index: Tensor, dtype: torch.dtype = torch.float32) -> Tensor:
        """index (t,), of any size → (t, e): it answers beyond the trained length too."""
        # bfloat16 cannot tell position 256 from 257: nothing below float32 computes angles.
        return sinusoidal(index, self.emb, torch.promote_types(dtype, torch.float32)).to(dtype)


def sinusoidal(index: Tensor, emb: int, dtype: torch.dtype = torch.float32) -> Tensor:
    """PE(p, 2i) = sin(p / 10000^(2i/e)), PE(p, 2i+1) = cos(p / 10000^(2i/e)) (Vaswani et al. 2017, section 3.5).

    Args:
        index: (t,) positions p, from 0.
        emb: size e of a vector, even.
        dtype: to compute in. In float32, at position p the numbers are off by up to about p · 10⁻⁷.
    Returns:
        (t, e), of that dtype.
    Raises:
        ValueError: an odd emb.
    """
    if emb % 2:
        raise ValueError(f"emb must be even for sinusoidal positions (a sine and a cosine each), got {emb}")
    even = torch.arange(0, emb, 2, dtype=dtype, device=index.device)  # 2i
    angles = index[:, None].to(dtype) * torch.exp(even * (-math.log(10000.0) / emb))  # (t, e/2)
    return torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(1)  # sine and cosine in turn


def make_positions(kind: Positions, seq_length: int, emb: int) -> NoPositions | LearnedPositions | SinusoidalPositions:
    """The module for a kind of positions.

    Args:
        kind: "none", "learned" or "sinusoidal".
        seq_length: the context; only learned positions end there (`limit`).
        emb: size of a vector.
    Raises:
        ValueError: another kind.
    """
    require_choice("positions", kind, ("none", "learned", "sinusoidal"))
    if kind == "learned":
        return LearnedPositions(seq_length, emb)
    return SinusoidalPositions(emb) if kind == "sinusoidal" else NoPositions()
