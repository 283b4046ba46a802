"""The texts of dates: each has exactly one reading, and the splits are disjoint."""

import calendar
import datetime
import re
from collections import Counter
from dataclasses import replace

import pytest

from former.training.tasks.dates import (
    FIRST,
    LAST,
    MONTHS,
    SHORT_YEARS,
    WEEKDAYS,
    Example,
    Form,
    all_forms,
    date_split,
    examples,
    typos,
    write,
)
from former.training.tasks.dates_reader import read

PLAIN_FORMS = [form for form in all_forms() if not form.weekday]
LEAP_YEAR = [datetime.date(2000, 1, 1) + datetime.timedelta(i) for i in range(366)]
EDGES = [
    datetime.date(*parts)
    for parts in (
        *((1900, 1, 1), (1900, 2, 28), (1949, 12, 31), (1950, 1, 1), (1999, 9, 9), (2000, 2, 29), (2010, 11, 12)),
        *((2026, 11, 21), (2031, 5, 3), (2049, 9, 30), (2050, 5, 22), (2099, 12, 31)),
    )
]
WEEKDAY = re.compile("mon|tue|wed|thu|fri|sat|sun", re.IGNORECASE)
SATURDAY = datetime.date(2026, 9, 5)


def typed(name):
    """Returns all lower-case results of one typo in a name, by a plain loop."""
    name = name.lower()
    results = set()
    for i in range(len(name)):
        results |= {name[:i] + name[i + 1 :], name[: i + 1] + name[i:]}
        if i + 1 < len(name):
            results.add(name[:i] + name[i + 1] + name[i] + name[i + 2 :])
    return results - {name}


def readings(texts):
    """Returns the dates that each text can mean, ignoring case."""
    values = {}
    for text, date in texts:
        values.setdefault(text.lower(), set()).add(date)
    return values


# No text has two readings. Two texts that are equal have equal years (the first two tests) and, in one year, equal days
# and months (the third, over all days of a year that has them all). A weekday takes nothing away (the fourth).


def test_a_year_of_four_digits_is_the_only_run_of_four_digits_and_the_rest_does_not_depend_on_it():
    for form in PLAIN_FORMS:
        if form.year == "2026":
            for day, month in ((1, 5), (31, 12)):
                text = write(datetime.date(2000, month, day), form)
                for year in range(1900, 2100):
                    date = datetime.date(year, month, day)
                    assert write(date, form) == text.replace("2000", str(year), 1)
                    if form.layout == "{y}{m}{d}":
                        assert re.fullmatch(rf"{year}\d\d\d\d", write(date, form))
                    else:
                        assert re.findall(r"\d{3,}", write(date, form)) == [str(year)]


def test_a_year_of_two_digits_is_the_last_number_and_no_run_is_longer_and_it_means_one_year():
    for form in PLAIN_FORMS:
        if form.year != "2026":
            for year in SHORT_YEARS:
                text = write(datetime.date(year, 12, 31), form)
                assert re.findall(r"\d+", text)[-1] == f"{year % 100:02}"
                assert text[-1].isdigit()
                assert not re.search(r"\d{3}", text)
    assert len({year % 100 for year in SHORT_YEARS}) == len(SHORT_YEARS)
    year_1949 = write(datetime.date(1949, 12, 31), Form("{d}/{m}/{y}", "", "5", "9", "26"))
    assert year_1949 == "31/12/1949"


def test_of_all_texts_of_a_year_in_all_forms_none_has_two_readings():
    plain = ((write(date, form), date) for form in PLAIN_FORMS for date in LEAP_YEAR)
    with_weekday = ((write(date, form), date) for form in all_forms() if form.weekday for date in LEAP_YEAR[::6])
    texts = readings((*plain, *with_weekday))
    assert len(texts) > 100_000
    assert not [text for text, found in texts.items() if len(found) > 1]


def test_a_weekday_stands_before_or_after_the_text_without_it_and_has_no_digits():
    for form in all_forms():
        if form.weekday:
            for date in EDGES:
                core = write(date, replace(form, weekday=""))
                before, found, after = write(date, form).partition(core)
                assert found
                assert not before or not after
                assert re.fullmatch(r"[^\d]+", before + after)


