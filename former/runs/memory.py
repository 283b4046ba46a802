"""Models with a memory: a `TransformerXL`, which reads segment by segment and passes a memory from one to the next.

A run records the last segment. The rows of its map are the segment's tokens; its columns are the memory's tokens, from
earlier segments, and then the segment's own. Edits act in every segment, except those that name tokens by position,
which refer to the last map.

Sizes: b batch, t tokens of the last segment, m of the memory.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from torch import Tensor

from former import masks
from former.edits import Edit
from former.hooks import Observer, chain
from former.runs.causal import Causal
from former.runs.kind import Inputs, Reading, Sides, Source, as_input, require_no_answer, tokenize
from former.transformer_xl import TransformerXL


class WithMemory(Causal):
    """The kind of models in which each token predicts the next, from the segment so far and a memory of earlier
    ones."""

    name = "memory"
    models = (TransformerXL,)
    resumes = False

    def read(self, source: Source, text: str, answer: str | None = None, limit: int | None = None) -> Reading:
        """Reads a whole text, whatever the limit; the reading's tokens are those of its last segment."""
        del limit
        require_no_answer(answer, source)
        config = source.model.config
        whole, labels, total = tokenize(source, text, sys.maxsize)
        past = (len(whole) - 1) // config.seq_length * config.seq_length  # tokens before the last segment
        t, m = len(whole) - past, min(past, config.memory_length)
        allowed = masks.named("causal", t, past=m)
        sides = Sides(labels[-t:], labels[-t - m :], allowed, () if m else tuple(whole), m)
        return Reading(text, whole[-t:], labels[-t:], total, (as_input(source, whole),), {"self": sides})

    def facts(self, source: Source, reading: Reading, edits: Sequence[Observer]) -> dict[str, Any]:
        """Returns "memory", the number of the map's keys that belong to the memory."""
        del source, edits
        return {"memory": reading.sides["self"].memory}

    def prepare(self, model: Any, reading: Reading, edits: Sequence[Observer]) -> tuple[Inputs, Tensor | None]:
        """Reads all segments but the last; returns the last segment with its memory, and the logits for its first
        token."""
        *earlier, last = reading.inputs[0].split(model.config.seq_length, 1)
        everywhere = chain(edit for edit in edits if not (isinstance(edit, Edit) and edit.fits))
        memory, logits = None, None
        for segment in earlier:
            logits, memory = model(segment, memory, observer=everywhere)
        if memory is None or logits is None:
            return (last,), None
        return (last, memory), logits[:, -1]

    def call(self, model: Any, inputs: Inputs, observer: Observer | None = None) -> Tensor:
        """Returns logits (b, t, num_tokens) of the last segment."""
        return model(*inputs, observer=observer)[0]

    def batch(self, inputs: Inputs, count: int) -> Inputs:
        """Repeats the inputs `count` times; a memory is (depth, b, m, e)."""
        tokens, *memory = inputs
        return (tokens.expand(count, -1), *(each.expand(-1, count, -1, -1) for each in memory))
