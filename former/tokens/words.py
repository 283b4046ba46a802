"""Words as tokens: the most frequent words of the training texts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from former.checks import require_instance
from former.tokens.labels import check_ids, join_labels, visible

PAD, UNK = "<pad>", "<unk>"
PAD_ID, UNK_ID = 0, 1  # in every vocabulary of words

_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_WORD = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")  # a word with its apostrophes, or one symbol


class WordTokenizer:
    """Lower-cased words and punctuation; unknown words are `<unk>`.

    Args:
        words: the vocabulary in the order of ids; `<pad>` is 0 and `<unk>` is 1.
    Raises:
        ValueError: the vocabulary does not begin with these, or repeats a word.
    """

    unit: ClassVar[str] = "word"
    unk_token = UNK_ID

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
        """Creates a vocabulary of the most frequent words; ties are in alphabetical order.

        Args:
            texts: to count words in.
            num_tokens: maximal size of the vocabulary, with `<pad>` and `<unk>`; at least 2.
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
        """Splits text into words and punctuation, lower-cased, without HTML breaks; one for each id of `encode`."""
        require_instance("text", text, str)
        return _WORD.findall(_BREAK.sub(" ", text).lower())

    @property
    def num_tokens(self) -> int:
        """Size of the vocabulary."""
        return len(self.words)

    def encode(self, text: str) -> list[int]:
        """Converts text to ids; `<unk>` for unknown words. Never `<pad>`."""
        return [self._ids.get(word, UNK_ID) for word in self.split(text)]

    def decode(self, ids: Sequence[int]) -> str:
        """Converts ids to words, joined by spaces; padding is left out.

        Raises:
            ValueError: an id outside the vocabulary.
        """
        return " ".join(label for label in self.labels(ids) if label != PAD)

    def labels(self, ids: Sequence[int]) -> list[str]:
        """Returns the word of each id.

        Raises:
            ValueError: an id outside the vocabulary.
        """
        check_ids(ids, self.num_tokens)
        return [self.words[i] for i in ids]

    def to_dict(self) -> dict[str, Any]:
        """Returns plain values for a JSON card."""
        return {"kind": "words", "words": list(self.words)}


def with_typed(labels: list[str], typed: Sequence[str]) -> list[str]:
    """Adds to the label of each unknown word or character what was typed, with spaces made visible."""
    shown = [join_labels(visible(char) for char in word) for word in typed]
    return [f"{UNK} {word}" if label == UNK else label for label, word in zip(labels, shown, strict=True)]
