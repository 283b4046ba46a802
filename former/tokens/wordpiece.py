"""BERT's pieces of words: WordPiece (Wu et al. 2016; Devlin et al. 2018)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Sequence
from typing import Any, ClassVar

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from former.tokens import definition as definitions
from former.tokens.labels import SPECIAL, check_ids, join_labels, visible

PAD, UNK, CLS, SEP, MASK = SPECIAL


class WordPieceTokenizer:
    """Splits words into the longest pieces in the vocabulary; "##" marks a piece that continues a word.

    A word that cannot be split becomes `[UNK]`. A text is put between `[CLS]` and `[SEP]`, or, for a model that
    continues it, only after `[CLS]`.

    Args:
        definition: the text of a tokenizer.json.
        num_tokens: number of tokens of the model, which may have more than the definition; None for as many as
            the definition has.
        closed: whether texts end with `[SEP]`; if not, the vocabulary may lack `[PAD]` and `[MASK]`.
    Raises:
        ValueError: another kind of tokenizer, without a special token that it needs, with another unknown token than
            `[UNK]`, or with more tokens, not counting added ones, than the model.
    """

    unit: ClassVar[str] = "piece"

    def __init__(self, definition: str, num_tokens: int | None = None, closed: bool = True) -> None:
        self._tokenizer = definitions.parse(definition)
        if not isinstance(self._tokenizer.model, models.WordPiece):
            raise ValueError("definition must be WordPiece, like BERT's, got another kind of tokenizer")
        ids = self._tokenizer.get_vocab()
        _require("definition", ids, closed)
        if (unknown := self._tokenizer.model.unk_token) != UNK:
            raise ValueError(f"definition must read an unknown word as {UNK!r}, got {unknown!r}")
        self.unk_token, self.cls_token, self.sep_token = (ids[token] for token in (UNK, CLS, SEP))
        # Both an int, unless the vocabulary of a model that continues texts lacks the token: then None.
        self.pad_token: Any = ids.get(PAD)
        self.mask_token: Any = ids.get(MASK)
        self.num_tokens, self.closed = definitions.num_tokens(self._tokenizer, num_tokens), closed
        if beyond := [token for token in _needed(closed) if ids[token] >= self.num_tokens]:
            raise ValueError(f"definition must have {beyond[0]} among the model's {self.num_tokens} tokens")

    @classmethod
    def from_vocabulary(
        cls,
        pieces: Sequence[str],
        lower_case: bool = True,
        strip_accents: bool | None = None,
        split_chinese: bool = True,
        closed: bool = True,
    ) -> WordPieceTokenizer:
        """Creates BERT's tokenizer from the lines of a vocab.txt.

        Args:
            pieces: the vocabulary in the order of ids.
            lower_case: whether texts are lower-cased first: True for BERT's uncased models.
            strip_accents: whether é is read as e; None: only if lower-cased.
            split_chinese: whether each Chinese character is a word.
            closed: as for the class.
        Raises:
            ValueError: the vocabulary lacks a special token that it needs, or repeats a piece.
        """
        if repeated := [piece for piece, count in Counter(pieces).items() if count > 1]:
            raise ValueError(f"pieces must be distinct, got {repeated[0]!r} more than once")
        ids = {piece: i for i, piece in enumerate(pieces)}
        _require("pieces", ids, closed)
        tokenizer: Any = Tokenizer(models.WordPiece(ids, unk_token=UNK))
        tokenizer.normalizer = _normalizer(lower_case, strip_accents, split_chinese)
        tokenizer.pre_tokenizer = _pre_tokenizer()
        tokenizer.decoder = decoders.WordPiece()
        tokenizer.post_processor = processors.BertProcessing((SEP, ids[SEP]), (CLS, ids[CLS]))
        tokenizer.add_special_tokens([token for token in SPECIAL if token in ids])
        return cls(tokenizer.to_str(), closed=closed)

    @classmethod
    def train(
        cls, texts: Iterable[str], num_tokens: int, lower_case: bool = True, alphabet: int = 200
    ) -> WordPieceTokenizer:
        """Learns a vocabulary: starts from characters and merges the most frequent pair of pieces until it is full.

        The same texts give the same tokenizer.

        Args:
            texts: to count pairs in.
            num_tokens: maximal size of the vocabulary; at least 7: `SPECIAL`, and one character with and without "##".
            lower_case: as in `from_vocabulary`.
            alphabet: number of characters, the most frequent, that are pieces; a word with another one is `[UNK]`.
        Raises:
            ValueError: num_tokens or alphabet out of range.
        """
        if num_tokens < len(SPECIAL) + 2:
            raise ValueError(f"num_tokens must be at least {len(SPECIAL) + 2}, got {num_tokens}")
        if alphabet < 1:
            raise ValueError(f"alphabet must be at least 1, got {alphabet}")
        tokenizer: Any = Tokenizer(models.WordPiece(unk_token=UNK))
        tokenizer.normalizer = _normalizer(lower_case, None, True)
        tokenizer.pre_tokenizer = _pre_tokenizer()
        texts = list(texts)
        counts = Counter(char for text in texts for char in tokenizer.normalizer.normalize_str(text))
        ranked = sorted((char for char in counts if not char.isspace()), key=lambda char: (-counts[char], char))
        characters = sorted(ranked[: min(alphabet, (num_tokens - len(SPECIAL)) // 2)])
        trainer = trainers.WordPieceTrainer(
            vocab_size=num_tokens,
            # Set explicitly, as the library would number the characters in an order that changes from run to run.
            special_tokens=[*SPECIAL, *characters, *("##" + char for char in characters)],
            initial_alphabet=characters,
            limit_alphabet=len(characters),
            show_progress=False,
        )
        tokenizer.train_from_iterator(texts, trainer)
        vocabulary: dict[str, int] = tokenizer.get_vocab()
        return cls.from_vocabulary(sorted(vocabulary, key=vocabulary.__getitem__), lower_case)

    def pieces(self, text: str) -> list[int]:
        """Converts text to the ids of its pieces, without `[CLS]` and `[SEP]`. A lone surrogate is read as "?".

        Raises:
            TokenBeyondModel: a text with a token that the model does not have.
        """
        return definitions.encode(self._tokenizer, text, self.num_tokens)

    def words(self, text: str) -> list[tuple[int, int, list[int]]]:
        """Splits a text into words; returns each word's start and end in the text, and the ids of its pieces."""
        return definitions.words(self._tokenizer, text, self.num_tokens, self.mask_token)

    def encode(self, text: str) -> list[int]:
        """Converts text to ids: `[CLS]`, the pieces, and `[SEP]` if `closed`.

        A special token written in the text, such as `[MASK]`, gets its own id.
        """
        return [self.cls_token, *self.pieces(text), *([self.sep_token] if self.closed else [])]

    def dropped(self, text: str) -> str:
        """Returns the characters of a text that no token covers, not even `[UNK]`, each once: controls, zero-width
        joiners and, if accents are stripped, combining marks."""
        return definitions.dropped(self._tokenizer, text)

    def encode_pair(self, first: str, second: str) -> tuple[list[int], list[int]]:
        """Converts two texts to ids `[CLS] first [SEP] second [SEP]`, and the segment of each token: 0, then 1."""
        left = [self.cls_token, *self.pieces(first), self.sep_token]
        right = [*self.pieces(second), self.sep_token]
        return left + right, [0] * len(left) + [1] * len(right)

    def decode(self, ids: Sequence[int]) -> str:
        """Converts ids to text, still lower-cased and split at punctuation; `[CLS]`, `[SEP]` and `[PAD]` are left out.

        Raises:
            ValueError: an id outside the vocabulary.
        """
        check_ids(ids, self.num_tokens)
        frame = (self.cls_token, self.sep_token, self.pad_token)
        return self._tokenizer.decode([i for i in ids if i not in frame], skip_special_tokens=False)

    def labels(self, ids: Sequence[int]) -> list[str]:
        """Returns the piece of each id, with "##" if it continues a word.

        Raises:
            ValueError: an id outside the vocabulary.
        """
        check_ids(ids, self.num_tokens)
        return [join_labels(map(visible, self._tokenizer.id_to_token(i) or definitions.unused(i))) for i in ids]

    def to_dict(self) -> dict[str, Any]:
        """Returns plain values for a JSON card; `former.save` writes the long definition to a file of its own."""
        plain = {"kind": "wordpiece", "num_tokens": self.num_tokens, "definition": self._tokenizer.to_str()}
        return plain if self.closed else {**plain, "closed": False}


def _needed(closed: bool) -> tuple[str, ...]:
    """Returns the special tokens that a vocabulary must have: for texts that are continued, not `[PAD]` and
    `[MASK]`."""
    return SPECIAL if closed else (UNK, CLS, SEP)


def _require(name: str, known: Container[str], closed: bool) -> None:
    """Raises ValueError unless a vocabulary has the special tokens that it needs."""
    if missing := [token for token in _needed(closed) if token not in known]:
        raise ValueError(f"{name} must have the tokens {_needed(closed)}, got none for {missing}")


def _normalizer(lower_case: bool, strip_accents: bool | None, split_chinese: bool) -> Any:
    return normalizers.BertNormalizer(
        clean_text=True, handle_chinese_chars=split_chinese, strip_accents=strip_accents, lowercase=lower_case
    )


def _pre_tokenizer() -> Any:
    """Splits at spaces and around punctuation."""
    return pre_tokenizers.BertPreTokenizer()
