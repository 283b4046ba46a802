"""Pieces of words of any tokenizer that the `tokenizers` library reads, such as Llama's, Mistral's and RoBERTa's."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, ClassVar

from tokenizers import AddedToken, processors

from former.config import require_token
from former.tokens import definition as definitions
from former.tokens.labels import BYTES, check_ids, run_labels

_SPACE = "▁"  # of SentencePiece
_FALLBACK = re.compile(r"<0x([0-9A-F]{2})>")  # a byte of a character that has no piece


class PieceTokenizer:
    """Splits a text by a tokenizer.json, including the special tokens that its post-processor puts around the text.

    Args:
        definition: the text of a tokenizer.json.
        num_tokens: number of tokens of the model, which may have more than the definition; None for as many as
            the definition has.
        end_token: the id of the token that ends a text which a model writes; None without one.
    Raises:
        ValueError: an invalid definition, one that encodes at random, or one that has more tokens than the model, not
            counting added tokens; an `end_token` outside the vocabulary.
    """

    unit: ClassVar[str] = "piece"

    def __init__(self, definition: str, num_tokens: int | None = None, end_token: int | None = None) -> None:
        self._tokenizer: Any = definitions.parse(definition)
        self._added = {i: token.content for i, token in self._tokenizer.get_added_tokens_decoder().items()}
        self._pieces = {i: piece for piece, i in self._tokenizer.get_vocab().items()}
        tried = ("a", *self._pieces.values())
        known = next((text for text in tried if self._tokenizer.encode(text, add_special_tokens=False).ids), "a")
        self._of_bytes = '"type":"ByteLevel"' in definitions.part(self._tokenizer, "decoder")
        alone, whole = (self._tokenizer.encode(known, add_special_tokens=added).ids for added in (False, True))
        starts = range(len(whole) - len(alone) + 1)
        start = next((i for i in starts if whole[i : i + len(alone)] == alone), 0)
        self.before, self.after = whole[:start], whole[start + len(alone) :]  # ids around a text
        two = self._tokenizer.encode(known, known).ids
        self.between = two[len(whole) - len(self.after) : len(two) - len(alone) - len(self.after)]  # and between two
        self.num_tokens, self.closed = definitions.num_tokens(self._tokenizer, num_tokens), bool(self.after)
        self.cls_token, self.sep_token = (ids[0] if ids else None for ids in (self.before, self.after))
        require_token("end_token", end_token, self.num_tokens)
        self.end_token = end_token
        self.mask_token, self.unk_token = (
            next((i for i, token in self._added.items() if token in names), None)
            for names in (("<mask>", "[MASK]"), ("<unk>", "[UNK]"))
        )

    @classmethod
    def around(cls, definition: str, num_tokens: int | None = None, **mask: bool) -> PieceTokenizer:
        """Creates RoBERTa's tokenizer from the definition of a GPT-2 tokenizer that has RoBERTa's vocabulary.

        Args:
            definition, num_tokens: as for the class.
            mask: options of `<mask>`, as for `tokenizers.AddedToken`; without any, it takes the space before it.
        Raises:
            ValueError: a vocabulary without RoBERTa's special tokens.
        """
        tokenizer: Any = definitions.parse(definition)
        known = tokenizer.get_vocab()
        if missing := [token for token in ("<s>", "<pad>", "</s>", "<unk>", "<mask>") if token not in known]:
            raise ValueError(f"vocabulary must have RoBERTa's special tokens, got none for {missing}")
        tokenizer.add_special_tokens(
            ["<s>", "<pad>", "</s>", "<unk>", AddedToken("<mask>", **(mask or {"lstrip": True}))]
        )
        end, begin = (("</s>", known["</s>"]), ("<s>", known["<s>"]))
        tokenizer.post_processor = processors.RobertaProcessing(end, begin, add_prefix_space=False)
        return cls(tokenizer.to_str(), num_tokens)

    def pieces(self, text: str) -> list[int]:
        """Converts text to ids without the tokens around it. A lone surrogate is read as "?".

        Raises:
            TokenBeyondModel: a text with a token that the model does not have.
        """
        return definitions.encode(self._tokenizer, text, self.num_tokens)

    def encode(self, text: str) -> list[int]:
        """Converts text to ids; a special token written in the text, such as "<s>", gets its own id."""
        return [*self.before, *self.pieces(text), *self.after]

    def dropped(self, text: str) -> str:
        """Returns the characters of a text that no token covers, each once: those that the vocabulary lacks, if it has
        no token for the unknown."""
        return definitions.dropped(self._tokenizer, text)

    def words(self, text: str) -> list[tuple[int, int, list[int]]]:
        """Splits a text into words; returns each word's start and end in the text, without spaces around it, and the
        ids of its pieces."""
        return definitions.words(self._tokenizer, text, self.num_tokens, self.mask_token)

    def decode(self, ids: Sequence[int]) -> str:
        """Converts ids to text; leaves out the special tokens around a text.

        Raises:
            ValueError: an id outside the vocabulary.
        """
        check_ids(ids, self.num_tokens)
        frame = {*self.before, *self.after}
        return self._tokenizer.decode([i for i in ids if i not in frame], skip_special_tokens=False)

    def labels(self, ids: Sequence[int]) -> list[str]:
        """Returns the visible text of each token, as `BpeTokenizer.labels`.

        Raises:
            ValueError: an id outside the vocabulary.
        """
        check_ids(ids, self.num_tokens)
        return run_labels([self._bytes(i) for i in ids])

    def bytes_of(self, i: int) -> bytes:
        """Returns the bytes of a token's text; b"" for a special token that is put around a text."""
        return b"" if i in self.before or i in self.after else self._bytes(i)

    def _bytes(self, i: int) -> bytes:
        if i in self._added:
            return self._added[i].encode()
        if i not in self._pieces:
            return definitions.unused(i).encode()
        piece = self._pieces[i]
        if self._of_bytes and BYTES.keys() >= set(piece):
            return bytes(BYTES[char] for char in piece)
        if match := _FALLBACK.fullmatch(piece):
            return bytes([int(match[1], 16)])
        return piece.replace(_SPACE, " ").encode()

    def to_dict(self) -> dict[str, Any]:
        """Returns plain values for a JSON card; `former.save` writes the long definition to a file of its own."""
        end = {} if self.end_token is None else {"end_token": self.end_token}
        return {"kind": "pieces", "num_tokens": self.num_tokens, **end, "definition": self._tokenizer.to_str()}
