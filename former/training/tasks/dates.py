"""Dates as people write them, and in the plain form 2026-11-21: the data of the encoder-decoder `dates`.

A form defines how each part of a date is written, and in which order. Every text has exactly one reading, because all
forms follow these rules:

    order      If two numbers could be day and month, the day comes first: 3/4/2026 is the third of April. Only after
               a year of four digits does the month come first: 2026/4/3, 20260403.
    years      From 1900 to 2099. With two digits, 50 to 99 mean 1950 to 1999, and 00 to 49 mean 2000 to 2049. Such a
               year comes last, after an apostrophe, or after day and month in this order.
    weekdays   Always correct, and only in texts to read: computing a weekday means calculating modulo 7.
    typos      A text may have one typo (a letter dropped, doubled, or swapped with the next) in the full name of a
               month or a weekday, if the result cannot be confused with another name or its typos.

Three numbers with hyphens and the year first are always the plain form, 2026-11-21. `dates_reader` parses the forms
and shares no code with this file.
"""

from __future__ import annotations

import calendar
import datetime
import hashlib
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from random import Random
from typing import Literal, NamedTuple, TypeVar

Direction = Literal["read", "write"]
Split = Literal["train", "val", "test"]
T = TypeVar("T")

FIRST, LAST = datetime.date(1900, 1, 1), datetime.date(2099, 12, 31)
SHORT_YEARS = range(1950, 2050)  # may be written with two digits

MONTHS = tuple(calendar.month_name)[1:]  # January first
WEEKDAYS = tuple(calendar.day_name)  # Monday first
ROMAN = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII")
ORDINALS = (
    *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh"),
    *("twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth"),
    *("twentieth", "twenty-first", "twenty-second", "twenty-third", "twenty-fourth", "twenty-fifth", "twenty-sixth"),
    *("twenty-seventh", "twenty-eighth", "twenty-ninth", "thirtieth", "thirty-first"),
)

# The name of a style is its result for Saturday, the 5th of September 2026.
WEEKDAY_STYLES = ("", "Saturday, ", "Saturday ", "Sat, ", "Sat. ", "Sat ", ", Saturday", " (Saturday)", " (Sat)")
DAY_STYLES = ("5", "05", "5th", "fifth")
YEAR_STYLES = ("2026", "'26", "26")
MONTH_STYLES = {"named": ("September", "Sept", "Sep", "Sep."), "numbered": ("9", "09"), "roman": ("IX",)}
LAYOUTS = {
    "named": (
        *("{d} {m} {y}", "{d} {m}, {y}", "{d} of {m} {y}", "{d} of {m}, {y}", "the {d} of {m} {y}"),
        *("the {d} of {m}, {y}", "{m} {d} {y}", "{m} {d}, {y}", "{m} the {d}, {y}", "{y} {m} {d}", "{y}, {m} {d}"),
        *("{d}-{m}-{y}", "{d}/{m}/{y}", "{m}-{d}-{y}", "{y}-{m}-{d}", "{y}/{m}/{d}"),
    ),
    "numbered": (
        *("{d}/{m}/{y}", "{d}.{m}.{y}", "{d}-{m}-{y}", "{d} {m} {y}"),
        *("{y}/{m}/{d}", "{y}.{m}.{d}", "{y} {m} {d}", "{y}{m}{d}"),
    ),
    "roman": ("{d}/{m}/{y}", "{d}.{m}.{y}", "{d}-{m}-{y}", "{d} {m} {y}"),
}
# Drawn uniformly, so repeats set the frequencies; half of each family's texts to read have a weekday.
_FAMILIES = ("named",) * 13 + ("numbered",) * 6 + ("roman",)
_CASES = ("as is",) * 14 + ("upper",) * 3 + ("lower",) * 3
_HARD_CASES = ("as is", "lower", "upper")
_TYPO_SHARE = 0.25  # of the texts to read that contain a full name


