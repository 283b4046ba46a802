"""Tokenizers: bytes, characters, words, or the pieces of words of GPT-2, BERT and others."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from former.tokens.bytes import ByteTokenizer
from former.tokens.characters import CharacterTokenizer
from former.tokens.labels import TokenBeyondModel, visible
from former.tokens.words import PAD, UNK, WordTokenizer

if TYPE_CHECKING:
    from former.tokens.bpe import BpeTokenizer
    from former.tokens.pieces import PieceTokenizer
    from former.tokens.wordpiece import WordPieceTokenizer

__all__ = [
    "PAD",
    "UNK",
    "BpeTokenizer",
    "ByteTokenizer",
    "CharacterTokenizer",
    "PieceTokenizer",
    "TokenBeyondModel",
    "Tokenizer",
    "WordPieceTokenizer",
    "WordTokenizer",
    "from_dict",
    "visible",
]


class Tokenizer(Protocol):
    """The interface of tokenizers; the result of `to_dict` is saved with the model."""

    unit: ClassVar[str]  # kind of token: "byte", "character", "word" or "piece" of a word

    @property
    def num_tokens(self) -> int:
        """Size of the vocabulary."""
        ...

    def encode(self, text: str) -> list[int]:
        """Converts text to ids."""
        ...

    def decode(self, ids: Sequence[int]) -> str:
        """Converts ids to text."""
        ...

    def labels(self, ids: Sequence[int]) -> list[str]:
        """Returns a short visible label for each token, for axes."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """Returns plain values for a JSON card, which `from_dict` reads."""
        ...


_SUBWORDS = {"bpe": "BpeTokenizer", "wordpiece": "WordPieceTokenizer", "pieces": "PieceTokenizer"}  # by module


def __getattr__(name: str) -> Any:
    """Imports the tokenizers that need the `tokenizers` library when they are first used."""
    for module, tokenizer in _SUBWORDS.items():
        if name == tokenizer:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def from_dict(values: dict[str, Any]) -> Tokenizer:
    """Creates the tokenizer from the values that `to_dict` returned.

    Raises:
        ValueError: an unknown kind, or a vocabulary that does not fit.
    """
    kind = values.get("kind")
    if kind == "bytes":
        return ByteTokenizer()
    if kind == "words" and isinstance(words := values.get("words"), list) and all(isinstance(w, str) for w in words):
        return WordTokenizer(words)
    if kind == "characters" and isinstance(characters := values.get("characters"), str):
        return CharacterTokenizer(characters, values.get("tasks", {}))
    if kind in _SUBWORDS and isinstance(definition := values.get("definition"), str):
        ends = {name: values[name] for name in ("closed", "end_token") if name in values}
        return __getattr__(_SUBWORDS[kind])(definition, values.get("num_tokens"), **ends)
    raise ValueError(
        "tokenizer must be of kind 'bytes', 'characters' with a text of them, 'words' with a list of words, or 'bpe', "
        f"'wordpiece' or 'pieces' with a definition, got kind {kind!r}"
    )
