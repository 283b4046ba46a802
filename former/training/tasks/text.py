"""The task of a generator: to predict the next byte of a text.

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
from former.training.batches import Batch, Model, device_of, generator_of, to_device
from former.training.compute import try_compile
from former.training.measure.evaluate import Measure, bits_per_byte
from former.training.recipes import Recipe

WINDOWS = 128  # of a validation


class TextTask:
    """The task of predicting the next byte, in random windows of a text.

    Args:
        train, val: the two splits, uint8 (bytes,), or ids of other tokens.
        recipe: batch, context, seed, mask and repeats.
        corpus: the source of the text.
        tokenizer: of the ids; None for bytes.
    Raises:
        ValueError: a split is shorter than a window.
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
        """Opens a file of text; see `Task.open`."""
        content = data.load_text(path, recipe.corpus, unchecked)
        text, splits = torch.frombuffer(bytearray(content), dtype=torch.uint8), data.split_text(content)
        train, val = (text[slice(*splits[name])] for name in ("train", "val"))
        return cls(train, val, recipe, data.origin(path, unchecked))

    def batch(self, step: int) -> Batch:
        """Returns random windows: tokens (b, t), and the next token at each position (b, t)."""
        random = generator_of(self.recipe.seed, step)
        starts = torch.randint(len(self.train) - self.length, (self.recipe.batch,), generator=random)
        windows = self._windows(self.train, starts)
        if self.recipe.repeats:
            plant_repeats(windows, self.recipe.repeats, generator_of(self.recipe.seed, 5, step))
        return windows[:, :-1], windows[:, 1:]

    def loss(self, model: Model, inputs: Tensor, targets: Tensor) -> Tensor:
        """Returns the cross-entropy of the next token."""
        logits = model(inputs, recompute=self.recipe.checkpointing)
        return F.cross_entropy(logits.float().flatten(0, 1), targets.flatten())

    def validate(self, model: nn.Module) -> float:
        """Returns the bits per byte over `WINDOWS` evenly spaced windows.

        Every byte counts, also the first ones of a window, so the result is above that of `evaluate` with a stride.
        """
        last = len(self.val) - self.length - 1
        starts = torch.arange(WINDOWS) * last // (WINDOWS - 1)  # integers, because float32 is inexact beyond 2^24
        device = device_of(model)
        losses = []
        for part in starts.split(16):
            rows = self._windows(self.val, part)
            losses.append(self.loss(model, *to_device((rows[:, :-1], rows[:, 1:]), device)))
        return float(torch.stack(losses).mean()) / math.log(2) / self.bytes_per_token

    @classmethod
    def evaluate(cls, bundle: former.Bundle, recipe: Recipe, path: Path, measure: Measure) -> dict[str, Any]:
        """Returns the bits per byte over a split; see `Task.evaluate`."""
        context = recipe.model.seq_length
        unmasked = not masks.MASKS[bundle.model.config.mask].causal  # such a model reads the byte it should predict
        stride = measure.stride if measure.stride is not None else context if unmasked else context // 2
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
        """Returns windows with one more token, (b, t + 1), so that each input token has a next one."""
        return part[starts[:, None] + torch.arange(self.length + 1)].long()


def plant_repeats(windows: Tensor, share: float, random: torch.Generator) -> None:
    """Replaces some windows, in place, by a sequence of random letters that repeats to the window's end.

    Only copying predicts what follows: the letters are random, and the length of the sequence varies from a sixteenth
    to three eighths of the window, so that the position does not say how far back to look.

    Args:
        windows: bytes (b, t), modified.
        share: probability that a window is replaced.
        random: source of all random numbers.
    """
    b, t = windows.shape
    letters = torch.randint(ord("a"), ord("z") + 1, (b, t), generator=random)
    for row, (chosen, size) in enumerate(torch.rand(b, 2, generator=random).tolist()):
        if chosen < share:
            windows[row] = letters[row, torch.arange(t) % int(t * (1 + 5 * size) / 16)]


def network(model: Any, measure: Measure, count: int) -> Model:
    """Returns the model to measure: for "int8" its rounded twin; else compiled if it is to read more than a million
    bytes."""
    if measure.precision == "int8":
        twin = cpu.optimise(model, "int8") if isinstance(model, former.Generator) and cpu.step_available() else model
        if twin is model:
            raise ValueError(
                "precision 'int8' needs a generator on the CPU with a shape that former.cpu supports, and the package "
                "numba; give 'bf16' or 'fp32'"
            )
        return twin
    return try_compile(model, measure.device) if count > 1_000_000 else model  # compiling takes about a minute
