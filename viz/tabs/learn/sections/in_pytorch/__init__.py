"""Section "In PyTorch": the article's three lines on your own sentence, tensor by tensor, and timed against a loop.

Sizes: t words, e numbers of a word's trained vector; the batch is of one.
"""

from __future__ import annotations

import math
import statistics
import time
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

import former
from viz import figures
from viz.panels import Draw, Field, Numbers, Question
from viz.panels.panel import unprinted
from viz.passes.loaded import Models, word_model
from viz.passes.run import tokenize
from viz.server.view import View, read_choice, read_index
from viz.tabs.learn.clock import seconds
from viz.tabs.learn.section import Section

TEXT = "great film , awful bore , wonderful film"
SWAPPED = "great bore , awful film , wonderful film"
MOST_WORDS = 16  # words that are shown
FACTORS = (1, 4, 16)  # that the vectors are multiplied by
FACTOR = 16  # shown first: trained vectors are so short that with 1 all weights are almost equal
COPIES = (1, 8)  # of the sentence, one after the other, where time is measured
RUNS = 64  # different measurements of one sentence
SPENT = 0.02  # seconds on the three lines: their median is taken


def three_lines(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Computes the article's basic self-attention: x (b, t, e) → raw weights (b, t, t), weights (b, t, t) and y
    (b, t, e)."""
    raw_weights = torch.bmm(x, x.transpose(1, 2))
    weights = F.softmax(raw_weights, dim=2)
    y = torch.bmm(weights, x)
    return raw_weights, weights, y


def by_loop(x: list[list[float]]) -> list[list[float]]:
    """Computes basic self-attention number by number, as the article's equations do: (t, e) → (t, e)."""
    outputs = []
    for query in x:
        raw = [sum(a * b for a, b in zip(query, key, strict=True)) for key in x]
        powers = [math.exp(score - max(raw)) for score in raw]
        weights = [power / sum(powers) for power in powers]
        outputs.append([sum(w * vector[i] for w, vector in zip(weights, x, strict=True)) for i in range(len(query))])
    return outputs


def props(models: Models) -> dict[str, Any]:
    """Returns the data for the section's script: its initial view and the limits of its inputs."""
    loaded = word_model(models)
    limits = {"most": MOST_WORDS, "factors": list(FACTORS), "factor": FACTOR, "copies": list(COPIES), "runs": RUNS}
    return {"text": TEXT, "swapped": SWAPPED, "model": loaded.name, **limits}


def three_tensors(bundle: former.Bundle, text: str, factor: int = 1) -> Numbers:
    """Runs the article's three lines on the trained vectors of a text's words.

    Args:
        bundle: a model with a word tokenizer.
        text: its first `MOST_WORDS` words are read.
        factor: multiplies the vectors.
    Returns:
        "labels" of the t words; "x" and "y" (t, e), "raw" and "weights" (t, t); "rows" and "columns": the smallest and
        the largest sum of a row and of a column of the weights.
    """
    ids = bundle.tokenizer.encode(text)[:MOST_WORDS]
    x = factor * bundle.model.transformer.token_embedding.weight.detach()[ids][None]  # (1, t, e)
    raw, weights, y = three_lines(x)
    sums = {"rows": weights[0].sum(1).aminmax(), "columns": weights[0].sum(0).aminmax()}
    result = {"labels": bundle.tokenizer.labels(ids), "x": x[0], "raw": raw[0], "weights": weights[0], "y": y[0]}
    return {**result, **{name: [float(least), float(most)] for name, (least, most) in sums.items()}}


def time_lines(bundle: former.Bundle, text: str, factor: int = 1, copies: int = 1) -> Numbers:
    """Times the three lines and the loop on this machine.

    Args:
        bundle, text, factor: as in `three_tensors`.
        copies: number of repetitions of the text.
    Returns:
        "words": number of words; "lines" and "loop": times in seconds; "error": largest difference of their outputs.
    """
    ids = bundle.tokenizer.encode(text)[:MOST_WORDS] * copies
    x = factor * bundle.model.transformer.token_embedding.weight.detach()[ids][None]  # (1, t, e)
    plain, lines, began = x[0].tolist(), [], time.perf_counter()
    while time.perf_counter() - began < SPENT:
        lines.append(seconds(lambda: three_lines(x)))
    loop = min(seconds(lambda: by_loop(plain)) for _ in range(2))
    error = (three_lines(x)[2][0] - torch.tensor(by_loop(plain))).abs().max()
    return {"words": x.shape[1], "lines": statistics.median(lines), "loop": loop, "error": float(error)}


def read_words(models: Models, view: View) -> dict[str, Any]:
    """Reads from a view the arguments of `three_tensors`."""
    loaded, factor = word_model(models), read_choice(view, "factor", FACTORS)
    tokenize(loaded, view.get("text", ""))
    return {"bundle": loaded, "text": view["text"], "factor": factor}


def read_plain(models: Models, view: View) -> dict[str, Any]:
    """Reads from a view the arguments of `three_tensors`, with unscaled vectors."""
    return read_words(models, {**view, "factor": 1})


def read_copies(models: Models, view: View) -> dict[str, Any]:
    """Reads from a view the arguments of `time_lines`; another value of "run" requests a new measurement."""
    read_index(view, "run", RUNS)
    return {**read_words(models, view), "copies": read_choice(view, "copies", COPIES)}


WEIGHTS = Draw(figures.attention, Field("weights"), Field("labels"))

SECTION = Section(
    name="in-pytorch",
    article="In Pytorch: basic self-attention",
    equation=r"\mathbf{Y} = \mathrm{softmax}\!\left(\mathbf{X}\mathbf{X}^{\top}\right)\mathbf{X}",
    code=(former.basic_self_attention, by_loop),
    questions={
        "tensors": Question(three_tensors, read_words, WEIGHTS),
        "plain": Question(three_tensors, read_plain, when=unprinted),
        "timed": Question(time_lines, read_copies, prints=("lines", "loop")),
    },
    props=props,
)
