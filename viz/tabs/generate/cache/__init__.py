"""The key-value cache of a model that writes: its size for each token, and the time of a step with and without it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from statistics import median
from typing import Any

import torch

import former
from former.generate import KeyValueCache, window_for
from viz.panels import Numbers
from viz.passes.loaded import Loaded
from viz.tabs.generate.next_token import prompt_of

STEPS = 5  # measured steps of each kind; their median counts


def keeps(model: Any) -> bool:
    """Returns whether a model has a key-value cache, which it reads while it writes."""
    return window_for(model, 1).cache is not None


def cache_facts(loaded: Loaded) -> dict[str, Any] | None:
    """Returns the size of a model's key-value cache for each token: layers, heads, sizes and bytes; None without a
    cache."""
    model, config = loaded.bundle.model, loaded.bundle.config
    if not keeps(model):
        return None
    number = next(model.parameters()).element_size()
    facts = {"layers": config.depth, "heads": config.heads, "key_heads": config.key_heads}
    facts |= {"size": config.head_size, "number": number}
    return {**facts, "bytes": 2 * config.depth * config.key_heads * config.head_size * number}


@torch.inference_mode()
def measure_cache(bundle: former.Bundle, text: str, written: Sequence[int] = ()) -> Numbers:
    """Measures one step of writing after a text, with the cache and without it.

    Args:
        bundle: a model that keeps keys and values, or its fast twin.
        text: the prompt.
        written: the ids of the tokens after it.
    Returns:
        "tokens" t in the window; "bytes" of their keys and values; "seconds", the median of `STEPS` steps, and
        "names": with the cache, where only the newest token is computed, and without it, where all are.
    Raises:
        ValueError: a model without a cache.
    """
    model = bundle.model
    if not keeps(model):
        raise ValueError("bundle must have a model that keeps keys and values")
    ids = [*prompt_of(bundle.tokenizer, text), *written][-model.config.seq_length :]
    tokens = torch.tensor([ids])
    cache = KeyValueCache(model.config, next(model.parameters()))
    model(tokens, cache=cache)
    size = cache.nbytes
    spent: dict[str, list[float]] = {"with": [], "without": []}
    for _ in range(STEPS):
        for name, runs in spent.items():
            cache.length = len(ids) - 1  # as before the newest token
            start = time.perf_counter()
            model(tokens[:, -1:], cache=cache) if name == "with" else model(tokens)
            runs.append(time.perf_counter() - start)
    return {
        "tokens": len(ids),
        "bytes": size,
        "seconds": [median(runs) for runs in spent.values()],
        "names": ["with the cache", "without it"],
    }
