"""Draws a chart of all models in a folder, from their cards: bits per byte against time of training.

    python -m viz.figures.cards OUT.html [--models checkpoints] [--split val] [--theme light]

Every card with a time and with bits per byte is a dot, except models without a causal mask, which read what they have
to predict. The time is the processor time of the last training. If a run did not count it, the wall time is used, and
the label says so; if a GPU trained the model, the label names it. With kaleido, which needs a Chromium, OUT may also be
a .png or an .svg.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import plotly.graph_objects as go

from viz.figures import frame
from viz.figures.curves import bits_by_seconds

Card = Mapping[str, Any]


def read(folder: Path) -> list[Card]:
    """Reads the cards of a folder's models, without snapshots; returns them by the names for `former.load`.

    Raises:
        ValueError: the folder has no cards.
    """
    cards: list[Card] = [
        {**json.loads(path.read_text(encoding="utf-8")), "name": path.parent.relative_to(folder).as_posix()}
        for path in sorted(folder.glob("*/**/card.json"))
        if not path.parent.name.startswith("step-")
    ]
    if not cards:
        raise ValueError(f"{folder} must hold models, each a folder with a card.json; there are none")
    return cards


def chart(cards: Iterable[Card], split: str = "val", theme: str = "light") -> go.Figure:
    """Draws the models' bits per byte against their seconds of training.

    Args:
        cards: contents of the card.json files.
        split: the split of the data on which the bits were measured.
        theme: "light" or "dark".
    Raises:
        ValueError: no card has both numbers.
    """
    points = [
        (*_time(card), measured["bits_per_byte"])
        for card in cards
        for measured in card.get("quality") or []
        if card.get("seconds") and measured.get("split") == split and "bits_per_byte" in measured and _masked(card)
    ]
    if not points:
        raise ValueError(f"cards must hold seconds and bits_per_byte on {split!r}; none of them does")
    seconds, names, bits = zip(*points, strict=True)
    return bits_by_seconds(seconds, bits, names, axes=("seconds of processor time", "bits per byte"), theme=theme)


def _time(card: Card) -> tuple[float, str]:
    """Returns a model's seconds of training, and its name with a note if they are not processor time."""
    if gpu := (card.get("machine") or {}).get("gpu"):
        return card["seconds"], f"{card['name']} ({gpu})"
    if worked := card.get("processor_seconds"):
        begun = (card.get("recipe") or {}).get("weights")
        return worked, f"{card['name']} (its last training)" if begun else card["name"]
    return card["seconds"], f"{card['name']} (clock)"


def _masked(card: Card) -> bool:
    """Returns whether a model was trained with a mask; in older cards the field is outside the config."""
    return "none" not in (card.get("mask"), (card.get("config") or {}).get("mask"))


def main(arguments: Sequence[str] | None = None) -> None:
    """Writes the chart of a folder's models to the file that the command line names; None for this
    process's arguments."""
    parser = argparse.ArgumentParser(prog="python -m viz.figures.cards", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("out", type=Path, help="where the chart goes: a .html file; .svg or .png with kaleido")
    parser.add_argument("--models", type=Path, default=Path("checkpoints"), help="the folder of the models")
    parser.add_argument("--split", default="val", help="of the data: val or test")
    parser.add_argument("--theme", default="light", choices=frame.THEMES)
    options = parser.parse_args(arguments)
    try:
        figure = chart(read(options.models), options.split, options.theme)
    except ValueError as error:
        parser.error(str(error))
    if options.out.suffix == ".html":
        figure.write_html(options.out)
    else:
        figure.write_image(options.out)


if __name__ == "__main__":
    main()
