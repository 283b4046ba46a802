"""Charts of numbers by size, and of labelled points in a plane."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from viz.figures import frame

WIDE, TALL = 600, 220  # pixels of a chart of points, about
ROOM = 0.26  # margin around the points for their names, as a share of their extent
CLOSE = (90, 40)  # pixels across and up, within which two names would overlap
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
    """Draws a number against a size, on a logarithmic axis: one line for each method.

    Args:
        sizes: (n,): above 0.
        values: for each method's name (n,), its number at each size.
        at: size of a vertical line.
        log: whether the y axis is logarithmic too; the values must then be above 0.
        axes: titles of the two axes.
        title: title of the figure.
        theme: "light" or "dark".
    Returns:
        The figure: a trace for each method.
    Raises:
        ValueError: shapes that do not fit, or numbers that a logarithmic axis cannot show.
    """
    colours = frame.palette(theme)
    x = frame.series(sizes, "sizes")
    values = frame.by_name(values, "values")
    lines = {name: frame.series(given, f"values[{name!r}]", len(x)) for name, given in values.items()}
    if not lines:
        raise ValueError("values must hold at least one method, got none")
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
    ticks = {"tickvals": x.tolist(), "ticktext": [f"{size:g}" for size in x]}
    scale = {"type": "log", **_steps(np.concatenate(list(lines.values())))} if log else {"rangemode": "tozero"}
    x_title, y_title = frame.titles(axes)
    return frame.figure(
        traces,
        colours,
        title,
        xaxis={"type": "log", "title": x_title, **ticks},
        yaxis={"type": "linear", "title": y_title, **scale},
        shapes=[] if at is None else [frame.upright(at, colours["quiet"])],
        hovermode="x unified",
        height=360,
    )


def _steps(values: frame.Floats) -> dict[str, Any]:
    """Returns the ticks of a logarithmic axis: 1, 2, 5, 10 …, or powers of ten over a range of more than 1,000."""
    low, high = np.floor(np.log10(values.min())), np.ceil(np.log10(values.max()))
    digits = (1, 2, 5) if values.max() < 1000 * values.min() else (1,)
    marks = [digit * 10.0**power for power in np.arange(low, high + 1) for digit in digits]
    return {"tickvals": marks, "ticktext": [f"{mark:,.12g}" for mark in marks]}


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
    """Draws labelled points in a plane, and the paths along which they moved.

    Args:
        at: (n, 2).
        labels: one for each point.
        kinds: one for each point; each kind has a colour and a line in the legend. None for one kind.
        trails: (steps, n, 2): earlier coordinates, drawn as thin lines; None for no lines.
        axes: titles of the two axes.
        title: title of the figure.
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
    everywhere, trail = places, []
    if trails is not None:
        steps = frame.numbers(trails, "trails", "(steps, n, 2)")
        if steps.shape[1:] != places.shape:
            raise ValueError(f"trails must be (steps, {len(places)}, 2), got {steps.shape}")
        everywhere = np.concatenate([places, *steps])  # (n · (steps + 1), 2)
        trail = [_trails(steps, colours)]
    written = together(places, names, groups, np.ptp(everywhere, 0))
    xaxis, yaxis = (
        {
            "title": name,
            "range": [low - ROOM * (high - low or 1), high + ROOM * (high - low or 1)],
            "zeroline": True,
            "zerolinecolor": colours["quiet"],
        }
        for name, low, high in zip(frame.titles(axes), everywhere.min(0), everywhere.max(0), strict=True)
    )
    traces = trail + _dots(places, names, written, groups, colours)
    return frame.figure(traces, colours, title, xaxis=xaxis, yaxis=yaxis, height=420)


def _dots(
    places: frame.Floats, names: Sequence[str], written: Sequence[str], groups: Sequence[str], colours: frame.Colours
) -> list[go.Scatter]:
    """Returns the dots (n, 2) of each kind, with the text next to each; the pointer shows the dot's own name."""
    kinds = list(dict.fromkeys(groups))
    sides = ("middle left", "middle right") if len(kinds) > 1 else ("middle right",)
    traces: list[go.Scatter] = []
    for i, kind in enumerate(kinds):
        selection = [j for j, group in enumerate(groups) if group == kind]
        traces.append(
            go.Scatter(
                x=places[selection, 0].tolist(),
                y=places[selection, 1].tolist(),
                text=[written[j] for j in selection],
                customdata=[names[j] for j in selection],
                mode="markers+text",
                cliponaxis=False,
                textposition=sides[i % len(sides)],
                name=frame.literal(kind),
                marker={
                    "color": colours[("accent", "mark", "good", "warn")[i % 4]],
                    "size": 9,
                    "symbol": ("circle", "diamond")[i % 2],
                },
                hovertemplate="%{customdata}: %{x:.3f}, %{y:.3f}<extra></extra>",
            )
        )
    return traces


def _trails(steps: frame.Floats, colours: frame.Colours) -> go.Scatter:
    """Joins all paths (steps, n, 2) into one line with gaps."""
    gaps = np.full((1, *steps.shape[1:]), np.nan)
    x, y = np.concatenate([steps, gaps]).transpose(2, 1, 0).reshape(2, -1)
    across, up = ([None if np.isnan(value) else float(value) for value in axis] for axis in (x, y))
    line = {"color": colours["quiet"], "width": 1}
    return go.Scatter(x=across, y=up, mode="lines", name="trails", line=line, hoverinfo="skip", showlegend=False)


def together(at: ArrayLike, labels: Sequence[str], kinds: Sequence[str], span: ArrayLike) -> list[str]:
    """Returns the text next to each dot of `points`; dots of one kind that are close share one block of lines.

    A block is placed next to its rightmost dot; if there are several kinds, the first kind's blocks are placed next to
    their leftmost dot.

    Args:
        at: (n, 2).
        labels: one for each.
        kinds: one for each.
        span: (2,): width and height of the range of the dots, in units of `at`.
    Returns:
        n texts, lines joined by <br>; "" for a dot whose name is in another dot's block.
    """
    places = np.asarray(at, dtype=float)
    pixels = places / np.where(np.asarray(span) > 0, span, 1) * [WIDE, TALL]
    close = (np.abs(pixels[:, None] - pixels) < CLOSE).all(-1) & (np.array(kinds)[:, None] == np.array(kinds))
    for _ in kinds:  # a dot that is close to one that is close is of the block too
        close = close @ close
    left = kinds[0] if len(set(kinds)) > 1 else None
    texts = [""] * len(places)
    for first in set(close.argmax(1).tolist()):
        block: list[int] = sorted(np.flatnonzero(close[first]).tolist(), key=lambda j: -places[j, 1])
        outermost = (min if kinds[first] == left else max)(block, key=lambda j: places[j, 0])
        texts[outermost] = "<br>".join(labels[j] for j in block)
    return texts
