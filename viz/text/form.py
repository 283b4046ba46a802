"""Parses messages and fills in their values (see `viz.text`)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from viz.style import isolate

_PLACE = re.compile(r"\{(\w+)(?:, (number|plural|select))?")
_ARM = re.compile(r",? (\w+) \{")


class Placeholder(NamedTuple):
    """A placeholder for a value in a message."""

    name: str
    kind: str  # "", "number", "plural" or "select"
    arms: dict[str, list[Any]]  # of a plural and of a select: messages


Parts = list[Any]  # str, Placeholder, or None for the number of the plural around it


@cache
def parse(pattern: str) -> Parts:
    """Parses a message into its parts.

    Raises:
        ValueError: a brace without its counterpart, or an invalid placeholder.
    """
    parts, end = _parse(pattern, 0, plural=False)
    if end < len(pattern):
        raise ValueError(f"a message must close only what it opens, got {pattern!r} with a }} at {end}")
    return parts


def _parse(pattern: str, at: int, *, plural: bool) -> tuple[Parts, int]:
    """Parses the parts from `at` to their closing brace, or to the end; returns them and the index of their end."""
    parts: Parts = []
    while at < len(pattern) and pattern[at] != "}":
        if pattern[at] == "{":
            placeholder, at = _placeholder(pattern, at)
            parts.append(placeholder)
        elif plural and pattern[at] == "#":
            parts.append(None)
            at += 1
        else:
            stop = re.compile("[{}#]" if plural else "[{}]").search(pattern, at + 1)
            end = stop.start() if stop else len(pattern)
            parts.append(pattern[at:end])
            at = end
    return parts, at


def _placeholder(pattern: str, at: int) -> tuple[Placeholder, int]:
    """Parses the placeholder that begins at `at`; returns it and the index of its end."""
    head = _PLACE.match(pattern, at)
    if not head:
        raise ValueError(f"a message's placeholder must be {{name}} or {{name, kind}}, got {pattern[at : at + 20]!r}")
    arms: dict[str, Parts] = {}
    at = head.end()
    while arm := _ARM.match(pattern, at):
        arms[arm[1]], at = _parse(pattern, arm.end(), plural=head[2] == "plural")
        at += 1
    if pattern[at : at + 1] != "}" or bool(arms) != (head[2] in ("plural", "select")) or (arms and "other" not in arms):
        raise ValueError(f"a message's placeholder must be closed and know `other`, got {pattern[head.start() :]!r}")
    return Placeholder(head[1], head[2] or "", arms), at + 1


def fill(parts: Parts, values: Mapping[str, Any], count: Any = None) -> str:
    """Fills values into a message's parts (`parse`), with the plurals of English; within a plural, `count`
    replaces #."""
    return "".join(part if isinstance(part, str) else _fill(part, values, count) for part in parts)


def _fill(part: Placeholder | None, values: Mapping[str, Any], count: Any) -> str:
    if part is None:
        return f"{count:,}"
    value = values[part.name]
    if part.kind == "number":
        return f"{value:,}"
    if not part.arms:
        return isolate(str(value))
    arm = ("one" if value == 1 else "other") if part.kind == "plural" else str(value)
    return fill(part.arms.get(arm, part.arms["other"]), values, value)
