"""Argument checks: each raises a ValueError that names the argument, the value and what is expected."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any, TypeGuard

import torch
from torch import Tensor


def is_whole(value: object) -> TypeGuard[int]:
    """Returns whether a value is a whole number, of Python or numpy, and not a bool."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_number(value: object, above: float = -math.inf) -> TypeGuard[float]:
    """Returns whether a value is a finite number above a limit, of Python or numpy, and not a bool."""
    try:
        return isinstance(value, Real) and not isinstance(value, bool) and above < float(value) < math.inf
    except OverflowError:  # a whole number of more than 308 digits
        return False


def is_share(value: object) -> TypeGuard[float]:
    """Returns whether a value is a number in [0, 1]."""
    return is_number(value) and 0 <= value <= 1


def is_index(value: object, size: int) -> TypeGuard[int]:
    """Returns whether a value is a whole number in [0, size)."""
    return is_whole(value) and 0 <= value < size


def require_instance(name: str, value: object, kind: type) -> None:
    """Raises ValueError unless `value` is an instance of `kind`, for example a `Bundle` and not the model in it."""
    if not isinstance(value, kind):
        raise ValueError(f"{name} must be of type {kind.__name__}, got {type(value).__name__}")


def holds_whole(x: Tensor) -> bool:
    """Returns whether a tensor's dtype is one of whole numbers."""
    return not (x.is_floating_point() or x.is_complex() or x.dtype == torch.bool)


def require_vectors(divisor: float, *, q: Tensor, k: Tensor, **v: Tensor) -> None:
    """Raises ValueError unless queries and keys have one size, each key has a value v, if there are any, all are
    floating point of one dtype, batches and heads fit, and `divisor` is above 0."""
    vectors = {"q": q, "k": k, **v}
    for name, each in vectors.items():
        require_instance(name, each, Tensor)
    one_dtype = all(each.dtype == q.dtype for each in vectors.values()) or torch.is_autocast_enabled(q.device.type)
    if not one_dtype or not all(each.is_floating_point() for each in vectors.values()):
        dtypes = _and(each.dtype for each in vectors.values())
        raise ValueError(f"{_and(vectors)} must be floating point of one dtype, got {dtypes}")
    if min(q.dim(), k.dim()) < 2 or q.shape[-1] != k.shape[-1]:
        raise ValueError(f"q and k must be vectors of one size, got {tuple(q.shape)} and {tuple(k.shape)}")
    for values in v.values():
        if values.dim() < 2 or values.shape[-2] != k.shape[-2]:
            raise ValueError(f"v must be a vector for each of the {k.shape[-2]} keys, got {tuple(values.shape)}")
    batches = [each.shape[:-2] for each in vectors.values()]
    if any(each != batches[0] for each in batches) and not _broadcast(*batches):
        shapes = _and(tuple(each.shape) for each in vectors.values())
        raise ValueError(f"{_and(vectors)} must have as many batches and heads, got {shapes}")
    if not is_number(divisor, above=0):
        raise ValueError(f"divisor must be a number above 0, got {divisor!r}")


def _and(values: Iterable[object]) -> str:
    *first, last = map(str, values)
    return f"{', '.join(first)} and {last}"


def _broadcast(*shapes: torch.Size) -> bool:
    """Returns whether tensors of these shapes can be broadcast together."""
    try:
        torch.broadcast_shapes(*shapes)
    except RuntimeError:
        return False
    return True


def require_callable(name: str, value: object) -> None:
    """Raises ValueError unless `value` is a function, or a model."""
    if not callable(value):
        raise ValueError(f"{name} must be a function or a model, got {type(value).__name__}")


def require_positive(name: str, value: int) -> None:
    """Raises ValueError unless `value` is a whole number of at least 1."""
    if not is_whole(value) or value < 1:
        raise ValueError(f"{name} must be a whole number of at least 1, got {value!r}")


def require_dropout(value: float) -> None:
    """Raises ValueError unless `value` is in [0, 1)."""
    if not is_share(value) or value == 1:
        raise ValueError(f"dropout must be in [0, 1), got {value!r}")


def require_room(limit: int, least: int) -> None:
    """Raises ValueError if `limit` is below `least`, the special tokens around a text and one token of the
    text itself."""
    if limit < least:
        raise ValueError(f"limit must be at least {least}, with the tokens around this text, got {limit}")


def listed(name: str, values: Any) -> tuple[Any, ...]:
    """Returns values as a tuple; raises ValueError if they are a single value, such as a number, instead of a list."""
    if not isinstance(values, Iterable) or getattr(values, "ndim", 1) == 0:
        raise ValueError(f"{name} must be a list, got {values!r}")
    return tuple(values)


def distinct(name: str, values: Any) -> frozenset[Any]:
    """Returns values as a set; raises ValueError as `listed`, or if one is itself a list."""
    listed_values = listed(name, values)
    try:
        return frozenset(listed_values)
    except TypeError:
        raise ValueError(f"{name} must be a list of single values, got {values!r}") from None


def require_json(name: str, value: Any) -> None:
    """Raises ValueError unless a value can be written as JSON, in UTF-8."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must hold plain JSON values only, got others: {error}") from error


def require_choice(name: str, value: str, choices: Iterable[str]) -> None:
    """Raises ValueError unless `value` is one of `choices`."""
    choices = tuple(choices)
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r}")


def head_size(emb: int, heads: int, variant: str, size: int | None = None, unify: bool = True) -> int:
    """Returns the size s of one head: emb in the wide variant, else emb / heads; in the narrow variant `size`, if
    given, replaces it.

    Raises:
        ValueError: an unknown variant, heads that do not divide emb, another size than the variant's, or head outputs
            that do not add up to emb although no linear map combines them.
    """
    require_choice("variant", variant, ("narrow", "wide", "chunked"))
    if size is not None:
        require_positive("size", size)
        if variant != "narrow" and size != head_size(emb, heads, variant):
            raise ValueError(f"size must be None in the {variant} variant, which implies it, got {size}")
    elif variant != "wide" and emb % heads:
        raise ValueError(f"heads must divide emb in the {variant} variant, got emb={emb} and heads={heads}")
    result = size or (emb if variant == "wide" else emb // heads)
    if not unify and (variant == "wide" or result * heads != emb):
        raise ValueError(f"unify must be True in the {variant} variant, whose concatenated heads are not of size emb")
    return result


def require_groups(heads: int, kv_heads: int | None, variant: str) -> None:
    """Raises ValueError unless `heads` can be divided into `kv_heads` groups of equal size, in a variant that allows
    it."""
    if kv_heads is None:
        return
    require_positive("kv_heads", kv_heads)
    if heads % kv_heads:
        raise ValueError(f"kv_heads must divide heads, got kv_heads={kv_heads} and heads={heads}")
    if variant == "chunked" and kv_heads != heads:
        raise ValueError(f"kv_heads must be None in the chunked variant, whose heads have chunks, got {kv_heads}")
