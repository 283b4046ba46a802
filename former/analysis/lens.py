"""The logit lens: applies a model's output layer to its residual stream at each depth.

Sizes: b batch, t tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, overload

import torch
from torch import Tensor

from former.checks import is_index, is_whole, listed, require_instance
from former.edits import Edit
from former.hooks import Observer, at_points, chain, inputs_of, stream_prefix
from former.models import Classifier
from former.runs.carry import check_model
from former.runs.run import Run
from former.sampling import precise

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
    """Computes the prediction at each depth: the output layer on the residual stream (nostalgebraist 2020).

    Only one layer's logits are in memory besides the result. The first entry is the prediction before block 0, then
    follows one after each block; the last is the model's own output.

    In a pre-norm model the entries can be compared: each is a stage of the stream that the last norm reads. A post-norm
    model norms after every block, and its inner layers are not trained for the output layer, so its entries mean less.
    For a Classifier each entry is log-probabilities from the pooled stream.

    Args:
        model: a Generator or a Classifier, or another model with `unembed`.
        tokens: (b, t) token ids; (source, target) for an `EncoderDecoder`, for the stream of its decoder.
        top: number of largest values to return, at least 1; None for all.
        edits: changes to make during the pass (`former.edits`); the stream is read after them.
        log_probs: whether to return log-probabilities over the whole vocabulary instead of logits.
    Returns:
        (depth + 1, b, t, num_tokens), for a Classifier (depth + 1, b, num_classes); with `top`, the largest values and
        their ids, each (depth + 1, ..., top).
    Raises:
        ValueError: a model without `unembed`, bad tokens, or `top` out of range.
    """
    if not hasattr(model, "unembed"):
        raise ValueError(f"model must have `unembed`, to apply it to its stream, got {type(model).__name__}")
    inputs, edits = inputs_of(model, tokens), listed("edits", edits)
    unembed = partial(model.unembed, real=model.real(inputs[0])) if isinstance(model, Classifier) else model.unembed
    values = _read_depths(
        model, lambda reader: model(*inputs, observer=chain((*edits, reader))), unembed, top, log_probs
    )
    return values[0] if top is None else (values[0], values[1])


@torch.no_grad()
def lens(run: Run, top: int = 10) -> tuple[Tensor, Tensor]:
    """Applies `logit_lens` to a run: what the model would predict at each depth, under the run's edits.

    Args:
        run: of any model that makes a prediction.
        top: number of most likely tokens or classes to return, at most as many as there are.
    Returns:
        log-probabilities and ids, each (depth + 1, n, top). n is the number of tokens of the text, or of an
        encoder-decoder's answer; for a Bert, of hidden pieces; for a classifier 1, and the ids are classes.
    Raises:
        ValueError: the model has no output head.
    """
    require_instance("run", run, Run)
    unembed, places = run.kind.unembed(run.model, run.inputs), run.kind.places(run.reading)

    def read(x: Tensor) -> Tensor:
        logits = unembed(x if places is None else x[:, places])  # (1, n, num_tokens), or (1, num_classes)
        return logits[0] if logits.dim() == 3 else logits

    if not is_whole(top):
        raise ValueError(f"top must be a whole number, got {top!r}")
    vector = next(run.model.parameters()).new_zeros(1, 1, run.model.config.emb)
    most = min(top, unembed(vector).shape[-1])
    values = _read_depths(run.model, lambda reader: run.rerun(edits=[reader]), read, most, True)
    return values[0], values[1]


@torch.no_grad()
def carry_state(clean: Run, corrupted: Run, source: tuple[int, int], target: tuple[int, int]) -> Run:
    """Replaces one vector of a run's residual stream by a vector of another run, possibly of another layer or token.

    Args:
        clean, corrupted: runs of one model; of an encoder-decoder, the stream is the decoder's.
        source: (depth, token) of the vector in the clean run; as in `lens`, depth 0 is before the first block, and
            depth d after block d − 1.
        target: (depth, token) of the vector that it replaces in the corrupted run.
    Returns:
        The corrupted run with this vector.
    Raises:
        ValueError: runs of two models, or a depth or token out of range.
    """
    for name, run in (("clean", clean), ("corrupted", corrupted)):
        require_instance(name, run, Run)
    check_model(clean, corrupted)
    stack = stream_prefix(clean.model)
    places = []
    for name, run, cell in (("source", clean, source), ("target", corrupted, target)):
        blocks, tokens = run.model.config.depth, len(run.reading.sides["cross" if stack else "self"].queries)
        if not isinstance(cell, tuple) or len(cell) != 2 or not all(map(is_index, cell, (blocks + 1, tokens))):
            raise ValueError(f"{name} must have depth in [0, {blocks}], token in [0, {tokens}), got {cell!r}")
        depth, _ = cell
        places.append((max(0, depth - 1), f"{stack}{'resid_post' if depth else 'resid_pre'}"))
    (layer, point), (onto, where) = places
    vector = clean.rerun([point], layers=[layer])[1][point, layer][:, source[1]]  # (1, e)

    def put(x: Tensor) -> Tensor:
        changed = x.clone()
        changed[:, target[1]] = vector.to(x)
        return changed

    # Names a token, so that it acts only in the last segment of a model with a memory.
    return corrupted.with_edits(Edit(onto, where, put, lambda shape: target[1] < shape[-2]))


def _read_depths(
    model: Any, call: Callable[[Observer], Any], unembed: Callable[[Tensor], Tensor], top: int | None, log_probs: bool
) -> list[Tensor]:
    """Applies `unembed` to a model's stream before its first block and after each block, while `call` runs it."""
    readings: list[tuple[Tensor, ...]] = []
    before, after = (f"{stream_prefix(model)}{point}" for point in ("resid_pre", "resid_post"))

    def read(point: str, x: Tensor) -> None:
        if point == after or not readings:  # of the blocks' inputs, only the first
            logits = unembed(x)
            readings.append(_largest(precise(logits).log_softmax(-1) if log_probs else logits, top))

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
