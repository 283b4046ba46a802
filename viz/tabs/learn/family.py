"""The tiny family: one small generator trained alike again and again, each time with one thing changed.

Their cards are read, and their weights loaded, when a section first asks: not all of them are on the page's lists.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import former
from viz.passes.loaded import Loaded

PLAIN = "family/tiny-generator"  # the one that the others differ from: as long trained as they


@cache
def load(name: str) -> Loaded:
    """A shipped model."""
    return Loaded(name, former.load(name), name)


def bits(name: str) -> float:
    """Its bits per byte on the validation split, by its card."""
    return next(held["bits_per_byte"] for held in load(name).bundle.card["quality"] if held["split"] == "val")


def described(name: str) -> Mapping[str, Any]:
    """What a table says of it: "name", "bits" a byte, "parameters", "heads", and "steps" of its training."""
    bundle = load(name).bundle
    return {
        "name": name,
        "bits": bits(name),
        "parameters": sum(parameter.numel() for parameter in bundle.model.parameters()),
        "heads": bundle.config.heads,
        "steps": bundle.card["step"],
    }
