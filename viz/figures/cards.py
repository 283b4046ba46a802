"""What the models of a folder are worth, for the time that they were trained: a page with a chart, from their cards.

    python -m viz.figures.cards OUT.html [--models checkpoints] [--split val] [--theme light]

Every card with a time and with bits per byte is a dot, but a model without a causal mask is left out: it reads what it
is to predict. The time is the processor's, of its last training where there was more than one; a model whose run did
not count it stands at the time by the clock and says so, and one that a GPU trained names the GPU. With kaleido, which
needs a Chromium, OUT may be a .png or an .svg too.
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
    """The cards of a folder's models, each under the name by which it is loaded; no snapshots.

    Raises:
        ValueError: there are none.
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
    """Bits per byte against seconds of training.

    Args:
        cards: as they stand beside weights.
        split: of the data, on which the bits were measured.
        theme: "light" or "dark".
    Raises:
        ValueError: no card has both.
    """
    found = [
        (*_time(card), measured["bits_per_byte"])
        for card in cards
        for measured in card.get("quality") or []
        if card.get("seconds") and measured.get("split") == split and "bits_per_byte" in measured and _masked(card)
    ]
    if not found:
        raise ValueError(f"cards must hold seconds and bits_per_byte on {split!r}; none of them does")
    seconds, names, bits = zip(*found, strict=True)
    return bits_by_seconds(seconds, bits, names, axes=("seconds of processor time", "bits per byte"), theme=theme)


def _time(card: Card) -> tuple[float, str]:
    """The seconds at which a model stands, and its name with what they count where it is not the processor's time."""
    if gpu := (card.get("machine") or {}).get("gpu"):
        return card["seconds"], f"{card['name']} ({gpu})"
    if worked := card.get("processor_seconds"):
        begun = (card.get("recipe") or {}).get("weights")
        return worked, f"{card['name']} (its last training)" if begun else card["name"]
    return card["seconds"], f"{card['name']} (clock)"


def _masked(card: Card) -> bool:
    """Whether a model was trained with a mask: an older card has it beside its config."""
    return "none" not in (card.get("mask"), (card.get("config") or {}).get("mask"))


def main(arguments: Sequence[str] | None = None) -> None:
    """Writes the chart."""
    parser = argparse.ArgumentParser(prog="python -m viz.figures.cards", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("out", type=Path, help="where the chart goes: a .html file; .svg or .png with kaleido")
    parser.add_argument("--models", type=Path, default=Path("checkpoints"), help="the folder of the models")
    parser.add_argument("--split", default="val", help="of the data: val or test")
    parser.add_argument("--theme", default="light", choices=frame.THEMES)
    given = parser.parse_args(arguments)
    try:
        figure = chart(read(given.models), given.split, given.theme)
    except ValueError as error:
        parser.error(str(error))
    if given.out.suffix == ".html":
        figure.write_html(given.out)
    else:
        figure.write_image(given.out)


if __name__ == "__main__":
    main()
