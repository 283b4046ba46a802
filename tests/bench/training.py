"""The speed of the trainer compared with plain PyTorch, in one run: `make bench-train`.

Whole steps of the article's generator (12 blocks, embedding 256, 8 heads, context 256): the batch, forward, backward,
clipping, the optimiser. The peer is `nn.TransformerEncoder` of the same shape, pre-norm with GELU and a causal mask, in
bf16 autocast with fused AdamW; as it stands and compiled. Ours is `Run.take_step`, Muon among it, as `train` does it.
The ways take turns and medians are compared, as in `tests.bench.library`. On a GPU every sample waits for the device.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from former.training import data
from former.training.batches import to_device
from former.training.compute import choose_device, prepare, products, try_compile
from former.training.loop import Run
from former.training.parallel import Group
from former.training.recipes import RECIPES, Recipe
from former.training.tasks.text import TextTask
from tests.bench.library import measure, setting


class Peer(nn.Module):
    """The same generator, built from PyTorch's own modules."""

    def __init__(self, recipe: Recipe) -> None:
        super().__init__()
        config = recipe.model
        self.tokens = nn.Embedding(config.num_tokens, config.emb)
        self.positions = nn.Embedding(config.seq_length, config.emb)
        layer = nn.TransformerEncoderLayer(
            config.emb, config.heads, 4 * config.emb, dropout=0.0, activation="gelu", batch_first=True, norm_first=True
        )
        self.stack = nn.TransformerEncoder(layer, config.depth, nn.LayerNorm(config.emb), enable_nested_tensor=False)
        self.head = nn.Linear(config.emb, config.num_tokens)
        self.register_buffer("mask", nn.Transformer.generate_square_subsequent_mask(config.seq_length))

    def forward(self, tokens: Tensor) -> Tensor:
        """Maps tokens (b, t) to logits (b, t, num_tokens)."""
        x = self.tokens(tokens) + self.positions.weight
        return self.head(self.stack(x, mask=self.mask, is_causal=True))


def peer_step(recipe: Recipe, task: TextTask, device: torch.device, compile_it: bool) -> Callable[[], object]:
    """Returns a function that takes one training step of the peer."""
    model = Peer(recipe).to(device).train()
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)

    def loss_of(inputs: Tensor, targets: Tensor) -> Tensor:
        return F.cross_entropy(model(inputs).float().flatten(0, 1), targets.flatten())

    loss: Any = try_compile(loss_of, device, dynamic=False) if compile_it else loss_of

    def step() -> None:
        batch = to_device(task.batch(0), device)
        with products(recipe.precision, device):
            value = loss(*batch)
        value.backward()
        nn.utils.clip_grad_norm_(model.parameters(), recipe.clip)
        optimiser.step()
        optimiser.zero_grad()

    return step


def timed(step: Callable[[], object], device: torch.device) -> Callable[[], object]:
    """Runs the step, and on a GPU waits until it is finished."""

    def whole() -> None:
        step()
        if device.type == "cuda":
            torch.cuda.synchronize(device)

    return whole


def main() -> int:
    """Measures and prints the times."""
    parser = argparse.ArgumentParser(description="the trainer beside plain PyTorch")
    parser.add_argument("--device", help="cpu, cuda or cuda:N (default: CUDA where there is one)")
    parser.add_argument("--rounds", type=int, default=10, help="steps of each way")
    parser.add_argument("--batch", type=int, help="windows a step (default: 16, on a GPU 256)")
    parser.add_argument("--depth", type=int, default=12)
    options = parser.parse_args()
    prepare()
    device = choose_device(options.device)
    batch = options.batch or (256 if device.type == "cuda" else 16)
    settings = [f"model.depth={options.depth}", f"batch={batch}", "steps=1000000", "weights="]
    recipe = RECIPES["generator"].with_settings(settings)
    text = torch.randint(256, (2_000_000,), generator=torch.Generator().manual_seed(0)).to(torch.uint8)
    origin: data.Origin = {"file": "random", "sha256": "", "unchecked": True}
    splits = data.split_text(bytes(len(text)))
    task = TextTask(text[slice(*splits["train"])], text[slice(*splits["val"])], recipe, origin)
    ours = Run(recipe, task, Path(tempfile.mkdtemp()), Group(device=device))
    ways = {
        "former, as train does it": ours.take_step,
        "nn.TransformerEncoder": peer_step(recipe, task, device, compile_it=False),
        "nn.TransformerEncoder, compiled": peer_step(recipe, task, device, compile_it=True),
    }
    samples = measure({name: timed(step, device) for name, step in ways.items()}, options.rounds)
    where = f"; {torch.cuda.get_device_name(device)}" if device.type == "cuda" else ""
    print(f"{setting()}{where}\n\na step of {batch} × {recipe.model.seq_length} bytes, {options.depth} blocks")
    tokens = batch * recipe.model.seq_length
    speeds = {name: tokens / statistics.median(sample.seconds for sample in held) for name, held in samples.items()}
    for name, speed in speeds.items():
        quiet = sum(not sample.contended for sample in samples[name])
        print(f"  {name:34}{speed:12,.0f} tokens/s  {speed / speeds['nn.TransformerEncoder']:6.2f}×"
              f"  {quiet}/{len(samples[name])} quiet")  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
