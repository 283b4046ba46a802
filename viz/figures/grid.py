"""Arranges many maps in one picture, and pools the cells of large maps.

Sizes: h heads, rows and columns of cells of a map.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from viz.figures import frame

THUMBNAIL = 64  # cells a side: more than this is not seen in a grid of heads
GAP = 0.08  # between two heads, as a part of one


class Side:
    """One side of the grid: blocks of labelled cells with a gap of a few cells between them."""

    def __init__(self, name: str, count: int, labels: Sequence[str]) -> None:
        size = len(labels)
        self.step = size + max(1, round(GAP * size))  # from one block to the next
        self.cells = (count - 1) * self.step + size  # no gap after the last
        self.blocks = [f"{name} {i}" for i in range(count)]
        starts = self.step * np.arange(count)
        self.middles = starts + (size - 1) / 2
        self.borders = (starts[:, None] + [-0.5, size - 0.5]).ravel()
        self.axis = {  # without visible ticks: the labels are for the pointer
            "tickmode": "array",
            "tickvals": (starts[:, None] + np.arange(size)).ravel(),
            "ticktext": [f"{block} · {label}" for block in self.blocks for label in labels],
            "showticklabels": False,
            "showgrid": False,
            "ticks": "",
        }

    def names(self, axis: str, **options: Any) -> list[dict[str, Any]]:
        """Returns an annotation of plotly for each block, which shows the block's name in the margin next to its
        middle."""
        where = zip(self.middles, self.blocks, strict=True)
        return [{axis: middle, "text": block, "showarrow": False, **options} for middle, block in where]


def join(values: NDArray[Any], down: Side, across: Side) -> frame.Floats:
    """Joins maps (layers, h, rows, columns) into one array: a grid of layers by heads, with NaN in the gaps; `down` and
    `across` are its sides."""
    layers, count, rows, columns = values.shape
    blocks = np.full((layers, down.step, count, across.step), np.nan, np.float32)
    blocks[:, :rows, :, :columns] = values.transpose(0, 2, 1, 3)
    return blocks.reshape(layers * down.step, count * across.step)[: down.cells, : across.cells]


def pool(values: frame.Floats, rows: list[str], columns: list[str]) -> tuple[frame.Floats, list[str], list[str]]:
    """Pools maps to at most `THUMBNAIL` cells per side by the maximum; returns them, and labels with a cell's first and
    last token."""
    down, across = (-(-count // THUMBNAIL) for count in values.shape[-2:])  # tokens of a cell
    pad = [(0, 0), (0, 0), (0, -values.shape[2] % down), (0, -values.shape[3] % across)]
    padded = np.pad(values, pad, constant_values=np.nan)
    parts = padded.reshape(*values.shape[:2], -1, down, padded.shape[3] // across, across)
    return np.fmax.reduce(parts, axis=(3, 5)), _ranges(rows, down), _ranges(columns, across)


def _ranges(labels: list[str], size: int) -> list[str]:
    if size == 1:
        return labels
    parts = [labels[i : i + size] for i in range(0, len(labels), size)]
    return [part[0] if len(part) == 1 else f"{part[0]} … {part[-1]}" for part in parts]
