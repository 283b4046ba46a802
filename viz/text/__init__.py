"""The words of the app: a package for each language, and one way to say what is in it.

A message is a whole sentence with named values, in a small part of the ICU message format, which translators know:

    {name}                                            the value
    {name, number}                                    a number, with its thousands set apart
    {name, plural, one {# word} other {# words}}      by how many; # is the number
    {name, select, last {the last} other {the first}} by what the value is

lib/messages.js reads the same in the browser. What Python has to say to a visitor is a key with values, `note` or
`Refusal`: the page says it in its own language. A value may itself be a note, or a list.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from viz.text.form import fill, parse

_FOLDERS = [module.name for module in iter_modules(__path__) if module.ispkg]
LANGUAGES: dict[str, dict[str, str]] = {name: import_module(f"{__name__}.{name}").MESSAGES for name in _FOLDERS}

Note = dict[str, Any]  # {"key": of a message, "values": {name: value}}


def message(key: str, /, language: str = "en", **values: Any) -> str:
    """A message in a language.

    Raises:
        KeyError: there is no such message, or it needs a value that was not given.
    """

    def said(value: Any) -> Any:
        if isinstance(value, list):
            return LANGUAGES[language]["list_between"].join(map(said, value))
        return in_words(value, language) if isinstance(value, dict) else value

    values = {name: said(value) for name, value in values.items()}
    return fill(parse(LANGUAGES[language][key]), values)


def in_words(note: Note, language: str = "en") -> str:
    """A note in words."""
    return message(note["key"], language, **note["values"])


def first_known(wanted: Iterable[str]) -> str:
    """Returns the first language of `wanted`, tags such as "zh-CN", that there is; else English."""
    names = (tag.strip().lower().partition("-")[0] for tag in wanted)
    return next((name for name in names if name in LANGUAGES), "en")


def note(key: str, /, **values: Any) -> Note:
    """A message on its way to the page."""
    return {"key": key, "values": values}


class Refusal(ValueError):
    """What cannot be done for a visitor; `note` says why, str() says it in English."""

    status = 422  # of the answer

    def __init__(self, key: str, /, **values: Any) -> None:
        super().__init__(message(key, **values))
        self.note = note(key, **values)


class NothingToShow(Refusal):
    """A panel has nothing to show of this model, map or pair: an answer to a question that is in order."""

    status = 200


class Busy(Refusal):
    """What could be done later."""

    status = 503
