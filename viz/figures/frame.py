"""Helpers for all figures: colours and fonts, literal labels, and checks of numbers."""

from __future__ import annotations

import html
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from viz import style

THEMES = {"light": style.LIGHT, "dark": style.DARK}
LABEL_LENGTH = 24  # characters of a token's label
GAP = (
    "\u2009"  # between a label and its position: a thin space, which no label contains, so the two together are unique
)
JOINER, EMOJI = "\u200d", "[\u2190-\u2bff\ufe0f\U0001f000-\U0001faff]"  # the first joins two of these to one
MARKS = ("Mn", "Mc", "Me", "Sk")  # Unicode categories of characters that combine with the one before
SIGNS = {"\n": "⏎", "\t": "⇥"}
SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")

Floats = NDArray[np.floating]
Colours = dict[str, str]


def palette(theme: str) -> Colours:
    """Returns the colours of a theme by their names, which are those of `viz.style`.

    Raises:
        ValueError: the theme is neither "light" nor "dark".
    """
    if not isinstance(theme, str) or theme not in THEMES:
        raise ValueError(f"theme must be one of {', '.join(THEMES)}, got {theme!r}")
    return THEMES[theme]


def by_name(values: Any, name: str) -> Mapping[str, Any]:
    """Returns `values`, a dict from names to numbers; raises ValueError, naming the argument `name`, for
    anything else."""
    if not isinstance(values, Mapping):
        raise ValueError(f"{name} must be a dict, from names to numbers, got {type(values).__name__}")
    return values


def themed(make: Callable[..., go.Figure], *values: Any, **options: Any) -> dict[str, Any]:
    """Draws make(*values, **options) in both themes: {"light", "dark"}, JSON values for the page's chart component."""
    return {theme: json.loads(make(*values, **options, theme=theme).to_json() or "") for theme in THEMES}


def figure(traces: Sequence[Any], colours: Colours, title: str, **layout: Any) -> go.Figure:
    """Returns a figure in the page's fonts and colours; `layout` is merged into the common layout."""
    axis = {"gridcolor": colours["line"], "linecolor": colours["line"], "zeroline": False, "automargin": True}
    template = {
        "layout": {
            "font": {"family": style.FONT, "size": 12, "color": colours["text"]},
            "paper_bgcolor": colours["panel"],
            "plot_bgcolor": colours["panel"],
            "margin": {"l": 8, "r": 8, "t": 64 if title else 36, "b": 8},
            "xaxis": axis,
            # By default large numbers beside the axis come up to its title.
            "yaxis": {**axis, "title": {"standoff": 16}},
            "legend": {
                "orientation": "h",
                "xanchor": "left",
                "x": 0,
                "yanchor": "bottom",
                "y": 1.01,
                "bgcolor": "rgba(0,0,0,0)",
            },
            "modebar": {"bgcolor": colours["panel"], "color": colours["quiet"], "activecolor": colours["accent"]},
            "hoverlabel": {
                "bgcolor": colours["panel"],
                "bordercolor": colours["quiet"],
                "font": {"family": style.FONT, "color": colours["text"]},
            },
        }
    }
    heading = {"text": literal(title), "x": 0, "xref": "paper", "y": 1, "yanchor": "top", "pad": {"t": 10}}
    return go.Figure(list(traces), {"template": template, "title": heading if title else None, **layout})


def stops(theme: str, scale: str) -> list[tuple[float, str]]:
    """Returns a scale of colours of the page, "weights" or "scores", for a colour axis."""
    colours = style.SCALES[theme][scale]
    return [(i / (len(colours) - 1), colour) for i, colour in enumerate(colours)]


def colourbar(title: str, colours: Colours, **more: Any) -> dict[str, Any]:
    """Returns the settings of the bar that explains the colours of a chart, with a title; `more` adds settings."""
    words = {"text": literal(title), "side": "right"}
    return {"title": words, "thickness": 12, "outlinecolor": colours["line"], **more}


def upright(at: float, colour: str) -> dict[str, Any]:
    """Returns a dashed vertical line at an x, for a layout's `shapes`."""
    line = {"color": colour, "dash": "5px,3px", "width": 1.5}
    return {"type": "line", "x0": at, "x1": at, "y0": 0, "y1": 1, "yref": "paper", "line": line}


def titles(axes: Any) -> tuple[str, str]:
    """Returns the titles of a chart's two axes, escaped so that plotly shows them literally; raises ValueError unless
    there are two."""
    if not isinstance(axes, tuple | list) or len(axes) != 2:
        raise ValueError(f"axes must be two titles, got {axes!r}")
    first, second = map(literal, axes)
    return first, second


def literal(text: Any) -> str:
    """Escapes a text so that plotly shows it literally; it would interpret some HTML, entities, and TeX in dollars."""
    parts = re.split(f"(?<={EMOJI}){JOINER}(?={EMOJI})", str(text))
    visible = JOINER.join("".join(map(_visible, part)) for part in parts)
    return style.isolate(html.escape(visible, quote=False).replace("$", "&#36;"))


