"""How the weights start and move: initialisation, Muon and AdamW, and the learning rate over time.

Muon (Jordan 2024) takes the momentum of a matrix's gradient and sets all its singular values near 1 before it is
applied, so that no few directions dominate an update. Its author reports that it made training to a loss of 3.28 on
FineWeb 1.35 times as fast (https://kellerjordan.github.io/posts/muon); for the models here it was not compared with
AdamW alone. It is made for matrices that map hidden vectors to hidden vectors; embeddings, biases, norms and the output
layer go by AdamW.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn

from former.training.recipes import Recipe

NEWTON_SCHULZ = (3.4445, -4.7750, 2.0315)  # a, b, c of the odd polynomial a·x + b·x³ + c·x⁵


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
    layer end in zeros, so that the model starts as the identity and predicts every token alike; so do the two biases of
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
        optimisers["muon"] = Muon(inside, lr=recipe.muon_lr, weight_decay=recipe.weight_decay)
    for optimiser in optimisers.values():
        for group in optimiser.param_groups:
            group["peak"] = group["lr"]
    return optimisers


def set_learning_rate(optimisers: Iterable[torch.optim.Optimizer], share: float) -> None:
    """Sets every group to this share of its peak."""
    for optimiser in optimisers:
        for group in optimiser.param_groups:
            group["lr"] = share * group["peak"]


class Muon(torch.optim.Optimizer):
    """Momentum, orthogonalised: W ← (1 − lr·decay) W − lr · √max(1, rows/columns) · orthogonal(momentum).

    Args:
        params: matrices.
        lr: learning rate; every singular value of an update is about as large.
        momentum: of the gradient, Nesterov's form.
        weight_decay: per step and unit of learning rate.
    """

    def __init__(
        self, params: Iterable[nn.Parameter], lr: float = 0.02, momentum: float = 0.95, weight_decay: float = 0.0
    ) -> None:
        super().__init__(list(params), {"lr": lr, "momentum": momentum, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: Any = None) -> Any:
        """One update of every matrix that has a gradient; `closure`, where given, makes them first."""
        with torch.enable_grad():
            loss = closure() if closure else None
        for group in self.param_groups:
            by_shape: dict[torch.Size, list[nn.Parameter]] = {}
            for parameter in group["params"]:
                if parameter.grad is not None:
                    by_shape.setdefault(parameter.shape, []).append(parameter)
            for same in by_shape.values():
                self._update(same, **{key: group[key] for key in ("lr", "momentum", "weight_decay")})
        return loss

    def _update(self, same: list[nn.Parameter], lr: float, momentum: float, weight_decay: float) -> None:
        """Updates matrices of one shape together: one batched product is faster than many."""
        directions = []
        for parameter in same:
            assert parameter.grad is not None
            state = self.state[parameter]
            if not state:
                state["momentum"] = torch.zeros_like(parameter)
            state["momentum"].lerp_(parameter.grad, 1 - momentum)
            directions.append(parameter.grad.lerp(state["momentum"], momentum))
        rows, columns = same[0].shape
        updates = orthogonal(torch.stack(directions)).to(same[0].dtype)
        for parameter, update in zip(same, updates, strict=True):
            parameter.mul_(1 - lr * weight_decay).add_(update, alpha=-lr * max(1.0, rows / columns) ** 0.5)


def orthogonal(matrices: Tensor, iterations: int = 5) -> Tensor:
    """U Vᵀ of each matrix's U S Vᵀ, nearly: singular values come out between about 0.7 and 1.2.

    A Newton-Schulz iteration, in bf16: products only, no decomposition.

    Args:
        matrices: (n, rows, columns).
        iterations: 5 are enough for singular values down to 1/1000 of the norm.
    Returns:
        (n, rows, columns), bf16.
    """
    a, b, c = NEWTON_SCHULZ
    x = matrices.bfloat16()
    tall = x.shape[-2] > x.shape[-1]
    x = x.mT if tall else x
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(iterations):
        square = x @ x.mT
        x = torch.baddbmm(x, torch.baddbmm(square, square, square, beta=b, alpha=c), x, beta=a)
    return x.mT if tall else x
