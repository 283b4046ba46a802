"""The checks that arguments share: each raises a ValueError that names the argument, what came and what is expected."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral


def is_whole(value: object) -> bool:
    """Whether a value is a whole number, numpy's among them, and no bool."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def require_positive(name: str, value: int) -> None:
    """Raises ValueError unless `value` is a whole number of at least 1."""
    if not is_whole(value) or value < 1:
        raise ValueError(f"{name} must be a whole number of at least 1, got {value!r}")


def require_choice(name: str, value: str, choices: Iterable[str]) -> None:
    """Raises ValueError unless `value` is one of `choices`."""
    choices = tuple(choices)
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r}")


def require_divides(emb: int, heads: int, variant: str = "narrow") -> None:
    """Raises ValueError unless `heads` cuts `emb` into equal chunks."""
    if emb % heads:
        raise ValueError(f"heads must divide emb in the {variant} variant, got emb={emb} and heads={heads}")


def require_unify(unify: bool, variant: str) -> None:
    """Raises ValueError unless what the heads give can go on as it is where no map unifies them."""
    if not unify and variant == "wide":
        raise ValueError("unify must be True in the wide variant, whose heads are too large to stand side by side")
