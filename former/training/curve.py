"""What a generator of bytes is worth at each of its snapshots: bits a byte over the steps of its training."""

from __future__ import annotations

import json
from datetime import datetime, timezone

import torch

import former
from former.checkpoints import folder_of
from former.training.data import split_text
from former.training.evaluate import bits_per_byte
from former.training.state import machine

BYTES = 200_000  # of the validation split


def measure(name: str, content: bytes, count: int = BYTES) -> dict[int, float]:
    """Step → bits a byte, in fp32 and windows side by side.

    Args:
        name: of a shipped generator of bytes, or its folder, with snapshots below it.
        content: the corpus.
        count: how many bytes of its validation split, from the beginning.
    Raises:
        ValueError: there are no snapshots.
    """
    folders = sorted(folder_of(name).glob("step-*"))
    if not folders:
        raise ValueError(f"NAME must have snapshots below it, got {name!r}")
    text = torch.frombuffer(bytearray(content), dtype=torch.uint8)
    begin, end = split_text(content)["val"]
    bits = {}
    for folder in folders:
        bundle = former.load(folder)
        context = bundle.config.seq_length
        part = (begin, min(end, begin + count))
        bits[bundle.card["step"]] = bits_per_byte(bundle.model, text, *part, context=context, stride=context)
    return bits


def to_json(name: str, bits: dict[int, float], count: int) -> str:
    """The figures with the machine and the date, for a file."""
    record = {
        "command": f"python -m former.training curve {name} FILE --data DATA" + f" --bytes {count}" * (count != BYTES),
        "date": f"{datetime.now(timezone.utc):%Y-%m-%d}",
        "machine": machine(torch.device("cpu")),
        "bytes": count,
        "steps": list(bits),
        "bits_per_byte": [round(value, 4) for value in bits.values()],
    }
    return json.dumps(record, indent=1) + "\n"
