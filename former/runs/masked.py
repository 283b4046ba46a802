"""Models that fill in hidden words: a `Bert`.

In the text a word in brackets is hidden, "Paris is the capital of [France].": each of its pieces becomes [MASK], and
the reading stores what it was. [MASK] itself hides a piece that is unknown. [SEP] separates two texts, and the model
predicts whether the second follows the first.

Sizes: b batch, t tokens, e embedding.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from former.bert import Bert
from former.checks import require_room
from former.hooks import Observer
from former.runs.classifier import cells_of
from former.runs.kind import (
    Inputs,
    Kind,
    Measure,
    Reading,
    Sides,
    Source,
    Unanswerable,
    as_input,
    index_in,
    require_no_answer,
)
from former.sampling import precise, require_numbers
from former.tokens.labels import SPECIAL

SEPARATOR, MASK = "[SEP]", "[MASK]"
HIDDEN = re.compile(r"\[([^\[\]\s]+)\]")  # a word in brackets


class Piece(NamedTuple):
    """A token of a typed text."""

    id: int  # the model's input
    truth: int | None = None  # the id of a hidden piece, if known
    word: int | None = None  # index in `MaskedReading.words`


@dataclass(frozen=True)
class MaskedReading(Reading):
    """A text, tokenised as a `Bert` reads it, with its hidden pieces."""

    pieces: list[Piece]  # including [CLS] and [SEP]
    words: list[tuple[int, int]]  # start and end of each word in the text, including its brackets
    blanks: dict[int, int | None]  # position of each hidden piece → its id, if known


class Masked(Kind):
    """The kind of models that predict each hidden piece from all other tokens.

    `call` returns the vectors after the last block (b, t, e), which both heads read: logits of the whole vocabulary at
    every position would be most of the work, and are rarely needed.
    """

    name = "masked"
    models = (Bert,)
    says = "blank"
    effect_on = "hidden"

    def predicts(self, model: Any) -> bool:
        """Returns whether the model has the masked-word head."""
        return model.has_head

    def read(self, source: Source, text: str, answer: str | None = None, limit: int | None = None) -> MaskedReading:
        """Tokenises a text, or two with [SEP] between them; if two are too long together, the longer one is cut."""
        require_no_answer(answer, source)
        tokenizer: Any = source.tokenizer
        words: list[tuple[int, int]] = []
        first, middle, second = text.partition(SEPARATOR)
        texts = [_pieces(tokenizer, first, 0, words)]
        if second.strip():
            texts.append(_pieces(tokenizer, second, len(first) + len(middle), words))
        if not any(texts):
            raise Unanswerable("no_tokens", f"text must hold at least one word, got {text!r}")
        between = getattr(tokenizer, "between", [tokenizer.sep_token])
        around = len(between) * (len(texts) - 1) + 2
        total = sum(map(len, texts)) + around
        most = source.model.config.seq_length if limit is None else limit
        require_room(most, around + len(texts))
        longer = max(reversed(texts), key=len)  # keeps one token more if both are cut, as in `transformers`
        for _ in range(total - most):
            max(texts, key=lambda part: (len(part), part is not longer)).pop()
        pieces, segments = [Piece(tokenizer.cls_token)], [0]
        last = len(texts) - 1
        for segment, part in enumerate(texts):
            pieces += part + [Piece(i) for i in (between if segment < last else [tokenizer.sep_token])]
            number = min(segment, source.model.config.num_segments - 1)
            segments += [number] * (len(pieces) - len(segments))
        ids = [piece.id for piece in pieces]
        labels = tokenizer.labels(ids)
        sides = Sides(labels, labels, cells_of(source.model, ids), tuple(ids))
        inputs = (as_input(source, ids), as_input(source, segments))
        blanks = {i: piece.truth for i, piece in enumerate(pieces) if piece.id == tokenizer.mask_token}
        return MaskedReading(text, ids, labels, total, inputs, {"self": sides}, pieces, words, blanks)

    def call(self, model: Any, inputs: Inputs, observer: Observer | None = None) -> Tensor:
        """Runs the model; returns the vectors after the last block, (b, t, e)."""
        return model.encode(*inputs, observer=observer)

    def output(self, model: Any, result: Tensor) -> Tensor:
        """Returns logits of the word at each position (b, t, num_tokens); without a masked-word head, the vectors
        (b, t, e)."""
        return model.unembed(result) if model.has_head else result

    def measure(self, model: Any, reading: Reading, inputs: Inputs, result: Tensor) -> Measure:
        """Returns the function that measures a prediction in bits per hidden piece; if the hidden piece is unknown, of
        the piece that the model guesses first."""
        unembed, truths = self.unembed(model, inputs), self.truths(reading)
        if not truths:
            raise Unanswerable("no_blanks", "text must hide a word, in brackets, for the model to predict")
        places = list(truths)
        guesses = unembed(result[0, places]).argmax(-1)  # (blanks,)
        known = [guess if truth is None else truth for guess, truth in zip(guesses, truths.values(), strict=True)]
        targets = guesses.new_tensor(known)

        def bits(x: Tensor) -> Tensor:
            logits = precise(unembed(x[:, places]).transpose(1, 2))  # (b, num_tokens, blanks)
            return F.cross_entropy(logits, targets.expand(len(x), -1), reduction="none").mean(1) / math.log(2)

        return bits

    def prediction(self, model: Any, reading: Reading, inputs: Inputs, result: Tensor, at: int = -1) -> Tensor:
        """Returns logits (b, num_tokens) of a hidden piece; `at` is an index into the hidden pieces."""
        return self.read_stream(model, reading, inputs, result, at)

    def read_stream(self, model: Any, reading: Reading, inputs: Inputs, x: Tensor, at: int) -> Tensor:
        """Returns logits (b, num_tokens) of a hidden piece, from the vectors (b, t, e)."""
        places = self.places(reading)
        if not places:
            raise Unanswerable("no_blanks", "text must hide a word, in brackets, so that there is one to predict")
        return self.unembed(model, inputs)(x[:, places[index_in(at, len(places))]])

    def truths(self, reading: Reading) -> dict[int, int | None]:
        """Maps the position of each hidden piece to the hidden id, or None if it is unknown."""
        assert isinstance(reading, MaskedReading)
        return reading.blanks

    def places(self, reading: Reading) -> list[int]:
        """Returns the positions of hidden pieces."""
        return list(self.truths(reading))

    def facts(self, source: Source, reading: Reading, edits: Sequence[Observer]) -> dict[str, Any]:
        """Returns the segment of each token, and the text's words: {"from", "to": in the text, "tokens": its positions,
        "pieces": as in the vocabulary, even if hidden, "hidden"}."""
        del edits
        assert isinstance(reading, MaskedReading)
        label, words = source.tokenizer.labels, []
        for number, (start, end) in enumerate(reading.words):
            tokens = [i for i, piece in enumerate(reading.pieces) if piece.word == number]
            pieces = [reading.pieces[i] for i in tokens]
            pieces_shown = label([piece.id if piece.truth is None else piece.truth for piece in pieces])
            hidden = any(i in reading.blanks for i in tokens)
            words.append({"from": start, "to": end, "tokens": tokens, "pieces": pieces_shown, "hidden": hidden})
        return {"segments": reading.inputs[1][0].tolist(), "words": [word for word in words if word["tokens"]]}

    @torch.no_grad()
    def follows(self, model: Any, reading: Reading, result: Tensor) -> float | None:
        """Returns the probability that the second text follows the first; None for a single text, or a model without
        the next-sentence head."""
        if model.sentence is None or not reading.inputs[1].any():
            return None
        return float(require_numbers(precise(model.next_sentence_logits(result)[0]).softmax(-1))[0])


def _pieces(tokenizer: Any, text: str, start: int, words: list[tuple[int, int]]) -> list[Piece]:
    """Tokenizes one text, which begins at `start` of the typed text; appends its words to `words`."""
    pieces: list[Piece] = []

    def add(part: str, at: int) -> None:
        for begin, end, ids in tokenizer.words(part):
            pieces.extend(Piece(i, None, len(words)) for i in ids)
            words.append((at + begin, at + end))

    def hide(part: str, span: tuple[int, int]) -> None:
        """Adds the text in brackets as one word, even if the tokenizer finds several in it ("twenty-one")."""
        if ids := [i for _, _, each in tokenizer.words(part) for i in each]:
            known = [None if i == tokenizer.mask_token else i for i in ids]
            pieces.extend(Piece(tokenizer.mask_token, truth, len(words)) for truth in known)
            words.append((start + span[0], start + span[1]))

    done = 0
    for match in HIDDEN.finditer(text):
        space = text[done : match.start()].endswith(" ")  # a byte-level piece begins with the space before it
        if match[0] == MASK:
            add(text[done : match.start() - space], start + done)
            pieces.append(Piece(tokenizer.mask_token, None, len(words)))
            words.append((start + match.start(), start + match.end()))
        elif match[0] not in SPECIAL:
            add(text[done : match.start() - space], start + done)
            hide(" " * space + match[1], match.span())
        else:
            continue
        done = match.end()
    add(text[done:], start + done)
    return pieces
