"""How the next token is chosen: temperature, top-k and top-p, and the random numbers of one call."""

from __future__ import annotations

import torch
from torch import Tensor

from former.checks import is_whole


def next_token_probs(
    logits: Tensor, temperature: float = 1.0, top_k: int | None = None, top_p: float | None = None
) -> Tensor:
    """The distribution the next token is drawn from, after the sampling rules.

    softmax(logits / temperature), then only the `top_k` likeliest tokens, then only the fewest of them that hold
    `top_p` of the mass, renormalised. Equal logits at the edge of the top k all stay.

    Args:
        logits: (num_tokens,).
        temperature: at least 0; 0 puts all mass on the likeliest token.
        top_k: at least 1; None for all.
        top_p: in (0, 1]; None for all.
    Returns:
        (num_tokens,), sums to 1.
    Raises:
        ValueError: a rule out of its range.
    """
    check_rules(temperature, top_k, top_p)
    if temperature == 0:
        return torch.zeros_like(logits).scatter(0, logits.argmax(-1, keepdim=True), 1.0)
    # Less the largest first, then by no number that float32 rounds to 0: neither inf - inf nor 0 / 0.
    logits = (logits - logits.max()) / max(temperature, torch.finfo(torch.float32).tiny)
    if top_k is not None and top_k < len(logits):
        logits = logits.masked_fill(logits < logits.topk(top_k).values[-1], -torch.inf)
    probs = logits.softmax(-1)
    if top_p is not None and top_p < 1:  # at 1 none goes, though a rounded sum may reach it early
        sorted_probs, order = probs.sort(descending=True, stable=True)
        cut = sorted_probs.cumsum(-1) - sorted_probs >= top_p  # by the mass of all likelier tokens
        cut[0] = False  # where the dtype rounds top_p to 0
        probs = probs.masked_fill(torch.zeros_like(cut).scatter(0, order, cut), 0.0)
    return probs / probs.sum()


def random_of(seed: int | None) -> torch.Generator:
    """A call's own random numbers, on the CPU wherever the model is: the same seed draws the same tokens."""
    if seed is not None and not (is_whole(seed) and -(2**63) <= seed < 2**64):
        raise ValueError(f"seed must be None or a whole number in [-2**63, 2**64), got {seed!r}")
    rng = torch.Generator()
    rng.manual_seed(seed) if seed is not None else rng.seed()
    return rng


def check_rules(temperature: float, top_k: int | None, top_p: float | None) -> None:
    """Raises ValueError unless the sampling rules, as `next_token_probs` takes them, are in their ranges."""
    if not 0 <= temperature < float("inf"):
        raise ValueError(f"temperature must be a finite number of at least 0, got {temperature!r}")
    if top_k is not None and not (is_whole(top_k) and top_k >= 1):
        raise ValueError(f"top_k must be None or a whole number of at least 1, got {top_k!r}")
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p must be None or in (0, 1], got {top_p!r}")
