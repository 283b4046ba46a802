"""A tab's settings: what a field takes, and how a link spells it."""

from typing import Any

import pytest

from tests.modules import evaluate
from viz.text import LANGUAGES, message

FIELDS = {
    "scale": {"initial": "root", "choices": ["linear", "root", "row"]},
    "text": {"initial": "", "longest": 5},
    "layer": {"initial": 0, "max": 3},
    "factor": {"initial": 1, "min": 0.05, "max": 2, "step": 0.05},
    "added": {"initial": 0, "min": -3, "max": 3, "step": 0.1},
    "token": {"initial": None, "max": 9, "optional": True},
}
INITIAL = {name: field["initial"] for name, field in FIELDS.items()}
TAKEN: list[tuple[str, str, Any]] = [
    ("scale", "row", "row"),
    ("text", "é & b", "é & b"),
    ("text", "", ""),
    ("layer", "3", 3),
    ("factor", "0.05", 0.05),
    ("factor", "2", 2),
    ("added", "-1.5", -1.5),
    ("token", "0", 0),
]
REFUSED = [
    *(("layer", given) for given in ("4", "-1", "1.0", "1e0", " 1", "", "two", "12345678901")),
    *(("factor", given) for given in ("0.04", "2.1", ".5", "1e0", "0x1", "Infinity")),
    *(("scale", given) for given in ("loud", "ROOT", "__proto__", "")),
    *(("added", given) for given in ("-3.1", "--1", "−1", "- 1")),
    ("text", "sixsix"),
    ("token", "null"),
]


def read(link: str, language: str = "en") -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Reads a link by the page's code: the values of all fields, and what is said about each that is invalid."""
    function = "({ makeSettings }, [fields, link]) => makeSettings(fields).read(new URLSearchParams(link))"
    result = evaluate("browser/lib/settings.js", function, [FIELDS, link], language)
    return result["values"], result["refused"]


def changed(*steps: dict[str, Any], limits: dict[str, Any] | None = None) -> list[Any]:
    """Applies changes one after the other; returns the changed names of each, the values, and their part of a link."""
    function = """({ makeSettings }, [fields, steps, limits]) => {
      const settings = makeSettings(fields);
      const names = steps.map(settings.change);
      for (const [name, max] of Object.entries(limits)) fields[name].max = max;
      const left = Object.keys(fields).filter((name) => !settings.allowed(name, settings.values[name]));
      return [names, settings.values, settings.link(), left];
    }"""
    return evaluate("browser/lib/settings.js", function, [FIELDS, steps, limits or {}])


@pytest.mark.parametrize(("name", "given", "value"), TAKEN)
def test_a_link_s_value_is_read_and_the_rest_is_as_at_first(name, given, value):
    assert read(f"tab=x&{name}={given.replace('&', '%26')}") == (INITIAL | {name: value}, [])


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_invalid_value_is_named_and_its_field_keeps_its_initial_value(language):
    for name, given in REFUSED:
        values, refused = read(f"{name}={given}", language)
        used = INITIAL[name] if INITIAL[name] not in (None, "") else message("none", language)
        note = {"key": "bad_link", "values": {"name": name, "given": given, "used": f"{used}"}}
        assert (values, refused) == (INITIAL, [note])


def test_a_long_invalid_value_is_named_by_its_beginning():
    assert read(f"scale={'x' * 99}")[1][0]["values"]["given"] == "x" * 40


def test_a_change_takes_what_its_fields_allow_and_names_what_is_new():
    names, values, link, _ = changed(
        {"layer": 2, "scale": "loud", "unknown": 1, "toString": 1},
        {"layer": 2, "token": 4, "text": 5},
        {"token": None, "factor": 0.5, "layer": 1.5},
    )
    assert names == [["layer"], ["token"], ["token", "factor"]]
    assert values == INITIAL | {"layer": 2, "factor": 0.5}
    assert link == {"layer": 2, "factor": 0.5}, "a link leaves out what is as at first"


def test_a_value_beyond_a_limit_that_came_later_is_no_longer_allowed():
    assert changed({"layer": 3, "token": 9}, limits={"layer": 1, "token": 9})[-1] == ["layer"]
