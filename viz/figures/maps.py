"""Attention as maps: one head, or all heads of a model.

Sizes: h heads, t_query and t_key tokens on the two sides of a map, equal in self-attention.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from viz import style
from viz.figures import frame, grid

QUERY, KEY = "query (attends from)", "key (attends to)"
TITLES = {"linear": "weight", "row": "weight / the row’s largest", "root": "weight, root scale", "scores": "score"}
STEPS = 24  # straight pieces that approximate the curve of the root scale
LABELLED = 50  # tokens of a map that all have a label on the axis
HATCHED = 48  # most lines over the masked cells, per side
HATCHED_SMALL = 12  # of a head among others

Bools = NDArray[np.bool_]


def attention(
    weights: ArrayLike,
    queries: Sequence[Any],
    keys: Sequence[Any] | None = None,
    *,
    mask: ArrayLike | None = None,
    scale: str = "linear",
    axes: tuple[str, str] = (KEY, QUERY),
    unit: str | None = None,
    title: str = "",
    theme: str = "light",
) -> go.Figure:
    """Draws the attention map of one head: one row per query, one column per key, with values under the pointer.

    Args:
        weights: (t_query, t_key), in [0, 1]; any numbers with scale="scores". NaN and −∞ are masked cells.
        queries: a label for each row.
        keys: a label for each column; None for `queries`, as in self-attention.
        mask: bool (t_query, t_key), True where the query may attend to the key, as in `former.masks`. Without it, a
            square map with exact zeros everywhere above the diagonal is taken to be causal.
        scale: of the colours. "linear": from 0 to 1; "row": from 0 to the row's maximum; "root": the square root of
            the weight, which emphasises small weights; "scores": symmetric about 0, up to the largest magnitude.
        axes: titles of the x axis and the y axis.
        unit: title of the colour bar; None for an English default.
        title: title of the figure.
        theme: "light" or "dark".
    Returns:
        The figure: a trace "masked" if there are masked cells, and a trace "weights", whose z is NaN in them.
    Raises:
        ValueError: shapes that do not fit, or numbers outside the scale's range.
    """
    colours = frame.palette(theme)
    values, masked = _read(weights, "(t_query, t_key)", mask, scale, tuple(TITLES))
    rows = frame.labels(queries, values.shape[0], "queries")
    columns = frame.labels(queries if keys is None else keys, values.shape[1], "keys")
    hover = "query %{y}<br>key %{x}"
    under = np.zeros(values.shape, np.uint8)  # a masked cell everywhere, for the weights to lie on
    traces = [_masked(under, colours, hover, x=columns, y=rows)] if masked.any() else []
    traces.append(_weights(values, scale, theme, colours, hover, unit, x=columns, y=rows))
    x_title, y_title = frame.titles(axes)
    return frame.figure(
        traces,
        colours,
        title,
        xaxis={"title": f"{x_title} →", **_axis(len(columns))},
        yaxis={"title": f"← {y_title}", **_axis(len(rows)), "autorange": "reversed", "scaleanchor": "x"},
        shapes=[_hatch(masked, colours, -(-max(masked.shape) // HATCHED))] if masked.any() else [],
        width=_side(values.shape[1]) + 240,
        height=_side(values.shape[0]) + (190 if title else 150),
    )


def heads(
    weights: ArrayLike,
    tokens: Sequence[Any],
    keys: Sequence[Any] | None = None,
    *,
    mask: ArrayLike | None = None,
    scale: str = "root",
    axes: tuple[str, str] = ("head", "layer"),
    unit: str | None = None,
    title: str = "",
    theme: str = "light",
) -> go.Figure:
    """Draws all heads as small maps, one row per layer and one column per head, which zoom together.

    A side of more than 64 tokens is pooled to 64 cells or fewer. A cell then has the largest weight of its pairs, so
    single large weights stay visible, and a picture of 96 heads has no more than 2 MB.

    Args:
        weights: (layers, h, t_query, t_key), in [0, 1]; NaN is a masked cell.
        tokens: a label for each query.
        keys: a label for each key; None for `tokens`.
        mask: bool (t_query, t_key) for all heads, as for `attention`.
        scale: "linear" or "root", as for `attention`.
        axes: words before the number of a column and of a row of maps.
        unit: as for `attention`.
        title: title of the figure.
        theme: "light" or "dark".
    Returns:
        The figure: a trace "masked", with one cell per head, and on top of it a trace "weights" with all maps.
    Raises:
        ValueError: shapes that do not fit, or numbers outside [0, 1].
    """
    colours = frame.palette(theme)
    values, masked = _read(weights, "(layers, h, t_query, t_key)", mask, scale, ("linear", "root"))
    layers, count, *_ = values.shape
    rows = frame.labels(tokens, values.shape[2], "tokens")
    columns = frame.labels(tokens if keys is None else keys, values.shape[3], "keys")
    values, rows, columns = grid.pool(values, rows, columns)
    x_title, y_title = frame.titles(axes)
    down, across = grid.Side(y_title, layers, rows), grid.Side(x_title, count, columns)
    traces, shapes = [], []
    if masked.any():
        hidden = grid.join(np.isnan(values), down, across) == 1
        traces.append(_backgrounds(down, across, colours))
        shapes.append(_hatch(hidden, colours, -(-max(len(rows), len(columns)) // HATCHED_SMALL)))
    whole = grid.join(values, down, across)
    traces.append(_weights(whole, scale, theme, colours, "%{y}<br>%{x}", unit, x0=0, dx=1, y0=0, dy=1))
    return frame.figure(
        traces,
        colours,
        title,
        xaxis={**across.axis, "constrain": "domain"},
        yaxis={**down.axis, "autorange": "reversed", "scaleanchor": "x", "constrain": "domain"},
        annotations=across.names("x", yref="y domain", y=1, yanchor="bottom")
        + down.names("y", xref="x domain", x=0, xanchor="right"),
        shapes=shapes,
        legend={"yanchor": "top", "y": -0.01},
        margin={"l": 64, "r": 8, "t": 64 if title else 32, "b": 8},
        width=90 * count + 180,
        height=round(90 * layers * min(2, len(rows) / len(columns))) + (110 if title else 80),
    )


def _backgrounds(down: grid.Side, across: grid.Side, colours: frame.Colours) -> go.Heatmap:
    """Returns a masked cell for each head, as a background for its weights."""
    cells = np.full((2 * len(down.blocks) - 1, 2 * len(across.blocks) - 1), np.nan, np.float32)
    cells[::2, ::2] = 0
    named = [[f"{row}, {column}" for column in np.repeat(across.blocks, 2)] for row in np.repeat(down.blocks, 2)]
    return _masked(cells, colours, "%{text}", text=named, x=across.borders, y=down.borders)


def _read(
    weights: ArrayLike, dims: str, mask: ArrayLike | None, scale: str, scales: Sequence[str]
) -> tuple[frame.Floats, Bools]:
    """Returns the values, with NaN in masked cells, and which cells are masked."""
    if scale not in scales:
        raise ValueError(f"scale must be one of {', '.join(scales)}, got {scale!r}")
    values = frame.numbers(weights, "weights", dims, np.float32).copy()
    shape = values.shape[-2:]
    masked = np.isnan(values) | (values == -np.inf)
    if mask is not None:
        allowed = np.asarray(mask)
        if allowed.shape != shape or allowed.dtype != np.bool_:
            raise ValueError(f"mask must be bool {shape}, got {allowed.dtype} {allowed.shape}")
        if scale != "scores" and (values[..., ~allowed] > 0).any():
            raise ValueError(f"mask hides weights up to {values[..., ~allowed].max():.4g}; True = may attend")
        masked = masked | ~allowed
    elif scale != "scores" and shape[0] == shape[1] and not np.triu(values, 1).any():
        masked = masked | ~np.tri(shape[0], dtype=bool)
    visible = values[~masked]
    if not np.isfinite(visible).all() or (scale != "scores" and ((visible < -1e-6) | (visible > 1 + 1e-5)).any()):
        message = (
            f'weights must lie in [0, 1], got {visible.min():.4g} to {visible.max():.4g}; scale="scores" draws others'
        )
        raise ValueError(message)
    values[masked] = np.nan
    return values, masked


def _masked(cells: NDArray[Any], colours: frame.Colours, hover: str, **more: Any) -> go.Heatmap:
    """Returns a trace with a background colour for masked cells; the weights are drawn over it."""
    return go.Heatmap(
        z=cells,
        colorscale=[[0, colours["masked"]], [1, colours["masked"]]],
        showscale=False,
        showlegend=True,
        hoverongaps=False,
        hovertemplate=f"{hover}<br>masked<extra></extra>",
        name="masked",
        **more,
    )


def _hatch(masked: Bools, colours: frame.Colours, step: int) -> dict[str, Any]:
    """Returns diagonal lines over the masked cells, `step` apart, so that they do not look like weights of 0."""
    rows, columns = masked.shape
    path = []
    for diagonal in range(0, rows + columns - 1, step):  # on which row + column is the same
        first = max(0, diagonal - rows + 1)
        across = np.arange(first, min(columns, diagonal + 1))
        changes = np.diff(np.concatenate(([0], masked[diagonal - across, across], [0])).astype(int))
        for start, end in zip(first + np.flatnonzero(changes == 1), first + np.flatnonzero(changes == -1), strict=True):
            path.append(f"M{start - 0.5},{diagonal - start + 0.5}L{end - 0.5},{diagonal - end + 0.5}")
    line = {"width": 1, "color": colours["quiet"]}
    return {"type": "path", "path": "".join(path), "line": line, "opacity": 0.35, "name": "masked"}


def _weights(
    values: frame.Floats, scale: str, theme: str, colours: frame.Colours, hover: str, unit: str | None, **more: Any
) -> go.Heatmap:
    """Returns the trace of the weights; the pointer shows the value itself, whatever the scale of colours."""
    shown, most, value = values, 1.0, "%{z:.4g}"
    if scale == "row":
        most_of_row = np.nanmax(values, 1, keepdims=True, initial=0)
        shown, value = values / np.where(most_of_row > 0, most_of_row, 1), "%{text}"
        more["text"] = [["" if np.isnan(cell) else f"{cell:.4g}" for cell in row] for row in values]
    if scale == "scores":
        most = float(np.nanmax(np.abs(values), initial=0)) or 1.0
    return go.Heatmap(
        z=shown,
        zmin=-most if scale == "scores" else 0,
        zmax=most,
        colorscale=_stops(scale, theme),
        colorbar=frame.colourbar(unit or TITLES[scale], colours, lenmode="pixels", len=240, y=1, yanchor="top"),
        hoverongaps=False,
        hovertemplate=f"{hover}<br>{'score' if scale == 'scores' else 'weight'} {value}<extra></extra>",
        name="weights",
        **more,
    )


def _stops(scale: str, theme: str) -> list[tuple[float, str]]:
    """Returns the colour scale; for "root", the page's stops are at the squares of their positions."""
    if scale != "root":
        return frame.stops(theme, "scores" if scale == "scores" else "weights")
    stops = np.array([[int(colour[at : at + 2], 16) for at in (1, 3, 5)] for colour in style.SCALES[theme]["weights"]])
    roots = np.linspace(0, 1, STEPS + 1)
    mixed = [np.interp(roots, np.linspace(0, 1, len(stops)), stops[:, part]).round().astype(int) for part in range(3)]
    return [(float(root**2), f"rgb({r},{g},{b})") for root, r, g, b in zip(roots, *mixed, strict=True)]


def _axis(count: int) -> dict[str, Any]:
    """Returns an axis with a label for each token, or for as many as fit."""
    axis = {"type": "category", "constrain": "domain", "showgrid": False, "tickfont": {"size": 11}}
    return axis | ({"dtick": 1} if count <= LABELLED else {})


def _side(count: int) -> int:
    """Returns the length in pixels of a side with `count` cells."""
    return min(640, max(240, 24 * count))
