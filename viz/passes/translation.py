"""One text and its answer through an encoder-decoder: what the page shows of them.

The decoder reads an answer as the encoder reads a text: its own, or one that is typed after an arrow, "4 July 1976 →
1976-07-04". A pass then holds three maps: of the answer looking at the text, of the text, and of the answer. Under
edits it is still the answer of the model as it was trained that is read, so that both can be compared place by place;
what the changed model itself would write is told beside it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

import former
from former.encoder_decoder import write
from former.hooks import STACKS, Capture, Chain, Observer
from former.tokens import UNK
from viz.passes import edits as changes
from viz.passes.loaded import Loaded
from viz.passes.run import POINTS, Map, Pass, describe_output, finished, most_likely, tokenize
from viz.text import Refusal

ARROW = re.compile(r"→|->")


def split(text: str) -> tuple[str, str | None]:
    """A text to read, and the answer that is typed after it; None without an arrow."""
    source, *answer = ARROW.split(text, maxsplit=1)
    return source.strip(), answer[0].strip() if answer else None


def read(loaded: Loaded, text: str) -> tuple[list[int], list[int], str]:
    """The tokens of a text and of the answer that the decoder reads, and what the model itself answers.

    Raises:
        Refusal: a text that cannot be run, or an answer that is too long.
    """
    model, tokenizer = loaded.bundle.model, tokenizer_of(loaded)
    typed, answer = split(text) if isinstance(text, str) else (text, None)
    source, _, _ = tokenize(loaded, typed)
    own = write(model, torch.tensor([source]), tokenizer.begin, tokenizer.end)[0]
    target = [tokenizer.begin, *own] if answer is None else tokenizer.encode_target(answer)[:-1]
    limit = loaded.bundle.config.seq_length
    if len(target) > limit:
        raise Refusal("long_answer", given=len(target) - 1, limit=limit - 1)
    return source, target, tokenizer.decode(own)


def masks(source: int, target: int) -> dict[str, Tensor]:
    """Which of so many tokens may see which, by the names of the maps: bool (t_query, t_key)."""
    whole = torch.ones(source, source, dtype=torch.bool)
    return {"cross": whole.new_ones(target, source), "encoder": whole, "decoder": former.masks.causal(target)}


def observers(loaded: Loaded, edits: Sequence[changes.Edit], source: int, target: int) -> list[Observer]:
    """The visitor's edits, each at its own stack, in a run of so many tokens."""
    found: list[Observer] = []
    for stack, mask in masks(source, target).items():
        own = [edit for edit in edits if edit["map"] == stack]
        found += changes.observers(own, mask, loaded.bundle.config, stack)
    return found


@torch.inference_mode()
def answer_under(loaded: Loaded, source: list[int], edits: Sequence[changes.Edit]) -> str:
    """What the model answers under edits, the likeliest token each time."""
    model, tokenizer = loaded.bundle.model, tokenizer_of(loaded)
    text, target = torch.tensor([source]), [tokenizer.begin]
    memory = model.encode(text, Chain(observers(loaded, edits, len(source), 1)))
    while len(target) < model.config.seq_length:
        under = Chain(observers(loaded, edits, len(source), len(target)))
        logits = model.decode(torch.tensor([target]), memory, model.real(text), observer=under)
        token = int(logits[0, -1].argmax())
        if token == tokenizer.end:
            break
        target.append(token)
    return tokenizer.decode(target[1:])


def translate(loaded: Loaded, text: str, edits: Sequence[changes.Edit] = ()) -> Pass:
    """The pass of a text and its answer, under the visitor's edits.

    Args:
        loaded: a model that answers.
        text: as typed, with an answer after an arrow, or without.
        edits: as `viz.passes.edits.read` gives them.
    Raises:
        Refusal: as of `read`.
    """
    source, target, own = read(loaded, text)
    typed, answer = split(text)
    _, labels, total = tokenize(loaded, typed)
    model, inputs = loaded.bundle.model, (torch.tensor([source]), torch.tensor([target]))
    under = observers(loaded, edits, len(source), len(target))
    names = [f"{stack}.{point}" for stack in STACKS for point in POINTS]
    out, capture = former.run_with_capture(model, inputs, names, edits=under)
    plain = former.run_with_capture(model, inputs, ())[0] if under else None
    named, said = most_likely(out, plain), labels_of(loaded, target, answer)
    allowed = masks(len(source), len(target))
    sides = {"cross": (said, labels), "encoder": (labels, labels), "decoder": (said, said)}
    ids = {"encoder": tuple(source), "decoder": tuple(target)}
    maps = tuple(
        Map(stack, *sides[stack], mask, *points(capture, stack), ids=ids.get(stack, ()))
        for stack, mask in allowed.items()
    )
    header: dict[str, Any] = {
        "tokens": len(source),
        "total": total,
        "ids": source,
        "labels": labels,
        "answer": {
            **{"ids": target, "labels": said, "own": own, "typed": answer},
            "edited": answer_under(loaded, source, edits) if under else None,
        },
        "output": describe_output(loaded, inputs[1], out, named),
        "baseline": None if plain is None else describe_output(loaded, inputs[1], plain, named),
    }
    return finished(loaded, text, maps, header, edits)


def points(capture: Capture, stack: str) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """What `Map` holds of one stack, in its order: (layers, h, ·, ·) each."""
    weights, q, k, v, out = (capture.stack(f"{stack}.{point}")[:, 0] for point in POINTS)
    return weights, q, k, v, out


def tokenizer_of(loaded: Loaded) -> Any:
    """Its tokenizer, which knows how an answer begins and ends."""
    return loaded.bundle.tokenizer


def labels_of(loaded: Loaded, target: list[int], typed: str | None) -> list[str]:
    """A label for each token of an answer; of one that was typed, what the vocabulary lacks is shown as typed."""
    labels = loaded.bundle.tokenizer.labels(target)
    return [f"{UNK} {typed[i - 1]}" if typed and label == UNK else label for i, label in enumerate(labels)]
