"""The protocol for kinds of models: how a kind reads a text, runs, predicts and is measured.

Each kind has a file of its own in this package. No other code asks what kind a model is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import torch
from torch import Tensor

from former.checks import is_whole, require_room
from former.hooks import Observer
from former.tokens import Tokenizer, WordTokenizer
from former.tokens.labels import special_ids
from former.tokens.words import with_typed

Measure = Callable[[Tensor], Tensor]
"""Maps a model's result for a batch to one number for each sequence, (b,)."""

Inputs = tuple[Tensor, ...]
"""The arguments of a model: token ids (1, t) first, then what its kind needs besides."""


class Unanswerable(ValueError):
    """The model cannot read this text, or the question makes no sense for this model or text.

    Args:
        reason: a short identifier, for translations of the message.
        message: one line of English, with `values`.
    """

    def __init__(self, reason: str, message: str, **values: Any) -> None:
        super().__init__(message)
        self.reason, self.values = reason, values


class Source(Protocol):
    """The model and tokenizer of a run: a `former.Bundle`. Its model may be a fast twin (`former.cpu`)."""

    @property
    def model(self) -> Any:
        """The model, which accepts token ids."""

    @property
    def tokenizer(self) -> Tokenizer:
        """The model's tokenizer."""
        ...

    @property
    def card(self) -> Mapping[str, Any]:
        """The model's card: facts about it, as plain values."""
        ...


@dataclass(frozen=True)
class Sides:
    """The two sides of a map, and which query may attend to which key."""

    queries: list[str]  # labels of the rows
    keys: list[str]  # labels of the columns
    allowed: Tensor  # bool (t_query, t_key)
    ids: tuple[int, ...] = ()  # of the tokens, if queries and keys are the same
    memory: int = 0  # number of keys, from the first, that are a memory


@dataclass(frozen=True)
class Reading:
    """A text, tokenised as a model of some kind reads it."""

    text: str  # as typed
    ids: list[int]  # the tokens that fit
    tokens: list[str]  # their labels
    total: int  # number of tokens in the text; more than `ids` if it exceeds the context
    inputs: Inputs
    sides: Mapping[str, Sides]  # of each map: "self", or each of `former.hooks.STACKS` in a model with several


class Kind:
    """A kind of model. It has no state: one object serves all models of the kind.

    Attributes:
        name: the kind in one word.
        models: the classes of this kind.
        says: what a model of the kind predicts: the "next" token after each, one "class", or the token of a "blank".
        resumes: whether a run can begin at a later block (`resume`), since it is one stack of blocks.
        keeps: which tokens of a text are read if it is longer than the context: the "first" or the "last".
        effect_on: what `measure` is about: the "text", its "hidden" tokens, the "answer" or the "verdict".
    """

    name: ClassVar[str]
    models: ClassVar[tuple[type, ...]]
    says: ClassVar[str] = "next"
    resumes: ClassVar[bool] = True
    keeps: ClassVar[str] = "first"
    effect_on: ClassVar[str] = "text"

    def variant(self, model: Any) -> str:
        """Returns the kind's name, or the name of a variant of the kind that the page describes differently."""
        return self.name if self.predicts(model) else "bare"

    def predicts(self, model: Any) -> bool:
        """Returns whether the model has a head to predict with."""
        del model
        return True

    def continues(self, model: Any) -> bool:
        """Returns whether the model can continue a text (`former.generate`)."""
        del model
        return False

    def pools(self, model: Any) -> bool:
        """Returns whether the model classifies the pooled vectors of all tokens, none of which is special."""
        del model
        return False

    def read(self, source: Source, text: str, answer: str | None = None, limit: int | None = None) -> Reading:
        """Tokenises a text.

        Args:
            source: the model and its tokenizer.
            text: as the user typed it.
            answer: the decoder's input, for a kind with a decoder.
            limit: the most tokens to read; None for the model's context.
        Raises:
            Unanswerable: a text without tokens, or an answer for a kind that writes none.
        """
        raise NotImplementedError

    def prepare(self, model: Any, reading: Reading, edits: Sequence[Observer]) -> tuple[Inputs, Tensor | None]:
        """Prepares a run: returns the model's inputs and, for a model with a memory, the logits (1, num_tokens) that
        earlier segments give for the first token; else None."""
        del model, edits
        return reading.inputs, None

    def call(self, model: Any, inputs: Inputs, observer: Observer | None = None) -> Tensor:
        """Runs the model; returns (b, ...), which `output`, `measure` and `next_logits` read."""
        return model(*inputs, observer=observer)

    def batch(self, inputs: Inputs, count: int) -> Inputs:
        """Repeats the inputs `count` times as one batch."""
        return tuple(each.expand(count, -1) for each in inputs)

    def output(self, model: Any, result: Tensor) -> Tensor:
        """Converts the result of `call` to the model's own output."""
        del model
        return result

    def measure(self, model: Any, reading: Reading, inputs: Inputs, result: Tensor) -> Measure:
        """Returns a function that measures how bad a prediction is, from the result of `call`: (b, ...) → (b,). Effects
        are reported in this measure.

        Args:
            model: the readable one, not its fast twin.
            reading: the text.
            inputs: the run's inputs.
            result: the run's result.
        Raises:
            Unanswerable: the text has nothing to predict.
        """
        raise NotImplementedError

    def prediction(self, model: Any, reading: Reading, inputs: Inputs, result: Tensor, at: int = -1) -> Tensor:
        """Returns logits, or log-probabilities of classes, (b, n) of the prediction at a position.

        The other arguments are those of `measure`, with a result (b, ...); a negative position counts from the end.
        ValueError is raised if there is no such prediction.
        """
        del reading
        self.unembed(model, inputs)  # raises without an output layer
        return result[:, index_in(at, result.shape[1])]

    def resume(
        self, model: Any, reading: Reading, inputs: Inputs, x: Tensor, layer: int, observer: Observer, at: int = -1
    ) -> Tensor:
        """Continues a run from the input x (b, t, e) of a layer; returns the prediction (b, n) at a position."""
        x = model.transformer(x, reading.sides["self"].allowed.to(x.device), observer, first=layer)
        return self.read_stream(model, reading, inputs, x, at)

    def read_stream(self, model: Any, reading: Reading, inputs: Inputs, x: Tensor, at: int) -> Tensor:
        """Returns the prediction (b, n) at a position, computed from x (b, t, e), the output of the last block."""
        del reading
        return self.unembed(model, inputs)(x[:, [index_in(at, x.shape[1])]])[:, 0]

    def next_logits(self, model: Any, result: Tensor) -> Tensor:
        """Returns logits (num_tokens,) of the token after the text.

        Raises:
            Unanswerable: the kind does not predict next tokens.
        """
        del result
        raise Unanswerable("no_next", f"{type(model).__name__} does not predict next tokens")

    def written(self, model: Any, inputs: Inputs) -> Tensor:
        """Returns the tokens (1, t) after each of which the model predicts the next: the text's, or a translator's
        answer.

        Raises:
            Unanswerable: the kind does not predict next tokens.
        """
        del inputs
        raise Unanswerable("no_next", f"{type(model).__name__} does not predict next tokens")

    def classes(self, source: Source) -> list[str]:
        """Returns the names of a classifier's classes.

        Raises:
            Unanswerable: the kind does not classify.
        """
        raise Unanswerable("no_verdict", f"{type(readable(source.model)).__name__} does not classify texts")

    def truths(self, reading: Reading) -> dict[int, int | None]:
        """Maps the position of each hidden token to the hidden id, or None if it is unknown.

        Raises:
            Unanswerable: the kind does not fill in hidden tokens.
        """
        del reading
        raise Unanswerable("no_fill", f"a {self.name} model does not fill in hidden words")

    def follows(self, model: Any, reading: Reading, result: Tensor) -> float | None:
        """Returns the probability that the second text follows the first; None if the model does not predict it."""
        del model, reading, result
        return None

    def unembed(self, model: Any, inputs: Inputs) -> Callable[[Tensor], Tensor]:  # noqa: ARG002 - other kinds read it
        """Returns the map from the residual stream (b, t, e) to the model's logits or log-probabilities.

        Raises:
            Unanswerable: the model has no output head.
        """
        if not self.predicts(model):
            raise Unanswerable("no_head", f"this {type(model).__name__} has no output layer: it makes no predictions")
        return model.unembed

    def facts(self, source: Source, reading: Reading, edits: Sequence[Observer]) -> dict[str, Any]:
        """Returns facts about a reading that only this kind of model has, as plain values by name."""
        del source, reading, edits
        return {}

    def places(self, reading: Reading) -> list[int] | None:
        """Returns the positions at which the residual stream leads to a prediction; None for all."""
        del reading
        return None


