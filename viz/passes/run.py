"""One text through one model: what the page shows of it, for the browser to paint.

Sizes: t tokens, h heads, s size of one head.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

import former
from former.tokens import Tokenizer
from viz.passes import edits as changes
from viz.passes import habits
from viz.passes.habits import rounded
from viz.passes.loaded import Loaded
from viz.text import Refusal
from viz.text.examples import CLASSES

TEXT_LIMIT = 4_000  # characters; a link must be able to carry them
SECRET = secrets.token_bytes(32)  # of this start of the server
POINTS = ("weights", "q", "k", "v", "out")  # of each head, in the order of `Map`'s fields
CANDIDATES = 10  # next tokens to name, of each run
WHOLE_CELLS = 8_000_000  # of a map; of a larger one the browser gets the heads at half their size, and one exactly


@dataclass(frozen=True)
class Map:
    """The attention of one stack of layers: queries that look at keys, each with labels of their own.

    A model of one stack has one; an encoder-decoder has its encoder's, its decoder's and the cross-attention between.
    """

    name: str  # "self", or as the stack's points are called: "encoder", "decoder", "cross"
    queries: list[str]  # labels of the rows
    keys: list[str]  # labels of the columns
    allowed: Tensor  # bool (t_query, t_key)
    weights: Tensor  # (layers, h, t_query, t_key), rows sum to 1
    q: Tensor  # (layers, h, t_query, s)
    k: Tensor  # (layers, h, t_key, s)
    v: Tensor  # (layers, h, t_key, s)
    out: Tensor  # (layers, h, t_query, s): the sum of the values, each times its weight
    ids: tuple[int, ...] = ()  # of the tokens, where queries and keys are the same
    scores: Tensor | None = None  # (layers, h, t_query, t_key), where they are more than q·k / √s
    memory: int = 0  # of the keys, how many are a memory from before
    divisors: tuple[float, ...] | None = None  # what each layer's scores are divided by besides √s; None for nothing

    @property
    def nbytes(self) -> int:
        """Bytes of memory it holds."""
        arrays = (self.weights, self.q, self.k, self.v, self.out, self.scores)
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
            "scored": self.scores is not None,
            "divisors": self.divisors,
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


def class_names(loaded: Loaded) -> list[str]:
    """A classifier's classes: as its card names them, or by what is usual for so many."""
    count = loaded.bundle.config.num_classes
    return list(loaded.bundle.card.get("classes") or CLASSES.get(count) or map(str, range(count)))


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
    """The tokens that fit, a label for each, and how many there were.

    Args:
        bundle: the model.
        text: as typed.
        end: whether of a text that is too long the end is kept, not the beginning.
        limit: the most tokens; None for the model's context.
    Raises:
        Refusal: a text that is empty, too long, or without a token.
    """
    check_text(text)
    tokenizer = bundle.tokenizer
    ids = tokenizer.encode(text)
    if not ids:
        raise Refusal("no_tokens")
    most: int = bundle.config.seq_length if limit is None else limit
    part = slice(-most, None) if end else slice(most)
    kept = ids[part]
    if len(ids) > most and getattr(tokenizer, "closed", False):  # as in training: [CLS] and [SEP] around what is left
        kept = [ids[0], *(ids[1 - most :] if end else [*ids[1 : most - 1], ids[-1]])]
    labels = tokenizer.labels(kept)
    if isinstance(tokenizer, former.tokens.WordTokenizer):  # what was typed, where the vocabulary has only <unk>
        labels = [
            former.tokens.UNK + " " + word if label == former.tokens.UNK else label
            for label, word in zip(labels, tokenizer.split(text)[part], strict=True)
        ]
    return kept, labels, len(ids)


