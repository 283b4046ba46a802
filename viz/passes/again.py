"""A pass once more: what runs its model again, for panels that ask more of it than the pass holds."""

from __future__ import annotations

import torch
from torch import Tensor

from former.hooks import Observer
from viz.passes import edits as changes
from viz.passes import recall, translation
from viz.passes.loaded import Loaded
from viz.passes.run import Pass


def again(loaded: Loaded, made: Pass) -> tuple[tuple[Tensor, ...], list[Observer]]:
    """The model's inputs in a pass, and the edits: tokens (1, t); of a translator the answer's too; of a Bert the
    segments; of a model with a memory that, if there is one."""
    header = made.header
    edits = header["edits"]
    if loaded.remembers:
        whole = loaded.bundle.tokenizer.encode(header["text"])
        read = recall.read_on(loaded, whole, edits)
        return (read.tokens, *([] if read.memory is None else [read.memory])), read.observers
    inputs = [header["ids"]]
    if loaded.translates:
        inputs.append(header["answer"]["ids"])
        observers = translation.observers(loaded, edits, *map(len, inputs))
    else:
        observers = changes.observers(edits, loaded.mask(len(inputs[0])), loaded.bundle.config) if edits else []
    if loaded.fills:
        inputs.append(header["segments"])
    return tuple(torch.tensor([ids]) for ids in inputs), observers
