"""The masks computed again from their definitions, cell by cell and row by row, without `former`.

Sizes: t tokens; size, a window or a stride.
"""

import torch

KINDS = {"none": "none", "causal": "causal", "local": "local window", "strided": "strided", "fixed": "fixed"}
"""Each mask's name, and its name on the page."""


def allowed(kind: str, i: int, j: int, size: int) -> bool:
    """Returns whether query i may attend to key j."""
    return {
        "none": True,
        "causal": j <= i,
        "local": i - size < j <= i,
        "strided": j <= i and (i - j < size or (i - j) % size == 0),
        "fixed": j <= i and (i // size == j // size or j % size == size - 1),
    }[kind]


def seen(kind: str, t: int, size: int) -> torch.Tensor:
    """Returns the mask, bool (t, t)."""
    return torch.tensor([[allowed(kind, i, j, size) for j in range(t)] for i in range(t)])


def cells(kind: str, t: int, size: int) -> int:
    """Counts the allowed cells one by one."""
    return sum(allowed(kind, i, j, size) for i in range(t) for j in range(t))


def in_row(kind: str, i: int, t: int, size: int) -> int:
    """Returns how many of t keys query i may attend to."""
    return {
        "none": t,
        "causal": i + 1,
        "local": min(i + 1, size),
        "strided": min(i + 1, size) + i // size,
        "fixed": i % size + 1 + i // size,
    }[kind]
