"""How the time to read a text grows with its length: a recurrent, a convolutional and a self-attending model."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch

from former.training.init_weights import make_model
from former.training.recipes import RECIPES
from former.training.state import measured

NAMES = ("tiny-gru", "tiny-conv", "tiny-generator")
LENGTHS = tuple(2**power for power in range(5, 13))  # 32 … 4,096 tokens
ROUNDS = 7

Times = dict[str, list[float]]  # name: milliseconds at each length


@torch.inference_mode()
def measure(lengths: Sequence[int] = LENGTHS, rounds: int = ROUNDS) -> Times:
    """Processor time in which each of `NAMES` reads one text of each length: the least of several rounds, in ms.

    A shared machine only ever makes a round slower, and the models take turns in each: so the least of them says most,
    and ratios more than milliseconds. Weights are random, which changes no time; positions reach as far as the text.
    """
    least: Times = {name: [] for name in NAMES}
    for length in lengths:
        tokens = torch.randint(256, (1, length), generator=torch.Generator().manual_seed(0))
        models = {name: make_model(recipe_of(name, length)).eval() for name in NAMES}
        for model in models.values():
            model(tokens)  # loads what is loaded on first use
        taken = [{name: _milliseconds(model, tokens) for name, model in models.items()} for _ in range(rounds)]
        for name in NAMES:
            least[name].append(min(each[name] for each in taken))
    return least


def recipe_of(name: str, length: int) -> Any:
    """The recipe of a model for texts of this length."""
    recipe = RECIPES[name]
    return replace(recipe, model=replace(recipe.model, seq_length=length))


def _milliseconds(model: Any, tokens: torch.Tensor) -> float:
    began = time.process_time()
    model(tokens)
    return 1000 * (time.process_time() - began)


def to_text(lengths: Sequence[int], times: Times) -> str:
    """The times as a table."""
    lines = [f"{'tokens':>7}" + "".join(f"{name:>16}" for name in times)]
    for i, length in enumerate(lengths):
        lines.append(f"{length:>7}" + "".join(f"{given[i]:>13.2f} ms" for given in times.values()))
    return "\n".join(lines)


def to_json(lengths: Sequence[int], times: Times) -> str:
    """The times with the machine and the date, for a file."""
    milliseconds = {name: [round(value, 3) for value in given] for name, given in times.items()}
    return measured("--threads 1 lengths FILE", lengths=list(lengths), milliseconds=milliseconds)
