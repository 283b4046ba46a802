"""Models that read one text and write another: an `EncoderDecoder`.

The decoder reads an answer as the encoder reads a text: the model's own answer, or yours, given as an argument or after
an arrow, "4 July 1976 → 1976-07-04". A run then has three maps: from the answer to the text, of the text, and of the
answer. Under edits the decoder still reads the unedited model's answer, so that both runs can be compared position by
position.
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
from former.runs.kind import Inputs, Reading, Sides, Source, Unanswerable, as_input, tokenize
from former.tokens.words import with_typed

_ARROW = re.compile(r"→|->")


@dataclass(frozen=True)
class AnsweredReading(Reading):
    """A text and its answer, as encoder and decoder read them."""

    own: str  # the model's own answer
    given: str | None  # the caller's answer, if any


class Translator(Causal):
    """The kind of models that read a whole text and predict each next token of an answer."""

    name = "translator"
    models = (EncoderDecoder,)
    resumes = False
    effect_on = "answer"

    def continues(self, model: Any) -> bool:
        """Returns False: an answer does not continue the text."""
        del model
        return False

    def read(self, source: Source, text: str, answer: str | None = None, limit: int | None = None) -> AnsweredReading:
        """Tokenises a text and an answer: `answer`, or the one after an arrow in the text, or else the model's own."""
        source_text, *after_arrow = _ARROW.split(text, maxsplit=1) if answer is None else [text]
        target_text = after_arrow[0].strip() if after_arrow else answer
        if not (source_text := source_text.strip()):
            raise Unanswerable("empty_text", f"text must hold at least one token, got {text!r}")
        ids, labels, total = tokenize(source, source_text, limit)
        model: Any = source.model
        tokenizer: Any = source.tokenizer
        own = write(model, as_input(source, ids), tokenizer.begin, tokenizer.end)[0]
        most = model.config.seq_length
        target = [tokenizer.begin, *own][:most] if target_text is None else tokenizer.encode_target(target_text)[:-1]
        if len(target) > most:
            message = f"answer must have at most {most - 1} tokens, got {len(target) - 1}"
            raise Unanswerable("long_answer", message, given=len(target) - 1, limit=most - 1)
        out_labels = tokenizer.labels(target)
        if target_text is not None:
            out_labels = [out_labels[0], *with_typed(out_labels[1:], target_text[: len(out_labels) - 1])]
        whole = torch.ones(len(ids), len(ids), dtype=torch.bool)
        sides = {
            "cross": Sides(out_labels, labels, whole.new_ones(len(target), len(ids))),
            "encoder": Sides(labels, labels, whole, tuple(ids)),
            "decoder": Sides(out_labels, out_labels, masks.causal(len(target)), tuple(target)),
        }
        inputs = (as_input(source, ids), as_input(source, target))
        return AnsweredReading(text, ids, labels, total, inputs, sides, tokenizer.decode(own), target_text)

    def written(self, model: Any, inputs: Inputs) -> Tensor:
        """Returns the tokens (1, t) after each of which the model predicts the next: the answer's."""
        del model
        return inputs[1]

    def facts(self, source: Source, reading: Reading, edits: Sequence[Observer]) -> dict[str, Any]:
        """Returns facts about the answer: {"ids" and "labels" of the decoder's input, "own": the model's own answer,
        "typed": the caller's answer, if any, "edited": the model's answer under the edits, if any}."""
        assert isinstance(reading, AnsweredReading)
        edited = answer_under(source.model, source.tokenizer, reading.inputs[0], edits) if edits else None
        side = reading.sides["decoder"]
        answer = {"ids": list(side.ids), "labels": side.queries, "own": reading.own}
        return {"answer": {**answer, "typed": reading.given, "edited": edited}}


@torch.inference_mode()
def answer_under(model: Any, tokenizer: Any, source: Tensor, edits: Sequence[Observer]) -> str:
    """Writes a model's answer under edits, taking the most likely token in each step.

    An edit that names positions is skipped in steps whose maps do not have them.

    Args:
        model: an EncoderDecoder.
        tokenizer: the model's.
        source: (1, t) token ids.
        edits: changes to make in every step.
    """
    observer = chain(edit.where_it_fits() if isinstance(edit, Edit) else edit for edit in edits)
    target = [tokenizer.begin]
    memory = model.encode(source, observer)
    while len(target) <= model.config.seq_length:  # as `write`: the last token of the longest answer is not read
        logits = model.decode(source.new_tensor([target]), memory, model.real(source), observer=observer)
        token = int(logits[0, -1].argmax())
        if token == tokenizer.end:
            break
        target.append(token)
    return tokenizer.decode(target[1:])
