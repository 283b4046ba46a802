"""A cache in the run's folder for data that is slow to derive from a corpus, such as its pieces of words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from torch import Tensor

from former import tokens
from former.tokens import Tokenizer
from former.training import state

FILE = "corpus.safetensors"

Encoded = tuple[Tokenizer, dict[str, Tensor]]
"""A tokenizer and the tensors of a corpus encoded by it, by name."""


def load_or_make(folder: Path | None, facts: Mapping[str, Any], make: Callable[[], Encoded]) -> Encoded:
    """Returns the encoded corpus saved in the folder if it was made from the same facts; else calls `make` and saves
    the result.

    Args:
        folder: the run's; None to save nothing.
        facts: all inputs of `make`, as values for JSON, such as the corpus's checksum.
        make: encodes the corpus.
    """
    path = None if folder is None else folder / FILE
    if path is not None and path.is_file():
        tensors, header = state.read_tensors(path)
        if header["facts"] == facts:
            return tokens.from_dict(header["tokenizer"]), tensors
    tokenizer, tensors = make()
    if path is not None:
        state.write_tensors(path, tensors, {"facts": facts, "tokenizer": tokenizer.to_dict()})
    return tokenizer, tensors
