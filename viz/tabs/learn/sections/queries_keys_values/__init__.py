"""Section "Queries, keys, values": three matrices that you can drag, then one trained head, traced to its weights.

While you drag, the page computes by itself (lib/arithmetic.js); here `former` computes the same. Sizes: t words
or tokens, e embedding, s size of one head.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

import former
from former.analysis.trace import PARTS as MADE_BY
from former.hooks import POINTS
from viz import figures
from viz.panels import Draw, Field, Numbers, Question
from viz.panels.panel import shown
from viz.passes.loaded import Loaded, Models, causal
from viz.passes.run import tokenize
from viz.passes.trace import place_of
from viz.server.view import View, read_index, read_string
from viz.tabs.learn.pairs import read_pairs
from viz.tabs.learn.section import Section
from viz.text import Refusal

WORDS = ("mary", "gave", "roses", "to", "susan")
RADIUS = 1.5  # of the circle on which the words are placed, counterclockwise from the right
IDENTITY = "1,0,0,1"  # the columns of a matrix, one after the other
MATRICES = ";".join([IDENTITY] * 3)  # W_q, W_k, W_v
REACH = 2.5  # a number of a matrix, at most
TEXT = "The cat sat on"
MOST_TOKENS = 16  # tokens
PARTS = ("q", "k", "v")


def circle() -> list[list[float]]:
    """Returns the vectors of the section's five words, which lie on a circle: (5, 2)."""
    turns = [2 * math.pi * i / len(WORDS) for i in range(len(WORDS))]
    return [[round(RADIUS * math.cos(turn), 4), round(RADIUS * math.sin(turn), 4)] for turn in turns]


def subject(models: Models) -> Loaded:
    """Chooses the trained model to show: the smallest generator with the article's attention, else the smallest model.

    With rotary positions, biases or a norm q is more than W_q x; with shared keys several heads have the same rows of
    W_k, and in the chunked variant W_q has no rows of one head.
    """

    def is_plain(loaded: Loaded) -> bool:
        config = loaded.bundle.config
        changes = (config.positions == "rotary", config.attention_bias, config.qk_norm, config.divisor(1) != 1)
        return not any(changes) and config.variant != "chunked" and config.key_heads == config.heads

    candidates = {name: each for name, each in causal(models).items() if is_plain(each)} or dict(models)
    return min(candidates.values(), key=lambda loaded: sum(part.numel() for part in loaded.bundle.model.parameters()))


def pair_to_open(models: Models) -> dict[str, int]:
    """Finds the head, query and key to show first: the largest weight on an earlier token that is not the first."""
    inner = subject(models).bundle.run(TEXT).weights.tril(-1)[..., 1:]  # (layers, h, t, t − 1)
    layer, head, query, key = (int(i) for i in torch.unravel_index(inner.argmax(), inner.shape))
    return {"layer": layer, "head": head, "query": query, "key": key + 1}


def props(models: Models) -> dict[str, Any]:
    """Returns the data for the section's script: its initial view and the limits of its inputs."""
    loaded = subject(models)
    config = loaded.bundle.config
    return {
        "words": WORDS,
        "vectors": circle(),
        "matrices": MATRICES,
        "reach": REACH,
        "model": loaded.name,
        "text": TEXT,
        "most": MOST_TOKENS,
        "opens": pair_to_open(models),
        "layers": config.depth,
        "heads": config.heads,
        "size": config.head_size,
    }


def matrices(view: View) -> list[Tensor]:
    """Reads W_q, W_k and W_v of a view, each (2, 2), with q = W_q x as in a linear layer.

    Raises:
        Refusal: an invalid list.
    """
    columns = read_pairs(read_string(view, "matrices"), len(PARTS), REACH, width=4)
    return [torch.tensor(each).reshape(2, 2).T for each in columns]


def attend_in_plane(matrices: list[list[list[float]]], row: int = 0) -> Numbers:
    """Runs attention on the words of a circle in the plane, with matrices set by hand.

    Args:
        matrices: W_q, W_k and W_v, 2 × 2 each, with q = W_q x as in a linear layer.
        row: index of the selected word.
    Returns:
        "words"; "x", "q", "k", "v" and "y", (t, 2) each; "scores" and "weights", (t, t); "most": the word that the
        selected one attends to most, with its weight.
    """
    x = torch.tensor(circle())
    q, k, v = (x @ torch.tensor(matrix).T for matrix in matrices)
    scores, weights = (each[0, 0] for each in former.attention_weights(q[None, None], k[None, None]))
    most = WORDS[int(weights[row].argmax())], float(weights[row].max())
    tensors = {"x": x, "q": q, "k": k, "v": v, "scores": scores, "weights": weights, "y": weights @ v}
    return {"words": WORDS, **tensors, "most": most}


