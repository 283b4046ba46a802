"""A cache in the run's folder for what is slow to make of a corpus, such as its pieces of words."""

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
"""A tokenizer, and the tensors it made of a corpus, by name."""


def cached(folder: Path | None, facts: Mapping[str, Any], make: Callable[[], Encoded]) -> Encoded:
    """Returns what `make` returns: from the folder if an earlier start left it there, else made now and put there.

    Args:
        folder: the run's; None to keep nothing.
        facts: all that decides what is made, as values for JSON: the corpus's checksum among them.
        make: makes it.
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
