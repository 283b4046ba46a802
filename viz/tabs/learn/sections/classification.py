"""Section "Classification": averaging over time, taken apart into the pull of each word, beside maximum pooling.

Sizes: t words, e numbers of a vector.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast, get_args

import torch
from torch import Tensor

from former.config import Pooling
from former.models import pool
from viz.passes.loaded import Loaded, Models, reader
from viz.passes.run import tokenize
from viz.server.view import View, read_choice
from viz.tabs.learn.section import Section
from viz.tabs.python import IMPORTS
from viz.text import Refusal
from viz.text.examples import EXAMPLES

MOST = 60  # words that are shown
LONGEST = 200  # characters of the list of words that are taken out
POOLINGS = get_args(Pooling)


def pulls(x: Tensor, real: Tensor, weight: Tensor, how: str) -> Tensor:
    """What each word adds to the difference of the two logits, apart from the biases.

    Args:
        x: (1, t, e), what goes into the pooling.
        real: bool (1, t), True where a word is pooled, at least once.
        weight: (2, e), of the output layer.
        how: "average", where each word adds its share, or "max", where each of the e numbers comes from one word.
    Returns:
        (t,): their sum and the difference of the biases are the difference of the logits.
    """
    towards = weight[1] - weight[0]  # (e,)
    if how == "average":
        return (x * real[..., None] @ towards)[0] / real.sum()
    largest, word = x.masked_fill(~real[..., None], -torch.inf).max(1)  # (1, e) each
    return torch.zeros(x.shape[1], dtype=x.dtype).index_add_(0, word[0], largest[0] * towards)


def opening(models: Models) -> dict[str, Any]:
    """What the section opens with, and its limits."""
    texts = EXAMPLES["word"]
    limits = {"most": MOST, "longest": LONGEST, "poolings": list(POOLINGS)}
    return {"text": texts[0], "mixed": texts[-1], "model": reader(models).name, **limits}


def read(models: Models, view: View) -> tuple[Loaded, Tensor, Tensor]:
    """The model, the words of a view (1, t), and which of them are pooled, bool (1, t).

    Raises:
        Refusal: a text without words, a list of words that is none, or one that leaves nothing.
    """
    loaded, text, out = reader(models), view.get("text"), view.get("out")
    if not isinstance(text, str):
        raise Refusal("empty_text")
    if not isinstance(out, str) or len(out) > LONGEST or not re.fullmatch(r"(\d+(,\d+)*)?", out):
        raise Refusal("bad_request")
    ids = torch.tensor([tokenize(loaded, text)[0][:MOST]])
    real = torch.ones_like(ids, dtype=torch.bool)
    for number in re.findall(r"\d+", out):
        if int(number) < ids.shape[1]:
            real[0, int(number)] = False
    if not real.any():
        raise Refusal("learn_classification_empty")
    return loaded, ids, real


@torch.inference_mode()
def verdict(models: Models, view: View) -> dict[str, Any]:
    """What the classifier makes of a text, by both poolings.

    Args:
        models: by name.
        view: "text"; "out", numbers of the words that are not pooled, "1,4".
    Returns:
        "labels" of the t words, "pooled" whether each is; for "average" and "max" {"pulls": t numbers, "difference": of
        the logits, "positive": the probability, "numbers": how many of the e numbers each word gives, for "max"};
        "bias", the difference of the biases; "size" e.
    Raises:
        Refusal: a view that is none.
    """
    loaded, ids, real = read(models, view)
    model = loaded.bundle.model
    x = model.norm(model.transformer(model.transformer.embed(ids)))  # (1, t, e)
    weight, bias = model.toprobs.weight, model.toprobs.bias
    given = x.masked_fill(~real[..., None], -torch.inf).argmax(1)[0].bincount(minlength=ids.shape[1])  # (t,)
    found: dict[str, Any] = {"labels": loaded.bundle.tokenizer.labels(ids[0].tolist()), "pooled": real[0].tolist()}
    for how in POOLINGS:
        logits = model.toprobs(pool(x, real, how))[0]
        found[how] = {
            "pulls": pulls(x, real, weight, how).tolist(),
            "difference": float(logits[1] - logits[0]),
            "positive": float(logits.softmax(0)[1]),
        }
    return found | {"numbers": given.tolist(), "bias": float(bias[1] - bias[0]), "size": x.shape[-1]}


@torch.inference_mode()
def values(models: Models, view: View) -> Mapping[str, Tensor]:
    """The tensors between the last block and the verdict."""
    loaded, ids, real = read(models, view)
    how = cast("Pooling", read_choice(view, "pooling", POOLINGS))
    model = loaded.bundle.model
    x = model.norm(model.transformer(model.transformer.embed(ids)))
    pooled = pool(x, real, how)
    logits = model.toprobs(pooled)
    return {"x": x, "pooled": pooled, "logits": logits, "pulls": pulls(x, real, model.toprobs.weight, how)[None]}


def python(models: Models, view: View) -> str:
    """The lines that give the panel's numbers again."""
    loaded, ids, real = read(models, view)
    how = read_choice(view, "pooling", POOLINGS)
    out = (~real[0]).nonzero().flatten().tolist()
    return (
        f"{IMPORTS}from viz.tabs.learn.sections import classification\n\n"
        f"bundle = {loaded.code}\n"
        "model = bundle.model\n"
        f"ids = torch.tensor([bundle.tokenizer.encode({view['text']!r})[:{ids.shape[1]}]])\n"
        "real = torch.ones_like(ids, dtype=torch.bool)\n"
        f"real[0, {out!r}] = False  # not pooled\n"
        "with torch.inference_mode():\n"
        "    x = model.norm(model.transformer(model.transformer.embed(ids)))  # (1, t, e)\n"
        f"    pooled = former.models.pool(x, real, {how!r})  # (1, e)\n"
        "    logits = model.toprobs(pooled)  # (1, 2)\n"
        f"    pulls = classification.pulls(x, real, model.toprobs.weight, {how!r})[None]  # (1, t)\n"
        'figure = figures.bars(pulls[0], bundle.tokenizer.labels(ids[0].tolist()), axis="pull")\n'
    )


SECTION = Section(
    name="classification",
    article="Classification transformer",
    equation=r"\ell_+ - \ell_- = \left(b_+ - b_-\right) + \sum_j \tfrac{1}{t}\left(w_+ - w_-\right) \cdot x_j",
    code=(pool, pulls),
    values=values,
    python=python,
    opening=opening,
    answers={"verdict": verdict},
)
