"""Runs one text through one model, and prepares the result for the browser.

Sizes: t tokens, h heads, s size of one head.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import former
from former import runs
from former.analysis.parts import check_writes
from former.hooks import Observer
from former.tokens import Tokenizer
from viz.passes import edits as changes
from viz.passes.loaded import Loaded
from viz.passes.maps import Map
from viz.passes.said import output
from viz.text import NothingToShow, Refusal

TEXT_LIMIT = 4_000  # characters; a link must be able to carry them
FORMAT = "FMR4"  # of a packed pass (`payload`); another one for each change, as browsers keep what they have fetched


@dataclass(frozen=True)
class Pass:
    """The result of running one text through one model, as arrays on the CPU."""

    key: str  # of everything that went in: the same key is always the same pass
    header: dict[str, Any]  # plain values for the browser, see `describe`
    maps: tuple[Map, ...]
    run: runs.Run  # for later requests; without its result, which may be large

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the pass holds."""
        beside = [each for each in (*self.run.inputs, self.run.first) if each is not None]  # a memory may be a view
        return sum(each.nbytes for each in self.maps) + sum(each.untyped_storage().nbytes() for each in beside)

    def map(self, name: str) -> Map:
        """Returns the map called `name`, such as "self".

        Raises:
            KeyError: there is no map of this name.
        """
        return {each.name: each for each in self.maps}[name]


def bytes_of(tokenizer: Tokenizer, i: int) -> bytes:
    """Returns the bytes of a token; if the tokenizer does not know them, the bytes of its label."""
    own = getattr(tokenizer, "bytes_of", None)
    return own(i) if own else tokenizer.decode([i]).encode()


def tokenize(loaded: Loaded, text: str) -> tuple[list[int], list[str], int]:
    """Tokenises a text, up to the maximum number of tokens of a pass."""
    return read_text(loaded.bundle, text, loaded.max_tokens)


def check_text(text: Any) -> None:
    """Raises Refusal unless `text` is a non-blank str of at most TEXT_LIMIT characters."""
    if not isinstance(text, str) or not text.strip():
        raise Refusal("empty_text")
    if len(text) > TEXT_LIMIT:
        raise Refusal("long_text", given=len(text), limit=TEXT_LIMIT)


def read_text(bundle: former.Bundle, text: str, limit: int | None = None) -> tuple[list[int], list[str], int]:
    """Returns the tokens that fit, a label for each, and the total number (`former.runs.kind.tokenize`).

    Raises:
        Refusal: a text that is empty, too long, or without a token.
    """
    check_text(text)
    with as_refusals():
        return runs.kind.tokenize(bundle, text, limit)


# Reasons why a valid question has no answer to show:
NOTHING = {"carry_same", "no_head", "trace_masked", "trace_not", "writes_encoder", "writes_not"}


@contextmanager
def as_refusals() -> Iterator[None]:
    """Context manager: turns errors of `former` into refusals, which are in the visitor's language.

    Raises:
        Refusal: `former` raised an error for a question that it cannot answer.
    """
    try:
        yield
    except runs.Unanswerable as error:
        refusal = NothingToShow if error.reason in NOTHING else Refusal
        raise refusal(error.reason, **error.values) from error


def is_answerable(check: Callable[..., None], *args: Any) -> bool:
    """Returns whether check(*args) passes: it raises Unanswerable for a question that makes no sense for a model."""
    try:
        check(*args)
    except runs.Unanswerable:
        return False
    return True


def read(loaded: Loaded, text: str) -> runs.Reading:
    """Tokenises a text for a model of any kind, up to the maximum number of tokens of a pass.

    Raises:
        Refusal: a text that cannot be read.
    """
    check_text(text)
    with as_refusals():
        return loaded.read(text)


@dataclass(frozen=True)
class RunRequest:
    """A run that has not started yet: a text, a model and edits. The page runs it; "Copy as Python" writes the code for
    it."""

    loaded: Loaded
    reading: runs.Reading
    edits: Sequence[changes.Edit]  # as in `request`

    @property
    def calls(self) -> list[partial[Observer]]:
        """The calls of `former.edits` that return the edits as observers."""
        return changes.calls(self.edits, self.reading, self.loaded.bundle.config)

    @property
    def limit(self) -> int | None:
        """The argument `limit` of `Bundle.run` if the page reads fewer tokens of the text than the model could; else
        None."""
        most = self.loaded.max_tokens
        return most if most < min(self.loaded.bundle.config.seq_length, self.reading.total) else None

    def run(self, *, fast: bool = False) -> runs.Run:
        """Runs the text through the model, or with `fast` through its fast twin."""
        source = self.loaded.fast_bundle if fast else self.loaded.bundle
        return runs.start(source, self.loaded.kind, self.reading, [edit() for edit in self.calls])


def request(loaded: Loaded, text: str, edits: Sequence[changes.Edit] = ()) -> RunRequest:
    """Tokenises a text and returns the request to run it.

    Args:
        loaded: the model, of any kind.
        text: as typed.
        edits: as returned by `viz.passes.edits.read`.
    Raises:
        Refusal: a text that cannot be run.
    """
    return RunRequest(loaded, read(loaded, text), edits)


def describe(
    loaded: Loaded,
    text: str,
    edits: Sequence[changes.Edit],
    edited: runs.Run,
    maps: tuple[Map, ...],
    secret: bytes,
) -> Pass:
    """Returns the `Pass` of a run, with a header that describes the run for the browser.

    Args:
        loaded, text, edits: as in `request`.
        edited: the run of this text with these edits.
        maps: of that run.
        secret: the server's, from which the key of the pass is computed (`key_of`).
    """
    plain = edited.unedited if edited.edits else None
    key = key_of(loaded, text, edits, secret)
    header = {
        "key": key,
        "model": loaded.name,
        "effectOn": edited.kind.effect_on,
        "writes": [each.name for each in maps if is_answerable(check_writes, edited.kind, edited.model, each.name)],
        "unit": loaded.bundle.tokenizer.unit,
        "examples": loaded.examples,
        "context": loaded.bundle.config.seq_length,
        "text": text,
        "edits": list(edits),
        "maps": [each.describe(loaded.bundle.tokenizer) for each in maps],
        "tokens": len(edited.ids),
        "total": edited.total,
        "ids": edited.ids,
        "labels": edited.tokens,
        **edited.kind.facts(loaded.bundle, edited.reading, edited.edits),
        "output": output(edited, plain),
        "baseline": plain and output(plain, edited),
    }
    return Pass(key, header, maps, edited.light())


def key_of(loaded: Loaded, text: str, edits: Sequence[changes.Edit], secret: bytes) -> str:
    """Returns the key of a pass, computed from all its inputs: equal keys mean equal passes.

    Anyone who knows a key may fetch the pass. A key cannot be computed from the text without the server's `secret`;
    otherwise a visitor could check a guess at another visitor's text by requesting its key.
    """
    return digest(FORMAT, loaded.fingerprint, loaded.name, text, list(edits), secret=secret)


def digest(*parts: Any, secret: bytes = b"") -> str:
    """Returns a short hash of plain values, safe in a URL; with a secret of up to 64 bytes it is unpredictable."""
    return hashlib.blake2b(json.dumps(parts, sort_keys=True).encode(), key=secret, digest_size=16).hexdigest()
