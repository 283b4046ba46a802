"""Traces one number of a head back: from a weight to score, q and k, the attention's input, and the embedding.

It also traces forward: what the head's output adds to the residual stream. A number from a tensor of the model comes
with the tensor's name in `state_dict`.

Sizes: t tokens, e embedding, s size of one head.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from former.analysis.parts import centred, deviation, require_own_stream
from former.attention import SelfAttention
from former.checks import is_index, require_choice, require_instance
from former.positions import Positions, RotaryPositions
from former.runs.kind import Unanswerable
from former.runs.run import Map, Run, adds_terms, prefix_of
from former.sampling import precise

PARTS = {"q": "toqueries", "k": "tokeys", "v": "tovalues", "adds": "unifyheads"}  # part → module that computes it


class Stream(NamedTuple):
    """The input of an attention layer, r, and the parts that add up to it, (t, e) each."""

    ids: Tensor  # (t,) token ids
    whole: Tensor  # r
    embedding: Tensor  # of the tokens
    position: Tensor
    segments: Tensor | None  # (t,) for BERT: segment embeddings are added too, and the sum is normed
    embedded: Tensor  # input of the first block: the sum, for BERT normed
    blocks: list[Tensor]  # the change by each block before this attention
    attention: Tensor | None  # in the decoder, the change by self-attention before the cross-attention
    norm: nn.LayerNorm | nn.RMSNorm | None  # r → x; None: x is r
    norm_name: str
    stack: str  # module name of the stack
    positions: Positions


@torch.no_grad()
def trace(
    run: Run, layer: int, head: int, query: int, key: int, part: str = "q", at: int = 0, *, name: str = "self"
) -> dict[str, Any]:
    """Traces one weight of a head, and one number that it is computed from, back to the model's tensors.

    Args:
        run: of a model whose scores are q·k divided by a constant, and whose heads read the whole vector; q and k may
            be normed, and turned by their positions.
        layer, head, query, key: indices of the weight.
        part: one of `PARTS`: the query's q, the key's k or v, or what the head adds to the query's residual stream.
        at: index of the number in that part.
        name: the head's map, in a model with several.
    Returns:
        "q", "k", "v" and "out": s numbers each; "adds": e numbers; "joins": whether the layer has `unifyheads`, which
        maps out to adds; "product": q · k; "root": its divisor; "divisor": the factor of root besides √s; "score";
        "most": the largest score of this query; "total": Σ e^(score − most) over its keys; "weight"; "turned" and
        "normed": how positions and a norm of q or k changed the number, see `_turned` and `_normed`, or None; "terms":
        the number before that as a sum of products, see `_terms`; "input": the input in the largest of these products,
        see `_input`, or None for "adds"; "stream": for "adds", the number of the residual stream that it is added to,
        else None.
    Raises:
        ValueError: a model that computes attention differently, an edit of the residual stream, a pair that the mask
            hides, or an index out of range.
    """
    require_instance("run", run, Run)
    check_trace(run.model)
    require_own_stream(run.edits)
    require_choice("name", name, run.reading.sides)
    each = run.maps[name]
    _check_place(run, each, {"layer": layer, "head": head, "query": query, "key": key, "at": at}, part)
    q, k, v, out = (
        vectors[layer, head, row] for vectors, row in ((each.q, query), (each.k, key), (each.v, key), (each.out, query))
    )
    root, size = each.roots[layer], q.shape[-1]
    products = precise(q) @ precise(each.k[layer, head]).T  # (t_key,); they may exceed float16
    scores = products[each.allowed[query]] / root
    attention, prefix = _attention(run.model, name, layer)
    columns = slice(head * size, (head + 1) * size)
    join = attention.unifyheads
    joins = isinstance(join, nn.Linear)  # else the head outputs are concatenated
    joined = join.weight if isinstance(join, nn.Linear) else torch.eye(run.model.config.emb).to(out)
    unify = joined[:, columns]  # (e, s)
    asks = part in ("q", "adds")
    stream, row = _stream(run, name, layer, asks), query if asks else key
    if part == "adds":
        tensor = f"{prefix}.unifyheads.weight" if joins else None
        terms = _terms(tensor, unify[at], out, at, columns.start, None)
        rest = {"turned": None, "normed": None, "input": None, "stream": stream.whole[row, at]}
    else:
        positions = stream.positions
        turn = (positions, row) if isinstance(positions, RotaryPositions) and part != "v" and name != "cross" else None
        shared = 1 if asks else attention.heads // attention.kv_heads  # heads of queries that use this key or value
        x = stream.norm(stream.whole[row]) if stream.norm else stream.whole[row]
        first = head // shared * size
        terms, changes = _number(attention, prefix, part, x, first, at, turn)
        largest = int((terms["weights"] * x).abs().argmax())
        rest = {**changes, "input": _input(run.model, stream, x, row, largest), "stream": None}
    return {
        **{"q": q, "k": k, "v": v, "out": out, "adds": unify @ out, "joins": joins},
        **{"product": products[key], "root": root, "divisor": run.model.config.divisor(layer)},
        "score": products[key] / root,
        "most": scores.max(),
        "total": (scores - scores.max()).exp().sum(),
        "weight": each.weights[layer, head, query, key],
        "terms": terms,
        **rest,
    }


def _check_place(run: Run, each: Map, indices: dict[str, int], part: str) -> None:
    """Checks the arguments of `trace`: the indices in the order of a map's weights and of its part, and the part."""
    sizes = (*each.weights.shape, run.model.config.emb if part == "adds" else each.q.shape[-1])
    for (what, index), size in zip(indices.items(), sizes, strict=True):
        if not is_index(index, size):
            raise ValueError(f"{what} must be in [0, {size}) for this run, got {index!r}")
    require_choice("part", part, PARTS)
    query, key = indices["query"], indices["key"]
    if not each.allowed[query, key]:
        raise Unanswerable("trace_masked", f"the mask hides key {key} from query {query}: it has no weight to trace")