def run_trained(bundle: former.Bundle, text: str, layer: int, head: int, query: int = 0, key: int = 0) -> Numbers:
    """Runs a trained model on a text, and returns what one head does.

    Args:
        bundle: the model.
        text: its first `MOST_TOKENS` tokens are read.
        layer, head: of the head.
        query, key: positions of a pair; limited to the last.
    Returns:
        "labels" of the t tokens; "x" (t, e), what its attention reads; "q", "k", "v" and "out" (t, s); "scores" and
        "weights" (t, t), with scores of −∞ for later tokens; "share", the weight of the pair; "seen" (t, t), False for
        later tokens.
    """
    ids = bundle.tokenizer.encode(text)[:MOST_TOKENS]
    _, capture = former.run_with_capture(bundle.model, torch.tensor([ids]), ("resid_pre", *POINTS), [layer])
    block, x = bundle.model.transformer.blocks[layer], capture.get("resid_pre", layer)
    read = block.norm1(x) if block.pre_norm else x
    result = {point: capture.get(point, layer)[0, head] for point in POINTS}
    result["share"] = result["weights"][min(query, len(ids) - 1), min(key, len(ids) - 1)]
    labels = bundle.tokenizer.labels(ids)
    return {"labels": labels, "x": read[0].detach(), **result, "seen": result["scores"].isfinite()}


def read_matrices(models: Models, view: View) -> dict[str, Any]:  # noqa: ARG001 - as all readers of arguments
    """Reads from a view the arguments of `attend_in_plane`."""
    row = read_index({"row": 0, **view}, "row", len(WORDS))
    return {"matrices": [matrix.tolist() for matrix in matrices(view)], "row": row}


def read_trained(models: Models, view: View) -> dict[str, Any]:
    """Reads from a view the arguments of `run_trained`.

    Raises:
        Refusal: an invalid view.
    """
    loaded = subject(models)
    config = loaded.bundle.config
    if not isinstance(text := view.get("text"), str):
        raise Refusal("empty_text")
    tokenize(loaded, text)
    layer, head = read_index(view, "layer", config.depth), read_index(view, "head", config.heads)
    pair = {name: read_index({name: 0, **view}, name, MOST_TOKENS) for name in ("query", "key")}
    return {"bundle": loaded, "text": text, "layer": layer, "head": head, **pair}


def describe_weights(models: Models, view: View) -> dict[str, Any]:
    """Returns where a model stores a head's W_q, W_k and W_v: for "q", "k" and "v" the "file", the "tensor", the head's
    first "row" in it, and the number of its "rows"."""
    arguments = read_trained(models, view)
    loaded, layer, head = (arguments[name] for name in ("bundle", "layer", "head"))
    attention, s = loaded.bundle.model.transformer.blocks[layer].attention, loaded.bundle.config.head_size
    return {
        "weight": {
            part: {
                **place_of(loaded, f"transformer.blocks.{layer}.attention.{name}.weight"),
                "row": head * s,
                "rows": getattr(attention, name).weight[head * s : (head + 1) * s].tolist(),
            }
            for part, name in MADE_BY.items()
            if part in PARTS
        }
    }


PLANE = Draw(figures.attention, Field("weights"), Field("words"))
HEAD = Draw(figures.attention, Field("weights"), Field("labels"), mask=Field("seen"))

SECTION = Section(
    name="queries-keys-values",
    article="Queries, keys and values",
    equation=r"q_i = W_q\, x_i \qquad k_i = W_k\, x_i \qquad v_i = W_v\, x_i \qquad"
    r" w_{ij} = \mathrm{softmax}_j\, \frac{q_i \cdot k_j}{\sqrt{s}} \qquad y_i = \sum_j w_{ij}\, v_j",
    code=(former.attention_weights, former.SelfAttention.forward),
    questions={
        "plane": Question(
            attend_in_plane, read_matrices, PLANE, prints=("most",), when=lambda view: view.get("show") != "head"
        ),
        "trained": Question(
            run_trained,
            read_trained,
            HEAD,
            prints=("share",),
            when=shown("head"),
            unsent=("seen",),
            more=describe_weights,
        ),
    },
    props=props,
)
