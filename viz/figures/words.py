"""Maps whose cells are read as words: cross-attention, and the logit lens.

Sizes: t tokens, of a source t_source and of a target t_target.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from viz.figures import frame
from viz.figures.maps import attention

CELL = 58  # pixels of a token in the lens


def cross_attention(
    weights: ArrayLike,
    target: Sequence[Any],
    source: Sequence[Any],
    *,
    scale: str = "linear",
    axes: tuple[str, str] = ("source (attended to)", "target (attends from)"),
    unit: str | None = None,
    title: str = "",
    theme: str = "light",
) -> go.Figure:
    """Draws one head of cross-attention: one row per token of the target, one column per token of the source.

    A ring marks the largest weight of each row, so that an alignment is visible as a line.

    Args:
        weights: (t_target, t_source), in [0, 1]; NaN is a masked cell, such as padding.
        target: a label for each row: the last token written when the row's weights were computed.
        source: a label for each column.
        scale, unit: as for `attention`.
        axes: titles of the x axis and the y axis.
        title: title of the figure.
        theme: "light" or "dark".
    Returns:
        The figure of `attention`, with a last trace "alignment".
    Raises:
        ValueError: shapes that do not fit, or numbers outside the scale's range.
    """
    values = frame.numbers(weights, "weights", "(t_target, t_source)")
    # Passed explicitly, because a square map with zeros above its diagonal would be taken to be causal.
    defined = ~np.isnan(values)
    options = {"scale": scale, "axes": axes, "unit": unit, "title": title, "theme": theme}
    figure = attention(values, target, source, mask=defined, **options)
    defined_rows = [row for row in range(len(values)) if defined[row].any()]
    best = [int(np.nanargmax(values[row])) for row in defined_rows]
    columns = frame.labels(source, values.shape[1], "source")
    rows = frame.labels(target, values.shape[0], "target")
    ring = {"symbol": "circle-open", "size": 11, "color": frame.palette(theme)["mark"], "line": {"width": 2}}
    figure.add_scatter(
        x=[columns[column] for column in best],
        y=[rows[row] for row in defined_rows],
        name="alignment",
        mode="markers",
        marker=ring,
        hoverinfo="skip",
        showlegend=False,
    )
    return figure


def logit_lens(
    probs: ArrayLike,
    said: Sequence[Sequence[Sequence[Any]]],
    tokens: Sequence[Any],
    *,
    depths: Sequence[Any] | None = None,
    axes: tuple[str, str] = ("token", "after block"),
    unit: str = "probability",
    title: str = "",
    theme: str = "light",
) -> go.Figure:
    """Draws the logit lens: the likeliest next token at each depth (row, the last on top) and position (column).

    The numbers come from `former.logit_lens`:
    `probs, ids = former.logit_lens(model, tokens)[:, 0].softmax(-1).topk(10)`.

    Args:
        probs: (depths, t, top), in [0, 1]: probabilities of the likeliest tokens, in descending order.
        said: labels of those tokens, in the same shape.
        tokens: (t,): label of each column, the token that was read.
        depths: a label for each row; None for "–" (before the first block), then the blocks' numbers.
        axes: titles of the x axis and the y axis.
        unit: title of the colour bar.
        title: title of the figure.
        theme: "light" or "dark".
    Returns:
        The figure: one trace, "lens", whose z is the likeliest token's probability.
    Raises:
        ValueError: shapes that do not fit, or numbers outside [0, 1].
    """
    colours = frame.palette(theme)
    values, names = _guesses(probs, said)
    count, t, _ = values.shape
    rows = frame.labels(depths if depths is not None else ["–", *range(count - 1)], count, "depths")
    columns = frame.labels(tokens, t, "tokens")
    lens = go.Heatmap(
        z=values[..., 0],
        zmin=0,
        zmax=1,
        x=columns,
        y=rows,
        text=[[cell[0] for cell in row] for row in names],
        texttemplate="%{text}",
        textfont={"size": 11},
        customdata=[[_list(p, cell) for p, cell in zip(*row, strict=True)] for row in zip(values, names, strict=True)],
        hovertemplate="%{x} · %{y}<br>%{customdata}<extra></extra>",
        colorscale=frame.stops(theme, "weights"),
        colorbar=frame.colourbar(unit, colours),
        xgap=1,
        ygap=1,
        name="lens",
    )
    xaxis, yaxis = ({"title": f"{name} →", "type": "category", "showgrid": False} for name in frame.titles(axes))
    size = {"width": CELL * t + 170, "height": 26 * count + (150 if title else 110)}
    return frame.figure([lens], colours, title, xaxis=xaxis, yaxis={**yaxis, "dtick": 1}, **size)


def _guesses(probs: ArrayLike, said: Sequence[Sequence[Sequence[Any]]]) -> tuple[frame.Floats, list[list[list[str]]]]:
    """Checks probabilities (depths, t, top) and the labels of their tokens; returns both."""
    values = frame.numbers(probs, "probs", "(depths, t, top)")
    count, t, top = values.shape
    if not ((values >= 0) & (values <= 1 + 1e-6)).all():
        raise ValueError(
            f"probs must be probabilities, in [0, 1], got {np.nanmin(values):.4g} to {np.nanmax(values):.4g}"
        )
    names = [[[frame.label(token) for token in cell] for cell in row] for row in said]
    if [len(row) for row in names] != [t] * count or any(len(cell) != top for row in names for cell in row):
        raise ValueError(f"said must hold a label for each of probs, {values.shape}")
    return values, names


def _list(probs: frame.Floats, names: Sequence[str]) -> str:
    """Returns one line per token, with its probability."""
    return "<br>".join(f"{name} {prob:.2%}" for name, prob in zip(names, probs, strict=True))
