"""Runs one text through one model, and prepares the result for the browser.

Sizes: t tokens, h heads, s size of one head.
"""

from __future__ import annotations

import hashlib
import json
import math
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import torch

import former
from former import runs
from former.analysis.parts import check_writes
from former.analysis.statistics import kinds_of
from former.hooks import Observer
from former.tokens import Tokenizer
from viz.passes import edits as changes
from viz.passes import habits
from viz.passes.loaded import Loaded
from viz.passes.said import output
from viz.text import NothingToShow, Refusal

TEXT_LIMIT = 4_000  # characters; a link must be able to carry them
SECRET = secrets.token_bytes(32)  # of this process, for passes that no other process has to find
WHOLE_CELLS = 2_000_000  # of a map; of a larger one the browser gets the heads at half their size, and one exactly


class Map(runs.Map):
    """The attention of one stack of layers in a run, with the properties that its packed form needs."""

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the map holds."""
        arrays = (self.weights, self.q, self.k, self.v, self.out, self.own_scores)
        return sum(array.nbytes for array in arrays if array is not None)

    @cached_property
    def lengths(self) -> list[int]:
        """For each query, the number of keys up to and including the last one that it may attend to."""
        last = self.allowed.long() * torch.arange(1, len(self.keys) + 1)
        return last.amax(-1).tolist()

    @cached_property
    def skips(self) -> bool:
        """Whether the mask leaves out keys between those that it allows: a sparse pattern, or padding in the text."""
        return int(self.allowed.sum()) < sum(self.lengths)

    @property
    def skipped(self) -> list[list[int]]:
        """For each query, the keys before its last allowed one that the mask skips: [from, to, from, to, ...]."""
        edges = []
        for row, length in zip(self.allowed, self.lengths, strict=True):
            lengths = torch.cat((row[:length], row.new_ones(1))).int()  # it ends in a key that is seen
            edges.append(torch.diff(lengths, prepend=lengths.new_ones(1)).nonzero()[:, 0].tolist())
        return edges

    @cached_property
    def pooled(self) -> int:
        """How many queries, and how many keys, become one cell for the browser: 1, or 2 in a large map (`payload`)."""
        return 2 if math.prod(self.weights.shape[:2]) * sum(self.lengths) > WHOLE_CELLS else 1

    def describe(self, tokenizer: Tokenizer | None = None) -> dict[str, Any]:
        """Returns plain values for the browser, with `habits.describe` (self-attention) or `habits.sharpness`.

        With `tokenizer`, the statistics include the shares of attention on separators and punctuation.
        """
        divisors = tuple(round(root / self.q.shape[-1] ** 0.5, 6) for root in self.roots)  # without √s
        layers, heads = self.weights.shape[:2]
        tokens = torch.tensor(self.ids)
        kinds = kinds_of(tokenizer, tokens) if tokenizer and self.ids else None
        return {
            "name": self.name,
            "layers": layers,
            "heads": heads,
            "headSize": self.q.shape[-1],
            "queries": self.queries,
            "keys": self.keys,
            "lengths": self.lengths,
            "pooled": self.pooled,
            "skipped": self.skipped if self.skips else None,
            "padded": not bool(self.allowed.all()) and bool((self.allowed == self.allowed[0]).all()),
            "scored": self.own_scores is not None,
            "divisors": None if set(divisors) == {1.0} else divisors,
            "memory": habits.on_memory(self.weights, self.memory) if self.memory else None,
            **(
                habits.describe(self.weights, self.allowed, tokens, kinds)
                if self.ids
                else habits.sharpness(self.weights, self.memory)
            ),
        }


@dataclass(frozen=True)
class Pass:
    """The result of running one text through one model, as arrays on the CPU."""

    key: str  # of everything that went in: the same key is always the same pass
    header: dict[str, Any]  # plain values for the browser, see `run`
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


def tokenize(loaded: Loaded, text: str, *, end: bool = False) -> tuple[list[int], list[str], int]:
    """Tokenises a text, up to the maximum number of tokens of a pass; with `end`, a longer text keeps its end."""
    return read_text(loaded.bundle, text, end=end, limit=loaded.max_tokens)


def check_text(text: Any) -> None:
    """Raises Refusal unless `text` is a non-blank str of at most TEXT_LIMIT characters."""
    if not isinstance(text, str) or not text.strip():
        raise Refusal("empty_text")
    if len(text) > TEXT_LIMIT:
        raise Refusal("long_text", given=len(text), limit=TEXT_LIMIT)


def read_text(
    bundle: former.Bundle, text: str, *, end: bool = False, limit: int | None = None
) -> tuple[list[int], list[str], int]:
    """Returns the tokens that fit, a label for each, and the total number (`former.runs.kind.tokenize`).

    Raises:
        Refusal: a text that is empty, too long, or without a token.
    """
    check_text(text)
    with as_refusals():
        return runs.kind.tokenize(bundle, text, limit, end=end)


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
    edits: Sequence[changes.Edit]  # as in `run`

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
    """Tokenises a text and returns the request to run it; arguments and errors are those of `run`."""
    return RunRequest(loaded, read(loaded, text), edits)


def run(loaded: Loaded, text: str, edits: Sequence[changes.Edit] = (), secret: bytes = SECRET) -> Pass:
    """Runs a text through a model of any kind, with the visitor's edits.

    Args:
        loaded: the model.
        text: as typed.
        edits: as returned by `viz.passes.edits.read`.
        secret: the server's, from which the key of the pass is computed (`key_of`).
    Raises:
        Refusal: a text that cannot be run.
    """
    edited = request(loaded, text, edits).run(fast=True)
    return describe(loaded, text, edits, edited, maps_of(edited), secret)


def maps_of(edited: runs.Run) -> tuple[Map, ...]:
    """Returns the maps of a run as `Map`s of this module."""
    return tuple(Map(**vars(each)) for each in edited.maps.values())


def describe(
    loaded: Loaded,
    text: str,
    edits: Sequence[changes.Edit],
    edited: runs.Run,
    maps: tuple[Map, ...],
    secret: bytes = SECRET,
) -> Pass:
    """Returns the `Pass` of a run, with a header that describes the run for the browser.

    Args:
        loaded, text, edits, secret: as in `run`.
        edited: the run of this text with these edits.
        maps: of that run.
    """
    config, plain = loaded.bundle.config, edited.unedited if edited.edits else None
    key = key_of(loaded, text, edits, secret)
    header = {
        "key": key,
        "model": loaded.name,
        "effectOn": edited.kind.effect_on,
        "writes": [each.name for each in maps if is_answerable(check_writes, edited.kind, edited.model, each.name)],
        "unit": loaded.bundle.tokenizer.unit,
        "examples": loaded.examples,
        "layers": config.depth,
        "heads": config.heads,
        "context": config.seq_length,
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


def key_of(loaded: Loaded, text: str, edits: Sequence[changes.Edit] = (), secret: bytes = SECRET) -> str:
    """Returns the key of a pass, computed from all its inputs: equal keys mean equal passes.

    Anyone who knows a key may fetch the pass. A key cannot be computed from the text without the server's `secret`;
    otherwise a visitor could check a guess at another visitor's text by requesting its key.
    """
    return digest(loaded.fingerprint, loaded.name, text, list(edits), secret=secret)


def digest(*parts: Any, secret: bytes = b"") -> str:
    """Returns a short hash of plain values, safe in a URL; with a secret of up to 64 bytes it is unpredictable."""
    return hashlib.blake2b(json.dumps(parts, sort_keys=True).encode(), key=secret, digest_size=16).hexdigest()
