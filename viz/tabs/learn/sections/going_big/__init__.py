"""Section "Going big": the memory of the tables of dot products, by formula and measured, and ways to save it.

Sizes: b texts in a batch, t tokens, h heads, s size of one head. MB and GB are 10⁶ and 10⁹ bytes.
"""

from __future__ import annotations

import json
from typing import Any

import torch
from torch import Tensor
from torch.autograd.graph import saved_tensors_hooks

import former
from former.attention import attention_scores
from former.checkpoints import CHECKPOINTS
from viz import figures
from viz.figures.frame import themed
from viz.panels import Draw, Field, Numbers, Question
from viz.passes.loaded import Models
from viz.server.view import View, read_choice, read_whole
from viz.tabs.learn.section import Section

MEASURED = CHECKPOINTS / "generator" / "memory.json"  # by `python -m former.training train generator --profile-memory`
LIMITS = {"t": 100_000, "batch": 1024, "heads": 64, "layers": 128}
ARTICLE = {"t": 1000, "batch": 16, "heads": 1, "layers": 1, "bits": "32"}
PRECISIONS = {"32": torch.float32, "16": torch.float16}
HELD = 4  # tables a head: scores, weights, and the gradients of both
LONGER = 10  # times
SAMPLE = {"t": 512, "heads": 8, "size": 64}  # at most this size is run to measure the stored tensors


def props(models: Models) -> dict[str, Any]:
    """Returns the data for the section's script: its initial view, the limits of its inputs, and the recorded memory
    measurements."""
    del models
    measured = json.loads(MEASURED.read_text(encoding="utf-8"))
    peaks = [row["megabytes"] for row in measured["peaks"]]
    return {
        "article": ARTICLE,
        "limits": LIMITS,
        "held": HELD,
        "measured": measured,
        "chart": themed(figures.bars, peaks, range(len(peaks)), axis="MB"),
    }


def table_bytes(t: int, batch: int, heads: int, bits: str) -> int:
    """Returns the bytes of one layer's scores, made by `former.attention_weights` on the meta device, without data."""
    with torch.device("meta"):
        q = torch.empty(batch, heads, t, SAMPLE["size"], dtype=PRECISIONS[bits])
        scores, weights = former.attention_weights(q, q)
    assert scores.nbytes == weights.nbytes
    return scores.nbytes


def sample(t: int, heads: int) -> tuple[Tensor, Tensor, Tensor]:
    """Returns random q, k and v (1, h, t, s) of these sizes, limited to those of `SAMPLE`."""
    shape = (1, min(heads, SAMPLE["heads"]), min(t, SAMPLE["t"]), SAMPLE["size"])
    q, k, v = torch.randn(3, *shape, generator=torch.Generator().manual_seed(0))
    return q, k, v


def saved_bytes(q: Tensor, k: Tensor, v: Tensor, kernel: bool) -> int:
    """Returns the bytes that a forward pass of `attend` keeps for the backward pass, counting shared storage once;
    `kernel` chooses the fused kernel."""
    stored: dict[int, int] = {}

    def note(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        stored[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.enable_grad(), saved_tensors_hooks(note, lambda tensor: tensor):
        out = former.attend(*(each.detach().requires_grad_() for each in (q, k, v)), kernel=kernel)
    del out  # until here it keeps the stored tensors alive, so that no memory is reused
    return sum(stored.values())


def count_bytes(t: int, batch: int, heads: int, layers: int, bits: str = "32") -> Numbers:
    """Counts the bytes that tables of dot products take, and measures those of a small sample.

    Args:
        t, batch, heads, layers: sizes.
        bits: bits of each number, "32" or "16".
    Returns:
        "table": bytes of one layer's scores
        "longer": the same for texts `LONGER` times as long
        "all": bytes of the scores, the weights and the gradients of both, in all layers
        "kept": {"t", "heads", "equation", "kernel"}: the sample's sizes, and the bytes that its backward pass needs,
            computed by the equation and by the fused kernel
        "q", "k", "v", "scores", "weights": the sample's tensors, (h, t, ·)
        "map", "numbers": the first weights of the first head, and the labels of its rows
    """
    q, k, v = sample(t, heads)
    scores, weights = former.attention_weights(q, k)
    both = {name: saved_bytes(q, k, v, kernel) for name, kernel in (("equation", False), ("kernel", True))}
    table = table_bytes(t, batch, heads, bits)
    return {
        "table": table,
        "longer": table_bytes(LONGER * t, batch, heads, bits),
        "all": HELD * layers * table,
        "kept": {"t": q.shape[2], "heads": q.shape[1], **both},
        **{"q": q[0], "k": k[0], "v": v[0], "scores": scores[0], "weights": weights[0]},
        "map": weights[0, 0, :32, :32],
        "numbers": list(range(min(t, 32, weights.shape[2]))),
    }


def read_sizes(models: Models, view: View) -> dict[str, Any]:  # noqa: ARG001 - as all readers of arguments
    """Reads from a view the arguments of `count_bytes`."""
    sizes = {name: read_whole(view, name, 1, most) for name, most in LIMITS.items()}
    return {**sizes, "bits": read_choice(view, "bits", PRECISIONS)}


TABLE = Draw(figures.attention, Field("map"), Field("numbers"), title="one table of weights")

SECTION = Section(
    name="going-big",
    article="Going big",
    equation=r"\text{bytes} = b \cdot h \cdot t^2 \cdot \text{bytes a number} \cdot 4 \cdot \text{layers}",
    code=(attention_scores, former.attend),
    questions={
        "counted": Question(
            count_bytes,
            read_sizes,
            TABLE,
            prints=("all",),
            unsent=("q", "k", "v", "scores", "weights", "map", "numbers"),
        ),
    },
    props=props,
)
