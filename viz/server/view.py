"""Reads the fields of a view: a request's JSON object, which anyone may send.

Each reader returns a valid value or raises Refusal. A whole number is a JSON int: not true or 1.0, which Python
considers equal to 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from former.checks import is_whole
from viz.passes.loaded import Loaded, Models
from viz.text import Refusal, note

T = TypeVar("T", str, int)
View = Mapping[str, Any]  # a JSON object sent by a page


def read_model(models: Models, view: View, refusal: str = "bad_request") -> Loaded:
    """Reads the field "model", a name in `models`.

    Raises:
        Refusal: `models` has no such name; `refusal` is the message's key.
    """
    name = read_string(view, "model", refusal)
    if name not in models:  # includes snapshots of a training, which iterating over `models` does not yield
        raise Refusal(refusal)
    return models[name]


def read_string(view: View, name: str, refusal: str = "bad_request") -> str:
    """Reads the string field `name`.

    Raises:
        Refusal: it is missing or not a string; `refusal` is the message's key.
    """
    if not isinstance(value := view.get(name), str):
        raise Refusal(refusal)
    return value


def read_choice(view: View, name: str, choices: Iterable[T], refusal: str = "bad_request") -> T:
    """Reads the field `name`, one of `choices`: strings or whole numbers.

    Raises:
        Refusal: any other value; `refusal` is the message's key.
    """
    value = view.get(name)
    for choice in choices:
        if type(value) is type(choice) and value == choice:
            return choice
    raise Refusal(refusal)


def read_index(view: View, name: str, size: int) -> int:
    """Reads the field `name`, a whole number in [0, size).

    Raises:
        Refusal: any other value.
    """
    return read_whole(view, name, 0, size - 1)


def read_whole(view: View, name: str, low: int, high: int, label: str = "", default: int | None = None) -> int:
    """Reads the field `name`, a whole number in [low, high].

    Args:
        view, name: the request and its field.
        low, high: the range, both ends included.
        label: the key of the message that names the field to a visitor; "" if no visitor can set it.
        default: the value of a missing field; None if it is required.
    Raises:
        Refusal: any other value.
    """
    value = view.get(name, default)
    if not is_whole(value) or not low <= value <= high:
        raise _out_of_range("bad_whole_number", label, low, high, value)
    return value


def read_number(view: View, name: str, low: float, high: float, label: str = "", default: float | None = None) -> float:
    """Reads the field `name`, a number in [low, high]; the arguments are those of `read_whole`.

    Raises:
        Refusal: any other value.
    """
    value = view.get(name, default)
    if not (is_whole(value) or isinstance(value, float)) or not low <= value <= high:  # False for NaN too
        raise _out_of_range("bad_number", label, low, high, value)
    return value


def _out_of_range(key: str, label: str, low: float, high: float, value: Any) -> Refusal:
    if not label:
        return Refusal("bad_request")
    return Refusal(key, name=note(label), low=low, high=high, given=f"{value}"[:40])
