"""Tokens made visible: what stands on an axis for a character, a run of bytes, a piece of a word."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

from former.checks import is_whole

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")  # of every vocabulary of BERT
CONTINUED = "‥"  # stands at each further token of a character that takes several


def visible(char: str) -> str:
    """One character as a label that can be seen: a sign for space, newline and tab, a code for what has no glyph."""
    signs = {" ": "␣", "\n": "⏎", "\t": "⇥"}
    if char in signs:
        return signs[char]
    if char < " " or char == "\x7f":
        return f"x{ord(char):02X}"  # Unicode has pictures of them, which few fonts hold
    category = unicodedata.category(char)
    if category[0] in "CZ":  # controls, formats such as right-to-left marks, and odd spaces
        return f"U+{ord(char):04X}"
    return "◌" + char if category[0] == "M" else char  # a combining mark needs something to sit on


def byte_labels(data: bytes) -> list[str]:
    """One label a byte: a character at its first byte and "" at its others, `xE2` at a byte of half a character."""
    labels: list[str] = []
    # surrogateescape decodes each byte that is no UTF-8 to a surrogate of its own, so lengths stay known.
    for char in data.decode("utf-8", errors="surrogateescape"):
        if "\udc80" <= char <= "\udcff":
            labels.append(f"x{ord(char) - 0xDC00:02X}")
        else:
            labels += [visible(char), *[""] * (len(char.encode()) - 1)]
    return labels


def join_labels(labels: Iterable[str]) -> str:
    """Characters' labels as one; a combining mark sits on the character before it."""
    text = ""
    for label in labels:
        text += label.removeprefix("◌") or label if text else label
    return text


class TokenBeyondModel(ValueError):
    """A text that uses a token which was added to the tokenizer, and for which the model has no vector."""

    def __init__(self, token: str, num_tokens: int) -> None:
        super().__init__(f"text must not use {token!r}, which was added beyond the model's {num_tokens} tokens")
        self.token = token


def check_ids(ids: Sequence[int], num_tokens: int) -> None:
    """Raises ValueError unless every id is a whole number in [0, num_tokens)."""
    for i in ids:
        if not is_whole(i) or not 0 <= i < num_tokens:
            raise ValueError(f"ids must be whole numbers in [0, {num_tokens}), got {i!r}")
