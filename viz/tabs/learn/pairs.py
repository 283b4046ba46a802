"""Arrows of the plane as a link spells them: "1.5,0.8;0.4,-0.5". lib/plane.js writes and reads them in the browser."""

from __future__ import annotations

import math

from viz.text import Refusal

LONGEST = 200  # characters


def read_pairs(text: str, count: int, reach: float) -> list[list[float]]:
    """So many pairs of numbers.

    Args:
        text: as a link spells them.
        count: how many there must be.
        reach: the largest size of a number.
    Raises:
        Refusal: it is something else.
    """
    try:
        pairs = [[float(number) for number in pair.split(",")] for pair in text[:LONGEST].split(";")]
    except ValueError:
        raise Refusal("bad_request") from None
    if len(pairs) != count or any(len(pair) != 2 for pair in pairs):
        raise Refusal("bad_request")
    if not all(math.isfinite(number) and abs(number) <= reach for pair in pairs for number in pair):
        raise Refusal("bad_request")
    return pairs
