"""Sampling of the next token: the rules in their order, and a random generator for each call."""

from __future__ import annotations

import math
from collections.abc import Iterable

import torch
from torch import Tensor

from former.checks import is_number, is_share, is_whole, require_instance


class NotNumbers(ValueError):
    """A model's prediction is NaN or infinite: an overflow, or weights that are not finite."""


def next_token_probs(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    min_p: float | None = None,
) -> Tensor:
    """Computes the distribution that the next token is drawn from, after the sampling rules.

    softmax(logits / temperature); then only the `top_k` most likely tokens; then only the fewest of them whose
    probabilities sum to at least `top_p`; then only those at least `min_p` times as likely as the most likely one;
    renormalised. Logits equal to the k-th are all kept.

    Args:
        logits: (num_tokens,).
        temperature: at least 0; 0 gives the most likely token probability 1.
        top_k: at least 1; None for all.
        top_p: in (0, 1]; None for all.
        min_p: in [0, 1]; None for all.
    Returns:
        (num_tokens,), sums to 1; in float32 at least.
    Raises:
        ValueError: a rule out of range, or logits without a finite maximum.
    """
    *_, probs = apply_rules(logits, temperature, top_k, top_p, min_p).values()
    return probs / probs.sum()


def apply_rules(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    min_p: float | None = None,
) -> dict[str, Tensor]:
    """Applies the sampling rules one after another, to see what each of them removes.

    Args:
        logits, temperature, top_k, top_p, min_p: as in `next_token_probs`.
    Returns:
        For each rule that is set, by its name and in order, the probabilities (num_tokens,) after it: 0 for the tokens
        that it or an earlier rule removed; not renormalised after `top_p` and `min_p`.
    Raises:
        ValueError: a rule out of range, or logits without a finite maximum.
    """
    check_rules(temperature, top_k, top_p, min_p)
    require_maximum(logits)
    if logits.dim() != 1:
        raise ValueError(f"logits must be (num_tokens,), got {tuple(logits.shape)}")
    logits = precise(logits)
    if temperature == 0:
        return {"temperature": torch.zeros_like(logits).scatter(0, logits.argmax(-1, keepdim=True), 1.0)}
    # Subtract the maximum, then divide by a number that float32 does not round to 0: no inf - inf, no 0 / 0.
    logits = (logits - logits.max()) / max(temperature, torch.finfo(torch.float32).tiny)
    probs = logits.softmax(-1)
    left = {"temperature": probs}
    if top_k is not None:
        if top_k < len(logits):
            probs = logits.masked_fill(logits < logits.topk(top_k).values[-1], -torch.inf).softmax(-1)
        left["top_k"] = probs
    if top_p is not None:
        if top_p < 1:  # at 1 all tokens stay, even if a rounded sum reaches 1 early
            sorted_probs, order = probs.sort(descending=True, stable=True)
            cut = sorted_probs.cumsum(-1) - sorted_probs >= top_p  # sum over all more likely tokens
            cut[0] = False  # in case the dtype rounds top_p to 0
            probs = probs.masked_fill(torch.zeros_like(cut).scatter(0, order, cut), 0.0)
        left["top_p"] = probs
    if min_p is not None:
        left["min_p"] = probs.masked_fill(probs < min_p * probs.max(), 0.0)
    return left


def precise(x: Tensor) -> Tensor:
    """Returns x in float32 at least: probabilities in half precision do not sum to 1, and their running sum stops
    growing."""
    return x.to(torch.promote_types(x.dtype, torch.float32))


def require_numbers(values: Tensor) -> Tensor:
    """Returns `values`, computed from a prediction; raises ValueError if one is NaN, as after an overflow."""
    if values.isnan().any():
        raise NotNumbers("the model's prediction must be numbers, got NaN: an overflow, or weights that are not finite")
    return values


def require_maximum(logits: Tensor) -> None:
    """Raises ValueError unless the largest logit is finite: after an overflow, or with broken weights, it is not."""
    require_instance("logits", logits, Tensor)
    if not logits.numel():
        raise ValueError(f"logits must hold at least one number, got {tuple(logits.shape)}")
    largest = float(logits.detach().max())
    if not math.isfinite(largest):
        raise NotNumbers(f"logits must have a finite maximum, to predict a token, got {largest}")


def penalise(logits: Tensor, ids: Iterable[int], penalty: float) -> Tensor:
    """Makes tokens that the text already has less likely (Keskar et al. 2019, with the sign respected).

    Args:
        logits: (num_tokens,).
        ids: of the text.
        penalty: above 0; logits above 0 are divided by it, others multiplied. 1 changes nothing.
    """
    require_instance("logits", logits, Tensor)
    index = torch.tensor(sorted(set(ids)), dtype=torch.long, device=logits.device)
    seen_logits = logits[index]
    return logits.scatter(0, index, torch.where(seen_logits > 0, seen_logits / penalty, seen_logits * penalty))


def random_of(seed: int | None) -> torch.Generator:
    """Returns a random generator for one call, always on the CPU: the same seed draws the same tokens on any device."""
    if seed is not None and not (is_whole(seed) and -(2**63) <= seed < 2**64):
        raise ValueError(f"seed must be None or a whole number in [-2**63, 2**64), got {seed!r}")
    rng = torch.Generator()
    rng.manual_seed(int(seed)) if seed is not None else rng.seed()  # torch refuses numpy's whole numbers
    return rng


def check_rules(
    temperature: float, top_k: int | None, top_p: float | None, min_p: float | None = None, penalty: float = 1.0
) -> None:
    """Raises ValueError unless the sampling rules, of `next_token_probs` and `penalise`, are in range."""
    if not is_number(temperature) or temperature < 0:
        raise ValueError(f"temperature must be a finite number of at least 0, got {temperature!r}")
    if top_k is not None and not (is_whole(top_k) and top_k >= 1):
        raise ValueError(f"top_k must be None or a whole number of at least 1, got {top_k!r}")
    if top_p is not None and not (is_share(top_p) and top_p > 0):
        raise ValueError(f"top_p must be None or in (0, 1], got {top_p!r}")
    if min_p is not None and not is_share(min_p):
        raise ValueError(f"min_p must be None or in [0, 1], got {min_p!r}")
    if not is_number(penalty, above=0):
        raise ValueError(f"repetition_penalty must be a finite number above 0, got {penalty!r}")
