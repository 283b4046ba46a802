"""What the output layer makes of the residual stream: at each depth, the logit lens, and of each part that was written.

Sizes: b batch, t tokens, e embedding, h heads, s size of one head.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any, overload

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from former.checks import is_whole
from former.hooks import Chain, Observer, at_points, run_with_capture
from former.models import Classifier

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
    readings: list[tuple[Tensor, ...]] = []
    inputs = tokens if isinstance(tokens, tuple) else (tokens,)
    unembed = partial(model.unembed, real=model.real(*inputs)) if isinstance(model, Classifier) else model.unembed
    stack = "decoder." if "decoder.resid_post" in getattr(model, "points", ()) else ""
    before, after = f"{stack}resid_pre", f"{stack}resid_post"

    def read(point: str, x: Tensor) -> None:
        if point == after or not readings:  # of what blocks read, only before the first
            logits = unembed(x)
            readings.append(_largest(logits.log_softmax(-1) if log_probs else logits, top))

    class Reader:
        def at(self, layer: int) -> Any:
            return at_points((before, after) if layer == 0 else (after,), read)

    model(*inputs, observer=Chain((*edits, Reader())))
    values = tuple(torch.stack(each) for each in zip(*readings, strict=True))
    return values[0] if top is None else (values[0], values[1])


def _largest(values: Tensor, top: int | None) -> tuple[Tensor, ...]:
    if top is None:
        return (values,)
    if not is_whole(top) or not 1 <= top <= values.shape[-1]:
        raise ValueError(f"top must be None or a whole number in [1, {values.shape[-1]}], got {top!r}")
    return tuple(values.topk(top))


@torch.no_grad()
def stream_parts(model: Any, tokens: Tokens, at: int = -1, *, edits: Iterable[Observer] = ()) -> dict[str, Tensor]:
    """What each part of a pre-norm model wrote into the residual stream at one place, as the last norm passed it on.

    The last norm reads x = Σ c, the sum of all that was written. With its deviation σ as it was for x, it is linear,
    and passes on γ ∘ (c − mean(c)) / σ of each part c. Together the parts are what the output layer reads.

    Args:
        model: a Generator, or an `EncoderDecoder`, whose decoder is read; pre-norm.
        tokens: (1, t) token ids; (source, target) for an `EncoderDecoder`.
        at: the token after which the model speaks, as an index.
        edits: changes to make on the way, of anything but the stream itself (`former.edits`).
    Returns:
        "input" (e,), of the token's embedding and position; "heads" (depth, h, e); of an `EncoderDecoder` "cross", the
        same of its cross-attention; "feed_forwards" (depth, e); "constant" (e,), of the biases that join heads and of
        the norm's own.
    Raises:
        ValueError: a model that is not pre-norm or says nothing after each token, tokens that are not one sequence, a
            place beyond them, or an edit of the stream.
    """
    if not hasattr(model, "unembed") or isinstance(model, Classifier) or model.config.norm != "pre":
        raise ValueError("model must be a pre-norm model that gives logits for each token")
    edits = tuple(edits)
    if rewritten := [point for edit in edits if "resid_" in (point := getattr(edit, "point", ""))]:
        raise ValueError(f"edits must leave the residual stream to its parts, got one of {rewritten[0]!r}")
    crossed = "decoder.resid_post" in getattr(model, "points", ())
    read = tokens[int(crossed)] if isinstance(tokens, tuple) else tokens
    if len(read) != 1 or not -read.shape[1] <= at < read.shape[1]:
        raise ValueError(f"at must be a place of one sequence, got {at} for tokens {tuple(read.shape)}")
    stack = "decoder." if crossed else ""
    sources = {"heads": ("attention", f"{stack}out")} | ({"cross": ("cross", "cross.out")} if crossed else {})
    names = [f"{stack}{point}" for point in ("resid_pre", "resid_post", "mlp_out")]
    _, capture = run_with_capture(model, tokens, [*names, *(point for _, point in sources.values())], edits=edits)
    before, after, fed = (capture.stack(name)[:, 0, at] for name in names)  # (depth, e) each
    blocks = (model.decoder if crossed else model.transformer).blocks
    deviation = (after[-1].var(correction=0) + model.norm.eps).sqrt()

    def passed_on(part: Tensor) -> Tensor:  # (..., e)
        return (part - part.mean(-1, keepdim=True)) / deviation * model.norm.weight

    parts = {"input": passed_on(before[0]), "feed_forwards": passed_on(fed)}
    biases = torch.zeros_like(before[0])
    for name, (attention, point) in sources.items():
        unify = [getattr(block, attention).unifyheads for block in blocks]
        outs = capture.stack(point)[:, 0, :, at]  # (depth, h, s)
        parts[name] = passed_on(torch.stack([_joined(each, out) for each, out in zip(unify, outs, strict=True)]))
        biases = biases + sum(each.bias for each in unify if isinstance(each, nn.Linear))
    return parts | {"constant": passed_on(biases) + model.norm.bias}


@torch.no_grad()
def logit_parts(model: Any, tokens: Tokens, at: int = -1, *, edits: Iterable[Observer] = ()) -> dict[str, Tensor]:
    """What each part of a pre-norm model adds to the logits after one token; together they are the logits.

    Direct logit attribution (Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits"): the output layer
    applied to each of `stream_parts`. What a part does to the parts after it is theirs.

    Args:
        model, tokens, at, edits: as of `stream_parts`.
    Returns:
        The same names, with num_tokens in the place of e; "constant" holds the output layer's bias too.
    Raises:
        ValueError: as of `stream_parts`.
    """
    weight, bias = output_layer(model)
    parts = {name: F.linear(part, weight) for name, part in stream_parts(model, tokens, at, edits=edits).items()}
    return parts if bias is None else parts | {"constant": parts["constant"] + bias}


def output_layer(model: Any) -> tuple[Tensor, Tensor | None]:
    """The weight (num_tokens, e) of a model's output layer, and its bias (num_tokens,), where it has one."""
    return (model.output_weight, None) if model.toprobs is None else (model.toprobs.weight, model.toprobs.bias)


def _joined(unify: nn.Module, out: Tensor) -> Tensor:
    """What each head adds to the stream through the map that joins them: (h, s) → (h, e)."""
    alone = torch.block_diag(*out.split(1))  # (h, h · s): each head's output, 0 in the place of the others
    return F.linear(alone, unify.weight) if isinstance(unify, nn.Linear) else alone
