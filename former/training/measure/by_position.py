"""How well a generator predicts at each place of its context, and beyond the length that it was trained on.

Sizes: b batch, t tokens.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch
import torch.nn.functional as F
from torch import Tensor

import former
from former.training.state import measured

USUAL = {"split": "val", "length": 768, "windows": 2000, "width": 16}  # what the command takes where it is not told


@torch.inference_mode()
def bits_by_position(
    model: former.Generator, text: Tensor, begin: int, end: int, *, length: int, windows: int, batch: int = 8
) -> Tensor:
    """The mean of −log₂ p of the next byte at each place of windows that are spread evenly over a part of a text.

    Args:
        model: of bytes.
        text: uint8 (bytes,).
        begin, end: the part.
        length: t of a window; a model of learned positions has none beyond its context, and stops there.
        windows: how many are read.
        batch: windows at a time.
    Returns:
        (t,): at place i the model has read i + 1 bytes.
    Raises:
        ValueError: a part that is shorter than a window and the byte after it.
    """
    t = min(length, model.transformer.positions.limit or length)
    room = end - begin - length - 1  # by `length`: every model reads the same windows, or as much of them as it can
    if room < 0:
        raise ValueError(f"begin and end must cut a part of more than {length} bytes, got {begin} and {end}")
    starts = begin + torch.arange(windows) * room // max(1, windows - 1)
    bits = torch.zeros(t, dtype=torch.float64)
    for group in starts.split(batch):
        window = text[group[:, None] + torch.arange(t + 1)].long()  # (b, t + 1)
        logits = model(window[:, :-1])
        bits += F.cross_entropy(logits.transpose(1, 2), window[:, 1:], reduction="none").double().sum(0)
    return bits / windows / math.log(2)


def to_json(
    found: Mapping[str, tuple[former.Bundle, Tensor]], *, split: str, length: int, windows: int, width: int
) -> str:
    """The figures with what was measured, the machine and the date, for a file.

    Args:
        found: by the model's name, the model and its bits at each place (t,).
        split, length, windows: as they were measured.
        width: places whose mean is one figure; their last, where they are fewer, is left out.
    """
    models = [
        {
            "name": name,
            "positions": bundle.config.positions,
            "trained": bundle.config.seq_length,
            "steps": bundle.card["step"],
            "bits": [round(float(part.mean()), 4) for part in bits.split(width) if len(part) == width],
        }
        for name, (bundle, bits) in found.items()
    ]
    settings = {"split": split, "length": length, "windows": windows, "width": width}
    told = "".join(f" --{name} {value}" for name, value in settings.items() if value != USUAL[name])
    return measured(f"positions {' '.join(found)} --data DATA --file FILE{told}", **settings, models=models)


def to_text(found: Mapping[str, tuple[former.Bundle, Tensor]], width: int) -> str:
    """The figures as a table: a row for each stretch of places, a column for each model."""
    names = list(found)
    parts = {name: [float(part.mean()) for part in bits.split(width)] for name, (_, bits) in found.items()}
    lines = [" ".join([f"{'bytes read':>12}", *(f"{name:>24}" for name in names)])]
    for i in range(max(map(len, parts.values()))):
        cells = (f"{parts[name][i]:>24.4f}" if i < len(parts[name]) else f"{'–':>24}" for name in names)
        lines.append(" ".join([f"{i * width + 1:>5} … {(i + 1) * width:>4}", *cells]))
    return "\n".join(lines)