def run(loaded: Loaded, text: str, edits: Sequence[changes.Edit] = ()) -> Pass:
    """The pass of a text, under the visitor's edits.

    Args:
        loaded: the model.
        text: as typed.
        edits: as `viz.passes.edits.read` gives them.
    Raises:
        Refusal: a text that cannot be run.
    """
    # A review says at its end what it comes to: classifiers are trained and measured on the end.
    ids, labels, total = tokenize(loaded, text, end=loaded.judges)
    config = loaded.bundle.config
    mask = loaded.mask(len(ids))
    observers = changes.observers(list(edits), mask, config)
    tokens = torch.tensor([ids])
    out, capture = former.run_with_capture(loaded.fast, tokens, POINTS, edits=observers, mask=mask)
    plain = former.run_with_capture(loaded.fast, tokens, (), mask=mask)[0] if observers else None
    named = most_likely(out, plain) if not loaded.judges else []
    points = (capture.stack(point)[:, 0] for point in POINTS)
    attention = Map("self", labels, labels, mask, *points, ids=tuple(ids), divisors=loaded.divisors)
    header: dict[str, Any] = {
        "tokens": len(ids),
        "total": total,
        "ids": ids,
        "labels": labels,
        "output": describe_output(loaded, tokens, out, named),
        "baseline": None if plain is None else describe_output(loaded, tokens, plain, named),
    }
    return finished(loaded, text, (attention,), header, edits)


def finished(
    loaded: Loaded, text: str, maps: tuple[Map, ...], own: Mapping[str, Any], edits: Sequence[changes.Edit] = ()
) -> Pass:
    """The pass of a text: its key, and beside what is told of this pass what is told of every one.

    Args:
        loaded: the model.
        text: as typed.
        maps: what was captured.
        own: what is told of this pass: its tokens, what the model said, and what only its kind has.
        edits: the visitor's.
    """
    config, key = loaded.bundle.config, key_of(loaded, text, edits)
    header = {
        "key": key,
        "model": loaded.name,
        "kind": loaded.kind,
        "unit": loaded.bundle.tokenizer.unit,
        "examples": loaded.examples,
        "layers": config.depth,
        "heads": config.heads,
        "context": config.seq_length,
        "text": text,
        "edits": list(edits),
        "maps": [each.describe() for each in maps],
    }
    return Pass(key, header | dict(own), maps)


def key_of(loaded: Loaded, text: str, edits: Sequence[changes.Edit] = ()) -> str:
    """The key of a pass, from all that goes in: the same key is always the same pass.

    Whoever knows a key may fetch the pass. It cannot be told from the text, or else a guess at what another visitor
    typed could be confirmed by asking for its key.
    """
    return digest(loaded.fingerprint, loaded.name, text, list(edits), secret=SECRET)


def digest(*parts: Any, secret: bytes = b"") -> str:
    """A short name for plain values, safe in a URL; with a secret, of up to 64 bytes, nobody else can tell it."""
    return hashlib.blake2b(json.dumps(parts, sort_keys=True).encode(), key=secret, digest_size=16).hexdigest()


@torch.inference_mode()
def most_likely(*logits: Tensor | None) -> list[int]:
    """The tokens to name after a text: the most likely by any of the runs, each logits (1, t, num_tokens)."""
    tops = [out[0, -1].topk(min(CANDIDATES, out.shape[-1])).indices.tolist() for out in logits if out is not None]
    return sorted(set(itertools.chain(*tops)))


@torch.inference_mode()
def describe_output(loaded: Loaded, tokens: Tensor, out: Tensor, named: Sequence[int]) -> dict[str, Any]:
    """What the model said, as plain values.

    Args:
        loaded: the model.
        tokens: (1, t).
        out: what the model gave for them.
        named: ids to name as a generator's next token.
    Returns:
        For a classifier {"classes", "probs"}; for a generator {"bits", "bitsPerToken", "next"}: bits[i] is the surprise
        of token i given those before it (None for the first), next those named, the likeliest first, as
        {"id", "label", "prob"}.
    """
    if loaded.judges:
        return {"classes": class_names(loaded), "probs": rounded(out[0].exp())}
    logits = out[0, :-1]  # (t - 1, num_tokens): of their softmax only what came next is told
    surprise = (logits.logsumexp(-1) - logits.gather(1, tokens[0, 1:, None])[:, 0]) / math.log(2)  # (t - 1,)
    probs, order = out[0, -1].softmax(-1)[list(named)].sort(descending=True)
    ids = [named[i] for i in order.tolist()]
    labels = [loaded.bundle.tokenizer.labels([i])[0] for i in ids]
    return {
        "bits": [None, *rounded(surprise)],
        "bitsPerToken": round(float(surprise.mean()), 4) if len(surprise) else None,
        "next": [{"id": i, "label": label, "prob": p} for i, label, p in zip(ids, labels, rounded(probs), strict=True)],
    }
