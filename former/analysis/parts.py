"""What each part of a model adds to a logit, and what one head writes into the prediction.

Sizes: b batch, t tokens, e embedding, h heads, s size of one head.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from former.analysis.lens import Tokens
from former.edits import ablate_head
from former.hooks import Observer, run_with_capture
from former.models import Classifier
from former.runs.kind import Kind, Unanswerable
from former.runs.run import Run, prefix_of


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
    vectors = stream_parts(model, tokens, at, edits=edits)  # which refuses a model without such parts
    weight, bias = output_layer(model)
    parts = {name: F.linear(part, weight) for name, part in vectors.items()}
    return parts if bias is None else parts | {"constant": parts["constant"] + bias}


def output_layer(model: Any) -> tuple[Tensor, Tensor | None]:
    """The weight (num_tokens, e) of a model's output layer, and its bias (num_tokens,), where it has one."""
    return (model.output_weight, None) if model.toprobs is None else (model.toprobs.weight, model.toprobs.bias)


def _joined(unify: nn.Module, out: Tensor) -> Tensor:
    """What each head adds to the stream through the map that joins them: (h, s) → (h, e)."""
    alone = torch.block_diag(*out.split(1))  # (h, h · s): each head's output, 0 in the place of the others
    return F.linear(alone, unify.weight) if isinstance(unify, nn.Linear) else alone


@dataclass(frozen=True)
class HeadWrites:
    """What one head writes for one place of a run.

    A number added to the logits of all tokens alike changes no probability. So what a part adds is counted from its
    average over the vocabulary, and the averages together are one part of their own, "common".
    """

    added: Tensor  # (num_tokens,): what the head adds to each token's logit
    logits: Tensor  # (num_tokens,): what the model says there
    without: Tensor  # (num_tokens,): what it says with the head switched off
    follows: int | None  # the token that follows in the text, or in the answer; None at its end
    token: int  # the next token whose logit is taken apart
    parts: dict[str, Tensor]  # of that logit, as of `logit_parts`, and "common"; together they are the logit


@torch.no_grad()
def head_writes(
    run: Run, layer: int, head: int, at: int, token: int | None = None, *, name: str = "self"
) -> HeadWrites:
    """What a head adds to the logits after one token, under the run's edits, and all parts of one next token's logit.

    Args:
        run: of a pre-norm model that predicts next tokens.
        layer, head: the head.
        at: the query that it writes for.
        token: the next token whose logit is taken apart; None for the one that follows, or else the likeliest.
        name: the head's map, where the model has several: "cross" or "decoder".
    Raises:
        ValueError: a model, or a map, whose heads write nothing that the last norm reads directly; or a head, a place
            or a token that is not there.
    """
    check_writes(run.kind, run.model, name)
    ids = run.kind.written(run.model, run.inputs)[0].tolist()
    for what, index, size in (
        ("layer", layer, run.model.config.depth),
        ("head", head, run.model.config.heads),
        ("at", at, len(ids)),
        ("token", 0 if token is None else token, run.model.config.num_tokens),
    ):
        if not 0 <= index < size:
            raise ValueError(f"{what} must be in [0, {size}) for this run, got {index}")
    removal = ablate_head(layer, head)
    removal = replace(removal, point=f"{prefix_of(name)}out")
    logits, without = (run.again(edits=edits)[0][0, at] for edits in ((), [removal]))
    follows = ids[at + 1] if at + 1 < len(ids) else None
    if token is None:
        token = int(logits.argmax()) if follows is None else follows
    vectors = stream_parts(run.model, run.inputs, at, edits=run.edits)
    weight, bias = output_layer(run.model)
    added = F.linear(vectors["cross" if name == "cross" else "heads"][layer, head], weight)
    direction = weight[token] - weight.mean(0)  # (e,)
    parts = {part: vector @ direction for part, vector in vectors.items()}
    if bias is not None:
        parts["constant"] = parts["constant"] + bias[token] - bias.mean()
    return HeadWrites(added - added.mean(), logits, without, follows, token, {**parts, "common": logits.mean()})


def check_writes(kind: Kind, model: Any, name: str = "self") -> None:
    """Raises Unanswerable unless the heads of a model's map write what the last norm reads directly."""
    if name == "encoder":
        message = "an encoder's heads write what the decoder reads, not what the last norm does"
        raise Unanswerable("writes_encoder", message)
    if kind.says != "next" or model.config.norm != "pre":
        raise Unanswerable("writes_not", "what a head writes is known of pre-norm models that predict next tokens")
