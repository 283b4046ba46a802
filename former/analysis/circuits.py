"""Composition of heads, copying and induction: computed from the weights alone, or measured on random tokens.

After Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits". A head reads the residual stream through
its maps to queries, keys and values, and writes through its part of `unifyheads`. If a norm comes before a map, its
gain and its centring are included in the map; the standard deviation that it divides by depends on the text and is
left out. Rotary positions are left out too: the maps are those at distance 0.

Sizes: e embedding, h heads, s size of one head.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import torch
from torch import Tensor, nn

from former.analysis.parts import centred, output_layer
from former.checks import require_instance, require_positive
from former.generate import check_ids
from former.hooks import run_with_capture
from former.models import Generator
from former.sampling import random_of

TINY = torch.finfo(torch.float64).tiny  # in place of 0 where a head passes nothing on


class HeadMaps(NamedTuple):
    """The linear maps of one layer's heads, as matrices: to q, k and v, and from a head's output to the stream."""

    q: Tensor  # (h, s, e)
    k: Tensor  # (h, s, e)
    v: Tensor  # (h, s, e)
    out: Tensor  # (h, e, s)


@torch.no_grad()
def head_maps(block: Any) -> HeadMaps:
    """Returns the matrices by which the heads of a block read and write, in float64."""
    attention, gain = block.attention, block.norm1.weight.double()
    read = torch.eye(len(gain)).to(gain)
    if block.pre_norm:
        read = centred(block.norm1, read) * gain
    readers = (attention.toqueries, attention.tokeys, attention.tovalues)
    q, k, v = (_matrix(part, read).unflatten(0, (-1, attention.size)) for part in readers)
    if isinstance(attention.norm_q, nn.RMSNorm):
        q, k = (x * norm.weight[:, None] for x, norm in ((q, attention.norm_q), (k, attention.norm_k)))
    k, v = (x.repeat_interleave(attention.heads // attention.kv_heads, 0) for x in (k, v))
    joined = torch.eye(attention.heads * attention.size).to(gain)
    out = _matrix(attention.unifyheads, joined).unflatten(1, (attention.heads, -1)).transpose(0, 1)
    return HeadMaps(q, k, v, out)


@torch.no_grad()
def composition(model: Any, kind: Literal["q", "k", "v"]) -> Tensor:
    """Computes how much each head reads of the output of each earlier head, into its queries, keys or values.

    The score is ‖R W‖ / (‖R‖ ‖W‖) in Frobenius norms (Elhage et al. 2021, "K-, Q- and V-composition"). W = out · v
    is the matrix of the earlier head; R is kᵀ · q, qᵀ · k or out · v of the later head, for the kinds q, k and v. The
    score is 0 if the later head reads nothing of the earlier one's output, and about 1/√e for two random matrices.

    Args:
        model: a Generator, Classifier or Bert.
        kind: the input of the later head.
    Returns:
        (layers, h, layers, h): indexed by the later head, then the earlier one; 0 unless the latter's layer is earlier.
    Raises:
        ValueError: an unknown kind, or a model with several stacks.
    """
    if kind not in ("q", "k", "v"):
        raise ValueError(f"kind must be q, k or v, got {kind!r}")
    if not hasattr(model, "transformer"):
        raise ValueError(f"model must be of one stack, got {type(model).__name__}")
    layers = [head_maps(block) for block in model.transformer.blocks]
    depth, h = len(layers), len(layers[0].q)
    result = torch.zeros(depth, h, depth, h, dtype=torch.float64)
    for later, reader in enumerate(layers):
        # R = otherᵀ · read, where `other` is the map on the other side of the head's circuit.
        read, other = {
            "q": (reader.q, reader.k),
            "k": (reader.k, reader.q),
            "v": (reader.v, reader.out.transpose(1, 2)),
        }[kind]
        gram = other @ other.transpose(1, 2)  # (h, s, s)
        size = (gram * (read @ read.transpose(1, 2))).sum((1, 2)).sqrt()  # ‖R‖
        for earlier, writer in enumerate(layers[:later]):
            inner = read[:, None] @ writer.out  # (h, h, s, s)
            values = writer.v @ writer.v.transpose(1, 2)
            wrote = (values * (writer.out.transpose(1, 2) @ writer.out)).sum((1, 2)).sqrt()  # ‖W‖
            both = ((gram[:, None] @ inner @ values) * inner).sum((2, 3)).clamp_min(0).sqrt()
            result[later, :, earlier] = both / (size[:, None] * wrote).clamp_min(TINY)
    return result


@torch.no_grad()
def copying_score(model: Any) -> Tensor:
    """Computes how much each head raises the logit of any token that it attends to.

    The score is the sum of the eigenvalues of the head's circuit from tokens to logits, unembed · out · v · embed,
    divided by the sum of their magnitudes (Elhage et al. 2021). It is 1 for a head that copies, and −1 for one that
    suppresses the token.

    Args:
        model: a Generator.
    Returns:
        (layers, h), in [−1, 1]; 0 for a head that passes nothing on.
    Raises:
        ValueError: the model is not a Generator.
    """
    if not isinstance(model, Generator):
        raise ValueError(f"model must be a Generator, got {type(model).__name__}")
    stack = model.transformer
    unembed = output_layer(model)[0]  # (num_tokens, e)
    norm: Any = model.norm
    through = stack.token_embedding.weight.double().T @ unembed.double()  # (e, e): summed over the vocabulary
    if model.config.norm == "pre":
        through = centred(norm, through * norm.weight)  # includes the norm's gain and centring
    rows = []
    for block in stack.blocks:
        maps = head_maps(block)
        eigenvalues = torch.linalg.eigvals(maps.v @ through @ maps.out)  # (h, s), the circuit's, without its zeros
        rows.append(eigenvalues.sum(-1).real / eigenvalues.abs().sum(-1).clamp_min(TINY))
    return torch.stack(rows)


def induction_score(
    model: Generator,
    seed: int | None = 0,
    *,
    length: int = 64,
    repeats: int = 32,
    ids: Sequence[int] | Tensor | None = None,
) -> Tensor:
    """Measures each head's weight on the token after the previous occurrence of the current token.

    The text is a sequence of random tokens, repeated once. There only copying predicts the next token, so a head that
    prefers certain tokens, or merely repeated ones, scores about 1/length (Olsson et al. 2022).

    Args:
        model: a Generator.
        seed: of the tokens, in [-2^63, 2^64); None for others each time.
        length: of the sequence; the context must hold 2·length tokens.
        repeats: number of random sequences.
        ids: the tokens to draw from; None for the whole vocabulary.
    Returns:
        (layers, h): the mean weight, in [0, 1].
    Raises:
        ValueError: another kind of model, a seed or an id out of range, a sequence that is longer than half the
            context, or no tokens to draw from.
    """
    require_instance("model", model, Generator)
    require_positive("length", length)
    require_positive("repeats", repeats)
    if 2 * length > (most := model.config.seq_length):
        raise ValueError(f"length must be at most {most // 2}, half of the model's context, got {length}")
    vocabulary = range(model.config.num_tokens)
    ids = check_ids(vocabulary if ids is None else ids, len(vocabulary), "ids")
    tokens = repeated_sequences(length, repeats, seed, ids)
    tokens = tokens.to(next(model.parameters()).device)
    return induction_weight(run_with_capture(model, tokens)[1].stack("weights"))


def repeated_sequences(length: int, repeats: int, seed: int | None, ids: Sequence[int]) -> Tensor:
    """Returns `repeats` sequences of `length` random tokens from `ids`, each followed by itself: (repeats, 2·length).
    `seed` determines the tokens."""
    once = torch.tensor(ids)[torch.randint(len(ids), (repeats, length), generator=random_of(seed))]
    return torch.cat((once, once), 1)


def induction_weight(weights: Tensor) -> Tensor:
    """Averages the weights that `induction_score` measures, on the tokens of `repeated_sequences`.

    Args:
        weights: (layers, b, h, t, t).
    Returns:
        (layers, h).
    """
    length = weights.shape[-1] // 2
    queries = weights.diagonal(offset=1 - length, dim1=-2, dim2=-1)[..., 1:]  # in the second half
    return queries.mean((1, -1))


def _matrix(linear: nn.Module, x: Tensor) -> Tensor:
    """Returns the matrix (out, in) of a linear map applied to the rows of x (in, ·), without its bias, in float64."""
    exact, x = copy.deepcopy(linear).double(), x[None]  # in half precision a large bias would leave little of a sum
    return (exact(x) - exact(torch.zeros_like(x)))[0].T
