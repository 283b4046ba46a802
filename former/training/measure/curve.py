"""What a generator of bytes is worth at each of its snapshots, and what its heads do there."""

from __future__ import annotations

from typing import Any

import torch

import former
from former.checkpoints import folder_of
from former.training.data import split_text
from former.training.measure import heads
from former.training.measure.evaluate import bits_per_byte
from former.training.state import measured

BYTES = 200_000  # of the validation split


def snapshots(name: str) -> list[former.Bundle]:
    """The model at each of its snapshots, in order, and itself where its training went on after the last.

    Raises:
        ValueError: there are none.
    """
    folders = sorted(folder_of(name).glob("step-*"))
    if not folders:
        raise ValueError(f"NAME must have snapshots below it, got {name!r}")
    *_, last = bundles = [former.load(folder) for folder in folders]
    end = former.load(name)
    return [*bundles, end] if end.card["step"] > last.card["step"] else bundles


def check_bytes(name: str, bundle: former.Bundle) -> None:
    """Raises ValueError unless a model, asked for by name, is a generator that reads bytes."""
    if not isinstance(bundle.model, former.Generator) or bundle.tokenizer.unit != "byte":
        raise ValueError(f"NAME must be a generator of bytes, got {name!r}")


def measure(name: str, content: bytes, count: int = BYTES) -> dict[int, float]:
    """Step → bits per byte, in fp32 and windows side by side.

    Args:
        name: of a shipped generator of bytes, or its folder, with snapshots below it.
        content: the corpus.
        count: how many bytes of its validation split, from the beginning.
    Raises:
        ValueError: there are no snapshots, or they do not read bytes.
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


def forming(name: str) -> dict[str, Any]:
    """What every head does at each snapshot on letters that come twice (`heads.head_scores`), and what the copying is
    worth: {"heads": {score: [step][layer][head]}, "copied_bits": [step]}.

    Args:
        name: as for `measure`.
    Raises:
        ValueError: there are no snapshots.
    """
    models = [bundle.model for bundle in snapshots(name)]
    scores = [heads.head_scores(model) for model in models]
    return {
        "heads": {score: [rounded(found[score].tolist()) for found in scores] for score in scores[0]},
        "copied_bits": rounded([heads.copied_bits(model) for model in models]),
    }


def rounded(values: Any) -> Any:
    """Nested lists of numbers to four digits after the point."""
    return [rounded(value) for value in values] if isinstance(values, list) else round(values, 4)


def to_json(name: str, bits: dict[int, float], formed: dict[str, Any], count: int) -> str:
    """The figures with the machine and the date, for a file."""
    command = f"curve {name} FILE --data DATA" + f" --bytes {count}" * (count != BYTES)
    figures = {"bytes": count, "steps": list(bits), "bits_per_byte": rounded(list(bits.values()))}
    return measured(command, **figures, **formed)
