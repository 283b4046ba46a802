"""One text through one model: what the page shows of it, for the browser to paint.

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
from former.hooks import Observer
from former.tokens import Tokenizer
from viz.passes import edits as changes
from viz.passes import habits
from viz.passes.loaded import Loaded
from viz.passes.said import output
from viz.text import NothingToShow, Refusal

TEXT_LIMIT = 4_000  # characters; a link must be able to carry them
SECRET = secrets.token_bytes(32)  # of this start of the server
WHOLE_CELLS = 8_000_000  # of a map; of a larger one the browser gets the heads at half their size, and one exactly


class Map(runs.Map):
    """A map of a run, and how it is packed for the browser."""

    @property
    def nbytes(self) -> int:
        """Bytes of memory it holds."""
        arrays = (self.weights, self.q, self.k, self.v, self.out, self.own_scores)
        return sum(array.nbytes for array in arrays if array is not None)

    @cached_property
    def lengths(self) -> list[int]:
        """For each query, how many keys from the first hold all that it may see."""
        last = self.allowed.long() * torch.arange(1, len(self.keys) + 1)
        return last.amax(-1).tolist()

    @cached_property
    def skips(self) -> bool:
        """Whether the mask is a pattern: it leaves out keys before others that are seen."""
        return int(self.allowed.sum()) < sum(self.lengths)

    @property
    def skipped(self) -> list[list[int]]:
        """For each query, the keys before its last that its pattern leaves out, as [from, to, from, to, ...]."""
        edges = []
        for row, length in zip(self.allowed, self.lengths, strict=True):
            seen = torch.cat((row[:length], row.new_ones(1))).int()  # it ends in a key that is seen
            edges.append(torch.diff(seen, prepend=seen.new_ones(1)).nonzero()[:, 0].tolist())
        return edges

    @cached_property
    def pooled(self) -> int:
        """How many queries, and keys, the browser gets as one (`payload`)."""
        return 2 if math.prod(self.weights.shape[:2]) * sum(self.lengths) > WHOLE_CELLS else 1

    def describe(self) -> dict[str, Any]:
        """Plain values for the browser, and what the heads do: `habits.describe` of a text that looks at itself,
        `habits.sharpness` of one that looks at another."""
        divisors = tuple(round(root / self.q.shape[-1] ** 0.5, 6) for root in self.roots)  # what is not √s of it
        layers, heads = self.weights.shape[:2]
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
            "scored": self.own_scores is not None,
            "divisors": None if set(divisors) == {1.0} else divisors,
            "memory": habits.on_memory(self.weights, self.memory) if self.memory else None,
            **(
                habits.describe(self.weights, self.allowed, torch.tensor(self.ids))
                if self.ids
                else habits.sharpness(self.weights, self.memory)
            ),
        }


@dataclass(frozen=True)
class Pass:
    """What one text did in one model, as arrays on the CPU."""

    key: str  # of everything that went in: the same key is always the same pass
    header: dict[str, Any]  # plain values for the browser, see `run`
    maps: tuple[Map, ...]
    run: runs.Run  # for what is asked of it later; without its result, which may be large

    @property
    def nbytes(self) -> int:
        """Bytes of memory it holds."""
        return sum(each.nbytes for each in self.maps)

    def map(self, name: str) -> Map:
        """One of the maps.

        Raises:
            KeyError: it has none of this name.
        """
        return {each.name: each for each in self.maps}[name]


def bytes_of(tokenizer: Tokenizer, i: int) -> bytes:
    """The bytes of a token's text; of words, which have none of their own, those of the word."""
    own = getattr(tokenizer, "bytes_of", None)
    return own(i) if own else tokenizer.decode([i]).encode()


def tokenize(loaded: Loaded, text: str, *, end: bool = False) -> tuple[list[int], list[str], int]:
    """`read_text` of a model that is served, within what a pass may have."""
    return read_text(loaded.bundle, text, end=end, limit=loaded.reads)


def check_text(text: Any) -> None:
    """Raises Refusal for what is no text, or an empty or too long one."""
    if not isinstance(text, str) or not text.strip():
        raise Refusal("empty_text")
    if len(text) > TEXT_LIMIT:
        raise Refusal("long_text", given=len(text), limit=TEXT_LIMIT)


def read_text(
    bundle: former.Bundle, text: str, *, end: bool = False, limit: int | None = None
) -> tuple[list[int], list[str], int]:
    """The tokens that fit, a label for each, and how many there were (`former.runs.kind.tokenize`).

    Raises:
        Refusal: a text that is empty, too long, or without a token.
    """
    check_text(text)
    with as_refusals():
        return runs.kind.tokenize(bundle, text, limit, end=end)


