"""The decorator for those methods of models that take an observer."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar

from former.hooks import checked_edits

P = ParamSpec("P")
R = TypeVar("R")


def observable(method: Callable[P, R]) -> Callable[P, R]:
    """Decorates a method: an observer of points or layers that the model does not have raises ValueError, because it
    would never be called.

    `capture=`, the earlier name of `observer=`, is accepted too.
    """
    observer_index = list(signature(method).parameters).index("observer")

    @wraps(method)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        if "capture" in kwargs:
            kwargs["observer"] = kwargs.pop("capture")
        model: Any = args[0]
        observer: Any = args[observer_index] if len(args) > observer_index else kwargs.get("observer")
        if observer is not None:
            checked_edits(model, [observer])
        return method(*args, **kwargs)

    return call
