"""Views: what the page asks, as plain values that anyone may send, and how they are read.

Each reader returns a value that is safe to use, or raises Refusal.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from viz.passes.loaded import Loaded, Models
from viz.text import Refusal

View = Mapping[str, Any]


def read_model(models: Models, view: View) -> Loaded:
    """Reads "model".

    Raises:
        Refusal: not one of `models`.
    """
    return models[read_choice(view, "model", models)]


def read_index(view: View, name: str, size: int) -> int:
    """Reads a whole number in [0, size).

    Raises:
        Refusal: anything else.
    """
    given = view.get(name)
    if not isinstance(given, int) or isinstance(given, bool) or not 0 <= given < size:
        raise Refusal("bad_request")
    return given


def read_choice(view: View, name: str, choices: Iterable[str]) -> str:
    """Reads one of some words.

    Raises:
        Refusal: anything else.
    """
    if not isinstance(given := view.get(name), str) or given not in choices:
        raise Refusal("bad_request")
    return given
