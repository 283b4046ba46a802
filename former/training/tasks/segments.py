"""The task of a Transformer-XL: to predict the next byte, segment by segment with a memory.

Sizes: b batch, t tokens of a segment.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, cast

import torch
import torch.nn.functional as F
from torch import Tensor

import former
from former.training import data
from former.training.batches import device_of
from former.training.measure.evaluate import Measure
from former.training.recipes import Recipe
from former.training.tasks.text import TextTask

MEMORIES = (0, 128, 512)  # lengths of the memory to measure, in tokens
STREAMS = 32  # parts of a split that are read in parallel, as the rows of a batch


class SegmentsTask(TextTask):
    """The task of predicting the next byte, in windows of several segments; each gets the memory of the one before.

    The first segment of a window has no memory. So a batch depends only on seed and step, and the model also learns to
    work without a memory.
    """

    def __init__(self, *parts: Any) -> None:
        super().__init__(*parts)
        # Compiles the model, but not the loop over segments. As a decorator this would import the compiler on import.
        cast(Any, self).loss = torch.compiler.disable(self.loss, recursive=False)

    def loss(self, model: Any, inputs: Tensor, targets: Tensor) -> Tensor:
        """Returns the cross-entropy of the next byte, over all segments."""
        length, memory, logits = self.recipe.model.seq_length, None, []
        for segment in inputs.split(length, 1):
            part, memory = model(segment, memory, recompute=self.recipe.checkpointing)
            logits.append(part)
        return F.cross_entropy(torch.cat(logits, 1).float().flatten(0, 1), targets.flatten())

    @classmethod
    def evaluate(cls, bundle: former.Bundle, recipe: Recipe, path: Path, measure: Measure) -> dict[str, Any]:
        """Returns the bits per byte over a split for several lengths of the memory; see `Task.evaluate`.

        "late_memory_…" counts only the last quarter of each segment, where even a model without memory has read most
        of the segment.
        """
        if measure.stride is not None or measure.precision == "int8":
            raise ValueError("a model with a memory does not support --stride or --precision int8")
        content = data.load_text(path, recipe.corpus, measure.unchecked)
        begin, end = data.split_text(content)[measure.split]
        end = end if measure.most is None else min(end, begin + measure.most)
        text = torch.frombuffer(bytearray(content), dtype=torch.uint8)[max(begin, 1) - 1 : end]
        length = recipe.model.seq_length
        figures: dict[str, Any] = {}
        with measure.products():
            for memory in sorted({*MEMORIES, recipe.model.memory_length}):
                bits = bits_by_position(bundle.model, text, length, memory)
                figures[f"memory_{memory}"] = round(float(bits.mean()), 4)
                figures[f"late_memory_{memory}"] = round(float(bits[-(length // 4) :].mean()), 4)
        own = figures[f"memory_{recipe.model.memory_length}"]
        return {"bits_per_byte": own} | figures | {"bytes": scored_bytes(len(text), length), "segment": length}


def scored_bytes(size: int, length: int) -> int:
    """Returns the number of predicted bytes in a text of `size` bytes, which is divided into `STREAMS` equal parts, and
    each part into whole segments of `length` bytes."""
    return (size - 1) // (STREAMS * length) * STREAMS * length


@torch.inference_mode()
def bits_by_position(model: Any, text: Tensor, length: int, memory_length: int) -> Tensor:
    """Returns the mean of −log₂ p of the byte at each position of a segment, (t,).

    Args:
        model: a TransformerXL in evaluation mode.
        text: uint8 (bytes,). All bytes are predicted except the first and a remainder shorter than a segment per part.
        length: of a segment, t.
        memory_length: number of tokens in the memory; 0 for no memory.
    Raises:
        ValueError: the text is shorter than one segment for each of `STREAMS` parts.
    """
    each = scored_bytes(len(text), length) // STREAMS  # bytes per part
    if not each:
        raise ValueError(f"the text must be longer than {STREAMS * length} bytes, got {len(text)}")
    device = device_of(model)
    starts = torch.arange(STREAMS)[:, None] * each
    nats, memory = torch.zeros(length, dtype=torch.float64, device=device), None
    for first in range(0, each, length):
        rows = text[starts + torch.arange(first, first + length + 1)].long().to(device)
        logits, memory = model(rows[:, :-1], memory, memory_length=memory_length)
        nats += F.cross_entropy(logits.double().transpose(1, 2), rows[:, 1:], reduction="none").sum(0)
    return nats / math.log(2) / (STREAMS * (each // length))