def test_a_slip_is_what_one_slip_makes_of_one_name_only_and_is_no_name_itself():
    names = [*MONTHS, *WEEKDAYS]
    results = {name: typed(name) for name in names}
    known = {form for name in names for form in (name.lower(), name.lower()[:3])} | {"sept"}
    for name, options in typos().items():
        for option in options:
            assert [n for n in names if option.lower() in results[n]] == [name]
            assert option.lower() not in known
        # and no text with one reading is left out
        values = {o for o in results[name] - known if sum(o in others for others in results.values()) == 1}
        assert {option.lower() for option in options} == (values if len(name) > 3 else set())


def test_of_all_texts_with_a_slip_none_has_another_reading():
    full = [form for form in all_forms() if form.month == "September" and form.weekday in ("", "Saturday, ")]
    whole = readings((write(date, form), date) for form in full for date in LEAP_YEAR[::5])
    with_typos = []
    for form in full:
        for date in LEAP_YEAR[::5]:
            for name in (MONTHS[date.month - 1], WEEKDAYS[date.weekday()] if form.weekday else ""):
                with_typos += [(write(date, form, (name, typo)), date) for typo in typos().get(name, ())[::4]]
    result = readings(with_typos)
    assert len(result) > 50_000
    assert not [text for text, several in result.items() if len(several) > 1 or text in whole]


# The reader


def test_every_form_reads_back_to_its_date():
    for date in EDGES:
        for form in all_forms():
            assert read(write(date, form)) == date, (form, write(date, form))


@pytest.mark.parametrize("case", ["upper", "lower"])
def test_the_case_of_letters_does_not_matter(case):
    for form in all_forms()[::7]:
        assert read(write(SATURDAY, form, case=case)) == SATURDAY


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("3/4/2026", (2026, 4, 3)),
        ("2026/4/3", (2026, 4, 3)),
        ("20260403", (2026, 4, 3)),
        ("3.4.26", (2026, 4, 3)),
        ("3-Apr-50", (1950, 4, 3)),
        ("April 3rd, '49", (2049, 4, 3)),
        ("Friday, the third of April, 2026", (2026, 4, 3)),
        ("3.IV.2026 (Fri)", (2026, 4, 3)),
        ("SEPT. 5, 2026", (2026, 9, 5)),
    ],
)
def test_dates_are_read_as_the_rules_say(text, date):
    assert read(text) == datetime.date(*date)


@pytest.mark.parametrize(
    "text",
    [
        *("", "soon", "21 November", "November 2026", "Saturday", "2026", "21 11", "2026-11-21"),
        *("30 February 2026", "29 February 1900", "31/11/2026", "4/13/2026", "0/1/2026", "32 May 2026"),
        *("Friday, 21 November 2026", "21 November 2026 (Sun)", "21th November 2026", "the 21 of November 2026"),
        *("21 Nvoember 2026", "21/11-2026", "21 November 1899", "21 November 2100", "21 November 2026 ", "the 21st"),
        *("twenty-tenth of May 2026", "May. 5, 2026", "11/21/2026", "Saturday 21 November 2026 (Saturday)"),
    ],
)
def test_what_is_no_date_or_has_the_wrong_weekday_is_not_read(text):
    assert read(text) is None


# The writer


@pytest.mark.parametrize(
    ("form", "text"),
    [
        (Form("{d} {m} {y}", "Saturday, ", "5", "September", "2026"), "Saturday, 5 September 2026"),
        (Form("the {d} of {m}, {y}", "", "5th", "Sept", "2026"), "the 5th of Sept, 2026"),
        (Form("{m} {d}, {y}", "Sat. ", "fifth", "Sep.", "'26"), "Sat. Sep. fifth, '26"),
        (Form("{d}/{m}/{y}", " (Saturday)", "05", "09", "26"), "05/09/26 (Saturday)"),
        (Form("{y}{m}{d}", "", "05", "09", "2026"), "20260905"),
        (Form("{d}.{m}.{y}", ", Saturday", "5", "IX", "2026"), "5.IX.2026, Saturday"),
    ],
)
def test_forms_are_written_as_their_styles_say(form, text):
    assert form in all_forms()
    assert write(SATURDAY, form) == text


def test_weekdays_are_those_of_the_calendar():
    form = Form("{d} {m} {y}", "Saturday ", "5", "September", "2026")
    for date in EDGES:
        name = calendar.day_name[calendar.weekday(date.year, date.month, date.day)]
        assert write(date, form).startswith(f"{name} ")


