"""Reads arrows in the plane from a link, such as "1.5,0.8;0.4,-0.5"; lib/plane.js does the same in the browser."""

from __future__ import annotations

import math

from viz.text import Refusal

MOST_CHARACTERS = 200  # characters


def read_pairs(text: str, count: int, reach: float) -> list[list[float]]:
    """Reads `count` pairs of numbers, such as "1.5,0.8;0.4,-0.5" for two.

    Args:
        text: the pairs as in a link.
        count: the expected number of pairs.
        reach: largest magnitude of a number.
    Raises:
        Refusal: anything else.
    """
    try:
        pairs = [[float(number) for number in pair.split(",")] for pair in text[:MOST_CHARACTERS].split(";")]
    except ValueError:
        raise Refusal("bad_request") from None
    if len(pairs) != count or any(len(pair) != 2 for pair in pairs):
        raise Refusal("bad_request")
    if not all(math.isfinite(number) and abs(number) <= reach for pair in pairs for number in pair):
        raise Refusal("bad_request")
    return pairs
