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
from former.training.measure.evaluate import Measure, bits_per_byte
from former.training.recipes import Recipe


class TextTask:
    """The next byte, in random windows of a text.

    Args:
        train, val: uint8 (bytes,), the two splits; of other tokens, their ids.
        recipe: batch, context, seed, mask and repeats.
        corpus: where the text comes from.
        tokenizer: what made the ids; None for bytes.
    Raises:
        ValueError: a split too short for a window.
    """

    figure: ClassVar[str] = "bits_per_byte"
    higher_is_better: ClassVar[bool] = False
    bytes_per_token: float = 1.0  # of the validation split, on average

    def __init__(
        self, train: Tensor, val: Tensor, recipe: Recipe, corpus: data.Origin, tokenizer: Tokenizer | None = None
    ) -> None:
        self.tokenizer: Tokenizer = tokenizer or ByteTokenizer()
        self.corpus = corpus
        self.recipe, self.length = recipe, recipe.segments * recipe.model.seq_length
        self.train, self.val = train, val
        for name, part in (("train", self.train), ("val", self.val)):
            if len(part) <= self.length:
                raise ValueError(f"the text's {name} split must be longer than {self.length} tokens, got {len(part)}")

    @classmethod
    def open(cls, recipe: Recipe, path: Path, unchecked: bool, folder: Path | None = None) -> TextTask:  # noqa: ARG003
        """The task on a file of text; see `Task.open`."""
        content = data.load_text(path, recipe.corpus, unchecked)
        text, splits = torch.frombuffer(bytearray(content), dtype=torch.uint8), data.split_text(content)
        train, val = (text[slice(*splits[name])] for name in ("train", "val"))
        return cls(train, val, recipe, data.origin(path, unchecked))

    def batch(self, step: int) -> Batch:
        """Windows at random places: tokens (b, t), and the token after each (b, t)."""
        random = generator_of(self.recipe.seed, step)
        starts = torch.randint(len(self.train) - self.length, (self.recipe.batch,), generator=random)
        windows = self._windows(self.train, starts)
        if self.recipe.repeats:
            plant_repeats(windows, self.recipe.repeats, generator_of(self.recipe.seed, 5, step))
        return windows[:, :-1], windows[:, 1:]

    def loss(self, model: Model, inputs: Tensor, targets: Tensor) -> Tensor:
        """Cross-entropy of the next token."""
        logits = model(inputs, recompute=self.recipe.checkpointing)
        return F.cross_entropy(logits.float().flatten(0, 1), targets.flatten())

    def validate(self, model: nn.Module, windows: int = 128) -> float:
        """Bits per byte over evenly spaced windows, all their bytes counted alike: above a figure with a stride."""
        last = len(self.val) - self.length - 1
        starts = torch.arange(windows) * last // (windows - 1)  # whole numbers: float32 rounds beyond 2^24
        device = device_of(model)
        losses = []
        for part in starts.split(16):
            rows = self._windows(self.val, part)
            losses.append(self.loss(model, *moved((rows[:, :-1], rows[:, 1:]), device)))
        return float(torch.stack(losses).mean()) / math.log(2) / self.bytes_per_token

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
                network(bundle.model, measure, end - begin),
                text,
                begin,
                end,
                context=context,
                stride=stride,
            )
        return {"bits_per_byte": round(figure, 4), "bytes": end - begin, "context": context, "stride": stride}

    def _windows(self, part: Tensor, starts: Tensor) -> Tensor:
        """(b, t + 1): what is read, and one token more, so that each has one that follows it."""
        return part[starts[:, None] + torch.arange(self.length + 1)].long()


def plant_repeats(windows: Tensor, share: float, random: torch.Generator) -> None:
    """Writes over some windows, in place: random letters, and the same again and again to the window's end.

    Nothing but copying tells what follows: a stretch is as long as a sixteenth to three eighths of the window, so that
    no position tells how far back to look, and its letters are in no order.

    Args:
        windows: of bytes (b, t), changed.
        share: of the windows, each for itself.
        random: where all choices come from.
    """
    b, t = windows.shape
    letters = torch.randint(ord("a"), ord("z") + 1, (b, t), generator=random)
    for row, (chosen, size) in enumerate(torch.rand(b, 2, generator=random).tolist()):
        if chosen < share:
            windows[row] = letters[row, torch.arange(t) % int(t * (1 + 5 * size) / 16)]


def network(model: Any, measure: Measure, count: int) -> Model:
    """The model in the precision asked for; compiled where there is enough to read."""
    if measure.precision == "int8":
        quick = cpu.optimise(model, "int8") if isinstance(model, former.Generator) and cpu.step_available() else model
        if quick is model:
            raise ValueError(
                "precision 'int8' needs a generator on the CPU of a shape that has a fast twin, and the package numba; "
                "give 'bf16' or 'fp32'"
            )
        return quick
    # A minute well spent on a whole split only.
    return compiled(model, measure.device) if count > 1_000_000 else model
