"""Section "Scaling": how dot products of random vectors spread as vectors grow, and what the softmax makes of them;
then two models that were trained alike, one without the root.

Sizes: k numbers of a vector; KEYS keys that a query meets; QUERIES queries are averaged over; t tokens of a text.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import chain
from typing import Any

import torch
from torch import Tensor

import former
from former.attention import attention_scores
from viz import figures
from viz.browser import chart
from viz.passes.loaded import Loaded, Models
from viz.passes.run import describe_output, rounded, tokenize
from viz.server.view import View, read_choice, read_index
from viz.tabs.learn import family
from viz.tabs.learn.section import Section
from viz.tabs.python import IMPORTS
from viz.text.examples import EXAMPLES

POWERS = range(1, 11)  # k = 2 … 1,024
QUERIES, KEYS = 256, 16
SEEDS = 100
MEASURES = ("spread", "entropy", "gradient")
SHOWS = ("random", "trained")
TRAINED = {"scaled": family.PLAIN, "plain": "tiny-unscaled"}  # trained alike, with the root and without
TEXT = EXAMPLES["byte"][1]
MOST = 256  # bytes that both models read


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
    """What the section opens with, and its limits."""
    del models
    start = {"powers": [POWERS[0], POWERS[-1]], "seeds": SEEDS, "text": TEXT, "most": MOST}
    return start | {"trained": {way: {"name": name, "bits": family.bits(name)} for way, name in TRAINED.items()}}


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


def entropies(model: former.Generator, ids: list[int]) -> Tensor:
    """Of each head of a model on a text, the mean entropy of its rows, in bits: (layers, h)."""
    _, capture = former.run_with_capture(model, torch.tensor([ids]))
    return former.analysis.head_statistics(capture.stack("weights")[:, 0])["entropy"]


def read_trained(view: View) -> tuple[dict[str, Loaded], list[int]]:
    """The two trained models, by way, and the bytes of a view.

    Raises:
        Refusal: a text that cannot be read.
    """
    both = {way: family.load(name) for way, name in TRAINED.items()}
    return both, tokenize(both["scaled"], view.get("text", ""))[0][:MOST]


@torch.inference_mode()
def trained(models: Models, view: View) -> dict[str, Any]:
    """What the root does to two models that were trained alike, on a text.

    Args:
        models: none is used: one of the two is on no list of the page.
        view: "text".
    Returns:
        "tokens" t that were read; "even": the entropy of rows that give all keys alike, on average; "scaled" and
        "plain": {"entropy" of each head, layers × h, "mean" of them all, "surprise": bits per byte of this text, null
        where there is but one}; "figures" of the heads.
    Raises:
        Refusal: a text that cannot be read.
    """
    del models
    both, ids = read_trained(view)
    tokens = torch.tensor([ids])
    found: dict[str, Any] = {"tokens": len(ids), "even": sum(math.log2(i + 1) for i in range(len(ids))) / len(ids)}
    for way, loaded in both.items():
        entropy = entropies(loaded.bundle.model, ids)
        surprise = describe_output(loaded, tokens, loaded.bundle.model(tokens), ())["bitsPerToken"]
        found[way] = {"entropy": rounded(entropy), "mean": float(entropy.mean()), "surprise": surprise}
    plain, scaled = (list(chain(*found[way]["entropy"])) for way in ("plain", "scaled"))
    drawn = chart.themed(lambda theme: figures.bars(plain, range(len(plain)), before=scaled, axis="bits", theme=theme))
    return found | {"figures": drawn}


def values(models: Models, view: View) -> Mapping[str, Tensor]:
    """The tensors of `attention_scores` at the marked size, or the entropies of the trained heads."""
    del models
    if read_choice(view, "show", SHOWS) == "trained":
        both, ids = read_trained(view)
        return {way: entropies(loaded.bundle.model, ids) for way, loaded in both.items()}
    seed, k, _ = read(view)
    q, key = vectors(k, seed)
    found = scores(k, seed, True)
    return {"q": q, "k": key, "q @ k.T": q @ key.T, "scores": found, "weights": found.softmax(-1)}


def python(models: Models, view: View) -> str:
    """The lines that give the panel's numbers again."""
    del models
    return trained_again(view) if read_choice(view, "show", SHOWS) == "trained" else measured_again(view)


def trained_again(view: View) -> str:
    """The lines of the two trained models."""
    count = read_trained(view)[0]["plain"].bundle.config.heads
    return (
        f"{IMPORTS}\n"
        "found = []\n"
        f"for name in {list(TRAINED.values())!r}:\n"
        "    bundle = former.load(name)\n"
        f"    tokens = torch.tensor([bundle.tokenizer.encode({view['text']!r})[:{MOST}]])\n"
        "    _, capture = former.run_with_capture(bundle.model, tokens)\n"
        "    found.append(former.analysis.head_statistics(capture.stack('weights')[:, 0])['entropy'])\n"
        "scaled, plain = found  # each (layers, h): bits\n"
        f"heads = [f'layer {{i // {count}}}, head {{i % {count}}}' for i in range(plain.numel())]\n"
        "figure = figures.bars(plain.flatten(), heads, before=scaled.flatten(), axis='entropy, bits')\n"
    )


def measured_again(view: View) -> str:
    """The lines of the random vectors."""
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
    article="Scaling the dot product",
    equation=r"\mathrm{score} = \frac{q \cdot k}{\sqrt{k}} \qquad"
    r" q_i, k_i \sim \mathcal{N}(0, 1)"
    r" \;\Rightarrow\; \mathrm{mean}(q \cdot k) = 0,\; \mathrm{spread}(q \cdot k) = \sqrt{k}",
    code=(attention_scores, former.attention_weights),
    values=values,
    python=python,
    opening=opening,
    answers={"measured": measured, "trained": trained},
)
