"""Maps that are read with words: where a decoder looks in its source, and what each layer would say.

Sizes: t tokens, of a source t_source and of a target t_target.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from viz import style
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
    """One head of cross-attention: a row for each token of the target, a column for each of the source.

    A ring marks the largest weight of each row, so that an alignment shows as a line.

    Args:
        weights: (t_target, t_source), in [0, 1]; NaN is a cell that is masked, such as padding.
        target: a label for each row: what had been written when the row looked.
        source: a label for each column.
        scale, unit: as for `attention`.
        axes: titles of the axis across and of the one down.
        title: shown above.
        theme: "light" or "dark".
    Returns:
        The figure of `attention`, with a last trace "alignment".
    Raises:
        ValueError: shapes that do not fit, or numbers out of the scale's range.
    """
    values = frame.numbers(weights, "weights", "(t_target, t_source)")
    # Said outright: a square map with zeros above its diagonal would be taken for a causal one.
    seen = ~np.isnan(values)
    options = {"scale": scale, "axes": axes, "unit": unit, "title": title, "theme": theme}
    figure = attention(values, target, source, mask=seen, **options)
    found = [row for row in range(len(values)) if seen[row].any()]
    best = [int(np.nanargmax(values[row])) for row in found]
    columns = frame.labels(source, values.shape[1], "source")
    rows = frame.labels(target, values.shape[0], "target")
    ring = {"symbol": "circle-open", "size": 11, "color": frame.palette(theme)["mark"], "line": {"width": 2}}
    figure.add_scatter(
        x=[columns[column] for column in best],
        y=[rows[row] for row in found],
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
    """What a model would say at each depth: a row a depth, the last on top, with the likeliest token in each cell.

    Of `former.logit_lens`: `probs, ids = former.logit_lens(model, tokens)[:, 0].softmax(-1).topk(10)`.

    Args:
        probs: (depths, t, top), in [0, 1]: of the likeliest tokens, the likeliest first.
        said: the labels of those tokens, as many.
        tokens: (t,) a label for each column: what was read.
        depths: a label for each row; None for "–", which is before the first block, then the blocks' numbers.
        axes: titles of the axis across and of the one up.
        unit: what the colours say.
        title: shown above.
        theme: "light" or "dark".
    Returns:
        The figure: one trace, "lens", whose z is the likeliest token's probability.
    Raises:
        ValueError: shapes that do not fit, or numbers that are no probabilities.
    """
    colours = frame.palette(theme)
    values = frame.numbers(probs, "probs", "(depths, t, top)")
    count, t, top = values.shape
    if not ((values >= 0) & (values <= 1 + 1e-6)).all():
        raise ValueError(
            f"probs must be probabilities, in [0, 1], got {np.nanmin(values):.4g} to {np.nanmax(values):.4g}"
        )
    names = [[[frame.label(token) for token in cell] for cell in row] for row in said]
    if [len(row) for row in names] != [t] * count or any(len(cell) != top for row in names for cell in row):
        raise ValueError(f"said must hold a label for each of probs, {values.shape}")
    rows = frame.labels(depths if depths is not None else ["–", *range(count - 1)], count, "depths")
    columns = frame.labels(tokens, t, "tokens")
    stops = style.SCALES[theme]["weights"]
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
        colorscale=[(i / (len(stops) - 1), colour) for i, colour in enumerate(stops)],
        colorbar={
            "title": {"text": frame.literal(unit), "side": "right"},
            "thickness": 12,
            "outlinecolor": colours["line"],
        },
        xgap=1,
        ygap=1,
        name="lens",
    )
    return frame.figure(
        [lens],
        colours,
        title,
        xaxis={"title": f"{frame.literal(axes[0])} →", "type": "category", "showgrid": False},
        yaxis={"title": f"{frame.literal(axes[1])} →", "type": "category", "showgrid": False, "dtick": 1},
        width=CELL * t + 170,
        height=26 * count + (150 if title else 110),
    )


def _list(probs: frame.Floats, names: Sequence[str]) -> str:
    """A line for each token, with its probability."""
    return "<br>".join(f"{name} {prob:.2%}" for name, prob in zip(names, probs, strict=True))
