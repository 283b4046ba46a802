"""The next byte of a text: what a generator trains on.

Sizes: b batch, t tokens.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, ClassVar

import torch
import torch.nn.functional as F
from torch import Tensor, nn

import former
from former import cpu, masks
from former.tokens import ByteTokenizer, Tokenizer
from former.training import data
from former.training.batches import Batch, Model, device_of, generator_of, moved
from former.training.compute import compiled
from former.training.evaluate import Measure, bits_per_byte
from former.training.recipes import Recipe


class TextTask:
    """The next byte, in random windows of a text.

    Args:
        text: uint8 (bytes,), the whole corpus.
        splits: where each split begins and ends.
        recipe: batch, context, seed and mask.
        corpus: where the text comes from.
    Raises:
        ValueError: a split too short for a window.
    """

    figure: ClassVar[str] = "bits_per_byte"
    higher_is_better: ClassVar[bool] = False

    def __init__(self, text: Tensor, splits: dict[str, tuple[int, int]], recipe: Recipe, corpus: data.Origin) -> None:
        self.tokenizer: Tokenizer = ByteTokenizer()
        self.corpus = corpus
        self.recipe, self.length = recipe, recipe.model.seq_length
        self.train, self.val = (text[slice(*splits[name])] for name in ("train", "val"))
        for name, part in (("train", self.train), ("val", self.val)):
            if len(part) <= self.length:
                raise ValueError(f"the text's {name} split must be longer than {self.length} bytes, got {len(part)}")

    @classmethod
    def open(cls, recipe: Recipe, path: Path, unchecked: bool) -> TextTask:
        """The task on a file of text; see `Task.open`."""
        content = data.load_text(path, recipe.corpus, unchecked)
        text = torch.frombuffer(bytearray(content), dtype=torch.uint8)
        return cls(text, data.split_text(content), recipe, data.origin(path, unchecked))

    def batch(self, step: int) -> Batch:
        """Windows at random places: bytes (b, t), and the byte after each (b, t)."""
        random = generator_of(self.recipe.seed, step)
        starts = torch.randint(len(self.train) - self.length, (self.recipe.batch,), generator=random)
        return self._windows(self.train, starts)

    def loss(self, model: Model, inputs: Tensor, targets: Tensor) -> Tensor:
        """Cross-entropy of the next byte."""
        logits = model(inputs, recompute=self.recipe.checkpointing)
        return F.cross_entropy(logits.float().flatten(0, 1), targets.flatten())

    def validate(self, model: nn.Module, windows: int = 128) -> float:
        """Bits per byte over evenly spaced windows, all their bytes counted alike: above a figure with a stride."""
        last = len(self.val) - self.length - 1
        starts = torch.arange(windows) * last // (windows - 1)  # whole numbers: float32 rounds beyond 2^24
        device = device_of(model)
        losses = [self.loss(model, *moved(self._windows(self.val, part), device)) for part in starts.split(16)]
        return float(torch.stack(losses).mean()) / math.log(2)

    @classmethod
    def evaluate(cls, bundle: former.Bundle, recipe: Recipe, path: Path, measure: Measure) -> dict[str, Any]:
        """Bits per byte over a split; see `Task.evaluate`."""
        context = recipe.model.seq_length
        whole = not masks.KINDS[bundle.model.config.mask].causal  # such a model reads the byte it is asked for
        stride = measure.stride if measure.stride is not None else context if whole else context // 2
        content = data.load_text(path, recipe.corpus, measure.unchecked)
        begin, end = data.split_text(content)[measure.split]
        end = end if measure.most is None else min(end, begin + measure.most)
        text = torch.frombuffer(bytearray(content), dtype=torch.uint8).to(measure.device)
        with measure.products():
            figure = bits_per_byte(
                _network(bundle.model, measure, end - begin),
                text,
                begin,
                end,
                context=context,
                stride=stride,
            )
        return {"bits_per_byte": round(figure, 4), "bytes": end - begin, "context": context, "stride": stride}

    def _windows(self, part: Tensor, starts: Tensor) -> Batch:
        windows = part[starts[:, None] + torch.arange(self.length + 1)].long()
        return windows[:, :-1], windows[:, 1:]


def _network(model: Any, measure: Measure, count: int) -> Model:
    """The model in the precision asked for; compiled where there is enough to read."""
    if measure.precision == "int8":
        if not isinstance(model, former.Generator) or not cpu.available("numba"):
            raise ValueError("precision 'int8' needs a generator and the package numba; give 'bf16' or 'fp32'")
        return cpu.optimise(model, "int8")
    # A minute well spent on a whole split only.
    return compiled(model, measure.device) if count > 1_000_000 else model