def check_trace(model: Any) -> None:
    """Raises Unanswerable unless `trace` can follow how the model computes attention."""
    if model.config.variant == "chunked" or adds_terms(model):
        raise Unanswerable("trace_not", "trace needs scores of q·k alone, and heads that read the whole vector")


def _attention(model: Any, name: str, layer: int) -> tuple[SelfAttention, str]:
    """Returns a layer's attention, for one map, and its module name."""
    stack = {"self": "transformer", "cross": "decoder"}.get(name, name)
    kind = "cross" if name == "cross" else "attention"
    return getattr(getattr(model, stack).blocks[layer], kind), f"{stack}.blocks.{layer}.{kind}"


def _stream(run: Run, name: str, layer: int, asks: bool) -> Stream:
    """Returns the input of an attention: of its queries if `asks`, else of its keys and values."""
    model, inputs = run.model, run.inputs
    stack = {"self": "transformer", "cross": "decoder" if asks else "encoder"}.get(name, name)
    prefix = prefix_of(name) and f"{stack}."
    _, capture = run.rerun([f"{prefix}{point}" for point in ("resid_pre", "resid_post", "out")])
    before, after = (capture.stack(f"{prefix}{point}")[:, 0] for point in ("resid_pre", "resid_post"))  # (depth, t, e)
    module: Any = getattr(model, stack)
    ids = inputs[-1 if stack == "decoder" else 0][0]
    embedding = module.token_embedding(ids)
    segments = None
    if hasattr(model, "segment_embedding"):
        segments = inputs[1][0] if len(inputs) > 1 else torch.zeros_like(ids)
    memory = name == "cross" and not asks  # the output of the whole encoder
    done, whole, attention = len(module.blocks) if memory else layer, after[-1] if memory else before[layer], None
    block = module.blocks[layer]
    norm, norm_name = block.norm1, f"{stack}.blocks.{layer}.norm1"
    if memory:
        norm, norm_name = model.encoder_norm, "encoder_norm"
    elif name == "cross":
        attention = block.attention.unifyheads(capture[f"{prefix}out", layer][0].transpose(0, 1).flatten(1))  # (t, e)
        if model.config.norm == "post":  # the cross-attention reads norm1's output
            attention = block.norm1(whole + attention) - whole
        whole = whole + attention
        norm, norm_name = block.cross_norm, f"{stack}.blocks.{layer}.cross_norm"
    return Stream(
        *(ids, whole, embedding, module.embed(ids[None])[0] - embedding, segments, before[0]),
        *(list((after - before)[:done]), attention, norm if model.config.norm == "pre" else None, norm_name, stack),
        module.positions,
    )


def _number(
    attention: SelfAttention,
    prefix: str,
    part: str,
    x: Tensor,
    first: int,
    at: int,
    turn: tuple[RotaryPositions, int] | None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns a number of q, k or v: its sum of products, and how it was changed after that.

    Args:
        attention, prefix: the layer's, and its module name.
        part: "q", "k" or "v".
        x: (e,), the attention's input.
        first: row of the part's map that computes the head's first number.
        at: index of the number in the head.
        turn: the positions that turn this part, and the token's position; or None.
    Returns:
        See `_terms`; and {"turned", "normed"}.
    """
    to: Any = getattr(attention, PARTS[part])
    row = first + at
    bias = None if to.bias is None else to.bias[row]
    terms = _terms(f"{prefix}.{PARTS[part]}.weight", to.weight[row], x, row, 0, bias)
    vector, norm, normed = to(x)[first : first + attention.size], getattr(attention, f"norm_{part}", None), None
    if isinstance(norm, nn.RMSNorm):
        normed = _normed(norm, f"{prefix}.norm_{part}", vector, at)
        vector = norm(vector)
    return terms, {"turned": turn and _turned(*turn, vector, at), "normed": normed}


def _normed(norm: nn.RMSNorm, name: str, vector: Tensor, at: int) -> dict[str, Any]:
    """Returns how a head's norm computes a number of q or k: {"value" = "whole" / "deviation" · "gain", the gain's
    "tensor"}, where whole is the number in `vector` (s,), and deviation the vector's root mean square."""
    numbers = {"whole": vector[at], "deviation": deviation(norm, vector)[0]}
    return {"value": norm(vector)[at], **numbers, "gain": norm.weight[at], "tensor": f"{name}.weight"}


