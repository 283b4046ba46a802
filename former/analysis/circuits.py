"""Which heads work together, and what each does with any token: read off the weights, or measured on random tokens.

After Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits". A head reads the stream by its maps to
queries, keys and values and writes by its part of the map that joins the heads. Where a norm stands before a map, its
gain and its centring belong to the map; the deviation that it divides by depends on the text and is left out. So do
rotary positions: the maps are those of a token to itself.

Sizes: e embedding, h heads, s size of one head.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

import torch
from torch import Tensor, nn

from former.analysis.parts import centred, output_layer
from former.hooks import run_with_capture
from former.models import Generator


class HeadMaps(NamedTuple):
    """The maps of the heads of one layer, as matrices."""

    q: Tensor  # (h, s, e)
    k: Tensor  # (h, s, e)
    v: Tensor  # (h, s, e)
    out: Tensor  # (h, e, s)


@torch.no_grad()
def head_maps(block: Any) -> HeadMaps:
    """The matrices by which the heads of a block read and write, in float64."""
    attention, e = block.attention, block.norm1.weight.numel()
    read = torch.eye(e, dtype=block.norm1.weight.dtype, device=block.norm1.weight.device)
    if block.pre_norm:
        read = centred(block.norm1, read) * block.norm1.weight
    readers = (attention.toqueries, attention.tokeys, attention.tovalues)
    q, k, v = (_matrix(part, read).unflatten(0, (-1, attention.size)) for part in readers)
    if isinstance(attention.norm_q, nn.RMSNorm):
        q, k = (x * norm.weight[:, None] for x, norm in ((q, attention.norm_q), (k, attention.norm_k)))
    k, v = (x.repeat_interleave(attention.heads // attention.kv_heads, 0) for x in (k, v))
    joined = torch.eye(attention.heads * attention.size, dtype=read.dtype, device=read.device)
    out = _matrix(attention.unifyheads, joined).unflatten(1, (attention.heads, -1)).transpose(0, 1)
    return HeadMaps(q, k, v, out)


@torch.no_grad()
def composition(model: Any, kind: Literal["q", "k", "v"]) -> Tensor:
    """How much of what each head writes each later head reads, as its queries, keys or values.

    For the matrix W that a head writes by, and R that the later one makes of what it reads, ‖R W‖ / (‖R‖ ‖W‖) in
    Frobenius norms (Elhage et al. 2021, "K-, Q- and V-composition"): 0 where the one reads nothing of the other; two
    random matrices have about 1/√e.

    Args:
        model: a Generator, Classifier or Bert.
        kind: which input of the later head.
    Returns:
        (layers, h, layers, h): the reading head, then the writing one; 0 where it is not in an earlier layer.
    Raises:
        ValueError: another kind, or a model of several stacks.
    """
    if kind not in ("q", "k", "v"):
        raise ValueError(f"kind must be q, k or v, got {kind!r}")
    layers = [head_maps(block) for block in _blocks(model)]
    depth, h = len(layers), len(layers[0].q)
    found = torch.zeros(depth, h, depth, h, dtype=torch.float64)
    for later, reader in enumerate(layers):
        # R = otherᵀ · read: what the head makes of its input, through the map on the other side of its circuit.
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
            found[later, :, earlier] = both / (size[:, None] * wrote)
    return found


@torch.no_grad()
def copying_score(model: Any) -> Tensor:
    """How far a head raises the logits of the tokens that it looks at, whatever they are: (layers, h), in [−1, 1].

    The sum of the eigenvalues of its whole circuit from tokens to logits, unembed · out · v · embed, over the sum of
    their sizes (Elhage et al. 2021): 1 where all are positive, so that it copies; −1 where it suppresses.

    Args:
        model: a Generator.
    Raises:
        ValueError: a model that does not predict tokens from one stack.
    """
    if not isinstance(model, Generator):
        raise ValueError(f"model must be a Generator, got a {type(model).__name__}")
    stack = model.transformer
    unembed = output_layer(model)[0]  # (num_tokens, e)
    norm: Any = model.norm
    if model.config.norm == "pre":
        unembed = centred(norm, unembed * norm.weight)  # of what is read, which the norm centres
    through = (
        stack.token_embedding.weight.double().T @ unembed.double()
    )  # (e, e): embeddings, summed over the vocabulary
    rows = []
    for block in stack.blocks:
        maps = head_maps(block)
        eigenvalues = torch.linalg.eigvals(maps.v @ through @ maps.out)  # (h, s), those of the circuit but its zeros
        rows.append(eigenvalues.sum(-1).real / eigenvalues.abs().sum(-1))
    return torch.stack(rows)


def induction_score(
    model: Generator, seed: int = 0, *, length: int = 64, repeats: int = 32, ids: Sequence[int] | None = None
) -> Tensor:
    """Where a head looks on random tokens said twice: at what followed the same token the first time.

    In random tokens nothing else tells what comes next, so a head that only looks at tokens of a usual kind, or at
    repeated ones, scores about 1/length (Olsson et al. 2022).

    Args:
        model: a Generator.
        seed: of the tokens.
        length: of what is said twice; twice it must fit the context.
        repeats: how many random sequences.
        ids: the tokens to draw from; None for the whole vocabulary.
    Returns:
        (layers, h): the mean weight, in [0, 1].
    """
    tokens = said_twice(length, repeats, seed, range(model.config.num_tokens) if ids is None else ids)
    return copied_weight(run_with_capture(model, tokens)[1].stack("weights"))


def said_twice(length: int, repeats: int, seed: int, ids: Sequence[int]) -> Tensor:
    """Random tokens and the same again: (repeats, 2·length), drawn from `ids`."""
    random = torch.Generator().manual_seed(seed)
    once = torch.tensor(ids)[torch.randint(len(ids), (repeats, length), generator=random)]
    return torch.cat((once, once), 1)


def copied_weight(weights: Tensor) -> Tensor:
    """The weight on what followed the first time, on tokens of `said_twice`: (layers, b, h, t, t) → (layers, h)."""
    length = weights.shape[-1] // 2
    queries = weights.diagonal(offset=1 - length, dim1=-2, dim2=-1)[..., 1:]  # of the second time
    return queries.mean((1, -1))


def _blocks(model: Any) -> nn.ModuleList:
    if not hasattr(model, "transformer"):
        raise ValueError(f"model must be of one stack, got a {type(model).__name__}")
    return model.transformer.blocks


def _matrix(linear: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """The matrix of a map, (out, in), from what it makes of the rows of x (in, ·); without its bias, in float64."""
    return (linear(x[None]) - linear(torch.zeros_like(x)[None]))[0].T.double()
