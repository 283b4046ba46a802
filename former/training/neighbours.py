"""A start for models that see a whole text: the first layer's heads look at the pieces around each place.

From random weights, a stack that must say hidden words first learns to copy those that are not hidden, and stays there
for thousands of steps: nothing yet tells a head which place is next to which, and each position has to be learned on
its own. Here the positions start as waves and the first layer's queries as its keys, turned by a step or two, so that
the score of two places depends on their distance alone. All of it is trained on.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from former.bert import BertStack

_SHARPNESS = 1.6  # how large the entries of q and k start: about 0.6 of a head's weight is on its neighbour


@torch.no_grad()
def look_at_neighbours(model: BertStack, generator: torch.Generator) -> None:
    """Sets the positions and the first layer's queries and keys: head 0 looks one place back, 1 ahead, 2 two back, ….

    Position t starts as cos(ωt) and sin(ωt), e/2 each, as large as the embeddings beside it. Half of the ω lie anywhere
    between 0 and π, which makes places next to each other differ; half fall from 1 to 1/10,000, as in sinusoidal
    positions. A head's k reads s/2 waves of the first kind, s its size, and its q the same, turned by its distance d:

        q(t)·k(t') = g² Σ cos(ω (t + d − t')), largest at t' = t + d.

    Args:
        model: of narrow heads, with learned positions; its other weights stay.
        generator: draws the ω.
    """
    emb, heads = model.config.emb, model.config.heads
    fast = torch.rand(emb // 4, generator=generator) * math.pi
    slow = 10_000 ** -torch.linspace(0, 1, emb // 2 - len(fast))
    waves = torch.cat([fast, slow])  # ω (e/2,)
    positions = model.get_parameter("transformer.positions.embedding.weight")  # (context, e)
    angles = torch.arange(len(positions))[:, None] * waves
    positions.copy_(torch.cat([angles.cos(), angles.sin()], 1) * math.sqrt(2) * 0.02)
    keys, queries = (
        model.get_parameter(f"transformer.blocks.0.attention.to{name}.weight") for name in ("keys", "queries")
    )
    size = emb // heads
    for head in range(heads):
        distance = (head // 2 + 1) * (-1 if head % 2 == 0 else 1)
        read = (torch.arange(size // 2) + head * (size // 2)) % len(fast)  # which waves
        own = slice(head * size, (head + 1) * size)
        keys[own] = _turned(waves, read, 0)
        queries[own] = _turned(waves, read, distance)


def _turned(waves: Tensor, read: Tensor, distance: int) -> Tensor:
    """The matrix (2n, e) that reads n waves off a position t as they stand at t + distance."""
    matrix = torch.zeros(2 * len(read), 2 * len(waves))
    cos, sin = (waves[read] * distance).cos(), (waves[read] * distance).sin()
    row = torch.arange(len(read))
    matrix[row, read], matrix[row, len(waves) + read] = cos, -sin
    matrix[len(read) + row, read], matrix[len(read) + row, len(waves) + read] = sin, cos
    return _SHARPNESS * matrix
