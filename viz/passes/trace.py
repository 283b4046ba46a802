"""One number of a head, followed back to the file of weights: from a weight to score, q and k, x and the embedding.

And forward: what the head's output at the place adds to the residual stream. Sizes: t tokens, e embedding, s size of
one head.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

import former
from former.bert import BertStack
from former.checkpoints import INDEX
from viz.passes.edits import is_index
from viz.passes.loaded import Loaded
from viz.passes.run import Map, Pass
from viz.passes.snapshots import split
from viz.text import NothingToShow

MAPS = {"q": "toqueries", "k": "tokeys", "v": "tovalues", "adds": "unifyheads"}  # each part, and the map that makes it


class Stream(NamedTuple):
    """What an attention reads, (t, e) each: r, and the parts that it is the sum of."""

    ids: Tensor  # (t,) of the tokens
    whole: Tensor  # r
    embedding: Tensor  # of the tokens
    position: Tensor
    segments: Tensor | None  # (t,) of a BERT's tokens: their embeddings are added too, and the sum is normed
    embedded: Tensor  # what the first block reads: the sum, or of a BERT that normed
    blocks: list[Tensor]  # what each block before this attention has changed
    attention: Tensor | None  # what the decoder's self-attention adds before the cross-attention reads
    norm: nn.LayerNorm | None  # r → x, with its name in the file; None: x is r
    norm_name: str
    stack: str  # as it is called in the file


def place_of(loaded: Loaded, tensor: str) -> dict[str, str | None]:
    """The file that holds one of a model's tensors, as card or index name it, and the tensor's name in it."""
    files = [name for name in loaded.bundle.card.get("files", {}) if name.endswith(".safetensors")]
    if len(files) > 1 and loaded.folder:
        files = [json.loads((loaded.folder / INDEX).read_text("utf-8"))["weight_map"][tensor]]
    model, step = split(loaded.name)
    end = step is not None and loaded.folder is not None and not loaded.folder.name.startswith("step-")
    return {"file": f"{model if end else loaded.name}/{' + '.join(files)}" if files else None, "tensor": tensor}


def trace(
    loaded: Loaded, made: Pass, name: str, layer: int, head: int, query: int, key: int, part: str = "q", at: int = 0
) -> dict[str, Any]:
    """One weight of a head, and one number of what makes it, followed back.

    Args:
        loaded: the model.
        made: the pass.
        name: of the head's map.
        layer, head, query, key: the weight.
        part: of `MAPS`: the number is one of the query's q, the key's k or v, or what the head adds for the query.
        at: which of the part's numbers.
    Returns:
        "q", "k", "v" and "out": s numbers each; "adds": e numbers; "joins": whether a map makes them of out;
        "product": q · k; "root", what it is divided by, and "divisor", what of that is not √s; "score"; "most": the
        largest score of the row; "total": Σ e^(score − most) over its keys; "weight"; "terms": the number as a sum of
        products, see `terms_of`; "input": the largest of these products followed on, see `input_of`, of "adds" None;
        "stream": of "adds" what the number is added to, or None.
    Raises:
        LookupError: what is not there.
        NothingToShow: a model whose numbers come about in another way.
    """
    each = check(loaded, made, name, layer, head, query, key, part, at)
    q, k, v, out = (
        vectors[layer, head, row] for vectors, row in ((each.q, query), (each.k, key), (each.v, key), (each.out, query))
    )
    size = q.shape[-1]
    divisor = loaded.bundle.config.divisor(layer)
    root = (size**0.5 if loaded.bundle.config.scaled else 1.0) * divisor
    scores = (each.q[layer, head, query] @ each.k[layer, head].T / root)[each.allowed[query]]
    attention, prefix = attention_of(loaded, name, layer)
    columns = slice(head * size, (head + 1) * size)
    joined = attention.unifyheads
    joins = isinstance(joined, nn.Linear)  # else the heads' outputs stand side by side as they are
    unify = (joined.weight if joins else torch.eye(loaded.bundle.config.emb))[:, columns]  # (e, s)
    asks = part in ("q", "adds")
    stream = stream_of(loaded, made, name, layer, asks)
    row = query if asks else key
    x = stream.norm(stream.whole[row]) if stream.norm else stream.whole[row]
    found: dict[str, Any] = {"q": q, "k": k, "v": v, "out": out, "adds": unify @ out, "joins": joins}
    if part == "adds":
        module = f"{prefix}.unifyheads" if joins else None
        products = terms_of(loaded, module, unify[at], out, at, columns.start, None)
        rest = {"input": None, "stream": stream.whole[row, at]}
    else:
        to = getattr(attention, MAPS[part])
        number = columns.start + at
        bias = None if to.bias is None else to.bias[number]
        products = terms_of(loaded, f"{prefix}.{MAPS[part]}", to.weight[number], x, number, 0, bias)
        largest = int((to.weight[number] * x).abs().argmax())
        rest = {"input": input_of(loaded, stream, x, row, largest), "stream": None}
    numbers = {
        **found,
        "product": q @ k,
        "root": root,
        "divisor": divisor,
        "score": q @ k / root,
        "most": scores.max(),
        "total": (scores - scores.max()).exp().sum(),
        "weight": each.weights[layer, head, query, key],
    }
    return plain({**numbers, "terms": products, **rest})


def follows(loaded: Loaded) -> bool:
    """Whether a model's numbers come about as `trace` follows them."""
    config = loaded.bundle.config
    kinds = former.Generator | former.Classifier | former.EncoderDecoder | BertStack
    return isinstance(loaded.bundle.model, kinds) and config.variant != "chunked"


