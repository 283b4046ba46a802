"""Charts of a scan over a corpus: all heads by two measures, and one head's queries and keys.

Sizes: h heads, k examples.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from viz import style
from viz.figures import frame


def scan(
    across: ArrayLike,
    down: ArrayLike,
    *,
    chosen: tuple[int, int] | None = None,
    axes: tuple[str, str] = ("first", "second"),
    bar: str = "layer",
    title: str = "",
    theme: str = "light",
) -> go.Figure:
    """Draws all heads as dots by two measures; the deeper the layer, the darker the dot (lighter in the dark theme).

    Args:
        across, down: (layers, h, 3): the measure of the x axis and of the y axis: its mean over the corpus, and the
            ends of its spread, such as the tenth and ninetieth percentile.
        chosen: (layer, head) to mark, with its spread as bars.
        axes: names of the two measures.
        bar: title of the colour bar.
        title: title of the figure.
        theme: "light" or "dark".
    Returns:
        The figure: a trace "heads", layer by layer, whose `customdata` is (low, high) across and down; and a trace
        "at", the chosen one.
    Raises:
        ValueError: shapes that do not fit, or a `chosen` out of range.
    """
    colours = frame.palette(theme)
    x, y = frame.numbers(across, "across", "(layers, h, 3)"), frame.numbers(down, "down", "(layers, h, 3)")
    layers, heads = x.shape[:2]
    if x.shape != y.shape or x.shape[2] != 3:
        raise ValueError(f"across and down must be (layers, h, 3) alike, got {x.shape} and {y.shape}")
    layer, head = chosen or (0, 0)
    if not (0 <= layer < layers and 0 <= head < heads):
        raise ValueError(f"chosen must be one of {layers} layers of {heads} heads, got {chosen}")
    number = np.arange(layers * heads)
    x, y = x.reshape(-1, 3), y.reshape(-1, 3)
    colourbar = {"title": frame.literal(bar), "dtick": max(1, layers // 6), "thickness": 10, "outlinewidth": 0}
    dots = go.Scatter(
        x=x[:, 0].tolist(),
        y=y[:, 0].tolist(),
        customdata=np.hstack((x[:, 1:], y[:, 1:])).tolist(),
        text=[f"layer {i // heads}, head {i % heads}" for i in number],
        name="heads",
        mode="markers",
        marker=_dots(number // heads, theme, cmin=0, cmax=max(1, layers - 1), size=10, colorbar=colourbar),
        hovertemplate="%{text}<br>%{x:.4g} (%{customdata[0]:.4g} to %{customdata[1]:.4g}) across"
        "<br>%{y:.4g} (%{customdata[2]:.4g} to %{customdata[3]:.4g}) down<extra></extra>",
    )
    traces = [dots] if chosen is None else [dots, _at(x[layer * heads + head], y[layer * heads + head], colours)]
    xaxis, yaxis = ({"title": name} for name in frame.titles(axes))
    options = {"showlegend": False, "hovermode": "closest", "height": 420}
    return frame.figure(traces, colours, title, xaxis=xaxis, yaxis=yaxis, **options)


def plane(
    queries: ArrayLike,
    keys: ArrayLike,
    names: Sequence[tuple[Any, Any]],
    ranks: ArrayLike,
    *,
    axes: tuple[str, str] = ("first component", "second component"),
    title: str = "",
    theme: str = "light",
) -> go.Figure:
    """Draws a head's queries, and for each the key with the largest weight, as points in a plane.

    Args:
        queries, keys: (k, 2).
        names: the tokens of each query and its key.
        ranks: (k,): rank of each example by how sharply the head attends, 0 for the sharpest, drawn darkest.
        axes: titles of the two axes.
        title: title of the figure.
        theme: "light" or "dark".
    Returns:
        The figure: the traces "queries", circles, and "keys", diamonds.
    Raises:
        ValueError: shapes that do not fit.
    """
    colours = frame.palette(theme)
    q, k = frame.numbers(queries, "queries", "(k, 2)"), frame.numbers(keys, "keys", "(k, 2)")
    order = frame.series(ranks, "ranks", len(q))
    if q.shape != k.shape or q.shape[1] != 2 or len(names) != len(q):
        raise ValueError(
            f"queries, keys and names must be of the same k places, got {q.shape}, {k.shape}, {len(names)}"
        )
    text = [f"{frame.label(query)} → {frame.label(key)}" for query, key in names]
    traces = [
        go.Scatter(
            x=places[:, 0].tolist(),
            y=places[:, 1].tolist(),
            text=text,
            name=name,
            mode="markers",
            marker=_dots(-order, theme, size=9, symbol=symbol),
            hovertemplate="%{text}<extra>%{fullData.name}</extra>",
        )
        for name, places, symbol in (("queries", q, "circle"), ("keys", k, "diamond"))
    ]
    xaxis, yaxis = ({"title": name, "zeroline": True, "zerolinecolor": colours["line"]} for name in frame.titles(axes))
    return frame.figure(traces, colours, title, xaxis=xaxis, yaxis=yaxis, hovermode="closest", height=420)


def _dots(numbers: frame.Floats, theme: str, **options: Any) -> dict[str, Any]:
    """Returns the look of dots coloured by numbers, without colours that are hardly visible on the background."""
    line = {"color": frame.palette(theme)["quiet"], "width": 1}
    return {"color": numbers.tolist(), "colorscale": style.SCALES[theme]["weights"][2:], "line": line, **options}


def _at(x: frame.Floats, y: frame.Floats, colours: frame.Colours) -> go.Scatter:
    """Returns a ring around the chosen head, with bars over its spread."""
    bars = [
        {"type": "data", "symmetric": False, "array": [max(0, high - mean)], "arrayminus": [max(0, mean - low)]}
        for mean, low, high in (x.tolist(), y.tolist())
    ]
    return go.Scatter(
        x=[x[0]],
        y=[y[0]],
        error_x=bars[0],
        error_y=bars[1],
        name="at",
        mode="markers",
        marker={"symbol": "circle-open", "size": 15, "color": colours["mark"], "line": {"width": 2.5}},
        hoverinfo="skip",
    )
