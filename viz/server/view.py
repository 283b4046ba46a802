"""Views: what the page asks, as plain values that anyone may send, and how they are read.

Each reader returns a value that is safe to use, or raises Refusal. A whole number is an int of JSON: neither true nor
1.0, which Python takes for the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from former.checks import is_whole
from viz.passes.loaded import Loaded, Models
from viz.text import Refusal, note

T = TypeVar("T", str, int)
View = Mapping[str, Any]  # a JSON object that came from a page


def read_model(models: Models, view: View, refusal: str = "bad_request") -> Loaded:
    """Reads "model".

    Raises:
        Refusal: not one of `models`, with this message.
    """
    name = read_string(view, "model", refusal)
    if name not in models:  # snapshots of a training are, though no list of the models has them
        raise Refusal(refusal)
    return models[name]


def read_string(view: View, name: str, refusal: str = "bad_request") -> str:
    """Reads a string.

    Raises:
        Refusal: anything else.
    """
    if not isinstance(given := view.get(name), str):
        raise Refusal(refusal)
    return given


def read_choice(view: View, name: str, choices: Iterable[T], refusal: str = "bad_request") -> T:
    """Reads one of some words, or one of some whole numbers.

    Raises:
        Refusal: anything else.
    """
    given = view.get(name)
    for choice in choices:
        if type(given) is type(choice) and given == choice:
            return choice
    raise Refusal(refusal)


def read_index(view: View, name: str, size: int) -> int:
    """Reads a whole number in [0, size).

    Raises:
        Refusal: anything else.
    """
    return read_whole(view, name, 0, size - 1)


def read_whole(view: View, name: str, low: int, high: int, label: str = "", usual: int | None = None) -> int:
    """Reads a whole number from low to high.

    Args:
        view, name: the field.
        low, high: its range, with both ends.
        label: the message that names the field to a visitor; "" where no visitor can set it.
        usual: its value where it is missing; None where it may not be.
    Raises:
        Refusal: anything else.
    """
    given = view.get(name, usual)
    if not is_whole(given) or not low <= given <= high:
        raise _out_of_range("bad_whole_number", label, low, high, given)
    return given


def read_number(view: View, name: str, low: float, high: float, label: str = "", usual: float | None = None) -> float:
    """Reads a number from low to high; the arguments are those of `read_whole`.

    Raises:
        Refusal: anything else.
    """
    given = view.get(name, usual)
    if not (is_whole(given) or isinstance(given, float)) or not low <= given <= high:  # NaN is not either
        raise _out_of_range("bad_number", label, low, high, given)
    return given


def _out_of_range(key: str, label: str, low: float, high: float, given: Any) -> Refusal:
    if not label:
        return Refusal("bad_request")
    return Refusal(key, name=note(label), low=low, high=high, given=f"{given}"[:40])
