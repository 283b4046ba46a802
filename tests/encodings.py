"""Sinusoidal positions by their formula, in float64, to compare others with; without former or viz."""

import torch


def encodings(t: int, e: int) -> torch.Tensor:
    """Row p: sin(p / 10000^(2i/e)) and cos(p / 10000^(2i/e)) in turn, i from 0; (t, e)."""
    angles = torch.arange(t)[:, None].double() / 10_000 ** (torch.arange(0, e, 2).double() / e)
    return torch.stack((angles.sin(), angles.cos()), -1).flatten(1)
