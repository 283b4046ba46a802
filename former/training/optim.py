"""Initialisation, the optimisers Muon and AdamW, and the learning rate schedule.

Muon (Jordan 2024) sets all singular values of a matrix's momentum near 1 before applying it, so that an update is not
dominated by a few directions. Its author reports that training to a loss of 3.28 on FineWeb became 1.35 times as fast
(https://kellerjordan.github.io/posts/muon); here it was compared with AdamW for `bert-reviews` only
(checkpoints/README.md, "What was tried"). Muon is meant for matrices that map hidden vectors to hidden vectors; AdamW
updates embeddings, biases, norms and the output layer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from former.training.recipes import Recipe


def learning_rate(step: int, recipe: Recipe) -> float:
    """Returns the learning rate at a step, as a share of its peak: warmup, constant, then linear decay to 0.

    Until the decay begins it does not depend on the number of steps, so a run can be extended from there.
    """
    start = decay_start(recipe)
    up = min(1.0, (step + 1) / recipe.warmup)
    return up if step < start else min(up, (recipe.steps - step) / (recipe.steps - start))


def decay_start(recipe: Recipe) -> int:
    """Returns the step at which the learning rate begins to fall."""
    return recipe.steps - round(recipe.decay * recipe.steps)


_ZERO = ("unifyheads.weight", "ff.2.weight", "toprobs.weight", ".content", ".position")


@torch.no_grad()
def initialise(model: nn.Module, seed: int) -> None:
    """Sets the weights of step 0 in place; the same seed gives the same weights.

    Matrices start with a standard deviation of 1/√inputs, embeddings with 0.02. The last map of each residual branch
    and the output layer start at zero, so each block starts as the identity and all tokens are equally likely (with
    `unify` off, attention has no last map, and a block is not the identity). The two biases of relative positions
    start at zero too.
    """
    generator = torch.Generator().manual_seed(seed)
    for name, parameter in model.named_parameters():
        if "norm" in name:
            continue  # ones and zeros already
        if parameter.dim() < 2 or name.endswith(_ZERO):
            parameter.zero_()
        elif "embedding" in name:
            parameter.normal_(0.0, 0.02, generator=generator)
        else:
            inputs = parameter.shape[1:].numel() if "convolution" in name else parameter.shape[1]
            parameter.normal_(0.0, inputs**-0.5, generator=generator)


class Fp32Muon(torch.optim.Muon):
    """Muon whose products run in fp32; those of `torch.optim.Muon` always run in bf16.

    On a processor without instructions for bf16 they take most of a step's time.
    """

    def step(self, closure: Callable[[], float] | None = None) -> float | None:
        """Updates the parameters once."""
        with _WithoutBf16():
            return super().step(closure)


class _WithoutBf16(TorchFunctionMode):
    """Inside, `tensor.bfloat16()` copies a tensor as it is."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return args[0].clone() if func is torch.Tensor.bfloat16 else func(*args, **(kwargs or {}))


def make_optimisers(model: nn.Module, recipe: Recipe) -> dict[str, torch.optim.Optimizer]:
    """Returns AdamW, and Muon for the matrices inside the blocks; each group's `peak` is its peak learning rate."""
    inside, matrices, vectors = [], [], []
    for name, parameter in model.named_parameters():
        if ".blocks." in name and parameter.dim() == 2:
            inside.append(parameter)
        else:
            (matrices if parameter.dim() > 1 else vectors).append(parameter)
    groups = [
        {"params": matrices, "weight_decay": recipe.weight_decay},
        {"params": vectors, "weight_decay": 0.0},
    ]
    optimisers: dict[str, torch.optim.Optimizer] = {
        "adam": torch.optim.AdamW(groups, lr=recipe.adam_lr, betas=(0.9, 0.95), fused=True)
    }
    if inside:
        # "original": the update is scaled by √max(1, rows/columns), as in the post.
        optimisers["muon"] = (Fp32Muon if recipe.precision == "fp32" else torch.optim.Muon)(
            inside, lr=recipe.muon_lr, momentum=0.95, weight_decay=recipe.weight_decay, adjust_lr_fn="original"
        )
    for optimiser in optimisers.values():
        for group in optimiser.param_groups:
            group["peak"] = group["lr"]
    return optimisers


def set_learning_rate(optimisers: Iterable[torch.optim.Optimizer], share: float) -> None:
    """Sets the learning rate of every parameter group to a share of its peak."""
    for optimiser in optimisers:
        for group in optimiser.param_groups:
            group["lr"] = share * group["peak"]