@dataclass(frozen=True)
class Form:
    """One way to write a date: the order of the parts, and the style of each."""

    layout: str  # the order and the separators: "{d} {m}, {y}"
    weekday: str  # of WEEKDAY_STYLES
    day: str  # of DAY_STYLES
    month: str  # of MONTH_STYLES
    year: str  # of YEAR_STYLES

    def for_date(self, date: datetime.date) -> Form:
        """Returns the simplest form that gives the same text for this date. On the 21st, for example, a form with days
        as "05" gives the same text as the simpler form with days as "5"."""
        day = "5" if self.day == "05" and date.day > 9 else self.day
        month = "9" if self.month == "09" and date.month > 9 else self.month
        if self.month == "Sept" and date.month != 9:
            month = "Sep"  # only September has an abbreviation of four letters
        if month in ("Sep", "Sep.") and date.month == 5:
            month = "September"  # May is not abbreviated
        year = self.year if date.year in SHORT_YEARS else "2026"
        if (day, month, year) == (self.day, self.month, self.year):
            return self  # the usual case; a new object would take as long as writing the date
        return replace(self, day=day, month=month, year=year)

    @property
    def split(self) -> Split:
        """The split that the form belongs to. Forms in `val` and `test` combine layout, weekday, day and month as no
        form in `train` does."""
        return _split(f"{self.layout}|{self.weekday}|{self.day}|{self.month}", val=0.1, test=0.1)


class Example(NamedTuple):
    """An example: a text to read, and the correct answer."""

    source: str
    target: str


def date_split(date: datetime.date) -> Split:
    """Returns the split that a date belongs to; 90 % of all dates are in `train`."""
    return _split(date.isoformat(), val=0.05, test=0.05)


@cache
def _split(key: str, val: float, test: float) -> Split:
    fraction = int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big") / 2**64
    return "test" if fraction < test else "val" if fraction < test + val else "train"


@cache
def all_forms() -> tuple[Form, ...]:
    """Returns all forms of dates, of every split."""
    return tuple(
        form
        for family, months in MONTH_STYLES.items()
        for choice in product(LAYOUTS[family], WEEKDAY_STYLES, DAY_STYLES, months, YEAR_STYLES)
        if _is_written(form := Form(*choice))
    )


def _is_written(form: Form) -> bool:
    """Returns whether people write dates in this form, and it has exactly one reading."""
    layout, named = form.layout, form.month in MONTH_STYLES["named"]
    joined = layout[3] in "-/.{"
    ordinal = form.day in ("5th", "fifth")
    years = {"2026": True, "'26": named and not joined and layout.endswith("{y}")}
    return not (
        (ordinal and (not named or joined))  # 5th/9/2026, 5th-Sep-2026
        or (not ordinal and ("of" in layout or "the" in layout))  # 5 of September
        or (joined and form.month == "Sep.")  # 5-Sep.-2026
        or (layout == "{y}{m}{d}" and (form.day, form.month) != ("05", "09"))  # without separators, two digits each
    ) and years.get(form.year, layout in ("{d}/{m}/{y}", "{d}.{m}.{y}", "{d}-{m}-{y}"))


def write(date: datetime.date, form: Form, typo: tuple[str, str] | None = None, case: str = "as is") -> str:
    """Writes a date in one form.

    Args:
        date: from FIRST to LAST.
        form: one of `all_forms()`. A year outside SHORT_YEARS is always written with four digits.
        typo: a full name in the text, and its replacement.
        case: "as is", or "upper" or "lower" for all letters.
    """
    form = form.for_date(date)
    month = _month(date.month, form.month)
    text = form.layout.format(d=_day(date.day, form.day), m=month, y=_year(date.year, form.year))
    if form.weekday:
        name = WEEKDAYS[date.weekday()]
        weekday = form.weekday.replace("Saturday", name).replace("Sat", name[:3], "day" not in form.weekday)
        text = weekday + text if form.weekday.startswith("S") else text + weekday
    if typo:
        text = text.replace(*typo, 1)
    return {"as is": text, "upper": text.upper(), "lower": text.lower()}[case]


def _day(day: int, style: str) -> str:
    if style == "fifth":
        return ORDINALS[day - 1]
    if style == "5th":
        return f"{day}{'th' if day in (11, 12, 13) else {1: 'st', 2: 'nd', 3: 'rd'}.get(day % 10, 'th')}"
    return f"{day:02}" if style == "05" else str(day)


