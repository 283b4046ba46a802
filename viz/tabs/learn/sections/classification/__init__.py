"""Section "Classification": average pooling split into the contribution ("pull") of each word, and maximum pooling.

Sizes: t words, e numbers of a vector.
"""

from __future__ import annotations

import re
from typing import Any, get_args

import torch
from torch import Tensor

import former
from former.config import Pooling
from former.models import pool
from viz import figures
from viz.panels import Draw, Field, Numbers, Question
from viz.passes.loaded import Models, word_model
from viz.passes.run import tokenize
from viz.server.view import View, read_choice, read_string
from viz.tabs.learn.section import Section
from viz.text import Refusal
from viz.text.examples import EXAMPLES

MOST_WORDS = 60  # words that are shown
MOST_CHARACTERS = 200  # characters of the list of words that are taken out
POOLINGS = get_args(Pooling)


def pulls(x: Tensor, real: Tensor, weight: Tensor, how: str) -> Tensor:
    """Returns what each word adds to the difference of the two logits, without the biases.

    Args:
        x: (1, t, e), the input of the pooling.
        real: bool (1, t), True for each pooled word; at least one is.
        weight: (2, e), of the output layer.
        how: "average" or "max"; with "max" each of the e pooled numbers comes from one word.
    Returns:
        (t,): their sum plus the difference of the biases is the difference of the logits.
    """
    towards = weight[1] - weight[0]  # (e,)
    if how == "average":
        return (x * real[..., None] @ towards)[0] / real.sum()
    largest, word = x.masked_fill(~real[..., None], -torch.inf).max(1)  # (1, e) each
    return torch.zeros(x.shape[1], dtype=x.dtype).index_add_(0, word[0], largest[0] * towards)


def props(models: Models) -> dict[str, Any]:
    """Returns the data for the section's script: its initial view and the limits of its inputs."""
    texts = EXAMPLES["word"]
    config = word_model(models).bundle.config
    sizes = {"depth": config.depth, "emb": config.emb}
    limits = {"most": MOST_WORDS, "longest": MOST_CHARACTERS, "poolings": list(POOLINGS)}
    return {"text": texts[0], "mixed": texts[-1], "model": word_model(models).name, **sizes, **limits}


@torch.inference_mode()
def judge_words(bundle: former.Bundle, text: str, out: list[int], pooling: str = "average") -> Numbers:
    """Splits a classifier's verdict into the pulls of its words, for both kinds of pooling.

    Args:
        bundle: a classifier of two classes.
        text: its first `MOST_WORDS` words are read.
        out: indices of the words to leave out.
        pooling: one of `POOLINGS`, for "pulls".
    Returns:
        "labels" of the t words; "pooled" (t,): whether each word is pooled; "average" and "max", for each {"pulls"
        (t,), "logits" (2,), their "difference", "positive": the probability}; "alone" (t,): the pulls for the average
        if each word attended only to itself; "reads" (t, t): the weights of the first block, the mean over its heads;
        "numbers": how many of the e maxima come from each word; "bias", the difference of the biases; "size" e; "x"
        (1, t, e), the vectors that are pooled; "logits" (2,) and "pulls" (t,) for `pooling`.
    """
    model, ids = bundle.model, torch.tensor([bundle.tokenizer.encode(text)[:MOST_WORDS]])
    real = torch.ones_like(ids, dtype=torch.bool)
    real[0, out] = False
    embedded = model.transformer.embed(ids)
    capture = former.Capture(("weights",))
    x = model.norm(model.transformer(embedded, observer=capture))  # (1, t, e)
    itself = torch.eye(ids.shape[1], dtype=torch.bool)
    weight, bias = model.toprobs.weight, model.toprobs.bias
    logits = {how: model.toprobs(pool(x, real, how))[0] for how in POOLINGS}
    result: Numbers = {
        how: {
            "pulls": pulls(x, real, weight, how),
            "logits": logits[how],
            "difference": float(logits[how][1] - logits[how][0]),
            "positive": float(logits[how].softmax(0)[1]),
        }
        for how in POOLINGS
    }
    result["alone"] = pulls(model.norm(model.transformer(embedded, itself)), real, weight, "average")
    result["reads"] = capture["weights", 0][0].mean(0)
    counts = x.masked_fill(~real[..., None], -torch.inf).argmax(1)[0].bincount(minlength=ids.shape[1])  # (t,)
    labels = bundle.tokenizer.labels(ids[0].tolist())
    result |= {"labels": labels, "pooled": real[0], "numbers": counts, "bias": float(bias[1] - bias[0])}
    return result | {"size": x.shape[-1], "x": x, "logits": logits[pooling], "pulls": result[pooling]["pulls"]}


def read_words(models: Models, view: View) -> dict[str, Any]:
    """Reads from a view the arguments of `judge_words`: "text"; "out", indices of the words to leave out, such as
    "1,4".

    Raises:
        Refusal: a text without words, an invalid list, or a list that leaves no words.
    """
    loaded, given = word_model(models), read_string(view, "out")
    if len(given) > MOST_CHARACTERS or not re.fullmatch(r"(\d+(,\d+)*)?", given):
        raise Refusal("bad_request")
    count = len(tokenize(loaded, view.get("text", ""))[0][:MOST_WORDS])
    out = sorted({i for i in map(int, re.findall(r"\d+", given)) if i < count})
    if len(out) == count:
        raise Refusal("learn_classification_empty")
    pooling = read_choice({"pooling": POOLINGS[0], **view}, "pooling", POOLINGS)
    return {"bundle": loaded, "text": view["text"], "out": out, "pooling": pooling}


PULLS = Draw(figures.bars, Field("pulls"), Field("labels"), axis="pull")

SECTION = Section(
    name="classification",
    article="Classification transformer",
    equation=r"\ell_+ - \ell_- = \left(b_+ - b_-\right) + \sum_j \tfrac{1}{t}\left(w_+ - w_-\right) \cdot x_j",
    code=(pool, pulls),
    questions={
        "verdict": Question(
            judge_words,
            read_words,
            PULLS,
            prints=tuple(Field(pooling, "positive") for pooling in POOLINGS),
            unsent=("x", "logits", "pulls"),
        ),
    },
    props=props,
)
