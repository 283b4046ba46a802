"""A number that is measured at several sizes, with something and without it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from viz.figures import frame

WIDE, TALL = 600, 220  # pixels of a chart of points, about
ROOM = 0.18  # around points, for their names: of what they take up
COLOURS = ("mark", "accent", "good", "warn")
DASHES = ("6px,3px", "solid", "2px,3px", "10px,3px,2px,3px")


def by_size(
    sizes: ArrayLike,
    values: Mapping[str, ArrayLike],
    *,
    at: float | None = None,
    log: bool = False,
    axes: tuple[str, str] = ("size", "value"),
    title: str = "",
    theme: str = "light",
) -> go.Figure:
    """A number over a size that doubles: a line for each way of computing it.

    Args:
        sizes: (n,): above 0; the axis is logarithmic.
        values: for each way, by its name, (n,).
        at: a size that is marked by an upright line.
        log: whether the numbers' axis is logarithmic too; they must then be above 0.
        axes: titles of the two axes.
        title: shown above.
        theme: "light" or "dark".
    Returns:
        The figure: a trace for each way.
    Raises:
        ValueError: shapes that do not fit, or numbers that a logarithmic axis cannot show.
    """
    colours = frame.palette(theme)
    x = frame.series(sizes, "sizes")
    lines = {name: frame.series(given, f"values[{name!r}]", len(x)) for name, given in values.items()}
    if x.min() <= 0 or (log and any(line.min() <= 0 for line in lines.values())):
        raise ValueError("sizes, and values on a logarithmic axis, must be above 0")
    traces = [
        go.Scatter(
            x=x.tolist(),
            y=line.tolist(),
            name=frame.literal(name),
            mode="lines+markers",
            line={"color": colours[COLOURS[i % len(COLOURS)]], "dash": DASHES[i % len(DASHES)], "width": 2.5},
            hovertemplate="%{y:.4g}<extra>%{fullData.name}</extra>",
        )
        for i, (name, line) in enumerate(lines.items())
    ]
    return frame.figure(
        traces,
        colours,
        title,
        xaxis={
            "type": "log",
            "title": frame.literal(axes[0]),
            "tickvals": x.tolist(),
            "ticktext": [f"{v:g}" for v in x],
        },
        yaxis={
            "type": "log" if log else "linear",
            "title": frame.literal(axes[1]),
            **({} if log else {"rangemode": "tozero"}),
        },
        shapes=[] if at is None else [frame.upright(at, colours["quiet"])],
        hovermode="x unified",
        height=360,
    )


def points(
    at: ArrayLike,
    labels: Sequence[str],
    *,
    kinds: Sequence[str] | None = None,
    trails: ArrayLike | None = None,
    axes: tuple[str, str] = ("first", "second"),
    title: str = "",
    theme: str = "light",
) -> go.Figure:
    """Things in a plane, each with its name, and where each came from.

    Args:
        at: (n, 2).
        labels: one for each.
        kinds: one for each; each kind has a colour and a line in the legend. None for one kind.
        trails: (steps, n, 2): where each was before, drawn as a thin line; None for none.
        axes: titles of the two axes.
        title: shown above.
        theme: "light" or "dark".
    Returns:
        The figure: a trace for each kind, after one for the trails.
    Raises:
        ValueError: shapes that do not fit.
    """
    colours = frame.palette(theme)
    places = frame.numbers(at, "at", "(n, 2)")
    names = frame.labels(labels, len(places), "labels")
    groups = kinds or ["points"] * len(places)
    if places.shape[1] != 2 or len(groups) != len(places):
        raise ValueError(f"at must be (n, 2) with a kind for each, got {places.shape} and {len(groups)} kinds")
    traces: list[go.Scatter] = []
    everywhere = places
    if trails is not None:
        steps = np.asarray(trails, dtype=float)  # (steps, n, 2)
        gaps = np.full((1, *steps.shape[1:]), np.nan)
        x, y = np.concatenate([steps, gaps]).transpose(2, 1, 0).reshape(2, -1)  # one after the other, a gap between
        lines = [[None if np.isnan(value) else float(value) for value in axis] for axis in (x, y)]
        everywhere = np.concatenate([places, *steps])
        look = {"color": colours["quiet"], "width": 1}
        traces.append(
            go.Scatter(
                x=lines[0], y=lines[1], mode="lines", name="trails", line=look, hoverinfo="skip", showlegend=False
            )
        )
    low, high = places.min(0), places.max(0)
    across, down = ((places - low) / np.where(high > low, high - low, 1)).T * [[WIDE], [-TALL]]
    sides = frame.sides(across, down, [len(name) for name in names], WIDE)
    for i, kind in enumerate(dict.fromkeys(groups)):
        chosen = [j for j, group in enumerate(groups) if group == kind]
        traces.append(
            go.Scatter(
                x=places[chosen, 0].tolist(),
                y=places[chosen, 1].tolist(),
                text=[names[j] for j in chosen],
                mode="markers+text",
                textposition=[sides[j] for j in chosen],
                name=frame.literal(kind),
                marker={
                    "color": colours[("accent", "mark", "good", "warn")[i % 4]],
                    "size": 9,
                    "symbol": ("circle", "diamond")[i % 2],
                },
                hovertemplate="%{text}: %{x:.3f}, %{y:.3f}<extra></extra>",
            )
        )
    xaxis, yaxis = (
        {
            "title": frame.literal(name),
            "range": [low - ROOM * (high - low or 1), high + ROOM * (high - low or 1)],
            "zeroline": True,
            "zerolinecolor": colours["quiet"],
        }
        for name, low, high in zip(axes, everywhere.min(0), everywhere.max(0), strict=True)
    )
    return frame.figure(
        traces,
        colours,
        title,
        xaxis=xaxis,
        yaxis=yaxis,
        height=420,
    )
