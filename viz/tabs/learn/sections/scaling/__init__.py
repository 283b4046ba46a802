"""Section "Scaling": how the spread of dot products grows with the vectors' size, and its effect on the softmax; then
two models trained in the same way, with and without the division by √s.

Sizes: k numbers of a vector; KEYS keys for each query; QUERIES queries, over which results are averaged; t tokens of a
    text.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

import former
from former.attention import attention_scores
from viz import figures
from viz.panels import Draw, Field, Numbers, Question
from viz.panels.panel import shown
from viz.passes.loaded import Models
from viz.passes.run import tokenize
from viz.server.view import View, read_choice, read_index
from viz.tabs.learn import family, shipped
from viz.tabs.learn.section import Section
from viz.text.examples import EXAMPLES

POWERS = range(1, 11)  # k = 2 … 1,024
QUERIES, KEYS = 256, 16
SEEDS = 100
MEASURES = ("spread", "entropy", "gradient")
TRAINED = {"scaled": family.PLAIN, "plain": "tiny-unscaled"}  # trained alike, with the root and without
TEXT = EXAMPLES["byte"][1]
MOST_BYTES = 256  # bytes that both models read


def vectors(k: int, seed: int) -> tuple[Tensor, Tensor]:
    """Returns random queries (QUERIES, k) and keys (KEYS, k) from the standard normal distribution."""
    generator = torch.Generator().manual_seed(1000 * seed + k)
    return torch.randn(QUERIES, k, generator=generator), torch.randn(KEYS, k, generator=generator)


def scores(k: int, seed: int, scaled: bool) -> Tensor:
    """Returns the dot products (QUERIES, KEYS); if `scaled`, divided by √k, as `former` computes scores."""
    q, key = vectors(k, seed)
    return attention_scores(q[None, None], key[None, None])[0, 0] if scaled else q @ key.T


def gradient(weights: Tensor) -> Tensor:
    """Returns the norm of the softmax's gradient at weights w (…, n): the Frobenius norm of diag(w) − w wᵀ, (…)."""
    jacobian = torch.diag_embed(weights) - weights[..., None] * weights[..., None, :]
    return torch.linalg.matrix_norm(jacobian)


def measure(k: int, seed: int, scaled: bool) -> dict[str, float]:
    """Measures dot products of vectors of size k, and their softmax.

    "mean" and "spread" (standard deviation) are those of the dot products; "entropy" in bits and "gradient" are
    averages over the softmax of each query.
    """
    result = scores(k, seed, scaled)
    weights = result.softmax(-1)
    return {
        "mean": float(result.mean()),
        "spread": float(result.std()),
        "entropy": float(-torch.xlogy(weights, weights).sum(-1).mean() / math.log(2)),
        "gradient": float(gradient(weights).mean()),
    }


def props(models: Models) -> dict[str, Any]:
    """Returns the data for the section's script: its initial view and the limits of its inputs."""
    del models
    start = {"powers": [POWERS[0], POWERS[-1]], "seeds": SEEDS, "text": TEXT, "most": MOST_BYTES}
    return start | {
        "trained": {
            way: {"name": name, "bits": family.bits(shipped.load(name).bundle.card)} for way, name in TRAINED.items()
        }
    }


def measure_sizes(seed: int, k: int, measure_shown: str = "spread") -> Numbers:
    """Measures dot products of random vectors of several sizes k, plain and divided by √k.

    Args:
        seed: of the vectors.
        k: the size to mark.
        measure_shown: one of `MEASURES`, for "lines".
    Returns:
        "sizes"; "plain" and "scaled": results of `measure` for each size; "rows": the weights of the first query at
        size k, "plain" and "scaled"; for the figure "measure", the name of the measure shown, its "lines" over the
        sizes, "at", the size k, and "log", whether its axis is logarithmic; "marked": the measure at k, plain and
        scaled; and the tensors at k: "q", "k", "q @ k.T", "scores" and "weights".
    """
    sizes = [2**power for power in POWERS]
    both = {name: [measure(size, seed, name == "scaled") for size in sizes] for name in ("plain", "scaled")}
    q, key = vectors(k, seed)
    result = {name: scores(k, seed, name == "scaled") for name in both}
    return {
        **both,
        "sizes": sizes,
        "rows": {name: each[0].softmax(-1) for name, each in result.items()},
        "measure": measure_shown,
        "lines": {name: [one[measure_shown] for one in line] for name, line in both.items()},
        "at": k,
        "marked": [line[sizes.index(k)][measure_shown] for line in both.values()],
        "log": measure_shown == "spread",
        **{"q": q, "k": key, "q @ k.T": q @ key.T},
        **{"scores": result["scaled"], "weights": result["scaled"].softmax(-1)},
    }


