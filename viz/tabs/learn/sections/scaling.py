"""Section "Scaling": how dot products of random vectors spread as vectors grow, and what the softmax makes of them.

Sizes: k numbers of a vector; KEYS keys that a query meets; QUERIES queries are averaged over.
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
from viz.browser import chart
from viz.passes.run import Models
from viz.tabs.learn.section import Section
from viz.tabs.python import IMPORTS, View, read_choice, read_index

POWERS = range(1, 11)  # k = 2 … 1,024
QUERIES, KEYS = 256, 16
SEEDS = 100
MEASURES = ("spread", "entropy", "gradient")
TRAINED = ("tiny-generator", "tiny-unscaled")  # the same model, with the root and without


def vectors(k: int, seed: int) -> tuple[Tensor, Tensor]:
    """Random queries (QUERIES, k) and keys (KEYS, k), each number from the standard normal distribution."""
    generator = torch.Generator().manual_seed(1000 * seed + k)
    return torch.randn(QUERIES, k, generator=generator), torch.randn(KEYS, k, generator=generator)


def scores(k: int, seed: int, scaled: bool) -> Tensor:
    """(QUERIES, KEYS): the dot products, by `former` where they are scaled."""
    q, key = vectors(k, seed)
    return attention_scores(q[None, None], key[None, None])[0, 0] if scaled else q @ key.T


def gradient(weights: Tensor) -> Tensor:
    """The size of the softmax's gradient at weights (…, n): the Frobenius norm of diag(w) − w wᵀ, (…)."""
    jacobian = torch.diag_embed(weights) - weights[..., None] * weights[..., None, :]
    return torch.linalg.matrix_norm(jacobian)


def measure(k: int, seed: int, scaled: bool) -> dict[str, float]:
    """Of dot products of vectors of k numbers: "mean" and "spread" (standard deviation); of their softmax, on average:
    "entropy" in bits and "gradient"."""
    found = scores(k, seed, scaled)
    weights = found.softmax(-1)
    return {
        "mean": float(found.mean()),
        "spread": float(found.std()),
        "entropy": float(-torch.xlogy(weights, weights).sum(-1).mean() / math.log(2)),
        "gradient": float(gradient(weights).mean()),
    }


def opening(models: Models) -> dict[str, Any]:
    """What the section opens with; the two trained models, where both are here, with their bits a byte."""
    cards = {name: models[name].bundle.card for name in TRAINED if name in models}
    return {"powers": [POWERS[0], POWERS[-1]], "seeds": SEEDS, "keys": KEYS, "trained": quality(cards)}


def quality(cards: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """ "name" and "bits" a byte of each model of TRAINED; none, unless both were measured."""
    found = [
        {"name": name, "bits": measured["bits_per_byte"]}
        for name, card in cards.items()
        for measured in card.get("quality", [])
        if measured["split"] == "val"
    ]
    return found if len(found) == len(TRAINED) else []


def measured(models: Models, view: View) -> dict[str, Any]:
    """Everything at every size.

    Args:
        models: none is used.
        view: "seed" of the random vectors, "measure" that is drawn and "power" of the k that is marked.
    Returns:
        "sizes"; "plain" and "scaled": for each size what `measure` gives; "rows": the weights of the first query at the
        marked size, "plain" and "scaled"; "figures" of the measure.
    Raises:
        Refusal: a view that is none.
    """
    del models
    seed, k, shown = read(view)
    sizes = [2**power for power in POWERS]
    plain, scaled = ([measure(size, seed, way) for size in sizes] for way in (False, True))
    lines = {"plain": [found[shown] for found in plain], "scaled": [found[shown] for found in scaled]}
    rows = {name: scores(k, seed, name == "scaled")[0].softmax(-1).tolist() for name in lines}
    drawn = chart.themed(lambda theme: figures.by_size(sizes, lines, at=k, log=shown == "spread", theme=theme))
    return {"sizes": sizes, "plain": plain, "scaled": scaled, "rows": rows, "figures": drawn, "measure": shown}


def read(view: View) -> tuple[int, int, str]:
    """Seed, k and measure of a view.

    Raises:
        Refusal: a view that is none.
    """
    seed = read_index(view, "seed", SEEDS)
    power = max(POWERS[0], read_index(view, "power", POWERS[-1] + 1))
    return seed, 2**power, read_choice(view, "measure", MEASURES)


def values(models: Models, view: View) -> Mapping[str, Tensor]:
    """The tensors of `attention_scores` at the marked size."""
    del models
    seed, k, _ = read(view)
    q, key = vectors(k, seed)
    found = scores(k, seed, True)
    return {"q": q, "k": key, "q @ k.T": q @ key.T, "scores": found, "weights": found.softmax(-1)}


def python(models: Models, view: View) -> str:
    """The lines that give the panel's numbers again."""
    del models
    seed, k, shown = read(view)
    measures = {
        "spread": "found.std()",
        "entropy": "-torch.xlogy(weights, weights).sum(-1).mean() / torch.log(torch.tensor(2.0))",
        "gradient": "(weights.diag_embed() - weights[:, :, None] * weights[:, None]).norm(dim=(1, 2)).mean()",
    }
    return (
        f"{IMPORTS}\n"
        f"sizes = [2**power for power in range({POWERS[0]}, {POWERS[-1] + 1})]\n"
        'lines = {"plain": {}, "scaled": {}}\n'
        f"for size in [*sizes, {k}]:  # the marked size once more: its tensors stay\n"
        f"    generator = torch.Generator().manual_seed({1000 * seed} + size)\n"
        f"    q = torch.randn({QUERIES}, size, generator=generator)\n"
        f"    k = torch.randn({KEYS}, size, generator=generator)\n"
        "    scores, _ = (tensor[0, 0] for tensor in former.attention_weights(q[None, None], k[None, None]))\n"
        '    for name, found in (("plain", q @ k.T), ("scaled", scores)):\n'
        "        weights = found.softmax(-1)\n"
        f"        lines[name][size] = float({measures[shown]})\n"
        "lines = {name: list(line.values()) for name, line in lines.items()}\n"
        f"figure = figures.by_size(sizes, lines, at={k}, log={shown == 'spread'})\n"
    )


SECTION = Section(
    name="scaling",
    article="In Pytorch: scaling",
    equation=r"\mathrm{score} = \frac{q \cdot k}{\sqrt{k}} \qquad"
    r" q_i, k_i \sim \mathcal{N}(0, 1)"
    r" \;\Rightarrow\; \mathrm{mean}(q \cdot k) = 0,\; \mathrm{spread}(q \cdot k) = \sqrt{k}",
    code=(attention_scores, former.attention_weights),
    values=values,
    python=python,
    opening=opening,
    answers={"measured": measured},
)
