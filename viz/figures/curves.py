"""Line charts: the cost of masks, the similarity of positions, the course of training."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from types import MappingProxyType
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from viz.figures import frame

COLOURS = ("text", "accent", "good", "warn", "quiet", "mark")  # of lines, in this order; then again

FEW = 30  # points of a line that each have a dot
WIDE, HIGH = 700, 420  # pixels, about, of the chart of models within its axes
NAME = 40  # characters of a model's name
DASHES = ("solid", "8px,3px", "2px,3px", "10px,3px,2px,3px", "5px,5px", "solid")


def mask_cost(
    tokens: ArrayLike,
    cells: Mapping[str, ArrayLike],
    *,
    chosen: str | None = None,
    at: int | None = None,
    axes: tuple[str, str] = ("tokens t", "cells"),
    title: str = "",
    theme: str = "light",
) -> go.Figure:
    """Draws how many scores each mask allows as texts grow: one line per mask, both axes logarithmic.

    Args:
        tokens: (n,): increasing lengths of the text, at least 1.
        cells: for each mask's name (n,): number of allowed cells at each length, at least 1.
        chosen: name of the mask whose line is emphasised.
        at: a length in `tokens` to mark on that line.
        axes: titles of the two axes.
        title: title of the figure.
        theme: "light" or "dark".
    Returns:
        The figure: a trace for each mask, and a last one, "at", if a length is marked.
    Raises:
        ValueError: shapes that do not fit, numbers below 1, or an unknown `chosen` or `at`.
    """
    colours = frame.palette(theme)
    lengths = _counts(tokens, "tokens", None)
    if (np.diff(lengths) <= 0).any():
        raise ValueError("tokens must grow from one length to the next")
    if not frame.by_name(cells, "cells") or (chosen is not None and chosen not in cells):
        raise ValueError(f"chosen must be one of the masks {', '.join(cells) or '(there are none)'}, got {chosen!r}")
    lines = {name: _counts(counts, f"cells[{name!r}]", len(lengths)) for name, counts in cells.items()}
    hover = "%{y:,}<extra>%{fullData.name}</extra>"
    traces = [
        _line(lengths, counts, name, _look(i, colours) | {"width": 3 if name == chosen else 1.5}, hovertemplate=hover)
        for i, (name, counts) in enumerate(lines.items())
    ]
    if at is not None:
        traces.append(_mark(lengths, lines[chosen or next(iter(lines))], at, colours))
    axis = {"type": "log", "dtick": 1, "exponentformat": "power"}
    x_title, y_title = frame.titles(axes)
    return frame.figure(
        traces,
        colours,
        title,
        xaxis={**axis, "title": x_title, "hoverformat": ","},
        yaxis={**axis, "title": y_title, "dtick": 2},
        hovermode="x unified",
        hoverdistance=-1,  # the nearest length, however far
        height=420,
    )


def similarity(
    values: ArrayLike,
    at: int,
    *,
    most: float | None = None,
    trained: int | None = None,
    length: int | None = None,
    axes: tuple[str, str] = ("position", "similarity"),
    title: str = "",
    theme: str = "light",
) -> go.Figure:
    """Draws the similarity of one position's vector to that of every other position.

    Args:
        values: (t,): the similarity with each position.
        at: the position itself, which is marked.
        most: the axis goes from −most to most; None for the largest value.
        trained: number of positions in training, which is marked.
        length: number of positions on the axis, if it continues beyond those with a vector.
        axes: titles of the two axes.
        title: title of the figure.
        theme: "light" or "dark".
    Returns:
        The figure: a trace "similarity", and a trace "at".
    Raises:
        ValueError: shapes that do not fit, a position out of range, a limit that is not a number, or not two axes.
    """
    colours = frame.palette(theme)
    line = frame.series(values, "values")
    if not isinstance(at, Integral) or not 0 <= at < len(line):
        raise ValueError(f"at must be a position in [0, {len(line)}), got {at!r}")
    if most is not None and not (isinstance(most, Real) and 0 <= most < math.inf):
        raise ValueError(f"most must be a number of at least 0, got {most!r}")
    for name, count in (("trained", trained), ("length", length)):
        if count is not None and not (isinstance(count, Integral) and count > 0):
            raise ValueError(f"{name} must be a whole number of at least 1, got {count!r}")
    end = len(line) if length is None else length
    high = float(np.abs(line).max() if most is None else most) or 1.0
    positions = np.arange(float(len(line)))
    style = {"color": colours["accent"]}
    curve = _line(positions, line, "similarity", style, hovertemplate="%{x}: %{y:.4f}<extra></extra>")
    shapes: list[dict[str, Any]] = []
    if end > len(line):
        beyond = {"x0": len(line), "x1": end, "y0": 0, "y1": 1, "yref": "paper", "layer": "below"}
        shapes.append({"type": "rect", **beyond, "fillcolor": colours["masked"], "line": {"width": 0}})
    if trained is not None:
        shapes.append(frame.upright(trained, colours["mark"]))
    x_title, y_title = frame.titles(axes)
    return frame.figure(
        [curve, _mark(positions, line, at, colours)],
        colours,
        title,
        xaxis={"title": x_title, "range": [0, end], "showgrid": False},
        yaxis={"title": y_title, "range": [-high * 1.05, high * 1.05]},
        shapes=shapes,
        showlegend=False,
        hovermode="x",
        hoverdistance=-1,
        height=360,
    )


def training(
    curves: Mapping[str, tuple[ArrayLike, ArrayLike]],
    *,
    measures: Mapping[str, tuple[ArrayLike, ArrayLike]] = MappingProxyType({}),
    unit: str = "share",
    logarithmic: bool = False,
    at: float | None = None,
    axes: tuple[str, str] = ("step", "bits per byte"),
    title: str = "",
    theme: str = "light",
) -> go.Figure:
    """Draws the course of training: the loss of each run against its steps or seconds, and other measures.

    Args:
        curves: for each run's name, (n,) increasing steps or seconds and (n,) losses.
        measures: the same for other numbers, such as a head's copying score, on a second axis.
        unit: title of the second axis, on the right.
        logarithmic: whether the x axis is logarithmic; its numbers must then be above 0.
        at: x of a vertical line.
        axes: titles of the x axis and of the left y axis.
        title: title of the figure.
        theme: "light" or "dark".
    Returns:
        The figure: a trace for each run, then for each measure; lines of few points have a dot at each.
    Raises:
        ValueError: no runs, shapes that do not fit, or steps that do not increase.
    """
    colours = frame.palette(theme)
    if not frame.by_name(curves, "curves"):
        raise ValueError("curves must hold at least one run")
    traces = []
    for i, (name, pair) in enumerate([*curves.items(), *frame.by_name(measures, "measures").items()]):
        measured = i >= len(curves)
        if not isinstance(pair, Sequence) or len(pair) != 2:
            kind = "measures" if measured else "curves"
            raise ValueError(f"{kind}[{name!r}] must be (steps, numbers), got {type(pair).__name__}")
        steps, values = pair
        x = frame.series(steps, f"steps of {name!r}")
        y = frame.series(values, f"{'values' if measured else 'losses'} of {name!r}", len(x))
        if (np.diff(x) <= 0).any() or (logarithmic and x[0] <= 0):
            raise ValueError(f"steps of {name!r} must grow{', from above 0' if logarithmic else ''}, got {x}")
        mode, axis = "lines+markers" if len(x) <= FEW else "lines", "y2" if measured else "y"
        hover = "%{x:,}: %{y:.4f}<extra>%{fullData.name}</extra>"
        traces.append(_line(x, y, name, _look(i, colours), mode=mode, hovertemplate=hover, yaxis=axis))
    right = {"title": frame.literal(unit), "overlaying": "y", "side": "right", "showgrid": False}
    x_title, y_title = frame.titles(axes)
    return frame.figure(
        traces,
        colours,
        title,
        xaxis={"title": x_title, "type": "log" if logarithmic else "linear"},
        yaxis={"title": y_title},
        **({"yaxis2": right} if measures else {}),
        shapes=[] if at is None else [frame.upright(at, colours["mark"])],
        showlegend=True,
        height=420,
    )


def bits_by_seconds(
    seconds: ArrayLike,
    bits: ArrayLike,
    names: Sequence[Any],
    *,
    axes: tuple[str, str] = ("seconds of training", "bits per byte"),
    title: str = "",
    theme: str = "light",
) -> go.Figure:
    """Draws models as labelled dots: bits per byte against time of training, on a logarithmic axis.

    Args:
        seconds: (n,): time of training, above 0.
        bits: (n,): bits per byte of held-out text; less is better.
        names: of the models.
        axes: titles of the two axes.
        title: title of the figure.
        theme: "light" or "dark".
    Returns:
        The figure: one trace, "models".
    Raises:
        ValueError: shapes that do not fit, or times that are not above 0.
    """
    colours = frame.palette(theme)
    x = frame.series(seconds, "seconds")
    y = frame.series(bits, "bits", len(x))
    if x.min() <= 0:
        raise ValueError(f"seconds must be above 0, to be drawn on a logarithmic axis, got {x.min():.4g}")
    labels = frame.labels(names, len(x), "names", NAME)
    low, high = np.log10([x.min() / 2, x.max() * 2])  # room for the names
    least, most = y.min() - 0.2, y.max() + 0.2
    across = (np.log10(x) - low) / (high - low) * WIDE
    down = (most - y) / (most - least) * HIGH
    dots = go.Scatter(
        x=x.tolist(),
        y=y.tolist(),
        text=labels,
        name="models",
        mode="markers+text",
        textposition=frame.sides(across, down, [len(text) for text in labels], WIDE),
        marker={"color": colours["accent"], "size": 9},
        hovertemplate="%{text}<br>%{x:,} s, %{y:.4f}<extra></extra>",
        cliponaxis=False,
    )
    x_title, y_title = frame.titles(axes)
    return frame.figure(
        [dots],
        colours,
        title,
        xaxis={"title": x_title, "type": "log", "range": [low, high], "dtick": 1},
        yaxis={"title": y_title, "range": [least, most]},
        showlegend=False,
        width=760,
        height=480,
    )


def _look(i: int, colours: frame.Colours) -> dict[str, Any]:
    """Returns the look of the i-th line of a chart."""
    return {"color": colours[COLOURS[i % len(COLOURS)]], "dash": DASHES[i % len(DASHES)]}


def _line(
    x: frame.Floats, y: frame.Floats, name: str, style: dict[str, Any], *, mode: str = "lines", **more: Any
) -> go.Scatter:
    return go.Scatter(x=x.tolist(), y=y.tolist(), name=frame.literal(name), mode=mode, line=style, **more)


def _counts(values: ArrayLike, name: str, count: int | None) -> frame.Floats:
    array = frame.series(values, name, count)
    if array.min() < 1:
        raise ValueError(f"{name} must be at least 1, to be drawn on a logarithmic axis, got {array.min():.4g}")
    return array


def _mark(x: frame.Floats, y: frame.Floats, at: int, colours: frame.Colours) -> go.Scatter:
    """Returns a trace of one dot: the point of a line at the given x."""
    (index,) = np.nonzero(x == at)
    if not len(index):
        raise ValueError(f"at must be one of the {len(x)} points of the line, got {at}")
    style = {"mode": "markers", "marker": {"color": colours["mark"], "size": 10}, "hoverinfo": "skip"}
    return go.Scatter(x=x[index].tolist(), y=y[index].tolist(), name="at", showlegend=False, **style)
