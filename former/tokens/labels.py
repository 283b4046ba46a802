"""Visible labels of tokens, for axes: of characters, runs of bytes, pieces of words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from former.checks import is_index

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")  # in every vocabulary of BERT
# In a byte-level vocabulary printable bytes are written as themselves, all others as the next characters from U+0100.
_PRINTABLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_OTHERS = [byte for byte in range(256) if byte not in _PRINTABLE]
BYTES = {chr(byte): byte for byte in _PRINTABLE} | {chr(0x100 + i): byte for i, byte in enumerate(_OTHERS)}
"""The byte that each character of a byte-level vocabulary stands for."""
_EMOJI = "[\u2190-\u2bff\ufe0f\U0001f000-\U0001faff]"
_JOINED = re.compile(rf"(?<={_EMOJI})U\+200D(?={_EMOJI})")  # the label of a joiner between two emoji
CONTINUED = "‥"  # label of each further token of a character that has several


def visible(char: str) -> str:
    """Returns a visible label of a character: a symbol for space, newline and tab, a code if it has no glyph."""
    signs = {" ": "␣", "\n": "⏎", "\t": "⇥"}
    if char in signs:
        return signs[char]
    if char < " " or char == "\x7f":
        return f"x{ord(char):02X}"  # Unicode has symbols for these, but few fonts do
    category = unicodedata.category(char)
    if category[0] in "CZ":  # control and format characters, such as right-to-left marks, and unusual spaces
        return f"U+{ord(char):04X}"
    return "◌" + char if category[0] == "M" else char  # a combining mark needs a base


def byte_labels(data: bytes) -> list[str]:
    """Returns a label for each byte: a character at its first byte, "" at its others; `xE2` for an incomplete one."""
    labels: list[str] = []
    # surrogateescape decodes each invalid byte to one surrogate, so lengths stay known.
    for char in data.decode("utf-8", errors="surrogateescape"):
        if "\udc80" <= char <= "\udcff":
            labels.append(f"x{ord(char) - 0xDC00:02X}")
        else:
            labels += [visible(char), *[""] * (len(char.encode()) - 1)]
    return labels


def run_labels(runs: Sequence[bytes]) -> list[str]:
    """Returns a visible label for each token of a text, given its bytes: a character split between tokens is shown at
    the first, and "‥" at tokens that only continue it."""
    of_bytes = iter(byte_labels(b"".join(runs)))
    return [join_labels(next(of_bytes) for _ in run) or CONTINUED for run in runs]


def join_labels(labels: Iterable[str]) -> str:
    """Joins labels of characters to one label: a combining mark is put on the character before, joined emoji become
    one."""
    text = ""
    for label in labels:
        text += label.removeprefix("◌") or label if text else label
    return _JOINED.sub("\u200d", text)


class TokenBeyondModel(ValueError):
    """The text uses a token that was added to the tokenizer, and for which the model has no vector."""

    def __init__(self, token: str, num_tokens: int) -> None:
        super().__init__(f"text must not use {token!r}, which is not among the model's {num_tokens} tokens")
        self.token = token


def check_ids(ids: Sequence[int], num_tokens: int) -> None:
    """Raises ValueError unless every id is a whole number in [0, num_tokens)."""
    for i in ids:
        if not is_index(i, num_tokens):
            raise ValueError(f"ids must be whole numbers in [0, {num_tokens}), got {i!r}")


def require_fitting(known: int, num_tokens: int) -> None:
    """Raises ValueError if a tokenizer knows more tokens than its model."""
    if known > num_tokens:
        raise ValueError(
            f"tokenizer must have at most the model's {num_tokens} tokens, got {known}; take the one that the model "
            "was trained with"
        )


def special_ids(tokenizer: object) -> tuple[int, ...]:
    """Returns the ids that a tokenizer adds around a text, such as [CLS] and [SEP] of a WordPieceTokenizer."""
    result = (getattr(tokenizer, name, None) for name in ("cls_token", "sep_token"))
    return tuple(i for i in result if i is not None)
