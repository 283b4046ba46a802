"""Distributions as bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from viz.figures import frame


def next_tokens(
    probs: ArrayLike,
    labels: Sequence[Any],
    *,
    before: ArrayLike | None = None,
    top: int = 10,
    axis: str = "probability",
    title: str = "",
    theme: str = "light",
) -> go.Figure:
    """Draws the most probable next tokens as bars, with the likeliest on top.

    Args:
        probs: (n,): probability of each token, for the whole vocabulary or a part of it.
        labels: one for each token.
        before: (n,): the probabilities before an edit of the model, drawn as a second bar next to each.
        top: number of tokens to show, at least 1; those with the largest `probs`.
        axis: title of the axis of numbers.
        title: title of the figure.
        theme: "light" or "dark".
    Returns:
        The figure: a trace "probability", or the two traces "before" and "after".
    Raises:
        ValueError: shapes that do not fit, or numbers outside [0, 1].
    """
    colours = frame.palette(theme)
    if not isinstance(top, Integral) or top < 1:
        raise ValueError(f"top must be at least 1, got {top!r}")
    after = _probabilities(probs, "probs", None)
    series = {"probability": after}
    if before is not None:
        series = {"before": _probabilities(before, "before", len(after)), "after": after}
    order = np.argsort(-after, kind="stable")[:top]
    names = frame.labels(labels, len(after), "labels")
    names = [names[i] for i in order]
    numbers = {name: values[order] for name, values in series.items()}
    hover = "%{y}<br>%{x:.4%}<extra>%{fullData.name}</extra>"
    return frame.figure(
        _bars(numbers, names, colours, texttemplate="%{x:.1%}", textposition="auto", hovertemplate=hover),
        colours,
        title,
        xaxis={"title": frame.literal(axis), "tickformat": ".0%", "rangemode": "tozero"},
        yaxis={"type": "category", "autorange": "reversed", "showgrid": False},
        barmode="group",
        bargap=0.25,
        width=560,
        height=120 + (26 if before is None else 44) * len(order),
    )


def _bars(series: dict[str, frame.Floats], names: list[str], colours: frame.Colours, **look: Any) -> list[go.Bar]:
    """Returns the traces of horizontal bars: those of "before" are paler."""
    colour = {"before": colours["quiet"]}
    return [
        go.Bar(x=x, y=names, orientation="h", name=name, marker={"color": colour.get(name, colours["accent"])}, **look)
        for name, x in series.items()
    ]


def _probabilities(values: ArrayLike, name: str, count: int | None) -> frame.Floats:
    array = frame.series(values, name, count)
    if array.min() < -1e-6 or array.sum() > 1 + 1e-3:
        raise ValueError(f"{name} must be probabilities, got {array.min():.4g} at least and {array.sum():.4g} together")
    return array


def bars(
    values: ArrayLike,
    labels: Sequence[Any] | None = None,
    *,
    before: ArrayLike | None = None,
    axis: str = "",
    title: str = "",
    theme: str = "light",
) -> go.Figure:
    """Draws one bar for each label, in order, such as the surprise of each token or the bits of each model.

    Args:
        values: (n,): of either sign.
        labels: one for each value; None for their indices from 0.
        before: (n,): the values before an edit, drawn as a second bar next to each.
        axis: title of the axis of numbers.
        title: title of the figure.
        theme: "light" or "dark".
    Returns:
        The figure: a trace "value", or the two traces "before" and "after".
    Raises:
        ValueError: shapes that do not fit.
    """
    colours = frame.palette(theme)
    after = frame.series(values, "values")
    names = frame.labels(range(len(after)) if labels is None else labels, len(after), "labels")
    series = (
        {"value": after} if before is None else {"before": frame.series(before, "before", len(after)), "after": after}
    )
    return frame.figure(
        _bars(series, names, colours, textangle=0, hovertemplate="%{y}<br>%{x:.4g}<extra>%{fullData.name}</extra>"),
        colours,
        title,
        xaxis={"title": frame.literal(axis)},
        yaxis={"type": "category", "autorange": "reversed", "showgrid": False, "ticklabelstandoff": 4},
        barmode="group",
        showlegend=before is not None,
        width=560,
        height=120 + min(22 * len(series) * len(after), 1600),
    )


def additions(
    attention: ArrayLike,
    feed_forward: ArrayLike,
    *,
    axes: tuple[str, str] = ("layer", "length of what is added"),
    title: str = "",
    theme: str = "light",
) -> go.Figure:
    """Draws what attention and feed-forward of each block add to the residual stream, as two bars per layer.

    Args:
        attention: (layers,): norm of the vector that attention adds.
        feed_forward: (layers,): norm of the vector that the feed-forward adds.
        axes: titles of the two axes.
        title: title of the figure.
        theme: "light" or "dark".
    Returns:
        The figure: the traces "attention" and "feed-forward".
    Raises:
        ValueError: shapes that do not fit.
    """
    colours = frame.palette(theme)
    first = frame.series(attention, "attention")
    second = frame.series(feed_forward, "feed_forward", len(first))
    traces = [
        go.Bar(
            x=list(range(len(first))),
            y=lengths.tolist(),
            name=name,
            marker={"color": colours[colour]},
            hovertemplate="%{x}: %{y:.4g}<extra>%{fullData.name}</extra>",
        )
        for name, lengths, colour in (("attention", first, "accent"), ("feed-forward", second, "warn"))
    ]
    x_title, y_title = frame.titles(axes)
    return frame.figure(
        traces,
        colours,
        title,
        xaxis={"title": x_title, "dtick": 1, "showgrid": False},
        yaxis={"title": y_title, "rangemode": "tozero"},
        barmode="group",
        height=320,
    )


def stacked(
    parts: Mapping[str, ArrayLike],
    labels: Sequence[Any],
    *,
    axes: tuple[str, str] = ("", "sum"),
    title: str = "",
    theme: str = "light",
) -> go.Figure:
    """Draws a stacked bar for each label, split into parts, such as the four terms of a score.

    Positive parts are stacked upwards from zero, negative ones downwards; a dot marks the sum.

    Args:
        parts: arrays (n,) by name, of either sign.
        labels: n, one for each bar.
        axes: titles of the two axes.
        title: title of the figure.
        theme: "light" or "dark".
    Returns:
        The figure: a trace for each part, then "sum".
    Raises:
        ValueError: no parts, or shapes that do not fit.
    """
    colours = frame.palette(theme)
    if not frame.by_name(parts, "parts"):
        raise ValueError("parts must hold at least one, got none")
    names = frame.labels(labels, None, "labels")
    rows = {name: frame.series(values, f"parts[{name!r}]", len(names)) for name, values in parts.items()}
    traces: list[Any] = [
        go.Bar(
            x=names,
            y=values.tolist(),
            name=frame.literal(name),
            marker={"color": colours[("accent", "good", "warn", "mark")[i % 4]]},
            hovertemplate="%{y:.3f}<extra>%{fullData.name}</extra>",
        )
        for i, (name, values) in enumerate(rows.items())
    ]
    marker = {"color": colours["text"], "size": 8, "line": {"color": colours["panel"], "width": 1.5}}
    total = np.sum(list(rows.values()), axis=0).tolist()
    hover = "%{y:.3f}<extra>%{fullData.name}</extra>"
    traces.append(go.Scatter(x=names, y=total, name="sum", mode="markers", marker=marker, hovertemplate=hover))
    x_title, y_title = frame.titles(axes)
    return frame.figure(
        traces,
        colours,
        title,
        xaxis={"title": x_title, "type": "category", "showgrid": False},
        yaxis={"title": y_title, "zeroline": True, "zerolinecolor": colours["quiet"]},
        barmode="relative",
        bargap=0.2,
        hovermode="x unified",
        height=380,
    )
