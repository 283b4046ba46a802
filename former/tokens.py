"""Text to token ids and back: bytes for the generator, words for the classifier."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

PAD, UNK = "<pad>", "<unk>"

_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_WORD = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")  # a word with its apostrophes, or one sign


class Tokenizer(Protocol):
    """What a model's tokenizer can do; `to_dict` is how it is saved beside the model."""

    @property
    def num_tokens(self) -> int:
        """Size of the vocabulary."""
        ...

    def encode(self, text: str) -> list[int]:
        """Text → ids."""
        ...

    def decode(self, ids: Sequence[int]) -> str:
        """Ids → text."""
        ...

    def labels(self, ids: Sequence[int]) -> list[str]:
        """One short visible label for each token, to stand on an axis."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """Plain values for a JSON card; `from_dict` reads them."""
        ...


class ByteTokenizer:
    """The 256 bytes of UTF-8: every text can be read, and nothing has to be learned first."""

    num_tokens = 256

    def encode(self, text: str) -> list[int]:
        """Text → its UTF-8 bytes. A lone surrogate, which UTF-8 cannot write, becomes "?"."""
        return list(text.encode("utf-8", errors="replace"))

    def decode(self, ids: Sequence[int]) -> str:
        """Bytes → text; bytes that are no whole UTF-8 character become U+FFFD.

        Raises:
            ValueError: an id out of [0, 256).
        """
        _check_ids(ids, self.num_tokens)
        return bytes(ids).decode("utf-8", errors="replace")

    def labels(self, ids: Sequence[int]) -> list[str]:
        """One visible label a byte.

        A character of several bytes stands at its first, "‥" at the others; a byte of half a character, as at the end
        of a text still being written, shows as its hexadecimal value; space, newline and control characters have signs.

        Raises:
            ValueError: an id out of [0, 256).
        """
        _check_ids(ids, self.num_tokens)
        labels: list[str] = []
        # surrogateescape decodes each byte that is no UTF-8 to a surrogate of its own, so lengths stay known.
        for char in bytes(ids).decode("utf-8", errors="surrogateescape"):
            if "\udc80" <= char <= "\udcff":
                labels.append(f"x{ord(char) - 0xDC00:02X}")
            else:
                labels += [visible(char), *["‥"] * (len(char.encode()) - 1)]
        return labels

    def to_dict(self) -> dict[str, Any]:
        """Plain values for a JSON card."""
        return {"kind": "bytes"}


class WordTokenizer:
    """Lower-cased words and signs; what the vocabulary lacks is `<unk>`.

    Args:
        words: the vocabulary in the order of its ids; `<pad>` is 0 and `<unk>` is 1.
    Raises:
        ValueError: a vocabulary that does not begin so, or repeats a word.
    """

    def __init__(self, words: Sequence[str]) -> None:
        if list(words[:2]) != [PAD, UNK]:
            raise ValueError(f"words must begin with {PAD!r} and {UNK!r}, got {list(words[:2])}")
        self.words = tuple(words)
        self._ids = {word: i for i, word in enumerate(self.words)}
        if len(self._ids) != len(self.words):
            repeated = next(word for word, count in Counter(self.words).items() if count > 1)
            raise ValueError(f"words must be distinct, got {repeated!r} more than once")

    @classmethod
    def build(cls, texts: Iterable[str], num_tokens: int) -> WordTokenizer:
        """A vocabulary of the most frequent words; of two as frequent, the first in the alphabet.

        Args:
            texts: what to count in.
            num_tokens: size of the vocabulary at most, `<pad>` and `<unk>` among it; at least 2.
        Raises:
            ValueError: num_tokens below 2.
        """
        if num_tokens < len((PAD, UNK)):
            raise ValueError(f"num_tokens must be at least 2, got {num_tokens}")
        counts = Counter(word for text in texts for word in cls.split(text))
        ranked = sorted(counts, key=lambda word: (-counts[word], word))
        return cls([PAD, UNK, *ranked[: num_tokens - 2]])

    @staticmethod
    def split(text: str) -> list[str]:
        """Text → words and signs, lower-cased, HTML line breaks left out; one for each id of `encode`."""
        return _WORD.findall(_BREAK.sub(" ", text).lower())

    @property
    def num_tokens(self) -> int:
        """Size of the vocabulary."""
        return len(self.words)

    def encode(self, text: str) -> list[int]:
        """Text → ids; `<unk>` for a word the vocabulary lacks. Never `<pad>`."""
        unknown = self._ids[UNK]
        return [self._ids.get(word, unknown) for word in self.split(text)]

    def decode(self, ids: Sequence[int]) -> str:
        """Ids → the words, a space between them; padding is left out.

        Raises:
            ValueError: an id out of the vocabulary.
        """
        return " ".join(label for label in self.labels(ids) if label != PAD)

    def labels(self, ids: Sequence[int]) -> list[str]:
        """The word of each id.

        Raises:
            ValueError: an id out of the vocabulary.
        """
        _check_ids(ids, self.num_tokens)
        return [self.words[i] for i in ids]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for a JSON card."""
        return {"kind": "words", "words": list(self.words)}


def from_dict(values: dict[str, Any]) -> Tokenizer:
    """The tokenizer that `to_dict` described.

    Raises:
        ValueError: a kind that is not known, or a vocabulary that does not fit.
    """
    kind = values.get("kind")
    if kind == "bytes":
        return ByteTokenizer()
    if kind == "words" and isinstance(words := values.get("words"), list) and all(isinstance(w, str) for w in words):
        return WordTokenizer(words)
    raise ValueError(f"tokenizer must be of kind 'bytes', or 'words' with a list of words, got kind {kind!r}")


def visible(char: str) -> str:
    """One character as a label that can be seen: signs for space and controls, a code point for what has no glyph."""
    signs = {" ": "␣", "\n": "⏎", "\t": "⇥", "\x7f": "␡"}
    if char in signs:
        return signs[char]
    if char < " ":
        return chr(0x2400 + ord(char))  # Unicode's control pictures
    category = unicodedata.category(char)
    if category[0] in "CZ":  # controls, formats such as right-to-left marks, and odd spaces
        return f"U+{ord(char):04X}"
    return "◌" + char if category[0] == "M" else char  # a combining mark needs something to sit on


def _check_ids(ids: Sequence[int], num_tokens: int) -> None:
    for i in ids:
        if not 0 <= i < num_tokens:
            raise ValueError(f"ids must be in [0, {num_tokens}), got {i}")