def read_random(models: Models, view: View) -> dict[str, Any]:  # noqa: ARG001 - as all readers of arguments
    """Reads from a view the arguments of `measure_sizes`."""
    seed, measure_shown = read_index(view, "seed", SEEDS), read_choice(view, "measure", MEASURES)
    power = max(POWERS[0], read_index(view, "power", POWERS[-1] + 1))
    return {"seed": seed, "k": 2**power, "measure_shown": measure_shown}


def entropies(model: former.Generator, tokens: Tensor) -> Tensor:
    """Returns the mean entropy of each head's rows on tokens (1, t), in bits, (layers, h)."""
    _, capture = former.run_with_capture(model, tokens)
    return former.analysis.head_statistics(capture.stack("weights")[:, 0])["entropy"]


@torch.inference_mode()
def compare_trained(bundles: Mapping[str, former.Bundle], text: str) -> Numbers:
    """Compares models trained in the same way, with and without the division by √s, on a text.

    Args:
        bundles: "scaled" and "plain".
        text: its first `MOST_BYTES` tokens are read.
    Returns:
        "tokens", the number t of tokens read; "even": the mean entropy of rows with equal weights; "scaled" and
        "plain": {"entropy" of each head, (layers, h), "mean" of them all, "surprise": bits per byte of this text, None
        for a text of one token}; "flat": the entropies of all heads of each model, and "names" of the heads.
    """
    tokens = torch.tensor([bundles["scaled"].tokenizer.encode(text)[:MOST_BYTES]])
    t = tokens.shape[1]
    result: Numbers = {"tokens": t, "even": sum(math.log2(i + 1) for i in range(t)) / t}
    for way, bundle in bundles.items():
        entropy = entropies(bundle.model, tokens)
        bits = -bundle.model(tokens)[0, :-1].log_softmax(-1).gather(-1, tokens[0, 1:, None]) / math.log(2)
        result[way] = {"entropy": entropy, "mean": entropy.mean(), "surprise": bits.mean() if t > 1 else None}
    result["flat"] = torch.stack([result[way]["entropy"].flatten() for way in bundles])
    result["names"] = list(range(result["flat"].shape[1]))
    return result


def read_models(models: Models, view: View) -> dict[str, Any]:  # noqa: ARG001 - as all readers of arguments
    """Reads from a view the arguments of `compare_trained`.

    Raises:
        Refusal: a text that cannot be read.
    """
    both = {way: shipped.load(name) for way, name in TRAINED.items()}
    tokenize(both["scaled"], view.get("text", ""))
    return {"bundles": both, "text": view["text"]}


LINES = Draw(figures.by_size, Field("sizes"), Field("lines"), at=Field("at"), log=Field("log"))
ENTROPIES = Draw(figures.bars, Field("flat", 1), Field("names"), before=Field("flat", 0), axis="bits")

SECTION = Section(
    name="scaling",
    article="Scaling the dot product",
    equation=r"\mathrm{score} = \frac{q \cdot k}{\sqrt{k}} \qquad"
    r" q_i, k_i \sim \mathcal{N}(0, 1)"
    r" \;\Rightarrow\; \mathrm{mean}(q \cdot k) = 0 \qquad \mathrm{spread}(q \cdot k) = \sqrt{k}",
    code=(attention_scores, former.attention_weights),
    questions={
        "measured": Question(
            measure_sizes,
            read_random,
            LINES,
            charted=True,
            prints=("marked",),
            when=lambda view: view.get("show") != "trained",
            unsent=("q", "k", "q @ k.T", "scores", "weights", "lines", "at", "log"),
        ),
        "trained": Question(
            compare_trained,
            read_models,
            ENTROPIES,
            charted=True,
            prints=(Field("scaled", "mean"), Field("plain", "mean"), "even"),
            when=shown("trained"),
            unsent=("flat", "names"),
        ),
    },
    props=props,
)