def readable(model: Any) -> Any:
    """Returns the model itself, or the readable model of a fast twin."""
    return getattr(model, "model", model)


def as_input(source: Source, ids: Sequence[int]) -> Tensor:
    """Returns token ids as a batch (1, t), on the device of the weights of the model in `source`."""
    return torch.tensor([ids], device=next(source.model.parameters()).device)


def tokenize(source: Source, text: str, limit: int | None, *, end: bool = False) -> tuple[list[int], list[str], int]:
    """Tokenizes a text and truncates it.

    Args:
        source, text: the model and its tokenizer, and the text as the user typed it.
        limit: the most tokens; None for the model's context.
        end: whether to truncate a longer text at its beginning, not at its end.
    Returns:
        The ids, their labels, and the number of tokens before truncation.
    Raises:
        Unanswerable: a text without tokens.
    """
    tokenizer: Any = source.tokenizer
    ids = tokenizer.encode(text)
    if not set(ids) - set(special_ids(tokenizer)):
        raise Unanswerable("no_tokens", f"text must hold at least one token, got {text!r}")
    most = source.model.config.seq_length if limit is None else limit
    part = slice(-most, None) if end else slice(most)
    read = ids[part]
    if len(ids) > most and getattr(tokenizer, "closed", False):  # as in training: put [CLS] and [SEP] around the rest
        require_room(most, 3)
        read = [ids[0], *(ids[1 - most :] if end else [*ids[1 : most - 1], ids[-1]])]
    labels = tokenizer.labels(read)
    if isinstance(tokenizer, WordTokenizer):
        labels = with_typed(labels, tokenizer.split(text)[part])
    return read, labels, len(ids)


def require_no_answer(answer: str | None, source: Source) -> None:
    """Raises Unanswerable if an answer is given to a model that reads only one text."""
    if answer is not None:
        name = type(source.model).__name__
        raise Unanswerable("no_answer", f"answer must be None for a {name}, which reads one text, got {answer!r}")


def index_in(at: int, count: int) -> int:
    """Checks an index in [−count, count); returns it, counted from the beginning."""
    if not is_whole(at) or not -count <= at < count:
        raise ValueError(f"at must be in [{-count}, {count}) for this run, got {at!r}")
    return at % count