def check(
    loaded: Loaded, made: Pass, name: str, layer: int, head: int, query: int, key: int, part: str, at: int
) -> Map:
    """The head's map. Raises unless there is something to follow (`trace`)."""
    each = made.map(name)
    config = loaded.bundle.config
    sizes = (*each.weights.shape, config.emb if part == "adds" else each.q.shape[-1])
    if part not in MAPS or not all(map(is_index, (layer, head, query, key, at), sizes)):
        raise LookupError(name)
    if not follows(loaded):
        raise NothingToShow("trace_not")
    if not each.allowed[query, key]:
        raise NothingToShow("trace_masked")
    return each


def attention_of(loaded: Loaded, name: str, layer: int) -> tuple[former.SelfAttention, str]:
    """The attention of a map's layer, and its name in the file."""
    stack = {"self": "transformer", "cross": "decoder"}.get(name, name)
    kind = "cross" if name == "cross" else "attention"
    return getattr(getattr(loaded.bundle.model, stack).blocks[layer], kind), f"{stack}.blocks.{layer}.{kind}"


@torch.no_grad()
def stream_of(loaded: Loaded, made: Pass, name: str, layer: int, asks: bool) -> Stream:
    """What the queries of an attention read, where it `asks`, else its keys and values."""
    model: Any = loaded.bundle.model
    inputs, observers = made.run.inputs, made.run.edits
    stack = {"self": "transformer", "cross": "decoder" if asks else "encoder"}.get(name, name)
    prefix = "" if name == "self" else f"{stack}."
    points = [f"{prefix}{point}" for point in ("resid_pre", "resid_post", "out")]
    _, capture = former.run_with_capture(model, inputs, points, edits=observers)
    before, after = (capture.stack(point)[:, 0] for point in points[:2])  # (depth, t, e)
    ids = inputs[-1 if stack == "decoder" else 0][0]
    blocks, embedding = getattr(model, stack).blocks, getattr(model, stack).token_embedding(ids)
    position, segments = getattr(model, stack).embed(ids[None])[0] - embedding, None
    if isinstance(loaded.bundle.model, BertStack):
        segments = inputs[1][0] if len(inputs) > 1 else torch.zeros_like(ids)
    memory = name == "cross" and not asks  # which has been through the whole encoder
    done, whole, attention = len(blocks) if memory else layer, after[-1] if memory else before[layer], None
    norm, norm_name = blocks[layer].norm1, f"{stack}.blocks.{layer}.norm1"
    if memory:
        norm, norm_name = model.encoder_norm, "encoder_norm"
    elif name == "cross":
        out = capture.get(points[2], layer)[0].transpose(0, 1).flatten(1)  # (t, h · s)
        attention = blocks[layer].attention.unifyheads(out)
        whole = whole + attention
        norm, norm_name = blocks[layer].cross_norm, f"{stack}.blocks.{layer}.cross_norm"
    changed = list((after - before)[:done])
    norm = norm if loaded.bundle.config.norm == "pre" else None
    return Stream(ids, whole, embedding, position, segments, before[0], changed, attention, norm, norm_name, stack)


