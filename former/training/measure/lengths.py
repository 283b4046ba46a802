"""The time to read a text as a function of its length: a recurrent network, a convolutional one and a transformer."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch

from former.training.init_weights import make_model
from former.training.recipes import RECIPES
from former.training.state import measurement_json

NAMES = ("tiny-gru", "tiny-conv", "tiny-generator")
LENGTHS = tuple(2**power for power in range(5, 13))  # 32 … 4,096 tokens
ROUNDS = 7

Times = dict[str, list[float]]  # name: milliseconds at each length


@torch.inference_mode()
def measure(lengths: Sequence[int] = LENGTHS, rounds: int = ROUNDS) -> Times:
    """Measures the processor time in which each model of `NAMES` reads one text of each length: minimum, in ms.

    Other work on the machine can only slow a round down, and the models take turns in each round. So the minimum over
    the rounds is the best estimate, and ratios are more reliable than milliseconds. Weights are random, which does not
    change the time; positions are made for the length of the text.
    """
    least: Times = {name: [] for name in NAMES}
    for length in lengths:
        tokens = torch.randint(256, (1, length), generator=torch.Generator().manual_seed(0))
        models = {name: make_model(recipe_of(name, length)).eval() for name in NAMES}
        for model in models.values():
            model(tokens)  # warm-up
        times = [{name: _milliseconds(model, tokens) for name, model in models.items()} for _ in range(rounds)]
        for name in NAMES:
            least[name].append(min(each[name] for each in times))
    return least


def recipe_of(name: str, length: int) -> Any:
    """Returns the recipe of the model called `name`, with a context of `length` tokens."""
    recipe = RECIPES[name]
    return replace(recipe, model=replace(recipe.model, seq_length=length))


def _milliseconds(model: Any, tokens: torch.Tensor) -> float:
    began = time.process_time()
    model(tokens)
    return 1000 * (time.process_time() - began)


def to_text(lengths: Sequence[int], times: Times) -> str:
    """Returns the times of `measure` as a table of text."""
    lines = [f"{'tokens':>7}" + "".join(f"{name:>16}" for name in times)]
    for i, length in enumerate(lengths):
        lines.append(f"{length:>7}" + "".join(f"{values[i]:>13.2f} ms" for values in times.values()))
    return "\n".join(lines)


def to_json(lengths: Sequence[int], times: Times) -> str:
    """Returns the times as JSON, with the machine and the date."""
    milliseconds = {name: [round(value, 3) for value in values] for name, values in times.items()}
    return measurement_json("--threads 1 lengths FILE", lengths=list(lengths), milliseconds=milliseconds)
