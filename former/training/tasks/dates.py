"""Dates as people write them, and 2026-11-21: the texts that the encoder-decoder `dates` learns from.

A form says how each part of a date is written, and in which order. No text has two readings, because these rules hold
for all forms:

    order      Of two numbers that could be day and month the day comes first: 3/4/2026 is the third of April. Only
               after a year of four digits does the month come before the day: 2026/4/3, 20260403.
    years      1900 to 2099. Of two digits, 50 to 99 are 1950 to 1999 and 00 to 49 are 2000 to 2049. Such a year stands
               last: after an apostrophe, or after day and month in this order.
    weekdays   are always right, and only in texts to read: to write one would be to do sums modulo 7.
    slips      A text may hold one slip of typing (a letter left out, doubled, or swapped with the next) in the full
               name of a month or a weekday, where no other name is written so, with a slip or without.

Three numbers with dashes and the year first are the plain form, 2026-11-21, and no other. `dates_reader` reads the
forms back and shares no code with this file.
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
SHORT_YEARS = range(1950, 2050)  # those that may be written with two digits

MONTHS = tuple(calendar.month_name)[1:]  # January first
WEEKDAYS = tuple(calendar.day_name)  # Monday first
ROMAN = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII")
ORDINALS = (
    *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh"),
    *("twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth"),
    *("twentieth", "twenty-first", "twenty-second", "twenty-third", "twenty-fourth", "twenty-fifth", "twenty-sixth"),
    *("twenty-seventh", "twenty-eighth", "twenty-ninth", "thirtieth", "thirty-first"),
)

# A style is named by what it makes of Saturday, the 5th of September 2026.
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
# What is drawn, as often as it stands here; half of each family's texts to read have a weekday.
_FAMILIES = ("named",) * 13 + ("numbered",) * 6 + ("roman",)
_CASES = ("as is",) * 14 + ("upper",) * 3 + ("lower",) * 3
_HARD_CASES = ("as is", "lower", "upper")
_SLIP_SHARE = 0.25  # of the texts to read that hold a full name


@dataclass(frozen=True)
class Form:
    """One way to write a date; each part holds its style."""

    layout: str  # the order, and what stands between: "{d} {m}, {y}"
    weekday: str  # of WEEKDAY_STYLES
    day: str  # of DAY_STYLES
    month: str  # of MONTH_STYLES
    year: str  # of YEAR_STYLES

    def for_date(self, date: datetime.date) -> Form:
        """The plainest form that writes this date in the same way: of the 21st, "05" is no other style than "5"."""
        day = "5" if self.day == "05" and date.day > 9 else self.day
        month = "9" if self.month == "09" and date.month > 9 else self.month
        if self.month == "Sept" and date.month != 9:
            month = "Sep"  # the others have three letters
        if month in ("Sep", "Sep.") and date.month == 5:
            month = "September"  # May is not shortened
        year = self.year if date.year in SHORT_YEARS else "2026"
        if (day, month, year) == (self.day, self.month, self.year):
            return self  # most often, and building another takes as long as writing the date
        return replace(self, day=day, month=month, year=year)

    @property
    def split(self) -> Split:
        """Forms of `val` and `test` combine weekday, day, month and order as none of `train` does."""
        return _split(f"{self.layout}|{self.weekday}|{self.day}|{self.month}", val=0.1, test=0.1)


class Example(NamedTuple):
    """A text, and what is to be made of it."""

    source: str
    target: str


def date_split(date: datetime.date) -> Split:
    """Nine dates of ten are for training."""
    return _split(date.isoformat(), val=0.05, test=0.05)


@cache
def _split(key: str, val: float, test: float) -> Split:
    place = int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big") / 2**64
    return "test" if place < test else "val" if place < test + val else "train"


@cache
def all_forms() -> tuple[Form, ...]:
    """Every form there is."""
    return tuple(
        form
        for family, months in MONTH_STYLES.items()
        for choice in product(LAYOUTS[family], WEEKDAY_STYLES, DAY_STYLES, months, YEAR_STYLES)
        if _is_written(form := Form(*choice))
    )


def _is_written(form: Form) -> bool:
    """Whether people write so, and one reading is left."""
    layout, named = form.layout, form.month in MONTH_STYLES["named"]
    joined = layout[3] in "-/.{"
    ordinal = form.day in ("5th", "fifth")
    years = {"2026": True, "'26": named and not joined and layout.endswith("{y}")}
    return not (
        (ordinal and (not named or joined))  # 5th/9/2026, 5th-Sep-2026
        or (not ordinal and ("of" in layout or "the" in layout))  # 5 of September
        or (joined and form.month == "Sep.")  # 5-Sep.-2026
        or (layout == "{y}{m}{d}" and (form.day, form.month) != ("05", "09"))  # each number has its full width
    ) and years.get(form.year, layout in ("{d}/{m}/{y}", "{d}.{m}.{y}", "{d}-{m}-{y}"))


def write(date: datetime.date, form: Form, slip: tuple[str, str] | None = None, case: str = "as is") -> str:
    """A date in one form.

    Args:
        date: from FIRST to LAST.
        form: one of `all_forms()`. A year that no two digits can tell is written with four.
        slip: a full name that the form holds, and what is typed in its place.
        case: "as is", or "upper" or "lower" for all letters.
    """
    form = form.for_date(date)
    month = _month(date.month, form.month)
    text = form.layout.format(d=_day(date.day, form.day), m=month, y=_year(date.year, form.year))
    if form.weekday:
        name = WEEKDAYS[date.weekday()]
        weekday = form.weekday.replace("Saturday", name).replace("Sat", name[:3], "day" not in form.weekday)
        text = weekday + text if form.weekday.startswith("S") else text + weekday
    if slip:
        text = text.replace(*slip, 1)
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
def slips() -> dict[str, tuple[str, ...]]:
    """For each full name of a month or a weekday: what one slip of typing makes of it and of no other name."""
    names = (*MONTHS, *WEEKDAYS)
    made = {name: _slips(name) for name in names}
    count = Counter(slip for options in made.values() for slip in options)
    taken = {*names, *(name[:3] for name in names), "Sept"}
    return {name: tuple(s for s in sorted(made[name]) if count[s] == 1 and s not in taken) for name in names}


def _slips(name: str) -> set[str]:
    places = range(len(name)) if len(name) > 3 else ()
    left_out = {name[:i] + name[i + 1 :] for i in places}
    doubled = {name[:i] + name[i] + name[i:] for i in places}
    swapped = {name[:i] + name[i : i + 2][::-1] + name[i + 2 :] for i in places}
    return {slip.capitalize() for slip in left_out | doubled | swapped} - {name}


def examples(
    direction: Direction,
    seed: int,
    step: int,
    count: int,
    dates: Split = "train",
    forms: Split = "train",
    hard: float = 0.0,
) -> list[Example]:
    """Examples that depend on the arguments alone.

    Args:
        direction: "read" gives texts in all forms, cases and with slips, to make the plain form of; "write" the plain
            form, to make a text of in a form without a weekday.
        seed, step: of the random choices, whole numbers of at least 0.
        count: how many.
        dates, forms: the splits to choose from.
        hard: share of the texts to read that are hard ones: each has a weekday, a slip wherever one can be, and is as
            often in capitals or small letters as not.
    """
    random = Random(f"{direction} {seed} {step} {dates} {forms}")
    return [_example(direction, random, dates, forms, hard) for _ in range(count)]


def _example(direction: Direction, random: Random, dates: Split, forms: Split, hard: float) -> Example:
    is_hard = hard > 0 and direction == "read" and random.random() < hard
    weekdays = 0.0 if direction == "write" else 1.0 if is_hard else 0.5
    date = _pick(random, _dates(dates))
    while (form := _form(random, forms, weekdays).for_date(date)).split != forms:
        pass  # of this date the form is no other than one of another split
    plain = date.isoformat()
    if direction == "write":
        return Example(plain, write(date, form))
    names = [(MONTHS[date.month - 1], form.month == "September"), (WEEKDAYS[date.weekday()], "day" in form.weekday)]
    full = [name for name, held in names if held and slips()[name]]
    slip = None
    if full and (is_hard or random.random() < _SLIP_SHARE):
        name = _pick(random, full)
        slip = (name, _pick(random, slips()[name]))
    return Example(write(date, form, slip, _pick(random, _HARD_CASES if is_hard else _CASES)), plain)


def _form(random: Random, split: Split, weekdays: float) -> Form:
    while not (group := _forms(split)[_pick(random, _FAMILIES), random.random() < weekdays]):
        pass  # the small families have a few forms only, and those of a split may all have a weekday
    return _pick(random, group)


@cache
def _forms(split: Split) -> dict[tuple[str, bool], list[Form]]:
    """The forms of a split by family, and by whether they have a weekday."""
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
    # Of all methods only random() gives the same numbers in every version of Python.
    return options[int(random.random() * len(options))]
