"""A text in which a `Bert` fills in words: what the page shows of it.

In the text that is typed a word in brackets is hidden, "Paris is the capital of [France].": each of its pieces becomes
[MASK], and what it was is remembered. [MASK] itself hides a piece that nobody knows. [SEP] stands between two texts, of
which the model says whether the second follows the first.

Sizes: b batch, t tokens, e embedding.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

import former
from former.hooks import Observer
from former.tokens.wordpiece import MASK, SEP, SPECIAL, WordPieceTokenizer
from viz.passes import edits as changes
from viz.passes.habits import rounded
from viz.passes.loaded import Loaded
from viz.passes.run import POINTS, Map, Pass, check_text, finished, most_likely
from viz.text import NothingToShow, Refusal

HIDDEN = re.compile(r"\[([^\[\]\s]+)\]")  # a word in brackets


class Piece(NamedTuple):
    """A token of a text that was typed."""

    id: int  # as the model reads it
    truth: int | None = None  # what a hidden one was, where that is known
    word: int | None = None  # of `Reading.words`


class Reading(NamedTuple):
    """A text as a `Bert` reads it."""

    pieces: list[Piece]  # [CLS] and [SEP] among them
    segments: list[int]  # of each
    words: list[tuple[int, int]]  # where each word begins and ends in the text, its brackets with it
    total: int  # pieces, before the text was cut to what the model reads

    @property
    def ids(self) -> list[int]:
        """What the model reads."""
        return [piece.id for piece in self.pieces]

    def blanks(self, mask: int) -> list[int]:
        """Where the hidden pieces stand."""
        return [i for i, piece in enumerate(self.pieces) if piece.id == mask]


class Encoder:
    """A `Bert`, or its fast twin, over texts of the same segments: called as a model is, it gives the vectors above the
    last block, (b, t, e), from which both of its heads read.

    Args:
        model: a `former.Bert` or what `cpu.optimise` makes of it.
        segments: (1, t).
    """

    def __init__(self, model: Any, segments: Tensor) -> None:
        self.config, self._model, self._segments = model.config, model, segments

    def __call__(self, tokens: Tensor, mask: Tensor | None = None, observer: Observer | None = None) -> Tensor:
        """(b, t) → (b, t, e)."""
        return self._model.encode(tokens, self._segments.expand(len(tokens), -1), mask, observer)


def read(loaded: Loaded, text: str) -> Reading:
    """The pieces of a text, cut to what the model reads.

    Raises:
        Refusal: a text that is empty, too long, or without a word.
    """
    check_text(text)
    tokenizer = tokenizer_of(loaded)
    words: list[tuple[int, int]] = []
    first, middle, second = text.partition(SEP)
    texts = [pieces_of(tokenizer, first, 0, words)]
    if second.strip():
        texts.append(pieces_of(tokenizer, second, len(first) + len(middle), words))
    if not any(texts):
        raise Refusal("no_tokens")
    total = sum(map(len, texts)) + len(texts) + 1
    for _ in range(total - loaded.reads):
        max(texts, key=len).pop()  # of two texts the longer gives way
    pieces, segments = [Piece(tokenizer.cls_token)], [0]
    for segment, part in enumerate(texts):
        pieces += [*part, Piece(tokenizer.sep_token)]
        segments += [segment] * (len(part) + 1)
    return Reading(pieces, segments, words, total)


def pieces_of(tokenizer: WordPieceTokenizer, text: str, start: int, words: list[tuple[int, int]]) -> list[Piece]:
    """The pieces of one text, which begins at `start` of what was typed; its words are added to `words`."""
    pieces: list[Piece] = []

    def add(part: str, at: int, hidden: bool) -> None:
        for begin, end, ids in tokenizer.words(part):
            known = [None if i == tokenizer.mask_token else i for i in ids]
            read = [Piece(tokenizer.mask_token, truth, len(words)) for truth in known] if hidden else []
            pieces.extend(read or [Piece(i, None, len(words)) for i in ids])
            words.append((at + begin - hidden, at + end + hidden))

    done = 0
    for match in HIDDEN.finditer(text):
        if match[0] not in SPECIAL:
            add(text[done : match.start()], start + done, False)
            add(match[1], start + match.start(1), True)
            done = match.end()
    add(text[done:], start + done, False)
    return pieces


def masked(loaded: Loaded, text: str) -> tuple[str, str | None]:
    """The text with [MASK] for each hidden piece, and the second text, where there are two."""
    tokenizer = tokenizer_of(loaded)

    def hide(match: re.Match[str]) -> str:
        return match[0] if match[0] in SPECIAL else " ".join([MASK] * len(tokenizer.pieces(match[1])))

    first, _, second = HIDDEN.sub(hide, text).partition(SEP)
    return first, second if second.strip() else None


def fill_in(loaded: Loaded, text: str, edits: Sequence[changes.Edit] = ()) -> Pass:
    """The pass of a text, under the visitor's edits.

    Args:
        loaded: a model that fills in words.
        text: as typed.
        edits: as `viz.passes.edits.read` gives them.
    Raises:
        Refusal: as of `read`.
    """
    reading = read(loaded, text)
    config, tokenizer, ids = loaded.bundle.config, tokenizer_of(loaded), reading.ids
    tokens, segments = torch.tensor([ids]), torch.tensor([reading.segments])
    mask = loaded.mask(len(ids))
    observers = changes.observers(list(edits), mask, config)
    model = Encoder(loaded.fast, segments)
    x, capture = former.run_with_capture(model, tokens, POINTS, edits=observers)
    plain = former.run_with_capture(model, tokens, ())[0] if observers else None
    labels = tokenizer.labels(ids)
    points = (capture.stack(point)[:, 0] for point in POINTS)
    attention = Map("self", labels, labels, mask, *points, ids=tuple(ids))
    header: dict[str, Any] = {
        "tokens": len(ids),
        "total": reading.total,
        "ids": ids,
        "segments": reading.segments,
        "labels": labels,
        "words": described(reading, tokenizer),
        "output": output(loaded, reading, x, plain),
        "baseline": None if plain is None else output(loaded, reading, plain, x),
    }
    return finished(loaded, text, (attention,), header, edits)


def described(reading: Reading, tokenizer: WordPieceTokenizer) -> list[dict[str, Any]]:
    """The words of a text for the browser: {"from", "to": in the text, "tokens": those of its pieces, "pieces": as the
    vocabulary has them, also where they are hidden, "hidden"}."""
    places: list[list[int]] = [[] for _ in reading.words]
    for i, piece in enumerate(reading.pieces):
        if piece.word is not None:
            places[piece.word].append(i)
    words = []
    for (start, end), tokens in zip(reading.words, places, strict=True):
        pieces = [reading.pieces[i] for i in tokens]
        shown = tokenizer.labels([piece.id if piece.truth is None else piece.truth for piece in pieces])
        hidden = any(piece.id == tokenizer.mask_token for piece in pieces)
        words.append({"from": start, "to": end, "tokens": tokens, "pieces": shown, "hidden": hidden})
    return [word for word in words if word["tokens"]]


@torch.inference_mode()
def output(loaded: Loaded, reading: Reading, x: Tensor, other: Tensor | None) -> dict[str, Any]:
    """What the model's heads read off the vectors above the last block, as plain values.

    Args:
        loaded: the model.
        reading: the text.
        x: (1, t, e).
        other: of the run to compare with, whose candidates are named too.
    Returns:
        {"blanks": for each hidden piece {"token", "truth": {"id", "label", "prob"} or None, "next": candidates, the
        likeliest first, as {"id", "label", "prob"}}, None without the head for it; "follows": the probability that the
        second text follows the first, None where there is one text, or no head for it; "pairs": whether there is one}.
    """
    model, tokenizer = loaded.bundle.model, tokenizer_of(loaded)
    places, blanks = reading.blanks(tokenizer.mask_token) if model.has_head else [], []
    for i in places:
        probs, ids, truth = model.unembed(x[0, i]).softmax(-1), candidates(model, i, x, other), reading.pieces[i].truth
        named = [
            {"id": token, "label": tokenizer.labels([token])[0], "prob": prob}
            for token, prob in zip(ids, rounded(probs[ids]), strict=True)
        ]
        known = (
            None
            if truth is None
            else {"id": truth, "label": tokenizer.labels([truth])[0], "prob": rounded(probs[truth])}
        )
        blanks.append({"token": i, "truth": known, "next": sorted(named, key=lambda said: -said["prob"])})
    follows = None
    if 1 in reading.segments and model.sentence is not None:
        follows = rounded(model.follows(x)[0].softmax(-1)[0])
    return {
        "blanks": blanks if model.has_head else None,
        "follows": follows,
        "pairs": model.sentence is not None,
    }


def candidates(model: Any, place: int, *runs: Tensor | None) -> list[int]:
    """The words to name at a place: the likeliest by any of the runs, each (1, t, e)."""
    return most_likely(*(None if x is None else model.unembed(x[:, place : place + 1]) for x in runs))


def cost(loaded: Loaded, made: Pass) -> Any:
    """A measure of how badly a pass's hidden words are filled in: from what `Encoder` gives (b, t, e) to bits (b,), the
    mean over the hidden pieces; of one that nobody knows, of what the model says first.

    Raises:
        Refusal: nothing is hidden, or nothing can be filled in.
    """
    check_head(loaded)
    blanks = made.header["output"]["blanks"]
    if not blanks:
        raise Refusal("no_blanks")
    places = [blank["token"] for blank in blanks]
    targets = torch.tensor([(blank["truth"] or blank["next"][0])["id"] for blank in blanks])

    def bits(x: Tensor) -> Tensor:
        log_probs = F.log_softmax(loaded.bundle.model.unembed(x[:, places]), -1)  # (b, blanks, num_tokens)
        return -log_probs[:, torch.arange(len(targets)), targets].mean(1) / math.log(2)

    return bits


def check_head(loaded: Loaded) -> None:
    """Raises NothingToShow for a model without a head that predicts something."""
    if not loaded.has_head:
        raise NothingToShow("no_head")


def tokenizer_of(loaded: Loaded) -> WordPieceTokenizer:
    """Its tokenizer."""
    tokenizer = loaded.bundle.tokenizer
    assert isinstance(tokenizer, WordPieceTokenizer)
    return tokenizer