# Questions in order, of which there is nothing to show:
NOTHING = {"carry_same", "no_head", "trace_masked", "trace_not", "writes_encoder", "writes_not"}


@contextmanager
def as_refusals() -> Iterator[None]:
    """Says in the visitor's language what a model or a text cannot answer.

    Raises:
        Refusal: a question that `former` refuses.
    """
    try:
        yield
    except runs.Unanswerable as error:
        refusal = NothingToShow if error.reason in NOTHING else Refusal
        raise refusal(error.reason, **error.values) from error


def answers(check: Callable[..., None], *args: Any) -> bool:
    """Whether a question makes sense, of which `check` raises Unanswerable where it makes none."""
    try:
        check(*args)
    except runs.Unanswerable:
        return False
    return True


def read(loaded: Loaded, text: str) -> runs.Reading:
    """A text as a model of any kind reads it, within what a pass may have.

    Raises:
        Refusal: a text that cannot be read.
    """
    check_text(text)
    with as_refusals():
        return loaded.kind.read(loaded.bundle, text, limit=loaded.reads)


@dataclass(frozen=True)
class RunRequest:
    """A text through a model under edits, before it runs: for the page, and for a program that is printed."""

    loaded: Loaded
    reading: runs.Reading
    edits: list[partial[Observer]]  # calls of `former.edits`

    @property
    def limit(self) -> int | None:
        """What `Bundle.run` takes as the limit, where a pass holds less of the text than the model could read."""
        reads = self.loaded.reads
        return reads if reads < min(self.loaded.bundle.config.seq_length, self.reading.total) else None

    def run(self, *, fast: bool = False) -> runs.Run:
        """Runs it, or the model's fast twin."""
        source = self.loaded.fast_bundle if fast else self.loaded.bundle
        return runs.start(source, self.loaded.kind, self.reading, [edit() for edit in self.edits])


def request(loaded: Loaded, text: str, edits: Sequence[changes.Edit] = ()) -> RunRequest:
    """Reads a text for a run.

    Args:
        loaded, text, edits: as of `run`.
    Raises:
        Refusal: a text that cannot be read.
    """
    reading = read(loaded, text)
    return RunRequest(loaded, reading, changes.calls(edits, reading, loaded.bundle.config))


def run(loaded: Loaded, text: str, edits: Sequence[changes.Edit] = ()) -> Pass:
    """The pass of a text through a model of any kind, under the visitor's edits.

    Args:
        loaded: the model.
        text: as typed.
        edits: as `viz.passes.edits.read` gives them.
    Raises:
        Refusal: a text that cannot be run.
    """
    made, config = request(loaded, text, edits).run(fast=True), loaded.bundle.config
    plain = made.unedited if made.edits else None
    maps = tuple(Map(**vars(each)) for each in made.maps.values())
    key = key_of(loaded, text, edits)
    header = {
        "key": key,
        "model": loaded.name,
        "effectOn": made.kind.effect_on,
        "writes": [each.name for each in maps if answers(check_writes, made.kind, made.model, each.name)],
        "unit": loaded.bundle.tokenizer.unit,
        "examples": loaded.examples,
        "layers": config.depth,
        "heads": config.heads,
        "context": config.seq_length,
        "text": text,
        "edits": list(edits),
        "maps": [each.describe() for each in maps],
        "tokens": len(made.ids),
        "total": made.total,
        "ids": made.ids,
        "labels": made.tokens,
        **made.kind.facts(loaded.bundle, made.reading, made.edits),
        "output": output(made, plain),
        "baseline": plain and output(plain, made),
    }
    return Pass(key, header, maps, made.light())


def key_of(loaded: Loaded, text: str, edits: Sequence[changes.Edit] = ()) -> str:
    """The key of a pass, from all that goes in: the same key is always the same pass.

    Whoever knows a key may fetch the pass. It cannot be told from the text, or else a guess at what another visitor
    typed could be confirmed by asking for its key.
    """
    return digest(loaded.fingerprint, loaded.name, text, list(edits), secret=SECRET)


def digest(*parts: Any, secret: bytes = b"") -> str:
    """A short name for plain values, safe in a URL; with a secret, of up to 64 bytes, nobody else can tell it."""
    return hashlib.blake2b(json.dumps(parts, sort_keys=True).encode(), key=secret, digest_size=16).hexdigest()
