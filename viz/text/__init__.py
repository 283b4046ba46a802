"""The app's messages: a package for each language, and functions that fill in their values.

A message is a whole sentence with named values, in a subset of the ICU message format, which translators know:

    {name}                                            the value
    {name, number}                                    a number, with separators between thousands
    {name, plural, one {# word} other {# words}}      depends on the number, which replaces #
    {name, select, last {the last} other {the first}} depends on the value

lib/messages.js reads the same format in the browser. Python sends a visitor's message as a key with values, a `note` or
a `Refusal`, and the page shows it in its own language. A value may itself be a note, or a list.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from viz.text.form import fill, parse

_FOLDERS = [module.name for module in iter_modules(__path__) if module.ispkg]
_OWN: dict[str, dict[str, str]] = {name: import_module(f"{__name__}.{name}").MESSAGES for name in _FOLDERS}
LANGUAGES = {name: _OWN["en"] | own for name, own in _OWN.items()}  # what is not translated yet is in English

Note = dict[str, Any]  # {"key": of a message, "values": {name: value}}


def message(key: str, /, language: str = "en", **values: Any) -> str:
    """Returns the message `key` in a language, with its values filled in.

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
    """Returns a note's message in a language, with its values filled in."""
    return message(note["key"], language, **note["values"])


def first_known(tags: Iterable[str]) -> str:
    """Returns the first of `tags`, such as "zh-CN", whose language the app has, as "zh"; else English, "en"."""
    names = (tag.strip().lower().partition("-")[0] for tag in tags)
    return next((name for name in names if name in LANGUAGES), "en")


def note(key: str, /, **values: Any) -> Note:
    """Returns a message as plain values, its key and its values, which the page shows in the visitor's language."""
    return {"key": key, "values": values}


class Refusal(ValueError):
    """An error to show to a visitor; `note` is its message, and str() gives it in English."""

    status = 422  # of the answer

    def __init__(self, key: str, /, **values: Any) -> None:
        super().__init__(message(key, **values))
        self.note = note(key, **values)


class NothingToShow(Refusal):
    """A panel has nothing to show for this model, map or pair, although the request is valid."""

    status = 200


class Busy(Refusal):
    """The server is too busy; the same request may succeed later."""

    status = 503