def test_no_text_looks_like_the_plain_form():
    for date in EDGES:
        assert not [form for form in all_forms() if re.fullmatch(r"\d{4}-\d\d-\d\d", write(date, form))]


# The training texts and the held-out texts


def test_a_form_that_is_held_out_writes_no_text_that_a_form_for_training_writes():
    for date in EDGES:
        texts = {"train": set(), "val": set(), "test": set()}
        for form in all_forms():
            observed = form.for_date(date)
            assert write(date, observed) == write(date, form)
            texts[observed.split].add(write(date, observed))
        assert len(texts["train"]) > 5 * len(texts["test"]) > 0
        assert not texts["train"] & texts["val"]
        assert not texts["train"] & texts["test"]


def test_held_out_forms_are_combined_of_parts_that_training_has():
    train = [form for form in all_forms() if form.split == "train"]
    for part in ("layout", "weekday", "day", "month", "year"):
        assert {getattr(form, part) for form in train} == {getattr(form, part) for form in all_forms()}
    combined = {form.split: set() for form in all_forms()}
    for form in all_forms():
        combined[form.split].add((form.layout, form.weekday, form.day, form.month))
    assert not combined["train"] & combined["test"]
    assert not combined["train"] & combined["val"]
    assert len(combined["test"]) > 100


def test_every_date_is_in_one_split():
    days = (LAST - FIRST).days + 1
    counts = Counter(date_split(FIRST + datetime.timedelta(i)) for i in range(days))
    assert counts.total() == 73_049
    assert 3_300 < counts["test"] < 4_000
    assert 3_300 < counts["val"] < 4_000


@pytest.mark.parametrize("split", ["train", "val", "test"])
def test_examples_keep_to_their_splits(split):
    for source, target in examples("write", 0, 0, 60, dates=split, forms=split):
        date = datetime.date.fromisoformat(source)
        assert date_split(date) == split
        assert read(target) == date
        assert {form.for_date(date).split for form in all_forms() if write(date, form) == target} == {split}


def test_examples_to_read_come_in_all_cases_and_with_typos():
    texts = [(source, datetime.date.fromisoformat(target)) for source, target in examples("read", 0, 0, 2_000)]
    assert sum(source.isupper() for source, _ in texts) > 100
    assert sum(source.islower() for source, _ in texts) > 100
    assert 100 < sum(read(source) is None for source, _ in texts) < 500  # the typos
    assert all(read(source) in (None, date) for source, date in texts)


def test_half_of_the_texts_to_read_have_a_weekday_and_none_to_write():
    # Half of them, less those that a typo hides.
    assert 850 < sum(bool(WEEKDAY.search(source)) for source, _ in examples("read", 0, 0, 2_000)) < 1_050
    assert not [target for _, target in examples("write", 0, 0, 2_000) if WEEKDAY.search(target)]


def test_hard_texts_to_read_have_a_weekday_a_slip_where_one_can_be_and_each_case_as_often():
    texts = [source for source, _ in examples("read", 0, 0, 2_000, hard=1.0)]
    dates = [datetime.date.fromisoformat(target) for _, target in examples("read", 0, 0, 2_000, hard=1.0)]
    misspelt = {typo.lower() for options in typos().values() for typo in options}
    words = [re.findall(r"[a-z]+", text.lower()) for text in texts]
    for found, date in zip(words, dates, strict=True):
        names = [name.lower() for name in (WEEKDAYS[date.weekday()], MONTHS[date.month - 1]) if typos()[name]]
        assert misspelt & {*found} or WEEKDAYS[date.weekday()].lower()[:3] in found
        assert misspelt & {*found} or not {*found} & {*names}
    assert 550 < sum(text.isupper() for text in texts) < 750
    assert 550 < sum(text.islower() for text in texts) < 750
    assert examples("write", 3, 0, 50, hard=1.0) == examples("write", 3, 0, 50)
    assert examples("read", 3, 0, 2_000, hard=0.2) != examples("read", 3, 0, 2_000)


def test_examples_depend_on_seed_and_step_alone():
    assert examples("read", 1, 2, 20) == examples("read", 1, 2, 30)[:20]
    sets = [examples("read", *numbers, 20) for numbers in ((1, 2), (2, 1), (1, 3))]
    assert sets[0] != sets[1] != sets[2] != sets[0]
    assert examples("read", 1, 2, 1)[0] == Example("sun, 20/08/1995", "1995-08-20")
