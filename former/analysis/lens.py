"""What a model would say at each depth: its output layer read off the residual stream.

Sizes: b batch, t tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, overload

import torch
from torch import Tensor

from former.checks import is_whole
from former.hooks import Observer, at_points, chain, inputs_of
from former.models import Classifier
from former.runs.run import Run

Tokens = Tensor | tuple[Tensor, ...]


@overload
def logit_lens(
    model: Any, tokens: Tokens, top: None = None, *, edits: Iterable[Observer] = (), log_probs: bool = False
) -> Tensor: ...
@overload
def logit_lens(
    model: Any, tokens: Tokens, top: int, *, edits: Iterable[Observer] = (), log_probs: bool = False
) -> tuple[Tensor, Tensor]: ...
@torch.no_grad()
def logit_lens(
    model: Any, tokens: Tokens, top: int | None = None, *, edits: Iterable[Observer] = (), log_probs: bool = False
) -> Tensor | tuple[Tensor, Tensor]:
    """What the model would say at each depth: its output layer read off the residual stream (nostalgebraist 2020).

    Layer by layer, so that only one layer's logits are held beside the result. The first entry is what stands before
    block 0, then one after each block; the last is the model's own output.

    In a pre-norm model every entry is the stream that the last norm reads in the end, so the entries can be compared.
    A post-norm model norms after every block, and nothing trains its inner layers to be read by the output layer: its
    entries say less. Of a Classifier each entry is the verdict, log-probabilities from the pooled stream.

    Args:
        model: a Generator or a Classifier, or another model with `unembed`.
        tokens: (b, t) token ids; (source, target) for an `EncoderDecoder`, whose decoder is read.
        top: how many of the largest to return, at least 1; None for all.
        edits: changes to make on the way (`former.edits`); the stream is read as they leave it.
        log_probs: whether to return log-probabilities over the whole vocabulary instead of logits.
    Returns:
        (depth + 1, b, t, num_tokens), of a Classifier (depth + 1, b, num_classes); with `top`, the largest values and
        their ids, each (depth + 1, ..., top).
    Raises:
        ValueError: a model without `unembed`, bad tokens, or `top` below 1 or above what there is.
    """
    if not hasattr(model, "unembed"):
        raise ValueError(f"model must have `unembed`, to read its stream by, got a {type(model).__name__}")
    inputs = inputs_of(model, tokens)
    unembed = partial(model.unembed, real=model.real(inputs[0])) if isinstance(model, Classifier) else model.unembed
    stack = "decoder." if "decoder.resid_post" in getattr(model, "points", ()) else ""
    values = _read_depths(
        lambda reader: model(*inputs, observer=chain((*edits, reader))), stack, unembed, top, log_probs
    )
    return values[0] if top is None else (values[0], values[1])


@torch.no_grad()
def lens(run: Run, top: int = 10) -> tuple[Tensor, Tensor]:
    """What the model would say at each depth of a run, as `logit_lens` reads it, under the run's edits.

    Args:
        run: of any model that predicts something.
        top: how many of the likeliest to return, at most as many as there are.
    Returns:
        log-probabilities and ids, each (depth + 1, n, top): for each of the text's tokens, or the answer's; of a model
        that fills in words, for each hidden piece; of a classifier, n is 1, and the ids are classes.
    Raises:
        ValueError: a model without a head to predict by.
    """
    unembed, places = run.kind.unembed(run.model, run.inputs), run.kind.places(run.reading)

    def read(x: Tensor) -> Tensor:
        logits = unembed(x if places is None else x[:, places])  # (1, n, num_tokens), or (1, num_classes)
        return logits[0] if logits.dim() == 3 else logits

    most = min(top, unembed(run.result.new_zeros(1, 1, run.model.config.emb)).shape[-1]) if places is None else top
    stack = "decoder." if run.kind.stack == "decoder" else ""
    values = _read_depths(lambda reader: run.again(edits=[reader]), stack, read, most, True)
    return values[0], values[1]


def _read_depths(
    call: Callable[[Observer], Any], stack: str, unembed: Callable[[Tensor], Tensor], top: int | None, log_probs: bool
) -> list[Tensor]:
    """What `unembed` makes of the stream before the first block of a stack and after each, while `call` runs."""
    readings: list[tuple[Tensor, ...]] = []
    before, after = f"{stack}resid_pre", f"{stack}resid_post"

    def read(point: str, x: Tensor) -> None:
        if point == after or not readings:  # of what blocks read, only before the first
            logits = unembed(x)
            readings.append(_largest(logits.log_softmax(-1) if log_probs else logits, top))

    class Reader:
        def at(self, layer: int) -> Any:
            return at_points((before, after) if layer == 0 else (after,), read)

    call(Reader())
    return [torch.stack(each) for each in zip(*readings, strict=True)]


def _largest(values: Tensor, top: int | None) -> tuple[Tensor, ...]:
    if top is None:
        return (values,)
    if not is_whole(top) or not 1 <= top <= values.shape[-1]:
        raise ValueError(f"top must be None or a whole number in [1, {values.shape[-1]}], got {top!r}")
    return tuple(values.topk(top))
