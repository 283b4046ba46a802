"""Initial weights for models without a causal mask: the first layer's heads attend to neighbouring positions.

From random weights, a model that has to predict hidden words first learns to copy the visible ones, and stays there for
thousands of steps: no head knows yet which positions are neighbours, and each position has to be learned separately.
Here the positions start as waves, and the first layer's queries start as its keys rotated by one or two positions, so
that a score depends only on the distance of two positions. Training changes all of these weights.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from former.bert import BertStack
from former.models import Classifier

_SHARPNESS = 1.6  # scale of q and k: about 0.6 of a head's weight is on its neighbour


@torch.no_grad()
def look_at_neighbours(model: BertStack | Classifier, generator: torch.Generator) -> None:
    """Sets the positions and the first layer's queries and keys, in place.

    Head 0 attends one position back, head 1 one ahead, head 2 two back, and so on.

    Position t starts as cos(ωt) and sin(ωt), e/2 numbers each, as large as the token embeddings. Half of the ω are
    drawn from 0 to π, so that neighbouring positions differ; half fall from 1 to 1/10,000, as in sinusoidal positions.
    The k of a head of size s reads s/2 waves of the first kind, and its q reads the same waves, shifted by the head's
    distance d:

        q(t)·k(t') = g² Σ cos(ω (t + d − t')), largest at t' = t + d.

    Args:
        model: a model with narrow heads of an even size, and learned positions; its other weights are unchanged.
        generator: draws the ω.
    Raises:
        ValueError: heads that are not narrow, share keys, or are not of the even size emb / heads.
    """
    config = model.config
    emb, heads, size = config.emb, config.heads, config.head_size
    if config.variant != "narrow" or config.key_heads != heads or size * heads != emb or size % 2:
        raise ValueError(
            "initial='neighbours' needs narrow heads of the even size emb / heads, each with its own keys, got "
            f"variant={config.variant!r}, kv_heads={config.kv_heads}, emb={emb}, heads={heads} and size={size}"
        )
    fast = torch.rand(emb // 4, generator=generator) * math.pi
    slow = 10_000 ** -torch.linspace(0, 1, emb // 2 - len(fast))
    waves = torch.cat([fast, slow])  # ω (e/2,)
    positions = model.get_parameter("transformer.positions.embedding.weight")  # (context, e)
    angles = torch.arange(len(positions))[:, None] * waves
    positions.copy_(torch.cat([angles.cos(), angles.sin()], 1) * math.sqrt(2) * 0.02)
    keys, queries = (
        model.get_parameter(f"transformer.blocks.0.attention.to{name}.weight") for name in ("keys", "queries")
    )
    for head in range(heads):
        distance = (head // 2 + 1) * (-1 if head % 2 == 0 else 1)
        indices = (torch.arange(size // 2) + head * (size // 2)) % len(fast)
        rows = slice(head * size, (head + 1) * size)
        keys[rows] = _shift(waves, indices, 0)
        queries[rows] = _shift(waves, indices, distance)


def _shift(waves: Tensor, indices: Tensor, distance: int) -> Tensor:
    """Returns the matrix (2n, e) that maps the vector of position t to n of its waves at position t + distance."""
    matrix = torch.zeros(2 * len(indices), 2 * len(waves))
    cos, sin = (waves[indices] * distance).cos(), (waves[indices] * distance).sin()
    row = torch.arange(len(indices))
    matrix[row, indices], matrix[row, len(waves) + indices] = cos, -sin
    matrix[len(indices) + row, indices], matrix[len(indices) + row, len(waves) + indices] = sin, cos
    return _SHARPNESS * matrix
