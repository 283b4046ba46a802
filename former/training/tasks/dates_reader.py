"""Parses a date in any of the forms that `dates` writes, by simple rules that share no code with the writer.

It checks the model's answers: a text is correct only if it has no typo, is a real date, and names the right weekday.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable


def _numbered(names: Iterable[str], start: int = 1) -> dict[str, int]:
    """Numbers the names; alternative names of the same number are in one string, separated by spaces."""
    return {name: number for number, several in enumerate(names, start) for name in several.split()}


_MONTHS = _numbered(
    (
        *("january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug"),
        *("september sept sep", "october oct", "november nov", "december dec"),
    )
)
_ROMAN = _numbered(("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii"))
_WEEKDAYS = _numbered(
    (
        *("monday mon", "tuesday tue", "wednesday wed", "thursday thu", "friday fri", "saturday sat"),
        "sunday sun",
    ),
    start=0,
)
_UNITS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
_ORDINALS = _numbered(
    (
        *(*_UNITS, "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth"),
        *("seventeenth", "eighteenth", "nineteenth", "twentieth", *(f"twenty-{unit}" for unit in _UNITS)),
        *("thirtieth", "thirty-first"),
    )
)


def _any(names: dict[str, int]) -> str:
    return "(?:" + "|".join(sorted(names, key=len, reverse=True)) + ")"


_WEEKDAY = _any(_WEEKDAYS)
_BEFORE = re.compile(rf"({_WEEKDAY})(?:, | |\. )(.+)")
_AFTER = re.compile(rf"(.+)(?: \(({_WEEKDAY})\)|, ({_WEEKDAY}))")

_NUMBER, _YEAR4, _YEAR2 = r"\d\d?", r"(?P<y>\d{4})", r"(?P<y>\d\d)"
_ORDINAL = rf"(?P<d>{_any(_ORDINALS)}|{_NUMBER}(?:st|nd|rd|th))"
_DAY = rf"(?P<d>{_any(_ORDINALS)}|{_NUMBER}(?:st|nd|rd|th)?)"
_NAME = rf"(?P<m>{_any(_MONTHS)})"
_NAME_OR_DOT = rf"{_NAME}(?:(?<!may)\.)?"
_LAST_YEAR = r"(?P<y>\d{4}|'\d\d)"
_D, _M = rf"(?P<d>{_NUMBER})", rf"(?P<m>{_NUMBER}|{_any(_MONTHS)}|{_any(_ROMAN)})"
_SIGN = r"(?P<sign>[-/.])"
_SHAPES = [
    re.compile(shape)
    for shape in (
        rf"(?:the )?{_ORDINAL} of {_NAME_OR_DOT},? {_LAST_YEAR}",
        rf"{_DAY} {_NAME_OR_DOT},? {_LAST_YEAR}",
        rf"{_NAME_OR_DOT} {_DAY},? {_LAST_YEAR}",
        rf"{_NAME_OR_DOT} the {_ORDINAL}, {_LAST_YEAR}",
        rf"{_YEAR4},? {_NAME_OR_DOT} {_DAY}",
        rf"{_D}{_SIGN}{_M}(?P=sign){_YEAR4}",
        rf"{_D}{_SIGN}{_M}(?P=sign){_YEAR2}",
        rf"{_D} (?P<m>{_NUMBER}|{_any(_ROMAN)}) {_YEAR4}",
        rf"{_NAME}-{_D}-{_YEAR4}",
        rf"{_YEAR4}(?P<sign>[-/]){_NAME}(?P=sign){_D}",
        rf"{_YEAR4}(?P<sign>[/. ])(?P<m>{_NUMBER})(?P=sign){_D}",
        r"(?P<y>\d{4})(?P<m>\d\d)(?P<d>\d\d)",
    )
]


def read(text: str) -> datetime.date | None:
    """Parses a text, ignoring case; returns None if it is not a date or its weekday is wrong."""
    rest, weekday = text.lower(), None
    if match := _BEFORE.fullmatch(rest):
        weekday, rest = match.groups()
    elif match := _AFTER.fullmatch(rest):
        rest, weekday = match[1], match[2] or match[3]
    parts = [match.groupdict() for shape in _SHAPES if (match := shape.fullmatch(rest))]
    if not parts:
        return None
    assert len(parts) == 1, f"{text!r} fits {len(parts)} shapes"
    day, month, year = _day(parts[0]["d"]), _month(parts[0]["m"]), _year(parts[0]["y"])
    try:
        date = datetime.date(year, month, day)
    except ValueError:  # the 30th of February, the 21th
        return None
    if weekday and _WEEKDAYS[weekday] != date.weekday():
        return None
    return date if 1900 <= year <= 2099 else None


def _day(text: str) -> int:
    """Returns the day, or 0 for an ordinal with the wrong ending, such as 21th."""
    if text.isdigit():
        return int(text)
    if text in _ORDINALS:
        return _ORDINALS[text]
    number, ending = int(text[:-2]), text[-2:]
    right = "th" if 10 < number < 14 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return number if ending == right else 0


def _month(text: str) -> int:
    return int(text) if text.isdigit() else _MONTHS.get(text) or _ROMAN[text]


def _year(text: str) -> int:
    year = int(text.removeprefix("'"))
    if len(text) == 4:
        return year
    return year + (1900 if year >= 50 else 2000)
