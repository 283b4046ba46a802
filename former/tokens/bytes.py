"""Bytes as tokens: the vocabulary needs no training, and every text can be encoded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from former.checks import require_instance
from former.tokens.labels import check_ids, run_labels


class ByteTokenizer:
    """The 256 bytes of UTF-8 as tokens."""

    unit: ClassVar[str] = "byte"
    num_tokens = 256

    def encode(self, text: str) -> list[int]:
        """Converts text to its UTF-8 bytes. A lone surrogate, which UTF-8 cannot encode, becomes "?"."""
        require_instance("text", text, str)
        return list(text.encode("utf-8", errors="replace"))

    def decode(self, ids: Sequence[int]) -> str:
        """Converts bytes to text; bytes that are not a whole UTF-8 character become U+FFFD.

        Raises:
            ValueError: an id out of [0, 256).
        """
        check_ids(ids, self.num_tokens)
        return bytes(list(ids)).decode("utf-8", errors="replace")  # bytes(array) would copy a numpy array's memory

    def labels(self, ids: Sequence[int]) -> list[str]:
        """Returns a visible label for each byte.

        A character of several bytes is shown at its first, and "‥" at the others; a byte of an incomplete character, as
        at the end of a text being written, and control characters are hexadecimal; space, newline and tab have symbols.

        Raises:
            ValueError: an id out of [0, 256).
        """
        check_ids(ids, self.num_tokens)
        return run_labels([self.bytes_of(i) for i in ids])

    def bytes_of(self, i: int) -> bytes:
        """Returns the byte of token `i`."""
        return bytes([i])

    def to_dict(self) -> dict[str, Any]:
        """Returns plain values for a JSON card."""
        return {"kind": "bytes"}