def _month(month: int, style: str) -> str:
    name = MONTHS[month - 1]
    return {
        "9": str(month),
        "09": f"{month:02}",
        "IX": ROMAN[month - 1],
        "September": name,
        "Sept": name[:4],
        "Sep": name[:3],
        "Sep.": f"{name[:3]}.",
    }[style]


def _year(year: int, style: str) -> str:
    return str(year) if style == "2026" else style.replace("26", f"{year % 100:02}")


@cache
def typos() -> dict[str, tuple[str, ...]]:
    """Returns for each full name of a month or a weekday its misspellings by one typo, except those that fit another
    name too."""
    names = (*MONTHS, *WEEKDAYS)
    by_name = {name: _typos(name) for name in names}
    count = Counter(typo for options in by_name.values() for typo in options)
    spellings = {*names, *(name[:3] for name in names), "Sept"}
    return {name: tuple(s for s in sorted(by_name[name]) if count[s] == 1 and s not in spellings) for name in names}


def _typos(name: str) -> set[str]:
    indices = range(len(name)) if len(name) > 3 else ()
    dropped = {name[:i] + name[i + 1 :] for i in indices}
    doubled = {name[:i] + name[i] + name[i:] for i in indices}
    swapped = {name[:i] + name[i : i + 2][::-1] + name[i + 2 :] for i in indices}
    return {typo.capitalize() for typo in dropped | doubled | swapped} - {name}


def examples(
    direction: Direction,
    seed: int,
    step: int,
    count: int,
    dates: Split = "train",
    forms: Split = "train",
    hard: float = 0.0,
) -> list[Example]:
    """Returns random examples, which depend only on the arguments.

    Args:
        direction: "read": the source is a text in any form and case, with typos, and the target is the plain form;
            "write": the source is the plain form, and the target a text in a form without a weekday.
        seed, step: of the random numbers, at least 0.
        count: number of examples.
        dates, forms: the splits to draw from.
        hard: share of hard texts among those to read. A hard text has a weekday, has a typo wherever one is possible,
            and is equally often in capitals, in small letters and as it is.
    """
    random = Random(f"{direction} {seed} {step} {dates} {forms}")
    return [_example(direction, random, dates, forms, hard) for _ in range(count)]


def _example(direction: Direction, random: Random, dates: Split, forms: Split, hard: float) -> Example:
    is_hard = hard > 0 and direction == "read" and random.random() < hard
    weekdays = 0.0 if direction == "write" else 1.0 if is_hard else 0.5
    date = _pick(random, _dates(dates))
    while (form := _form(random, forms, weekdays).for_date(date)).split != forms:
        pass  # for this date the form gives the same text as a form of another split
    plain = date.isoformat()
    if direction == "write":
        return Example(plain, write(date, form))
    names = [(MONTHS[date.month - 1], form.month == "September"), (WEEKDAYS[date.weekday()], "day" in form.weekday)]
    full = [name for name, in_text in names if in_text and typos()[name]]
    typo = None
    if full and (is_hard or random.random() < _TYPO_SHARE):
        name = _pick(random, full)
        typo = (name, _pick(random, typos()[name]))
    return Example(write(date, form, typo, _pick(random, _HARD_CASES if is_hard else _CASES)), plain)


def _form(random: Random, split: Split, weekdays: float) -> Form:
    while not (group := _forms(split)[_pick(random, _FAMILIES), random.random() < weekdays]):
        pass  # in a small family, all forms of a split may have a weekday
    return _pick(random, group)


@cache
def _forms(split: Split) -> dict[tuple[str, bool], list[Form]]:
    """Returns the forms of a split by family, and by whether they have a weekday."""
    families = {style: family for family, styles in MONTH_STYLES.items() for style in styles}
    groups: dict[tuple[str, bool], list[Form]] = defaultdict(list)
    for form in all_forms():
        if form.split == split:
            groups[families[form.month], form.weekday != ""].append(form)
    return groups


@cache
def _dates(split: Split) -> list[datetime.date]:
    days = range(FIRST.toordinal(), LAST.toordinal() + 1)
    return [date for date in map(datetime.date.fromordinal, days) if date_split(date) == split]


def _pick(random: Random, options: Sequence[T]) -> T:
    # Only random() is guaranteed to give the same numbers in every version of Python.
    return options[int(random.random() * len(options))]
