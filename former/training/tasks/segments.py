"""The next byte, segment after segment with a memory: what a Transformer-XL trains on.

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

MEMORIES = (0, 128, 512)  # tokens, of the figures
STREAMS = 32  # stretches of a split that are read side by side


class SegmentsTask(TextTask):
    """Windows of several segments; the memory goes from each to the next, and the first has none.

    So a batch stays a function of the seed and the step alone, and the first segments teach the model to go without.
    """

    def __init__(self, *parts: Any) -> None:
        super().__init__(*parts)
        # The model is compiled, and not the loop over segments. A decorator would import the compiler here for all who
        # import this file.
        cast(Any, self).loss = torch.compiler.disable(self.loss, recursive=False)

    def loss(self, model: Any, inputs: Tensor, targets: Tensor) -> Tensor:
        """Cross-entropy of the next byte, over all segments."""
        length, memory, logits = self.recipe.model.seq_length, None, []
        for segment in inputs.split(length, 1):
            said, memory = model(segment, memory, recompute=self.recipe.checkpointing)
            logits.append(said)
        return F.cross_entropy(torch.cat(logits, 1).float().flatten(0, 1), targets.flatten())

    @classmethod
    def evaluate(cls, bundle: former.Bundle, recipe: Recipe, path: Path, measure: Measure) -> dict[str, Any]:
        """Bits per byte over a split with memories of several lengths; see `Task.evaluate`.

        "late" is over the last quarter of each segment, where even a model without memory has read most of one.
        """
        if measure.stride is not None or measure.precision == "int8":
            raise ValueError("a model with a memory has no --stride and no --precision int8; give neither")
        content = data.load_text(path, recipe.corpus, measure.unchecked)
        begin, end = data.split_text(content)[measure.split]
        end = end if measure.most is None else min(end, begin + measure.most)
        text = torch.frombuffer(bytearray(content), dtype=torch.uint8)[max(begin, 1) - 1 : end]
        length = recipe.model.seq_length
        figures: dict[str, Any] = {}
        with measure.products():
            for memory in sorted({*MEMORIES, recipe.model.memory_length}):
                bits = bits_by_place(bundle.model, text, length, memory)
                figures[f"memory_{memory}"] = round(float(bits.mean()), 4)
                figures[f"late_memory_{memory}"] = round(float(bits[-(length // 4) :].mean()), 4)
        own = figures[f"memory_{recipe.model.memory_length}"]
        return {"bits_per_byte": own} | figures | {"bytes": counted(len(text), length), "segment": length}


def counted(size: int, length: int) -> int:
    """How many bytes of a text of `size` are predicted: whole segments in `STREAMS` stretches of one length."""
    return (size - 1) // (STREAMS * length) * STREAMS * length


@torch.inference_mode()
def bits_by_place(model: Any, text: Tensor, length: int, memory_length: int) -> Tensor:
    """The mean of −log₂ p of the byte at each place of a segment, (t,), where the memory holds so many tokens.

    Args:
        model: a TransformerXL in evaluation mode.
        text: uint8 (bytes,), of which all but the first are predicted, and but for a rest of less than a segment each.
        length: t, of the segments.
        memory_length: 0 for none.
    Raises:
        ValueError: a text that does not fill a segment of each stretch.
    """
    each = counted(len(text), length) // STREAMS  # bytes of a stretch
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
