"""What the heads of a generator have learned: who looks at the token before, and who copies."""

from __future__ import annotations

import torch

import former
from former.analysis import head_statistics

Scores = dict[str, torch.Tensor]  # name: (layers, h)


def head_scores(model: former.Generator, length: int = 64, repeats: int = 32, seed: int = 0) -> Scores:
    """Scores on random letters that come twice: w = u u, u random.

    "previous": mass on the token before. "induction": in the second u, mass on the token that followed the same token
    in the first u (Olsson et al. 2022): what a head looks at that goes on with a sequence as it went on before.
    A head that looks at all alike has an induction of about 1/length.

    Args:
        model: a Generator of bytes.
        length: of u; twice it must fit the context.
        repeats: how many random sequences.
        seed: of the letters.
    Returns:
        (layers, h) for each score.
    """
    random = torch.Generator().manual_seed(seed)
    u = torch.randint(ord("a"), ord("z") + 1, (repeats, length), generator=random)
    _, capture = former.run_with_capture(model, torch.cat((u, u), 1))
    weights = capture.stack("weights")  # (layers, b, h, 2·length, 2·length)
    copied = weights.diagonal(offset=1 - length, dim1=-2, dim2=-1)[..., 1:]  # queries of the second u
    return {"previous": head_statistics(weights)["previous"].mean(1), "induction": copied.mean((1, -1))}


def to_text(scores: Scores) -> str:
    """The scores as a table, a row a head."""
    lines = ["layer  head  previous  induction"]
    previous, induction = scores["previous"], scores["induction"]
    for layer, head in torch.cartesian_prod(*map(torch.arange, previous.shape)).tolist():
        lines.append(f"{layer:>5} {head:>5} {previous[layer, head]:>9.3f} {induction[layer, head]:>10.3f}")
    return "\n".join(lines)
