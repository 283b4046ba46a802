"""Section "Queries, keys, values": three matrices that one drags, then one trained head, followed to its weights.

The page computes with the dragged matrices (lib/arithmetic.js); here the same is computed by `former`. Sizes: t words
or tokens, e embedding, s size of one head.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

import former
from former.hooks import POINTS
from viz.passes.loaded import Loaded, Models, causal
from viz.passes.run import tokenize
from viz.passes.trace import MAPS, place_of
from viz.server.view import View, read_choice, read_index
from viz.tabs.learn.section import Section
from viz.tabs.python import IMPORTS
from viz.text import Refusal

WORDS = ("mary", "gave", "roses", "to", "susan")
RADIUS = 1.5  # of the circle on which the words stand, in their order, from the right and against the clock
IDENTITY = "1,0,0,1"  # the columns of a matrix, one after the other
MATRICES = ";".join([IDENTITY] * 3)  # W_q, W_k, W_v
REACH = 2.5  # a number of a matrix, at most
TEXT = "The cat sat on"
MOST = 16  # tokens
PARTS = ("q", "k", "v")


def circle() -> list[list[float]]:
    """The words' vectors: (5, 2)."""
    turns = [2 * math.pi * i / len(WORDS) for i in range(len(WORDS))]
    return [[round(RADIUS * math.cos(turn), 4), round(RADIUS * math.sin(turn), 4)] for turn in turns]


def subject(models: Models) -> Loaded:
    """The trained model that is followed: the smallest that writes, else the smallest."""
    candidates = causal(models) or dict(models)
    return min(candidates.values(), key=lambda loaded: sum(part.numel() for part in loaded.bundle.model.parameters()))


def pair_to_open(models: Models) -> dict[str, int]:
    """The head, the query and the key that the section opens with: the largest weight from a token to an earlier one
    that is not the first."""
    config = subject(models).bundle.config
    heads = [(layer, head) for layer in range(config.depth) for head in range(config.heads)]
    found = [of_head(models, {"text": TEXT, "layer": layer, "head": head})["weights"] for layer, head in heads]
    inner = torch.stack(found).tril(-1)[:, :, 1:]  # (heads, t, t − 1)
    which, query, key = (int(i) for i in torch.unravel_index(inner.argmax(), inner.shape))
    layer, head = heads[which]
    return {"layer": layer, "head": head, "query": query, "key": key + 1}


def opening(models: Models) -> dict[str, Any]:
    """What the section opens with, and its limits."""
    loaded = subject(models)
    config = loaded.bundle.config
    return {
        "words": WORDS,
        "vectors": circle(),
        "matrices": MATRICES,
        "reach": REACH,
        "model": loaded.name,
        "text": TEXT,
        "most": MOST,
        "opens": pair_to_open(models),
        "layers": config.depth,
        "heads": config.heads,
        "size": config.head_size,
    }


def matrices(view: View) -> list[Tensor]:
    """W_q, W_k and W_v of a view, each (2, 2), as a linear layer has its weight: q = W_q x.

    Raises:
        Refusal: they are none.
    """
    if not isinstance(given := view.get("matrices"), str):
        raise Refusal("bad_request")
    try:
        found = [[float(number) for number in columns.split(",")] for columns in given[:200].split(";")]
    except ValueError:
        raise Refusal("bad_request") from None
    if [len(columns) for columns in found] != [4, 4, 4]:
        raise Refusal("bad_request")
    if not all(abs(number) <= REACH for columns in found for number in columns):  # nor NaN
        raise Refusal("bad_request")
    return [torch.tensor(columns).reshape(2, 2).T for columns in found]


def in_plane(view: View) -> dict[str, Tensor]:
    """The tensors of the dragged matrices."""
    x = torch.tensor(circle())
    q, k, v = (x @ matrix.T for matrix in matrices(view))
    scores, weights = former.attention_weights(q[None, None], k[None, None])
    return {"x": x, "q": q, "k": k, "v": v, "scores": scores[0, 0], "weights": weights[0, 0], "y": (weights @ v)[0, 0]}


def read_head(models: Models, view: View) -> tuple[Loaded, list[int], int, int]:
    """The model, the tokens, layer and head of a view.

    Raises:
        Refusal: a view that is none.
    """
    loaded = subject(models)
    config = loaded.bundle.config
    if not isinstance(text := view.get("text"), str):
        raise Refusal("empty_text")
    layer, head = read_index(view, "layer", config.depth), read_index(view, "head", config.heads)
    ids, _, _ = tokenize(loaded, text)
    return loaded, ids[:MOST], layer, head


