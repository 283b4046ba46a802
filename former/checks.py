"""Argument checks: each raises a ValueError that names the argument, the value and what is expected."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral


def is_whole(value: object) -> bool:
    """Whether a value is a whole number, of Python or numpy, and not a bool."""
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
    """Raises ValueError unless `heads` splits `emb` into equal chunks."""
    if emb % heads:
        raise ValueError(f"heads must divide emb in the {variant} variant, got emb={emb} and heads={heads}")


def require_unify(unify: bool, variant: str) -> None:
    """Raises ValueError for unify=False with the wide variant: head outputs would not add up to emb."""
    if not unify and variant == "wide":
        raise ValueError("unify must be True in the wide variant, whose concatenated heads are larger than emb")
