"""Sinusoidal position encodings computed from their formula in float64, without former or viz."""

import torch


def encodings(t: int, e: int) -> torch.Tensor:
    """Returns (t, e): row p alternates sin(p / 10000^(2i/e)) and cos(p / 10000^(2i/e)), i from 0."""
    angles = torch.arange(t)[:, None].double() / 10_000 ** (torch.arange(0, e, 2).double() / e)
    return torch.stack((angles.sin(), angles.cos()), -1).flatten(1)