def of_head(models: Models, view: View) -> dict[str, Tensor]:
    """The tensors of a trained head: x (t, e), what its attention reads; q, k, v and out (t, s); scores and weights
    (t, t), with −∞ where a later token stands."""
    loaded, ids, layer, head = read_head(models, view)
    points = ("resid_pre", *POINTS)
    _, capture = former.run_with_capture(loaded.bundle.model, torch.tensor([ids]), points, [layer])
    block = loaded.bundle.model.transformer.blocks[layer]
    x = capture.get("resid_pre", layer)
    read = block.norm1(x) if block.pre_norm else x
    return {"x": read[0].detach(), **{point: capture.get(point, layer)[0, head] for point in POINTS}}


def trained(models: Models, view: View) -> dict[str, Any]:
    """One trained head on a text.

    Args:
        models: by name.
        view: "text", "layer" and "head".
    Returns:
        "labels" of the t tokens; the tensors of `of_head`, their −∞ as null; "weight" of "q", "k" and "v": the "file",
        the "tensor" in it, the first "row" of this head, and its "rows", s × e.
    Raises:
        Refusal: a view that is none.
    """
    loaded, ids, layer, head = read_head(models, view)
    found = of_head(models, view)
    block = loaded.bundle.model.transformer.blocks[layer]
    s = loaded.bundle.config.head_size
    source = {
        part: {
            **place_of(loaded, f"transformer.blocks.{layer}.attention.{name}.weight"),
            "row": head * s,
            "rows": getattr(block.attention, name).weight[head * s : (head + 1) * s].tolist(),
        }
        for part, name in MAPS.items()
        if part in PARTS
    }
    plain = {name: tensor.tolist() for name, tensor in found.items() if name != "scores"}
    scores = [[value if math.isfinite(value) else None for value in row] for row in found["scores"].tolist()]
    labels = loaded.bundle.tokenizer.labels(ids)
    return {"text": view["text"], "labels": labels, **plain, "scores": scores, "weight": source}


def values(models: Models, view: View) -> Mapping[str, Tensor]:
    """The tensors of the view that is open: in the plane, or of the trained head."""
    return in_plane(view) if read_choice(view, "show", ("plane", "head")) == "plane" else of_head(models, view)


def python(models: Models, view: View) -> str:
    """The lines that give the panel's numbers again."""
    if read_choice(view, "show", ("plane", "head")) == "plane":
        w = [matrix.tolist() for matrix in matrices(view)]
        return (
            f"{IMPORTS}\n"
            f"words = {list(WORDS)!r}\n"
            f"x = torch.tensor({circle()!r})  # (t, 2)\n"
            f"w_q, w_k, w_v = torch.tensor({w!r})  # each (2, 2)\n"
            "q, k, v = x @ w_q.T, x @ w_k.T, x @ w_v.T\n"
            "scores, weights = (tensor[0, 0] for tensor in former.attention_weights(q[None, None], k[None, None]))\n"
            "y = weights @ v\n"
            "figure = figures.attention(weights, words)\n"
        )
    loaded, _, layer, head = read_head(models, view)
    return (
        f"{IMPORTS}\n"
        f"bundle = {loaded.code}\n"
        f"ids = bundle.tokenizer.encode({view['text']!r})[:{MOST}]\n"
        f"_, capture = former.run_with_capture(bundle.model, torch.tensor([ids]), former.hooks.POINTS, [{layer}])\n"
        f"q, k, v, scores, weights, out = (capture.get(point, {layer})[0, {head}] for point in former.hooks.POINTS)\n"
        "figure = figures.attention(weights, bundle.tokenizer.labels(ids), mask=bundle.model.mask(len(ids)))\n"
    )


SECTION = Section(
    name="queries-keys-values",
    article="Queries, keys and values",
    equation=r"q_i = W_q\, x_i \quad k_i = W_k\, x_i \quad v_i = W_v\, x_i \qquad"
    r" w_{ij} = \mathrm{softmax}_j\, \frac{q_i \cdot k_j}{\sqrt{s}} \qquad y_i = \sum_j w_{ij}\, v_j",
    code=(former.attention_weights, former.SelfAttention.forward),
    values=values,
    python=python,
    opening=opening,
    answers={"trained": trained},
)
