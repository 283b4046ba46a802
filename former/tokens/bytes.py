"""Bytes as tokens: nothing to learn, and no text that cannot be read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from former.tokens.labels import CONTINUED, byte_labels, check_ids


class ByteTokenizer:
    """The 256 bytes of UTF-8: every text can be read, and nothing has to be learned first."""

    unit: ClassVar[str] = "byte"
    num_tokens = 256

    def encode(self, text: str) -> list[int]:
        """Text → its UTF-8 bytes. A lone surrogate, which UTF-8 cannot write, becomes "?"."""
        return list(text.encode("utf-8", errors="replace"))

    def decode(self, ids: Sequence[int]) -> str:
        """Bytes → text; bytes that are no whole UTF-8 character become U+FFFD.

        Raises:
            ValueError: an id out of [0, 256).
        """
        check_ids(ids, self.num_tokens)
        return bytes(list(ids)).decode("utf-8", errors="replace")  # a list: of a numpy array, bytes are its memory

    def labels(self, ids: Sequence[int]) -> list[str]:
        """One visible label a byte.

        A character of several bytes stands at its first, "‥" at the others; a byte of half a character, as at the end
        of a text still being written, and a control character show as hexadecimal; space, newline and tab have signs.

        Raises:
            ValueError: an id out of [0, 256).
        """
        check_ids(ids, self.num_tokens)
        return [label or CONTINUED for label in byte_labels(bytes(list(ids)))]

    def bytes_of(self, i: int) -> bytes:
        """The byte that a token is."""
        return bytes([i])

    def to_dict(self) -> dict[str, Any]:
        """Plain values for a JSON card."""
        return {"kind": "bytes"}
