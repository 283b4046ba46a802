"""GPT-2's pieces of words: byte-level byte-pair encoding (Sennrich et al. 2016; Radford et al. 2019)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from former.checks import is_whole
from former.tokens import definition as definitions
from former.tokens.labels import BYTES, check_ids, run_labels

END = "<|endoftext|>"  # GPT-2's only special token, between texts


class BpeTokenizer:
    """Byte-level BPE: frequent runs of bytes are merged into tokens, so every text can be encoded.

    Args:
        definition: the text of a tokenizer.json.
        num_tokens: number of tokens of the model, which may have more than the definition; None for as many as
            the definition has.
    Raises:
        ValueError: another kind of tokenizer, one that cannot encode every byte or that encodes at random, or one that
            has more tokens than the model, not counting added tokens.
    """

    unit: ClassVar[str] = "piece"

    def __init__(self, definition: str, num_tokens: int | None = None) -> None:
        self._tokenizer = definitions.parse(definition)
        if not isinstance(self._tokenizer.model, models.BPE) or not isinstance(
            self._tokenizer.decoder, decoders.ByteLevel
        ):
            raise ValueError("definition must be byte-level BPE, like GPT-2's, got another kind of tokenizer")
        # Tokens added to the merged vocabulary, such as the end of text, are written unencoded.
        self._added = {i: token.content for i, token in self._tokenizer.get_added_tokens_decoder().items()}
        known = self._tokenizer.get_vocab()
        self._pieces = {i: piece for piece, i in known.items()}
        for i, piece in self._pieces.items():
            if i not in self._added and not BYTES.keys() >= set(piece):
                raise ValueError(f"definition must be byte-level BPE, got the token {piece!r}")
        if missing := [byte for char, byte in BYTES.items() if char not in known]:
            raise ValueError(f"definition must have a token for each byte, got none for {bytes(missing[:1])!r}")
        self.num_tokens = definitions.num_tokens(self._tokenizer, num_tokens)

    @classmethod
    def from_vocabulary(cls, vocabulary: Mapping[str, int], merges: Sequence[tuple[str, str]]) -> BpeTokenizer:
        """Creates GPT-2's tokenizer from its two tables.

        Args:
            vocabulary: each token's id, as in a vocab.json.
            merges: pairs of tokens in the order of merging, as in a merges.txt.
        Raises:
            ValueError: tables that do not fit each other, or ids that are not 0, 1, 2, …, each once.
        """
        if odd := [i for i in vocabulary.values() if not is_whole(i) or i < 0]:
            raise ValueError(f"vocabulary must map each token to a whole number of at least 0, got {odd[0]!r}")
        if len(set(vocabulary.values())) < len(vocabulary):
            raise ValueError("vocabulary must map each token to its own id, got one id for two tokens")
        try:
            tokenizer = _byte_level(models.BPE(dict(vocabulary), list(merges)))
        except Exception as error:  # the library raises nothing narrower
            raise ValueError(f"vocabulary and merges must fit each other, got: {error}") from error
        if END in vocabulary:
            tokenizer.add_special_tokens([END])
        return cls(tokenizer.to_str())

    @classmethod
    def train(cls, texts: Iterable[str], num_tokens: int) -> BpeTokenizer:
        """Learns a vocabulary: starts from the 256 bytes and merges the most frequent pair of tokens until it is full.

        The same texts give the same tokenizer. As in GPT-2, the last token is the end of text.

        Args:
            texts: to count pairs in; no token spans two of them.
            num_tokens: maximal size of the vocabulary; at least 257, the bytes and the end of text.
        Raises:
            ValueError: num_tokens below 257.
        """
        if num_tokens < 257:
            raise ValueError(f"num_tokens must be at least 257, got {num_tokens}")
        tokenizer = _byte_level(models.BPE())
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        trainer = trainers.BpeTrainer(vocab_size=num_tokens - 1, initial_alphabet=alphabet, show_progress=False)
        tokenizer.train_from_iterator(texts, trainer)
        tokenizer.add_special_tokens([END])
        return cls(tokenizer.to_str())

    @property
    def end_token(self) -> int | None:
        """The id of the end of text; None if the model lacks this token."""
        end = self._tokenizer.token_to_id(END)
        return end if end is not None and end < self.num_tokens else None

    def encode(self, text: str) -> list[int]:
        """Converts text to ids. Special tokens in it, such as `<|endoftext|>`, are encoded as such; a lone surrogate
        becomes "?".

        Raises:
            TokenBeyondModel: a text with a token that the model does not have.
        """
        return definitions.encode(self._tokenizer, text, self.num_tokens)

    def dropped(self, text: str) -> str:
        """Returns the characters of a text that no token covers, each once: those that the definition's normalizer or
        pre-tokenizer removes."""
        return definitions.dropped(self._tokenizer, text)

    def decode(self, ids: Sequence[int]) -> str:
        """Converts ids to text; bytes that are not a whole UTF-8 character become U+FFFD.

        Raises:
            ValueError: an id outside the vocabulary.
        """
        check_ids(ids, self.num_tokens)
        return self._tokenizer.decode(ids, skip_special_tokens=False)

    def labels(self, ids: Sequence[int]) -> list[str]:
        """Returns the visible text of each token, with "␣" for a space.

        A character split between tokens is shown at the first, and "‥" at tokens that only continue it; a byte of an
        incomplete character is shown in hexadecimal.

        Raises:
            ValueError: an id outside the vocabulary.
        """
        check_ids(ids, self.num_tokens)
        return run_labels([self.bytes_of(i) for i in ids])

    def byte_counts(self, ids: Sequence[int]) -> list[int]:
        """Returns the number of bytes of text in each token.

        Raises:
            ValueError: an id outside the vocabulary.
        """
        check_ids(ids, self.num_tokens)
        return [len(self.bytes_of(i)) for i in ids]

    def to_dict(self) -> dict[str, Any]:
        """Returns plain values for a JSON card; `former.save` writes the long definition to a file of its own."""
        return {"kind": "bpe", "num_tokens": self.num_tokens, "definition": self._tokenizer.to_str()}

    def bytes_of(self, i: int) -> bytes:
        """Returns the bytes of the text of token `i`."""
        if i in self._added:
            return self._added[i].encode()
        if i not in self._pieces:
            return definitions.unused(i).encode()
        return bytes(BYTES[char] for char in self._pieces[i])


def _byte_level(model: Any) -> Any:
    """Adds GPT-2's rules for splitting text before merging to a BPE model."""
    tokenizer: Any = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer
