"""Beside each other, as Python: the pinned pass, the one on screen, and what differs."""

from __future__ import annotations

from collections.abc import Mapping

from viz.passes.loaded import Models
from viz.server.view import View
from viz.tabs.explore.starts import Start, shown, start
from viz.tabs.python import IMPORTS
from viz.text import NothingToShow


def code(models: Models, view: View) -> str:
    """The pinned pass and the one on screen, and where their maps are of one shape, the difference."""
    pinned = view.get("beside")
    if not isinstance(pinned, Mapping):
        raise NothingToShow("nothing_pinned")
    before, now = start(models, pinned), start(models, view)
    lines = (
        f"{before.code}{shown(before.loaded, pinned)}"
        "before, weights_before, mask_before = shown, weights, mask\n"
        f"figure_before = figures.attention(before, {before.sides}, mask=mask)\n"
        f"{now.code.removeprefix(IMPORTS.rstrip())}{shown(now.loaded, view)}"
        f"figure_now = figures.attention(shown, {now.sides}, mask=mask)\n"
    )
    if (before.t, before.t_key) != (now.t, now.t_key):
        return lines
    lines += (
        "either = mask | mask_before\n"
        "difference = (shown - before).where(either, torch.nan)  # what a mask hides has weight 0\n"
        f'figure = figures.attention(difference, {now.sides}, mask=either, scale="scores", unit="difference")\n'
    )
    if before.stack == now.stack and shape_of(before) == shape_of(now):
        lines += (
            "# of each head, the share of attention that goes elsewhere: (layers, h)\n"
            "moved = (weights - weights_before).abs().sum(-1).mean(-1) / 2\n"
        )
    return lines


def shape_of(begun: Start) -> tuple[int, int]:
    """How many layers there are, and heads in each."""
    config = begun.loaded.bundle.config
    return config.depth, config.heads
