"""Reads rows of numbers from a link, such as the arrows "1.5,0.8;0.4,-0.5"; lib/plane.js does so in the browser."""

from __future__ import annotations

import math

from viz.text import Refusal

MOST_CHARACTERS = 200  # characters


def read_pairs(text: str, count: int, reach: float, width: int = 2) -> list[list[float]]:
    """Reads `count` pairs of numbers, such as "1.5,0.8;0.4,-0.5" for two, or rows of `width` numbers.

    Args:
        text: the rows as in a link.
        count: the expected number of rows.
        reach: largest magnitude of a number.
        width: the expected number of numbers in a row.
    Raises:
        Refusal: anything else.
    """
    try:
        pairs = [[float(number) for number in pair.split(",")] for pair in text[:MOST_CHARACTERS].split(";")]
    except ValueError:
        raise Refusal("bad_request") from None
    if len(pairs) != count or any(len(pair) != width for pair in pairs):
        raise Refusal("bad_request")
    if not all(math.isfinite(number) and abs(number) <= reach for pair in pairs for number in pair):
        raise Refusal("bad_request")
    return pairs
