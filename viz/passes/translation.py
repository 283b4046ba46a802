"""One text and its answer through an encoder-decoder: what the page shows of them.

The decoder reads an answer as the encoder reads a text: its own, or one that is typed after an arrow, "4 July 1976 →
1976-07-04". A pass then holds three maps: of the answer looking at the text, of the text, and of the answer.
"""

from __future__ import annotations

import re
from typing import Any

import torch
from torch import Tensor

import former
from former.encoder_decoder import write
from former.hooks import STACKS, Capture
from former.tokens import UNK
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


def translate(loaded: Loaded, text: str) -> Pass:
    """The pass of a text and its answer.

    Args:
        loaded: a model that answers.
        text: as typed, with an answer after an arrow, or without.
    Raises:
        Refusal: as of `read`.
    """
    source, target, own = read(loaded, text)
    typed, answer = split(text)
    _, labels, total = tokenize(loaded, typed)
    inputs = torch.tensor([source]), torch.tensor([target])
    names = [f"{stack}.{point}" for stack in STACKS for point in POINTS]
    out, capture = former.run_with_capture(loaded.bundle.model, inputs, names)
    said = labels_of(loaded, target, answer)
    whole = torch.ones(len(source), len(source), dtype=torch.bool)
    maps = (
        Map("cross", said, labels, whole.new_ones(len(target), len(source)), *points(capture, "cross")),
        Map("encoder", labels, labels, whole, *points(capture, "encoder"), ids=tuple(source)),
        Map("decoder", said, said, former.masks.causal(len(target)), *points(capture, "decoder"), ids=tuple(target)),
    )
    header: dict[str, Any] = {
        "tokens": len(source),
        "total": total,
        "ids": source,
        "labels": labels,
        "answer": {"ids": target, "labels": said, "own": own, "typed": answer},
        "output": describe_output(loaded, inputs[1], out, most_likely(out)),
        "baseline": None,
    }
    return finished(loaded, text, maps, header)


def points(capture: Capture, stack: str) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """What `Map` holds of one stack, in its order: (layers, h, ·, ·) each."""
    weights, q, k, v, out = (capture.stack(f"{stack}.{point}")[:, 0].contiguous() for point in POINTS)
    return weights, q, k, v, out


def tokenizer_of(loaded: Loaded) -> Any:
    """Its tokenizer, which knows how an answer begins and ends."""
    return loaded.bundle.tokenizer


def labels_of(loaded: Loaded, target: list[int], typed: str | None) -> list[str]:
    """A label for each token of an answer; of one that was typed, what the vocabulary lacks is shown as typed."""
    labels = loaded.bundle.tokenizer.labels(target)
    return [f"{UNK} {typed[i - 1]}" if typed and label == UNK else label for i, label in enumerate(labels)]
