"""The models that section "Since the article" compares, with the sizes of their caches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import torch

import former
from former import gpt2, llama
from former.checkpoints import CHECKPOINTS
from former.generate import KeyValueCache
from viz.panels import Numbers
from viz.passes.loaded import Loaded, Models
from viz.tabs.learn import family, shipped

ROTARY, RMS, GATED = "tiny-rotary", "tiny-rms", "tiny-swiglu"
FAMILY = (family.PLAIN, ROTARY, RMS, GATED, "tiny-grouped", "tiny-modern")
LARGER = ("gpt", "modern")  # of one size, with the same data
PUBLISHED = {
    "GPT-2 XL": gpt2.config(**gpt2.SIZES["gpt2-xl"]),
    "TinyLlama 1.1B": llama.config(**llama.SIZES["tinyllama-1.1b"]),
    "Llama 3.2 1B": llama.config(**llama.SIZES["llama-3.2-1b"]),
    "Qwen2 0.5B": llama.config(**llama.SIZES["qwen2-0.5b"]),
    "SmolLM2 135M": llama.config(**llama.SIZES["smollm2-135m"]),
}


def find(models: Models, name: str) -> Loaded:
    """Returns a shipped model: the one that the page shows, unless that is a visitor's own of the same name."""
    shown = models.get(name)
    return shown if shown and shown.folder == CHECKPOINTS / name else shipped.load(name)


def when_equal(card: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns a card as it was when the model had been trained for as many steps as the one that it is compared with:
    `earlier` still has the figures of that time if it was trained further."""
    trainings = [*card.get("earlier", ()), card]
    last = next(number for number, training in enumerate(trainings) if "quality" in training)
    return {**trainings[last], "earlier": trainings[:last]}


def facts(bundle: former.Bundle) -> dict[str, Any]:
    """Returns a model's "bits" per byte, its "parameters", and its "cached" bytes per token."""
    return {
        "bits": family.bits(when_equal(bundle.card)),
        "parameters": sum(parameter.numel() for parameter in bundle.model.parameters()),
        "cached": cache_bytes(bundle.config, 1, torch.float32),
    }


def table_row(models: Models, name: str) -> dict[str, Any]:
    """Returns a model's row of the table: its "name", `facts`, and "seconds" of processor time of all its trainings."""
    bundle = find(models, name).bundle
    card = when_equal(bundle.card)
    seconds = sum(each["processor_seconds"] for each in (card, *card["earlier"]))
    return {"name": name, **facts(bundle), "seconds": seconds}


def cache_bytes(config: Any, t: int, dtype: torch.dtype) -> int:
    """Returns the bytes of a full cache of t tokens, made on the meta device, without data."""
    cache = KeyValueCache(replace(config, seq_length=t), torch.empty(0, dtype=dtype, device="meta"))
    cache.reserve(t)
    cache.length = t
    return cache.nbytes


def count_caches(t: int) -> Numbers:
    """Counts the bytes that published models keep for t tokens, in float16.

    Args:
        t: number of tokens.
    Returns:
        "names"; "heads" and "kv_heads" of each; "shared": the bytes of each model's cache, and "own": the bytes if each
        head of queries had keys and values of its own.
    """
    configs = PUBLISHED.values()
    return {
        "names": list(PUBLISHED),
        "heads": [config.heads for config in configs],
        "kv_heads": [config.key_heads for config in configs],
        "shared": [cache_bytes(config, t, torch.float16) for config in configs],
        "own": [cache_bytes(replace(config, kv_heads=None), t, torch.float16) for config in configs],
    }


def compare_models(bundles: Mapping[str, former.Bundle]) -> Numbers:
    """Compares trained models by their cards, after equal numbers of steps.

    Args:
        bundles: by name.
    Returns:
        "names"; "bits" (n,), per byte on the validation split; "parameters"; "cached": bytes per token in its cache.
    """
    rows = [facts(bundle) for bundle in bundles.values()]
    bits, *counts = ([row[name] for row in rows] for name in ("bits", "parameters", "cached"))
    return {"names": list(bundles), "bits": torch.tensor(bits), "parameters": counts[0], "cached": counts[1]}
