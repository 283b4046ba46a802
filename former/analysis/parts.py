"""Splits a logit into what each part of a model adds to it, and measures what one head writes.

Sizes: b batch, t tokens, e embedding, h heads, s size of one head.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from former.analysis.lens import Tokens
from former.checks import is_index, is_whole, listed, require_choice, require_instance
from former.edits import ablate_head
from former.hooks import Observer, flattened, run_with_capture, stream_prefix
from former.models import Classifier
from former.runs.kind import Kind, Unanswerable, index_in
from former.runs.run import Run, prefix_of
from former.sampling import precise


@torch.no_grad()
def stream_parts(model: Any, tokens: Tokens, at: int = -1, *, edits: Iterable[Observer] = ()) -> dict[str, Tensor]:
    """Splits the last norm's output at one position into what each part of a pre-norm model contributes.

    The last norm reads x = Σ c, the sum of everything written to the residual stream. With the standard deviation σ of
    x held fixed, it is linear and maps each part c to γ ∘ (c − mean(c)) / σ; a norm by the root mean square does not
    subtract the mean. The parts add up to the output layer's input.

    Args:
        model: a pre-norm Generator, or a pre-norm `EncoderDecoder`, for the stream of its decoder.
        tokens: (1, t) token ids; (source, target) for an `EncoderDecoder`.
        at: index of the token after which the model predicts.
        edits: changes to make during the pass (`former.edits`), except of the stream itself.
    Returns:
        "input" (e,), the token's embedding and position; "heads" (depth, h, e); for an `EncoderDecoder` "cross", the
            heads of its cross-attention; "feed_forwards" (depth, e); "constant" (e,), the biases of `unifyheads` and of
            the last norm.
    Raises:
        ValueError: a model that is not pre-norm or does not predict next tokens, tokens that are not one sequence, an
            index out of range, or an edit of the stream.
    """
    if not hasattr(model, "unembed") or isinstance(model, Classifier) or model.config.norm != "pre":
        raise ValueError(f"model must be a pre-norm model with logits for each token, got {type(model).__name__}")
    edits = require_own_stream(edits)
    stack = stream_prefix(model)
    crossed = bool(stack)
    read = tokens[int(crossed)] if isinstance(tokens, tuple) else tokens
    require_instance("tokens", read, Tensor)
    if read.dim() != 2 or len(read) != 1 or not is_whole(at) or not -read.shape[1] <= at < read.shape[1]:
        raise ValueError(f"at must be a position in one sequence, got {at!r} for tokens {tuple(read.shape)}")
    sources = {"heads": ("attention", f"{stack}out")} | ({"cross": ("cross", "cross.out")} if crossed else {})
    names = [f"{stack}{point}" for point in ("resid_pre", "resid_post", "mlp_out")]
    _, capture = run_with_capture(model, tokens, [*names, *(point for _, point in sources.values())], edits=edits)
    before, after, fed = (capture.stack(name)[:, 0, at] for name in names)  # (depth, e) each
    blocks = (model.decoder if crossed else model.transformer).blocks
    divisor = deviation(model.norm, after[-1])

    def passed_on(part: Tensor) -> Tensor:  # (..., e)
        return centred(model.norm, part) / divisor * model.norm.weight

    parts = {"input": passed_on(before[0]), "feed_forwards": passed_on(fed)}
    biases = torch.zeros_like(before[0])
    for name, (attention, point) in sources.items():
        unify = [getattr(block, attention).unifyheads for block in blocks]
        outs = capture.stack(point)[:, 0, :, at]  # (depth, h, s)
        parts[name] = passed_on(torch.stack([_joined(each, out) for each, out in zip(unify, outs, strict=True)]))
        biases = biases + sum(each.bias for each in unify if getattr(each, "bias", None) is not None)
    constant = passed_on(biases)
    return parts | {"constant": constant + model.norm.bias if isinstance(model.norm, nn.LayerNorm) else constant}


def centred(norm: nn.Module, x: Tensor) -> Tensor:
    """Subtracts the mean from vectors (..., e) if the norm is a layer norm; a norm by the root mean square
    leaves it."""
    return x - x.mean(-1, keepdim=True) if isinstance(norm, nn.LayerNorm) else x


def deviation(norm: Any, x: Tensor) -> Tensor:
    """Returns what a norm divides vectors (..., e) by, (..., 1); squares, which can exceed float16, are computed in
    float32 at least."""
    return (precise(centred(norm, x)).square().mean(-1, keepdim=True) + norm.eps).sqrt().to(x.dtype)


@torch.no_grad()
def logit_parts(model: Any, tokens: Tokens, at: int = -1, *, edits: Iterable[Observer] = ()) -> dict[str, Tensor]:
    """Splits the logits after one token into what each part of a pre-norm model adds; the parts add up to the logits.

    Direct logit attribution (Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits"): the output layer
    applied to each of `stream_parts`. If a part changes what later parts add, this change counts as theirs.

    Args:
        model, tokens, at, edits: as in `stream_parts`.
    Returns:
        The same names, with num_tokens instead of e; "constant" includes the output layer's bias.
    Raises:
        ValueError: as in `stream_parts`.
    """
    vectors = stream_parts(model, tokens, at, edits=edits)  # which refuses a model without such parts
    weight, bias = output_layer(model)
    parts = {name: F.linear(part, weight) for name, part in vectors.items()}
    return parts if bias is None else parts | {"constant": parts["constant"] + bias}


def output_layer(model: Any) -> tuple[Tensor, Tensor | None]:
    """Returns the weights (num_tokens, e) of a model's output layer, and its bias (num_tokens,) or None."""
    if not hasattr(model, "toprobs"):
        raise ValueError(f"model must have an output layer for tokens, got {type(model).__name__}")
    return (model.output_weight, None) if model.toprobs is None else (model.toprobs.weight, model.toprobs.bias)


def _joined(unify: nn.Module, out: Tensor) -> Tensor:
    """Computes each head's contribution to the stream through `unifyheads`: (h, s) → (h, e)."""
    alone = torch.block_diag(*out.split(1))  # (h, h · s): each head's output, with 0 for the others
    return F.linear(alone, unify.weight) if isinstance(unify, nn.Linear) else alone


@dataclass(frozen=True)
class HeadWrites:
    """The logits that one head adds at one position of a run.

    Adding a constant to all logits changes no probability. So each part's average over the vocabulary is subtracted
    from it, and the averages together are a part of their own, "common".
    """

    added: Tensor  # (num_tokens,): what the head adds to each token's logit
    logits: Tensor  # the model's prediction at this position
    without: Tensor  # its prediction without the head
    follows: int | None  # the token that comes next in the text, or in the answer; None at its end
    token: int  # the next token whose logit is split into parts
    parts: dict[str, Tensor]  # of that logit, as in `logit_parts`, and "common"; they add up to it
    rival: int | None = None  # a token whose logit is subtracted: `parts` are of the difference, without "common"

    def logit(self, logits: Tensor) -> float:
        """Returns the logit of `token` in a prediction (num_tokens,); if there is a rival, minus the rival's logit."""
        return float(logits[self.token] - (0 if self.rival is None else logits[self.rival]))


@torch.no_grad()
def head_writes(
    run: Run, layer: int, head: int, at: int, token: int | None = None, rival: int | None = None, *, name: str = "self"
) -> HeadWrites:
    """Computes what a head adds to the logits after one token, and all parts of one logit, under the run's edits.

    With a rival, the parts are those of logit(token) − logit(rival), the log of how many times as likely the token is.

    Args:
        run: of a pre-norm model that predicts next tokens.
        layer, head: the head, from 0.
        at: index of the query, counted from the end if negative.
        token: the next token whose logit is split; None for the one that follows in the text, or else the most likely.
        rival: a token whose logit is subtracted from that of `token`; None to split the token's own logit.
        name: the head's map, in a model with several: "cross" or "decoder".
    Raises:
        ValueError: a model or map whose heads do not write directly into the input of the last norm, or a head,
            position or token that does not exist.
    """
    require_instance("run", run, Run)
    require_choice("name", name, run.reading.sides)
    check_writes(run.kind, run.model, name)
    ids = run.kind.written(run.model, run.inputs)[0].tolist()
    for what, index, size in (
        ("layer", layer, run.model.config.depth),
        ("head", head, run.model.config.heads),
        ("token", 0 if token is None else token, run.model.config.num_tokens),
        ("rival", 0 if rival is None else rival, run.model.config.num_tokens),
    ):
        if not is_index(index, size):
            raise ValueError(f"{what} must be in [0, {size}) for this run, got {index!r}")
    at = index_in(at, len(ids))
    removal = ablate_head(layer, head, stack="" if name == "self" else name)
    logits, without = (run.rerun(edits=edits)[0][0, at] for edits in ((), [removal]))
    follows = ids[at + 1] if at + 1 < len(ids) else None
    if token is None:
        token = int(logits.argmax()) if follows is None else follows
    vectors = stream_parts(run.model, run.inputs, at, edits=run.edits)
    weight, bias = output_layer(run.model)
    added = F.linear(vectors["cross" if name == "cross" else "heads"][layer, head], weight)

    def compared(values: Tensor) -> Tensor:  # (num_tokens, ...): the token's, less the rival's or the mean
        return values[token] - (values.mean(0) if rival is None else values[rival])

    parts = {part: vector @ compared(weight) for part, vector in vectors.items()}
    if bias is not None:
        parts["constant"] = parts["constant"] + compared(bias)
    if rival is None:
        parts["common"] = logits.mean()
    return HeadWrites(added - added.mean(), logits, without, follows, token, parts, rival)


@torch.no_grad()
def head_adds(run: Run, name: str = "self") -> Tensor:
    """Computes what every head adds, at every position but the last, to the logit of the token that follows in the
    text.

    These are the entries of `HeadWrites.added`, of all heads and positions by one pass and a product for each layer.

    Args:
        run, name: as in `head_writes`.
    Returns:
        (depth, h, t − 1).
    Raises:
        ValueError: a model or map whose heads do not write directly into the input of the last norm, or an edit of the
            residual stream.
    """
    require_instance("run", run, Run)
    require_choice("name", name, run.reading.sides)
    check_writes(run.kind, run.model, name)
    require_own_stream(run.edits)
    model = run.model
    stack = stream_prefix(model)
    point = f"{prefix_of(name)}out"
    _, capture = run.rerun([point, f"{stack}resid_post"])
    stream = capture.stack(f"{stack}resid_post")[-1, 0]  # (t, e)
    weight, _ = output_layer(model)
    follows = run.kind.written(model, run.inputs)[0][1:]
    compared = (weight[follows] - weight.mean(0)) * model.norm.weight / deviation(model.norm, stream)[: len(follows)]
    compared = centred(model.norm, compared)  # (t - 1, e)
    attention = "cross" if name == "cross" else "attention"
    adds = []
    for block, out in zip(
        model.decoder.blocks if stack else model.transformer.blocks, capture.stack(point), strict=True
    ):
        unify = getattr(block, attention).unifyheads
        read = compared @ unify.weight if isinstance(unify, nn.Linear) else compared  # (t - 1, h · s)
        adds.append(torch.einsum("ths,hts->ht", read.unflatten(-1, (out.shape[1], -1)), out[0, :, : len(follows)]))
    return torch.stack(adds)


def require_own_stream(edits: Iterable[Observer]) -> tuple[Observer, ...]:
    """Returns edits, those within others too, as a tuple; raises ValueError if one replaces the residual stream, whose
    parts would no longer add up to it."""
    edits = flattened(listed("edits", edits))
    if replaced := [point for edit in edits if "resid_" in (point := getattr(edit, "point", ""))]:
        raise ValueError(f"edits must not change the residual stream itself, got an edit of {replaced[0]!r}")
    return edits


def check_writes(kind: Kind, model: Any, name: str = "self") -> None:
    """Raises Unanswerable unless the heads of a model's map `name` write directly into the input of the last norm."""
    if name == "encoder":
        message = "an encoder's heads write what the decoder reads, not what the last norm does"
        raise Unanswerable("writes_encoder", message)
    if kind.says != "next" or not kind.predicts(model) or model.config.norm != "pre":
        raise Unanswerable("writes_not", "what a head writes is defined for pre-norm models that predict next tokens")
