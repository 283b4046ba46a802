"""What is special about a kind of model, behind one protocol: how it reads a text, runs, predicts and is measured.

Each kind stands in one file of this package. Nothing else asks what kind a model is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import torch
from torch import Tensor

from former.hooks import Observer
from former.tokens import UNK, Tokenizer, WordTokenizer

Measure = Callable[[Tensor], Tensor]
"""From a model's result for a batch to one number a sequence, (b,)."""

Inputs = tuple[Tensor, ...]
"""What a model is called with: token ids (1, t) first, and what its kind has besides."""


class Unanswerable(ValueError):
    """A text that a model cannot read, or a question that makes no sense of a model or a text.

    Args:
        reason: a short name for it, by which it can be said in another language.
        message: one line of English.
        values: what the message names.
    """

    def __init__(self, reason: str, message: str, **values: Any) -> None:
        super().__init__(message)
        self.reason, self.values = reason, values


class Source(Protocol):
    """What a run is of: a `former.Bundle`. Its model may be a fast twin (`former.cpu`)."""

    @property
    def model(self) -> Any:
        """Called with token ids."""
        ...

    @property
    def tokenizer(self) -> Tokenizer:
        """The model's."""
        ...

    @property
    def card(self) -> Mapping[str, Any]:
        """What is known of the model."""
        ...


@dataclass(frozen=True)
class Sides:
    """The two sides of a map, and which query may see which key."""

    queries: list[str]  # labels of the rows
    keys: list[str]  # labels of the columns
    allowed: Tensor  # bool (t_query, t_key)
    ids: tuple[int, ...] = ()  # of the tokens, where queries and keys are the same
    memory: int = 0  # how many of the keys, from the first, are a memory


@dataclass(frozen=True)
class Reading:
    """A text as a model of some kind reads it."""

    text: str  # as typed
    ids: list[int]  # what was read
    tokens: list[str]  # a label for each
    total: int  # tokens of the text: more than were read where the model's context cut it
    inputs: Inputs
    sides: Mapping[str, Sides]  # of each map: "self", or each of `former.hooks.STACKS` where there are several


class Kind:
    """A kind of model. It keeps nothing: one object serves all models of the kind.

    Attributes:
        name: one word for it.
        models: the classes of this kind.
        says: what a model of the kind says of a text: the "next" token after each, one "class", or a "blank" filled in.
        stack: the module whose residual stream the output is read from.
        resumes: whether a run can begin at a later block (`resume`).
    """

    name: ClassVar[str]
    models: ClassVar[tuple[type, ...]]
    says: ClassVar[str] = "next"
    stack: ClassVar[str] = "transformer"
    resumes: ClassVar[bool] = True

    def read(self, source: Source, text: str, answer: str | None = None, limit: int | None = None) -> Reading:
        """Reads a text.

        Args:
            source: the model and its tokenizer.
            text: as typed.
            answer: what a decoder reads, of a kind that has one.
            limit: the most tokens to read; None for the model's context.
        Raises:
            Unanswerable: a text without a token, or an answer to a kind that writes none.
        """
        raise NotImplementedError

    def prepare(self, model: Any, reading: Reading, edits: Sequence[Observer]) -> tuple[Inputs, Tensor | None]:
        """The inputs of the run that is looked at, and the logits (1, num_tokens) for its first token, if known."""
        del model, edits
        return reading.inputs, None

    def call(self, model: Any, inputs: Inputs, observer: Observer | None = None) -> Tensor:
        """Runs the model; returns what `output`, `measure` and `next_logits` read, (b, ...)."""
        return model(*inputs, observer=observer)

    def batch(self, inputs: Inputs, count: int) -> Inputs:
        """The inputs `count` times, as one batch."""
        return tuple(each.expand(count, -1) for each in inputs)

    def output(self, model: Any, result: Tensor) -> Tensor:
        """What the model says, from what `call` returned."""
        del model
        return result

    def measure(self, model: Any, reading: Reading, inputs: Inputs, result: Tensor) -> Measure:
        """How badly the model does on a text, from what `call` returns: what an effect is measured in.

        Args:
            model: the readable one.
            reading: the text.
            inputs: of the run.
            result: of the run.
        Raises:
            Unanswerable: there is nothing to measure.
        """
        raise NotImplementedError

    def prediction(self, model: Any, reading: Reading, inputs: Inputs, result: Tensor, at: int = -1) -> Tensor:
        """Logits, or log-probabilities of classes, (b, n) of one prediction.

        Args:
            model: the readable one.
            reading: the text.
            inputs: of the run.
            result: what `call` returned, (b, ...).
            at: the position; from the end where it is negative.
        Raises:
            ValueError: there is no such prediction.
        """
        del model, reading, inputs
        return result[:, index_in(at, result.shape[1])]

    def resume(
        self, model: Any, reading: Reading, inputs: Inputs, x: Tensor, layer: int, observer: Observer, at: int = -1
    ) -> Tensor:
        """The prediction (b, n), from the vectors x (b, t, e) that the block of a layer reads.

        The other arguments are those of `prediction` and `call`.
        """
        x = model.transformer(x, reading.sides["self"].allowed.to(x.device), observer, first=layer)
        return self.read_stream(model, reading, inputs, x, at)

    def read_stream(self, model: Any, reading: Reading, inputs: Inputs, x: Tensor, at: int) -> Tensor:
        """The prediction (b, n), from the vectors above the last block (b, t, e)."""
        del reading
        return self.unembed(model, inputs)(x[:, [index_in(at, x.shape[1])]])[:, 0]

    def next_logits(self, model: Any, result: Tensor) -> Tensor:
        """Logits (num_tokens,) of the token that follows the text.

        Raises:
            Unanswerable: a kind that predicts no next token.
        """
        del result
        raise Unanswerable("no_next", f"{type(model).__name__} predicts no next token")

    def written(self, model: Any, inputs: Inputs) -> Tensor:
        """The tokens (1, t) after each of which the model predicts the next.

        Raises:
            Unanswerable: a kind that predicts no next token.
        """
        del inputs
        raise Unanswerable("no_next", f"{type(model).__name__} predicts no next token")

    def classes(self, source: Source) -> list[str]:
        """The names of the classes.

        Raises:
            Unanswerable: a kind that does not classify.
        """
        raise Unanswerable("no_verdict", f"{type(readable(source.model)).__name__} gives no verdict on a text")

    def truths(self, reading: Reading) -> dict[int, int | None]:
        """The place of each hidden token, and what was hidden there; None where nobody knows.

        Raises:
            Unanswerable: a kind that fills in nothing.
        """
        del reading
        raise Unanswerable("no_fill", f"a {self.name} model fills in no hidden words")

    def follows(self, model: Any, reading: Reading, result: Tensor) -> float | None:
        """The probability that a text's second part follows its first; None where nothing says so."""
        del model, reading, result
        return None

    def unembed(self, model: Any, inputs: Inputs) -> Callable[[Tensor], Tensor]:
        """Returns the map from the residual stream (b, t, e) to what the model says: logits, or log-probabilities.

        Raises:
            Unanswerable: a model without a head.
        """
        del inputs
        return model.unembed

    def facts(self, source: Source, reading: Reading, edits: Sequence[Observer]) -> dict[str, Any]:
        """What only this kind has to tell of a text that was read, as plain values by name."""
        del source, reading, edits
        return {}

    def places(self, reading: Reading) -> list[int] | None:
        """The tokens at which the stream can be read as a prediction; None for all."""
        del reading
        return None