def terms_of(
    loaded: Loaded, module: str | None, weights: Tensor, inputs: Tensor, row: int, column: int, bias: Tensor | None
) -> dict[str, Any]:
    """A number as Σ weight · input (+ bias): {"file", "tensor": None of weights that stand in no file, "row", "column":
    of the first weight, "weights", "inputs", "bias", "value"}."""
    value = weights @ inputs + (0 if bias is None else bias)
    place = place_of(loaded, f"{module}.weight") if module else {"file": None, "tensor": None}
    place |= {"row": row, "column": column}
    return {**place, "weights": weights, "inputs": inputs, "bias": bias, "value": value}


def input_of(loaded: Loaded, stream: Stream, x: Tensor, row: int, column: int) -> dict[str, Any]:
    """One number of x, and what it comes from.

    Returns:
        {"row", "token": its id, "column", "value", "norm": see `normed`, or None, "whole": r, and what it is the sum
        of: "embedding", "position", "blocks", "attention" or None; "embedding_place" and "position_place", None where
        positions are not learned; "embedded": None, or of a BERT, where the sum of embedding, position and segment is
        normed before the first block, {"value", "norm", "whole": that sum, "segment", "segment_place"}}.
    """
    r, place = stream.whole[row], (row, column)
    learned = getattr(loaded.bundle.config, "positions", "learned") == "learned"
    embedded = None
    if stream.segments is not None:
        model: Any = loaded.bundle.model
        segment = model.segment_embedding(stream.segments[row])
        whole = stream.embedding[row] + stream.position[row] + segment
        embedded = {
            "value": stream.embedded[place],
            "norm": normed(loaded, model.embedding_norm, "embedding_norm", whole, column),
            "whole": whole[column],
            "segment": segment[column],
            "segment_place": {**place_of(loaded, "segment_embedding.weight"), "row": stream.segments[row]},
        }
    return {
        "row": row,
        "token": stream.ids[row],
        "column": column,
        "value": x[column],
        "norm": normed(loaded, stream.norm, stream.norm_name, r, column) if stream.norm else None,
        "whole": r[column],
        "embedding": stream.embedding[place],
        "position": stream.position[place],
        "blocks": [block[place] for block in stream.blocks],
        "attention": None if stream.attention is None else stream.attention[place],
        "embedding_place": place_of(loaded, f"{stream.stack}.token_embedding.weight"),
        "position_place": place_of(loaded, f"{stream.stack}.positions.embedding.weight") if learned else None,
        "embedded": embedded,
    }


def normed(loaded: Loaded, norm: nn.LayerNorm, name: str, r: Tensor, column: int) -> dict[str, Any]:
    """How a norm makes one number: {"mean" and "deviation" of r (e,), "gain", "bias", and the place of the gain}."""
    numbers = {"mean": r.mean(), "deviation": (r.var(correction=0) + norm.eps).sqrt()}
    return {**numbers, "gain": norm.weight[column], "bias": norm.bias[column], **place_of(loaded, f"{name}.weight")}


def plain(values: Any) -> Any:
    """Tensors as numbers, with digits enough that hundreds of them add up."""
    if isinstance(values, Tensor):
        if not values.is_floating_point():
            return values.tolist()
        return torch.round(values.detach().double(), decimals=7).tolist()
    if isinstance(values, dict):
        return {name: plain(value) for name, value in values.items()}
    return [plain(value) for value in values] if isinstance(values, list) else values
