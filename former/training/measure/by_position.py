"""A generator's loss at each position of its context, and beyond the context length of training.

Sizes: b batch, t tokens.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch
import torch.nn.functional as F
from torch import Tensor

import former
from former.training.state import measurement_json

DEFAULTS = {"split": "val", "length": 768, "windows": 2000, "width": 16}  # the command's defaults


@torch.inference_mode()
def bits_by_position(
    model: former.Generator, text: Tensor, begin: int, end: int, *, length: int, windows: int, batch: int = 8
) -> Tensor:
    """Returns the mean of −log₂ p of the next byte at each position of windows spread evenly over text[begin:end].

    Args:
        model: a byte-level generator.
        text: uint8 (bytes,).
        begin, end: the part of the text to read.
        length: bytes per window; a model with learned positions reads only as many as its context has.
        windows: number of windows.
        batch: number of windows per forward pass.
    Returns:
        (t,): the mean at position i, where the model has read i + 1 bytes.
    Raises:
        ValueError: the part is shorter than a window and the byte after it.
    """
    t = min(length, model.transformer.positions.limit or length)
    room = end - begin - length - 1  # from `length`, so that all models read the same windows, or their beginnings
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
    results: Mapping[str, tuple[former.Bundle, Tensor]], *, split: str, length: int, windows: int, width: int
) -> str:
    """Returns the results as JSON, with the settings, the machine and the date.

    Args:
        results: each model and its bits at each position (t,), by name.
        split, length, windows: the settings of the measurement.
        width: number of positions averaged into one figure; a remainder at the end is dropped.
    """
    models = [
        {
            "name": name,
            "positions": bundle.config.positions,
            "trained": bundle.config.seq_length,
            "steps": bundle.card["step"],
            "bits": [round(float(part.mean()), 4) for part in bits.split(width) if len(part) == width],
        }
        for name, (bundle, bits) in results.items()
    ]
    settings = {"split": split, "length": length, "windows": windows, "width": width}
    options = "".join(f" --{name} {value}" for name, value in settings.items() if value != DEFAULTS[name])
    command = f"positions {' '.join(results)} --data DATA --file FILE{options}"
    return measurement_json(command, **settings, models=models)


def to_text(results: Mapping[str, tuple[former.Bundle, Tensor]], width: int) -> str:
    """Returns the results as a table: a row for each `width` positions, a column for each model."""
    names = list(results)
    parts = {name: [float(part.mean()) for part in bits.split(width)] for name, (_, bits) in results.items()}
    lines = [" ".join([f"{'bytes read':>12}", *(f"{name:>24}" for name in names)])]
    for i in range(max(map(len, parts.values()))):
        cells = (f"{parts[name][i]:>24.4f}" if i < len(parts[name]) else f"{'–':>24}" for name in names)
        lines.append(" ".join([f"{i * width + 1:>5} … {(i + 1) * width:>4}", *cells]))
    return "\n".join(lines)
