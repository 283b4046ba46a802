"""How the weights start and move: initialisation, Muon and AdamW, and the learning rate over time.

Muon (Jordan 2024) takes the momentum of a matrix's gradient and sets all its singular values near 1 before it is
applied, so that no few directions dominate an update. Its author reports that it made training to a loss of 3.28 on
FineWeb 1.35 times as fast (https://kellerjordan.github.io/posts/muon); here it was compared with AdamW alone for
`bert-reviews` only (checkpoints/README.md, "What was tried"). It is made for matrices that map hidden vectors to hidden
vectors; embeddings, biases, norms and the output layer go by AdamW.
"""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import nn

from former.training.recipes import Recipe


def learning_rate(step: int, recipe: Recipe) -> float:
    """The share of the peak learning rate at a step: up over `warmup`, level, down to 0 over the last `decay`.

    Until the decay begins it does not depend on the number of steps: a run can go on from there with more.
    """
    start = decay_start(recipe)
    up = min(1.0, (step + 1) / recipe.warmup)
    return up if step < start else min(up, (recipe.steps - step) / (recipe.steps - start))


def decay_start(recipe: Recipe) -> int:
    """The step at which the learning rate begins to fall."""
    return recipe.steps - round(recipe.decay * recipe.steps)


_ZERO = ("unifyheads.weight", "ff.2.weight", "toprobs.weight", ".content", ".position")


@torch.no_grad()
def initialise(model: nn.Module, seed: int) -> None:
    """Sets the weights of step 0, the same for the same seed.

    Matrices start at a standard deviation of 1/√inputs, embeddings at 0.02; each residual branch and the output
    layer end in zeros, so that the model starts as the identity and predicts every token alike (where `unify` is off,
    a branch of attention ends in no map and is not the identity); so do the two biases of
    relative positions.
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


def make_optimisers(model: nn.Module, recipe: Recipe) -> dict[str, torch.optim.Optimizer]:
    """Muon for the matrices inside the blocks, AdamW for all else; each group knows its peak as `peak`."""
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
        optimisers["muon"] = torch.optim.Muon(
            inside, lr=recipe.muon_lr, momentum=0.95, weight_decay=recipe.weight_decay, adjust_lr_fn="original"
        )
    for optimiser in optimisers.values():
        for group in optimiser.param_groups:
            group["peak"] = group["lr"]
    return optimisers


def set_learning_rate(optimisers: Iterable[torch.optim.Optimizer], share: float) -> None:
    """Sets every group to this share of its peak."""
    for optimiser in optimisers:
        for group in optimiser.param_groups:
            group["lr"] = share * group["peak"]
