"""Section "Complete self-attention": the article's module line by line, on the tensors of a trained layer.

Sizes: b sentences, t words, k numbers of a word's vector, h heads, s = k / h numbers of a head.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

import former
from viz import figures
from viz.panels import Draw, Field, Numbers, Question
from viz.passes.loaded import Models, word_model
from viz.passes.run import tokenize
from viz.server.view import View
from viz.tabs.learn.section import Section

TEXT = "mary gave roses to susan"
MOST_WORDS = 6  # words
STEPS = ("x", "queries", "split", "folded", "dot", "scaled", "weights", "out", "joined", "y")


def article_lines(attention: former.SelfAttention, x: Tensor) -> dict[str, Tensor]:
    """Computes narrow self-attention as the article does, with the heads folded into the batch: x (b, t, k).

    The article divides the dot products by √k. Here they are divided by √s, as in `former.SelfAttention`.

    Returns:
        The tensors after each of its lines, by the names in `STEPS`.
    """
    b, t, k = x.size()
    h, s = attention.heads, k // attention.heads
    queries, keys, values = attention.toqueries(x), attention.tokeys(x), attention.tovalues(x)  # (b, t, h·s)
    split = [each.view(b, t, h, s) for each in (queries, keys, values)]
    folded, folded_keys, folded_values = (each.transpose(1, 2).contiguous().view(b * h, t, s) for each in split)
    dot = torch.bmm(folded, folded_keys.transpose(1, 2))  # (b·h, t, t)
    scaled = dot / s ** (1 / 2)
    weights = F.softmax(scaled, dim=2)
    out = torch.bmm(weights, folded_values).view(b, h, t, s)
    joined = out.transpose(1, 2).contiguous().view(b, t, h * s)
    y = attention.unifyheads(joined)
    tensors = (x, queries, split[0], folded, dot, scaled, weights, out, joined, y)
    return dict(zip(STEPS, tensors, strict=True))


@torch.inference_mode()
def run_lines(bundle: former.Bundle, text: str) -> Numbers:
    """Runs the article's lines and `former.SelfAttention` on two sentences: a text, and its words in reverse.

    Args:
        bundle: a model with a word tokenizer; its first layer is used.
        text: its first `MOST_WORDS` words are read.
    Returns:
        The tensors of `article_lines` by name, and "shapes": the shape of each. "labels": the t words of each sentence.
        "heads": the number of heads. "ours": the largest difference of the article's y, weights and out from those of
        `former.SelfAttention`. "first" (t, t): the weights of the first head in the first sentence; "words": its words.
    """
    ids = bundle.tokenizer.encode(text)[:MOST_WORDS]
    batch = torch.tensor([ids, ids[::-1]])
    block = bundle.model.transformer.blocks[0]
    x = bundle.model.transformer.embed(batch)
    x = block.norm1(x) if block.pre_norm else x
    result = article_lines(block.attention, x)
    capture = former.Capture(("weights", "out"))
    y = block.attention(x, hook=capture.at(0))
    pairs = (
        (result["y"], y),
        (result["weights"], capture["weights", 0].flatten(0, 1)),
        (result["out"], capture["out", 0]),
    )
    return {
        "labels": [bundle.tokenizer.labels(each) for each in batch.tolist()],
        "heads": block.attention.heads,
        **result,
        "shapes": {name: list(tensor.shape) for name, tensor in result.items()},
        "ours": max(float((one - other).abs().max()) for one, other in pairs),
        "first": result["weights"][0],
        "words": bundle.tokenizer.labels(ids),
    }


def props(models: Models) -> dict[str, Any]:
    """Returns the data for the section's script: its initial view and the limits of its inputs."""
    return {"text": TEXT, "most": MOST_WORDS, "model": word_model(models).name, "steps": list(STEPS)}


def read_words(models: Models, view: View) -> dict[str, Any]:
    """Reads from a view the arguments of `run_lines`."""
    loaded = word_model(models)
    tokenize(loaded, view.get("text", ""))
    return {"bundle": loaded, "text": view["text"]}


FIRST = Draw(figures.attention, Field("first"), Field("words"))

SECTION = Section(
    name="complete",
    article="In Pytorch: complete self-attention",
    equation=r"(b, t, k) \to (b, t, h, s) \to (b \cdot h, t, s) \to (b \cdot h, t, t) \to (b, h, t, s) \to (b, t, k)",
    code=(article_lines, former.SelfAttention.forward),
    questions={"lines": Question(run_lines, read_words, FIRST, prints=("ours",), unsent=("folded", "first", "words"))},
    props=props,
)
