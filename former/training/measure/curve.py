"""The bits per byte and the heads of a byte-level generator at each of its snapshots."""

from __future__ import annotations

from typing import Any

import torch

import former
from former.checkpoints import folder_of
from former.training.data import split_text
from former.training.measure import heads
from former.training.measure.evaluate import bits_per_byte
from former.training.state import measurement_json

BYTES = 200_000  # of the validation split


def snapshots(name: str) -> list[former.Bundle]:
    """Loads a model's snapshots in order, and the model itself if it was trained further than the last snapshot.

    Raises:
        ValueError: the model has no snapshots.
    """
    folders = sorted(folder_of(name).glob("step-*"))
    if not folders:
        raise ValueError(f"NAME must be a model with snapshots, got {name!r}")
    *_, last = bundles = [former.load(folder) for folder in folders]
    end = former.load(name)
    return [*bundles, end] if end.card["step"] > last.card["step"] else bundles


def check_bytes(name: str, bundle: former.Bundle) -> None:
    """Raises ValueError unless the model called `name` is a byte-level generator."""
    if not isinstance(bundle.model, former.Generator) or bundle.tokenizer.unit != "byte":
        raise ValueError(f"NAME must be a generator of bytes, got {name!r}")


def measure(name: str, content: bytes, count: int = BYTES) -> dict[int, float]:
    """Returns the bits per byte of each snapshot, by its step; computed in fp32, with windows that do not overlap.

    Args:
        name: name or folder of a byte-level generator with snapshots.
        content: the corpus.
        count: number of bytes to read, from the beginning of the validation split.
    Raises:
        ValueError: the model has no snapshots, or does not read bytes.
    """
    text = torch.frombuffer(bytearray(content), dtype=torch.uint8)
    begin, end = split_text(content)["val"]
    bits = {}
    for bundle in snapshots(name):
        check_bytes(name, bundle)
        context = bundle.config.seq_length
        part = (begin, min(end, begin + count))
        bits[bundle.card["step"]] = bits_per_byte(bundle.model, text, *part, context=context, stride=context)
    return bits


def heads_by_step(name: str) -> dict[str, Any]:
    """Scores every head at each snapshot on repeated random letters (`heads.head_scores`).

    Args:
        name: as for `measure`.
    Returns:
        {"heads": {score: [step][layer][head]}, "copied_bits": [step]}, the second from `heads.copied_bits`.
    Raises:
        ValueError: the model has no snapshots.
    """
    models = [bundle.model for bundle in snapshots(name)]
    scores = [heads.head_scores(model) for model in models]
    return {
        "heads": {score: [_round(at_step[score].tolist()) for at_step in scores] for score in scores[0]},
        "copied_bits": _round([heads.copied_bits(model) for model in models]),
    }


def _round(values: Any) -> Any:
    """Rounds nested lists of numbers to four decimals."""
    return [_round(value) for value in values] if isinstance(values, list) else round(values, 4)


def to_json(name: str, bits: dict[int, float], by_step: dict[str, Any], count: int) -> str:
    """Returns the results as JSON, with the machine and the date; `by_step` is the result of `heads_by_step`."""
    command = f"curve {name} FILE --data DATA" + f" --bytes {count}" * (count != BYTES)
    figures = {"bytes": count, "steps": list(bits), "bits_per_byte": _round(list(bits.values()))}
    return measurement_json(command, **figures, **by_step)
