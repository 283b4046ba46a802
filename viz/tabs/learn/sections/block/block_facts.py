"""Two facts about a block: which parts are not linear, and how initial gradients depend on the position of the norms.

Sizes: b batch, t tokens, e embedding, h heads.
"""

from __future__ import annotations

import copy
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

import former
from former.hooks import at_points

PARTS = ("softmax", "activation", "norm")  # of a block, that are not linear
CASES = (PARTS, *((part,) for part in PARTS), ())  # the parts left in: all, each alone, none


def additivity(
    block: former.TransformerBlock, one: Tensor, other: Tensor, mask: Tensor, left: tuple[str, ...]
) -> float:
    """Measures how far a block f is from f(x + y) = f(x) + f(y) − f(0), which holds for linear maps with a bias.

    Args:
        block: a trained block; it is not modified.
        one, other: x and y, (b, t, e).
        mask: bool (t, t).
        left: the parts of `PARTS` to keep. Without the softmax, the attention weights are fixed to those of x + y; the
            other parts are skipped.
    Returns:
        The largest difference, divided by the largest number of f(x + y).
    """
    f: Any = copy.deepcopy(block)
    if "norm" not in left:
        f.norm1 = f.norm2 = nn.Identity()
    if "activation" not in left:
        f.ff[1] = nn.Identity()
    capture = former.Capture(("weights",))
    with torch.inference_mode():
        block(one + other, mask, capture.at(0))
        weights = capture.get("weights", 0)  # (b, h, t, t)
        frozen = None if "softmax" in left else at_points(["weights"], lambda *_: weights)
        whole = f(one + other, mask, frozen)
        apart = f(one, mask, frozen) + f(other, mask, frozen) - f(torch.zeros_like(one), mask, frozen)
    return float((whole - apart).abs().max() / whole.abs().max())


def gradients(config: former.ModelConfig, tokens: Tensor, seed: int) -> list[float]:
    """Computes the norm of the gradient of each block's weights before the first step of training.

    Args:
        config: of a generator.
        tokens: (1, t), at least 2; each predicts the next.
        seed: of the weights (`glorot_model`).
    Returns:
        The norm for each block.
    """
    model = glorot_model(config, seed)
    with torch.enable_grad():
        logits = model(tokens[:, :-1])[0]
        F.cross_entropy(logits, tokens[0, 1:]).backward()
    sizes = []
    for block in model.transformer.blocks:
        result = [parameter.grad for parameter in block.parameters() if parameter.grad is not None]
        sizes.append(float(torch.stack([gradient.norm() for gradient in result]).norm()))
    return sizes


@torch.no_grad()
def glorot_model(config: former.ModelConfig, seed: int) -> former.Generator:
    """Returns a generator with random weights after Glorot and Bengio (2010), like the first transformers.

    Matrices have a variance of 2 / (inputs + outputs), embeddings of 1, and biases are 0.
    """
    generator = torch.Generator().manual_seed(seed)
    model = former.Generator(config)
    for module in model.modules():
        if isinstance(module, nn.Linear):
            module.weight.normal_(0, (2 / sum(module.weight.shape)) ** 0.5, generator=generator)
            if module.bias is not None:
                module.bias.zero_()
        elif isinstance(module, nn.Embedding):
            module.weight.normal_(generator=generator)
    return model
