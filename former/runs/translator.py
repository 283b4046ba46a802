"""An `EncoderDecoder`, which reads one text and writes another.

The decoder reads an answer as the encoder reads a text: the model's own, or one that is given, by argument or after an
arrow, "4 July 1976 → 1976-07-04". A run then has three maps: of the answer looking at the text, of the text, and of
the answer. Under edits it is still the answer of the model as it was trained that is read, so that both can be compared
place by place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from former import masks
from former.edits import Edit
from former.encoder_decoder import EncoderDecoder, write
from former.hooks import Observer, chain
from former.runs.causal import Causal
from former.runs.kind import Inputs, Reading, Sides, Source, Unanswerable, as_input, tokenize, with_typed

_ARROW = re.compile(r"→|->")


@dataclass(frozen=True)
class AnsweredReading(Reading):
    """A text and its answer, as encoder and decoder read them."""

    source: str  # the text without an answer
    answer_ids: list[int]  # what the decoder reads, from the token that begins every answer
    answer_tokens: list[str]  # a label for each
    own: str  # what the model answers by itself
    given: str | None  # the answer that was given, if one was


class Translator(Causal):
    """Each token of the answer predicts the one after it; the text is read whole."""

    name = "translator"
    models = (EncoderDecoder,)
    stack = "decoder"
    resumes = False

    def read(self, source: Source, text: str, answer: str | None = None, limit: int | None = None) -> AnsweredReading:
        """Reads a text and an answer: the one given, the one after an arrow in the text, or the model's own."""
        typed, *behind = _ARROW.split(text, maxsplit=1) if answer is None else [text]
        given = behind[0].strip() if behind else answer
        if not (typed := typed.strip()):
            raise Unanswerable("empty_text", f"text must hold at least one token, got {text!r}")
        ids, labels, total = tokenize(source, typed, limit)
        model: Any = source.model
        tokenizer: Any = source.tokenizer
        own = write(model, as_input(source, ids), tokenizer.begin, tokenizer.end)[0]
        most = model.config.seq_length
        target = [tokenizer.begin, *own][:most] if given is None else tokenizer.encode_target(given)[:-1]
        if len(target) > most:
            message = f"answer must have at most {most - 1} tokens, got {len(target) - 1}"
            raise Unanswerable("long_answer", message, given=len(target) - 1, limit=most - 1)
        said = tokenizer.labels(target)
        if given is not None:
            said = [said[0], *with_typed(said[1:], given[: len(said) - 1])]
        whole = torch.ones(len(ids), len(ids), dtype=torch.bool)
        sides = {
            "cross": Sides(said, labels, whole.new_ones(len(target), len(ids))),
            "encoder": Sides(labels, labels, whole, tuple(ids)),
            "decoder": Sides(said, said, masks.causal(len(target)), tuple(target)),
        }
        inputs = (as_input(source, ids), as_input(source, target))
        return AnsweredReading(
            text, ids, labels, total, inputs, sides, typed, target, said, tokenizer.decode(own), given
        )

    def written(self, model: Any, inputs: Inputs) -> Tensor:
        """The answer's tokens."""
        del model
        return inputs[1]

    def facts(self, source: Source, reading: Reading, edits: Sequence[Observer]) -> dict[str, Any]:
        """The answer: {"ids" and "labels" of what the decoder reads, "own": what the model answers, "typed": the answer
        that was given, if one was, "edited": what the model answers under the edits, if there are any}."""
        assert isinstance(reading, AnsweredReading)
        edited = answer_under(source.model, source.tokenizer, reading.inputs[0], edits) if edits else None
        answer = {"ids": reading.answer_ids, "labels": reading.answer_tokens, "own": reading.own}
        return {"answer": {**answer, "typed": reading.given, "edited": edited}}


@torch.inference_mode()
def answer_under(model: Any, tokenizer: Any, source: Tensor, edits: Sequence[Observer]) -> str:
    """Writes what a model answers under edits, the likeliest token each time.

    An edit that names tokens by their places is left out at a step whose maps have no such place.

    Args:
        model: an EncoderDecoder.
        tokenizer: the model's.
        source: (1, t) token ids.
        edits: changes to make at every step.
    """
    observer = chain(edit.where_it_fits() if isinstance(edit, Edit) else edit for edit in edits)
    target = [tokenizer.begin]
    memory = model.encode(source, observer)
    while len(target) < model.config.seq_length:
        logits = model.decode(torch.tensor([target]), memory, model.real(source), observer=observer)
        token = int(logits[0, -1].argmax())
        if token == tokenizer.end:
            break
        target.append(token)
    return tokenizer.decode(target[1:])
