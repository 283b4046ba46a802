"""The tiny family: a small generator, and models that differ from it in one respect each, trained in the same way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from viz.passes.loaded import Loaded

PLAIN = "family/tiny-generator"  # the model that the others are compared with, trained for the same number of steps


def bits(card: Mapping[str, Any]) -> float:
    """Returns a model's bits per byte on the validation split, from its card."""
    return next(held["bits_per_byte"] for held in card["quality"] if held["split"] == "val")


def table_row(model: Loaded) -> Mapping[str, Any]:
    """Returns a model's row of a table: "name", "bits" per byte, "parameters", "heads", and "steps" of training."""
    bundle = model.bundle
    return {
        "name": model.name,
        "bits": bits(bundle.card),
        "parameters": sum(parameter.numel() for parameter in bundle.model.parameters()),
        "heads": bundle.config.heads,
        "steps": bundle.card["step"],
    }