def readable(model: Any) -> Any:
    """The model itself, or the readable one that a fast twin was made of."""
    return getattr(model, "model", model)


def as_input(source: Source, ids: Sequence[int]) -> Tensor:
    """Token ids as the model reads them: (1, t), where its weights are."""
    return torch.tensor([ids], device=next(source.model.parameters()).device)


def tokenize(source: Source, text: str, limit: int | None, *, end: bool = False) -> tuple[list[int], list[str], int]:
    """Reads the tokens of a text that fit.

    Args:
        source: the model and its tokenizer.
        text: as typed.
        limit: the most tokens; None for the model's context.
        end: whether the end of a longer text is kept, not the beginning.
    Returns:
        The ids that were kept, a label for each, and how many there were.
    Raises:
        Unanswerable: a text without a token.
    """
    tokenizer: Any = source.tokenizer
    ids = tokenizer.encode(text)
    if not set(ids) - {getattr(tokenizer, name, None) for name in ("cls_token", "sep_token")}:
        raise Unanswerable("no_tokens", f"text must hold at least one token, got {text!r}")
    most = source.model.config.seq_length if limit is None else limit
    part = slice(-most, None) if end else slice(most)
    kept = ids[part]
    if len(ids) > most and getattr(tokenizer, "closed", False):  # as in training: [CLS] and [SEP] around what is left
        kept = [ids[0], *(ids[1 - most :] if end else [*ids[1 : most - 1], ids[-1]])]
    labels = tokenizer.labels(kept)
    if isinstance(tokenizer, WordTokenizer):
        labels = with_typed(labels, tokenizer.split(text)[part])
    return kept, labels, len(ids)


def with_typed(labels: list[str], typed: Sequence[str]) -> list[str]:
    """Labels in which an unknown word or character stands beside what was typed."""
    return [f"{UNK} {word}" if label == UNK else label for label, word in zip(labels, typed, strict=True)]


def require_no_answer(answer: str | None, source: Source) -> None:
    """Raises Unanswerable for an answer to a model that reads one text."""
    if answer is not None:
        name = type(source.model).__name__
        raise Unanswerable("no_answer", f"answer must be None for a {name}, which reads one text, got {answer!r}")


def index_in(at: int, count: int) -> int:
    """An index into `count` things, checked; from the end where it is negative."""
    if not -count <= at < count:
        raise ValueError(f"at must be in [{-count}, {count}) for this text, got {at}")
    return at % count