def _visible(char: str) -> str:
    """Returns a character, or a sign for one that has no glyph."""
    return SIGNS.get(char, char if char.isprintable() else f"U+{ord(char):04X}")


def labels(tokens: Sequence[Any], count: int | None, name: str, longest: int = LABEL_LENGTH) -> list[str]:
    """Returns a unique label for each token: a token that occurs again gets its position, “the₄”.

    Args:
        tokens: the text's tokens, in order.
        count: the expected number of tokens; None for any.
        name: name of the argument, for the message.
        longest: maximum number of characters; a longer token is shortened.
    Raises:
        ValueError: the number of tokens is not `count`.
    """
    try:
        given = len(tokens)
    except TypeError:
        raise ValueError(f"{name} must be a list of labels, got {type(tokens).__name__}") from None
    if given != (given if count is None else count):
        raise ValueError(f"{name} must hold a label for each of {count} tokens, got {given}")
    texts = [literal(_shorten(str(token), longest)) for token in tokens]
    times = Counter(texts)
    return [text + (GAP + str(i).translate(SUBSCRIPTS) if times[text] > 1 else "") for i, text in enumerate(texts)]


def label(token: Any) -> str:
    """Returns the label of one token: escaped, shortened, with visible spaces."""
    return literal(_shorten(str(token)))


def _shorten(token: str, longest: int = LABEL_LENGTH) -> str:
    """Makes spaces at the ends of a token visible, and shortens a long one."""
    inner = token.strip(" ")
    before = len(token) - len(token.lstrip(" "))
    visible = "␣" * before + inner + "␣" * (len(token) - before - len(inner))
    if len(visible) <= longest:
        return visible
    end = longest - 1
    while end and (unicodedata.category(visible[end]) in MARKS or JOINER in visible[end - 1 : end + 1]):
        end -= 1  # marks stay with their letter, parts of an emoji together
    return visible[:end] + "…"


def numbers(values: ArrayLike, name: str, dims: str, dtype: type[np.floating] = np.float64) -> Floats:
    """Converts values to an array and checks its number of dimensions.

    Args:
        values: anything that numpy can read as numbers.
        name: name of the argument, for the message.
        dims: names of the dimensions, such as "(t_query, t_key)".
        dtype: of the array; float32 halves the size of a large map in a page.
    Raises:
        ValueError: not numbers, another number of dimensions, or an empty array.
    """
    try:
        array = np.asarray(values, dtype=dtype)
    except (TypeError, ValueError, RuntimeError) as error:  # RuntimeError: a torch tensor that has a gradient
        message = f"{name} must be numbers {dims} that numpy can read; a tensor on the CPU and detached: {error}"
        raise ValueError(message) from error
    if array.ndim != len([name for name in dims.strip("()").split(",") if name]) or not array.size:
        raise ValueError(f"{name} must be {dims}, got shape {array.shape}")
    return array


def series(values: ArrayLike, name: str, count: int | None = None) -> Floats:
    """Converts values to an array (n,) of finite numbers; `count`, if given, is the expected n.

    Raises:
        ValueError: as `numbers`, or a number that is not finite, or another n.
    """
    array = numbers(values, name, "(n,)")
    if count is not None and len(array) != count:
        raise ValueError(f"{name} must have {count} numbers, got {len(array)}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite, got {array[~np.isfinite(array)][0]} among its {len(array)} numbers")
    return array


def sides(across: Floats, down: Floats, letters: Sequence[int], width: float) -> list[str]:
    """Returns, for each labelled dot, the side on which its name overlaps other dots, names and the edges least.

    Args:
        across, down: (n,), coordinates of the dots, in pixels.
        letters: number of letters of each name.
        width: width of the chart, in pixels.
    """
    taken: list[Box] = [(x - 5, y - 5, x + 5, y + 5) for x, y in zip(across, down, strict=True)]
    taken += [(-np.inf, -np.inf, 0, np.inf), (width, -np.inf, np.inf, np.inf)]  # beyond the edges
    best_sides = []
    for x, y, count in zip(across, down, letters, strict=True):
        wide = 6.8 * count
        boxes = {
            "middle right": (x + 6, y - 7, x + 6 + wide, y + 7),
            "middle left": (x - 6 - wide, y - 7, x - 6, y + 7),
            "top center": (x - wide / 2, y - 20, x + wide / 2, y - 6),
            "bottom center": (x - wide / 2, y + 6, x + wide / 2, y + 20),
            "top right": (x, y - 20, x + wide, y - 6),
            "bottom right": (x, y + 6, x + wide, y + 20),
            "top left": (x - wide, y - 20, x, y - 6),
            "bottom left": (x - wide, y + 6, x, y + 20),
        }
        side = min(boxes, key=lambda side: sum(_overlap(boxes[side], other) for other in taken))
        taken.append(boxes[side])
        best_sides.append(side)
    return best_sides


Box = tuple[float, float, float, float]  # left, top, right, bottom


def _overlap(box: Box, other: Box) -> float:
    """Returns the overlap of two boxes in square pixels."""
    across = min(box[2], other[2]) - max(box[0], other[0])
    down = min(box[3], other[3]) - max(box[1], other[1])
    return max(across, 0) * max(down, 0)