def _turned(positions: RotaryPositions, position: int, vector: Tensor, at: int) -> dict[str, Any] | None:
    """Returns how rotary positions compute a number of q or k from two numbers of `vector` (s,).

    Returns:
        {"value" = "own" · cos("angle") + "sign" · "other" · sin("angle"), "pair": index of the other number,
            "position"}; None for a number that is not turned.
    """
    half = positions.turned // 2
    if at >= 2 * half:
        return None
    first = at < half
    pair = at + half if first else at - half
    angle = position * positions.frequencies(precise(vector))[min(at, pair)]  # as in `RotaryPositions.turn`
    own, other, sign = vector[at], vector[pair], -1 if first else 1
    value = own * angle.cos() + sign * other * angle.sin()
    return {
        **{"value": value, "own": own, "other": other, "sign": sign},
        **{"pair": pair, "angle": angle, "position": position},
    }


def _terms(
    tensor: str | None, weights: Tensor, inputs: Tensor, row: int, column: int, bias: Tensor | None
) -> dict[str, Any]:
    """Returns a number as Σ weight · input (+ bias): {"tensor": name or None, "row", "column": of the first weight,
    "weights", "inputs", "bias", "value"}."""
    value = weights @ inputs + (0 if bias is None else bias)
    entry = {"tensor": tensor, "row": row, "column": column}
    return {**entry, "weights": weights, "inputs": inputs, "bias": bias, "value": value}


def _input(model: Any, stream: Stream, x: Tensor, row: int, column: int) -> dict[str, Any]:
    """Traces one number of x, the input of the attention after its norm.

    Returns:
        {"row", "token": its id, "column", "value", "norm": see `_norm`, or None, "whole": r, and its addends
            "embedding", "position", "blocks", "attention" or None; "embedding_place" and "position_place", {"tensor"},
            None unless positions are learned; "embedded": None, or for BERT, which norms the sum of embedding, position
            and segment before the first block, {"value", "norm", "whole": that sum, "segment", "segment_place"}}.
    """
    r, cell = stream.whole[row], (row, column)
    learned = getattr(model.config, "positions", "learned") == "learned"
    embedded = None
    if stream.segments is not None:
        segment = model.segment_embedding(stream.segments[row])
        whole = stream.embedding[row] + stream.position[row] + segment
        embedded = {
            "value": stream.embedded[cell],
            "norm": _norm(model.embedding_norm, "embedding_norm", whole, column),
            "whole": whole[column],
            "segment": segment[column],
            "segment_place": {"tensor": "segment_embedding.weight", "row": stream.segments[row]},
        }
    return {
        **{"row": row, "token": stream.ids[row], "column": column, "value": x[column]},
        "norm": _norm(stream.norm, stream.norm_name, r, column) if stream.norm else None,
        **{"whole": r[column], "embedding": stream.embedding[cell], "position": stream.position[cell]},
        "blocks": [block[cell] for block in stream.blocks],
        "attention": None if stream.attention is None else stream.attention[cell],
        "embedding_place": {"tensor": f"{stream.stack}.token_embedding.weight"},
        "position_place": {"tensor": f"{stream.stack}.positions.embedding.weight"} if learned else None,
        "embedded": embedded,
    }


def _norm(norm: nn.LayerNorm | nn.RMSNorm, name: str, r: Tensor, column: int) -> dict[str, Any]:
    """Returns how a norm computes a number: {"mean", "deviation" of r (e,), "gain", "bias", the gain's "tensor",
    "centred"}.

    For a norm by the root mean square, which is not centred, mean and bias are 0, and "deviation" is the root mean
    square.
    """
    numbers = {"mean": (r - centred(norm, r)).mean(), "deviation": deviation(norm, r)[0]}
    centres = isinstance(norm, nn.LayerNorm)
    bias = norm.bias[column] if centres else torch.zeros(())
    return {**numbers, "gain": norm.weight[column], "bias": bias, "tensor": f"{name}.weight", "centred": centres}
