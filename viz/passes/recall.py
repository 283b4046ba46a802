"""A text through a model with a memory (`TransformerXL`): what the page shows of its last segment.

The text is read segment by segment, under the visitor's edits. The map's rows are the last segment's tokens, its
columns those of the memory, which was kept from before, and then the segment's own.

Sizes: t tokens of the last segment, m of the memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

import former
from former.hooks import Capture, Observer
from viz.passes import edits as changes
from viz.passes.loaded import Loaded
from viz.passes.run import POINTS, TEXT_LIMIT, Map, Pass, describe_output, finished, most_likely, read_text


class Segment(NamedTuple):
    """The last segment of a text, as it was read."""

    tokens: Tensor  # (1, t)
    memory: Tensor | None  # (depth, 1, m, e), as it was before this segment
    mask: Tensor  # bool (t, m + t)
    observers: list[Observer]  # the edits
    logits: Tensor  # (1, t, num_tokens)
    before: Tensor | None  # (1, num_tokens), what was said of the segment's first token; None at a text's beginning
    capture: Capture


class Remembering:
    """A model that goes on from a memory: called as a model without one is, it gives the logits.

    Args:
        model: a `former.TransformerXL`.
        memory: (depth, 1, m, e); None for none.
    """

    def __init__(self, model: Any, memory: Tensor | None = None) -> None:
        self.config, self._model, self._memory = model.config, model, memory

    def __call__(self, tokens: Tensor, observer: Observer | None = None) -> Tensor:
        """(b, t) → (b, t, num_tokens)."""
        memory = None if self._memory is None else self._memory.expand(-1, len(tokens), -1, -1)
        return self._model(tokens, memory, observer=observer)[0]


def read_on(loaded: Loaded, ids: list[int], edits: Sequence[changes.Edit], names: Sequence[str] = ()) -> Segment:
    """Reads a text to its end, each segment under the edits.

    Args:
        loaded: a model with a memory.
        ids: at least one.
        edits: as `viz.passes.edits.read` gives them.
        names: what to keep of the last segment.
    """
    model, memory, before = loaded.bundle.model, None, None
    parts = torch.tensor([ids]).split(model.config.seq_length, 1)
    everywhere = [edit for edit in edits if edit["do"] != "weight"]  # a single weight is one of the last map
    for part in parts[:-1]:
        _, observers = under(loaded, part, memory, everywhere)
        (logits, memory), _ = former.run_with_capture(model, (part, memory), (), edits=observers)  # pyright: ignore[reportArgumentType]
        before = logits[:, -1]
    mask, observers = under(loaded, parts[-1], memory, edits)
    (logits, _), capture = former.run_with_capture(model, (parts[-1], memory), names, edits=observers)  # pyright: ignore[reportArgumentType]
    return Segment(parts[-1], memory, mask, observers, logits, before, capture)


def under(
    loaded: Loaded, part: Tensor, memory: Tensor | None, edits: Sequence[changes.Edit]
) -> tuple[Tensor, list[Observer]]:
    """Whom a segment's tokens may see, bool (t, m + t), and the edits for a map of that size."""
    past = 0 if memory is None else memory.shape[2]
    mask = former.masks.named("causal", part.shape[1], past=past)
    return mask, changes.observers(list(edits), mask, loaded.bundle.config)


def recall(loaded: Loaded, text: str, edits: Sequence[changes.Edit] = ()) -> Pass:
    """The pass of a text's last segment, under the visitor's edits.

    Args:
        loaded: a model with a memory.
        text: as typed.
        edits: as `viz.passes.edits.read` gives them.
    Raises:
        Refusal: a text that cannot be run.
    """
    ids, labels, total = read_text(loaded.bundle, text, limit=4 * TEXT_LIMIT)  # a character has 4 bytes at most
    read = read_on(loaded, ids, edits, (*POINTS, "scores"))
    plain = read_on(loaded, ids, ()) if edits else None
    t, both = read.mask.shape
    points = (read.capture.stack(point)[:, 0] for point in POINTS)
    scores = read.capture.stack("scores")[:, 0]
    sides, own = (labels[-t:], labels[-both:]), tuple(ids) if t == both else ()
    attention = Map("self", *sides, read.mask, *points, ids=own, scores=scores, memory=both - t)
    named = most_likely(read.logits, plain and plain.logits)
    header: dict[str, Any] = {
        "tokens": t,
        "total": total,
        "memory": both - t,
        "ids": ids[-t:],
        "labels": labels[-t:],
        "output": output(loaded, read, ids, named),
        "baseline": plain and output(loaded, plain, ids, named),
    }
    return finished(loaded, text, (attention,), header, edits)


def output(loaded: Loaded, read: Segment, ids: list[int], named: Sequence[int]) -> dict[str, Any]:
    """`describe_output` of the last segment; what was said of its first token is known where something came before."""
    if read.before is None:
        return describe_output(loaded, read.tokens, read.logits, named)
    tokens = torch.tensor([ids[-read.tokens.shape[1] - 1 :]])
    said = describe_output(loaded, tokens, torch.cat((read.before[:, None], read.logits), 1), named)
    return said | {"bits": said["bits"][1:]}
