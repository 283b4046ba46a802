"""The peak memory of a training step with each of the article's memory tricks on and off."""

from __future__ import annotations

import multiprocessing
from dataclasses import replace
from pathlib import Path

import torch
from torch import Tensor, nn

from former.checks import require_choice
from former.training.compute import products, set_attention
from former.training.export import settings_of
from former.training.init_weights import make_model
from former.training.recipes import Precision, Recipe
from former.training.state import measurement_json

Tricks = tuple[Precision, int, bool]  # precision, micro-batches, checkpointing
ROWS: list[Tricks] = [  # none of the tricks, each alone, and all
    ("fp32", 1, False),
    ("bf16", 1, False),
    ("fp32", 4, False),
    ("fp32", 1, True),
    ("bf16", 4, True),
]


def profile(recipe: Recipe, table: list[Tricks]) -> dict[Tricks, float]:
    """Measures the peak memory of a step in MB for each choice of tricks, in a new process each.

    The peak is counted from the process's resident memory once the model and its gradients are allocated. So it
    consists of the activations kept for the backward pass, and of temporary buffers.

    Args:
        recipe: the model and the batch.
        table: the choices, such as `ROWS`.
    Raises:
        ValueError: the model is neither a Generator nor a Classifier, or the system is not Linux.
    """
    require_choice("kind", recipe.kind, ("Generator", "Classifier"))
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        return {tricks: pool.apply(peak_megabytes, (recipe, tricks)) for tricks in table}


def to_text(peaks: dict[Tricks, float]) -> str:
    """Returns the peaks of `profile` as a table of text."""
    lines = [f"{'precision':>9} {'micro-batches':>13} {'checkpointing':>13} {'peak MB':>8}"]
    for (precision, micro, checkpointing), peak in peaks.items():
        lines.append(f"{precision:>9} {micro:>13} {'on' if checkpointing else 'off':>13} {peak:>8.0f}")
    return "\n".join(lines)


def to_json(recipe: Recipe, peaks: dict[Tricks, float]) -> str:
    """Returns the peaks as JSON, with the model, the machine and the date."""
    model = recipe.model
    shape = {"tokens": model.seq_length, "heads": model.heads, "depth": model.depth, "emb": model.emb}
    rows = [
        {"precision": precision, "accumulate": micro, "checkpointing": checkpointing, "megabytes": round(peak)}
        for (precision, micro, checkpointing), peak in peaks.items()
    ]
    model = {"name": recipe.name, "batch": recipe.batch, **shape}
    return measurement_json(f"train {recipe.name} --profile-memory FILE{settings_of(recipe)}", model=model, peaks=rows)


def peak_megabytes(recipe: Recipe, tricks: Tricks) -> float:
    """Returns by how many MB resident memory rises in one forward and backward pass on random tokens.

    The model and its gradients are allocated before, as they are in a step of training.
    """
    precision, accumulate, checkpointing = tricks
    recipe = replace(recipe, precision=precision, accumulate=accumulate, checkpointing=checkpointing)
    model = make_model(recipe, with_weights=False).train()
    set_attention(model, recipe.attention)
    tokens = torch.randint(2, recipe.model.num_tokens, (recipe.batch, recipe.model.seq_length))
    _pass(model, [tokens[:1, :1]], recipe)  # warm-up; allocates the gradients
    before = _reset_peak()
    _pass(model, list(tokens.chunk(accumulate)), recipe)
    return (_status("VmHWM") - before) / 1024


def _pass(model: nn.Module, parts: list[Tensor], recipe: Recipe) -> None:
    for part in parts:
        with products(recipe.precision, part.device):
            loss = model(part, recompute=recipe.checkpointing).float().square().mean() / len(parts)
        loss.backward()


def _reset_peak() -> int:
    """Resets the process's peak memory; returns its resident memory, in kB."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError as error:
        raise ValueError(f"--profile-memory needs Linux's /proc/self/clear_refs ({error})") from error
    return _status("VmRSS")


def _status(field: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(field)).split()[1])
