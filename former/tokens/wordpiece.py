"""Pieces of words as BERT reads them: WordPiece (Wu et al. 2016; Devlin et al. 2018)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from former.tokens import definition as definitions
from former.tokens.labels import SPECIAL, check_ids, join_labels, visible

PAD, UNK, CLS, SEP, MASK = SPECIAL


class WordPieceTokenizer:
    """Words cut into the longest pieces the vocabulary has; "##" begins a piece that continues a word.

    A word that cannot be cut so is `[UNK]`. A text stands between `[CLS]` and `[SEP]`; one that a model is to continue
    stands after `[CLS]`.

    Args:
        definition: the text of a tokenizer.json.
        num_tokens: of the model, which may have tokens that are never used, after those that the definition names;
            None for those alone.
        closed: whether a text ends in `[SEP]`.
    Raises:
        ValueError: a definition of another kind of tokenizer, without one of `SPECIAL`, with another token for an
            unknown word, or of more tokens than the model has, those left out that were added.
    """

    unit: ClassVar[str] = "piece"

    def __init__(self, definition: str, num_tokens: int | None = None, closed: bool = True) -> None:
        self._tokenizer = definitions.parse(definition)
        if not isinstance(self._tokenizer.model, models.WordPiece):
            raise ValueError("definition must be of WordPiece, as BERT's, got another kind of tokenizer")
        if missing := [token for token in SPECIAL if self._tokenizer.token_to_id(token) is None]:
            raise ValueError(f"definition must have the tokens {SPECIAL}, got none for {missing}")
        if (unknown := self._tokenizer.model.unk_token) != UNK:
            raise ValueError(f"definition must read an unknown word as {UNK!r}, got {unknown!r}")
        ids = self._tokenizer.get_vocab()
        self.pad_token, self.unk_token, self.cls_token, self.sep_token, self.mask_token = map(ids.__getitem__, SPECIAL)
        self.num_tokens, self.closed = definitions.num_tokens(self._tokenizer, num_tokens), closed
        if beyond := [token for token in SPECIAL if ids[token] >= self.num_tokens]:
            raise ValueError(f"definition must have {beyond[0]} among the model's {self.num_tokens} tokens")

    @classmethod
    def from_vocabulary(
        cls,
        pieces: Sequence[str],
        lower_case: bool = True,
        strip_accents: bool | None = None,
        split_chinese: bool = True,
        num_tokens: int | None = None,
        closed: bool = True,
    ) -> WordPieceTokenizer:
        """BERT's tokenizer from the lines of a vocab.txt.

        Args:
            pieces: the vocabulary in the order of its ids.
            lower_case: whether the text is lower-cased first: True for BERT's uncased models.
            strip_accents: whether é is read as e; None: where it is lower-cased.
            split_chinese: whether each Chinese character is a word.
            num_tokens: of the model; None for those of the vocabulary.
            closed: whether a text ends in `[SEP]`.
        Raises:
            ValueError: a vocabulary that lacks one of `SPECIAL`, or repeats a piece.
        """
        if repeated := [piece for piece, count in Counter(pieces).items() if count > 1]:
            raise ValueError(f"pieces must be distinct, got {repeated[0]!r} more than once")
        ids = {piece: i for i, piece in enumerate(pieces)}
        if missing := [token for token in SPECIAL if token not in ids]:
            raise ValueError(f"pieces must have {SPECIAL}, got none for {missing}")
        tokenizer: Any = Tokenizer(models.WordPiece(ids, unk_token=UNK))
        tokenizer.normalizer = _normalizer(lower_case, strip_accents, split_chinese)
        tokenizer.pre_tokenizer = _pre_tokenizer()
        tokenizer.decoder = decoders.WordPiece()
        tokenizer.post_processor = processors.BertProcessing((SEP, ids[SEP]), (CLS, ids[CLS]))
        tokenizer.add_special_tokens(list(SPECIAL))
        return cls(tokenizer.to_str(), num_tokens, closed)

    @classmethod
    def train(
        cls, texts: Iterable[str], num_tokens: int, lower_case: bool = True, alphabet: int = 200
    ) -> WordPieceTokenizer:
        """Starts from single characters and merges the commonest pair of pieces until the vocabulary is full.

        The same texts give the same tokenizer.

        Args:
            texts: what to count in.
            num_tokens: size of the vocabulary at most; at least 7: `SPECIAL`, and one character in both its places.
            lower_case: as for `from_vocabulary`.
            alphabet: how many characters, the commonest, are pieces; a word with another one is `[UNK]`.
        Raises:
            ValueError: num_tokens or alphabet out of its range.
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
            # Named first: else the library numbers the characters in an order that changes from run to run.
            special_tokens=[*SPECIAL, *characters, *("##" + char for char in characters)],
            initial_alphabet=characters,
            limit_alphabet=len(characters),
            show_progress=False,
        )
        tokenizer.train_from_iterator(texts, trainer)
        vocabulary: dict[str, int] = tokenizer.get_vocab()
        return cls.from_vocabulary(sorted(vocabulary, key=vocabulary.__getitem__), lower_case)

    def pieces(self, text: str) -> list[int]:
        """Text → the ids of its pieces, without `[CLS]` and `[SEP]`. A lone surrogate is read as "?".

        Raises:
            TokenBeyondModel: a text with a token that the model does not have.
        """
        return definitions.encode(self._tokenizer, text, self.num_tokens)

    def words(self, text: str) -> list[tuple[int, int, list[int]]]:
        """The words of a text: where each begins and ends in it, and the ids of its pieces."""
        encoding = definitions.encoding(self._tokenizer, text, self.num_tokens)
        words: list[tuple[int, int, list[int]]] = []
        last = None
        for token, (start, end), word in zip(encoding.ids, encoding.offsets, encoding.word_ids, strict=True):
            if words and word == last and token != self.mask_token:
                words[-1] = (words[-1][0], end, [*words[-1][2], token])
            else:
                words.append((start, end, [token]))
            last = word
        return words

    def encode(self, text: str) -> list[int]:
        """Text → ids: `[CLS]`, the pieces, and `[SEP]` where it is closed.

        A special token written out, such as `[MASK]`, is that token.
        """
        return [self.cls_token, *self.pieces(text), *([self.sep_token] if self.closed else [])]

    def dropped(self, text: str) -> str:
        """The characters of a text that become no token, not even `[UNK]`, each once: controls, zero-width joiners, and
        where accents are stripped combining marks."""
        return definitions.dropped(self._tokenizer, text)

    def encode_pair(self, first: str, second: str) -> tuple[list[int], list[int]]:
        """Two texts → ids `[CLS] first [SEP] second [SEP]`, and the segment of each token: 0, then 1 for the second."""
        left = [self.cls_token, *self.pieces(first), self.sep_token]
        right = [*self.pieces(second), self.sep_token]
        return left + right, [0] * len(left) + [1] * len(right)

    def decode(self, ids: Sequence[int]) -> str:
        """Ids → text, as far as lower-casing and cutting left it; `[CLS]`, `[SEP]` and `[PAD]` are left out.

        Raises:
            ValueError: an id out of the vocabulary.
        """
        check_ids(ids, self.num_tokens)
        frame = (self.cls_token, self.sep_token, self.pad_token)
        return self._tokenizer.decode([i for i in ids if i not in frame], skip_special_tokens=False)

    def labels(self, ids: Sequence[int]) -> list[str]:
        """The piece of each id, "##" before one that continues a word.

        Raises:
            ValueError: an id out of the vocabulary.
        """
        check_ids(ids, self.num_tokens)
        return [join_labels(map(visible, self._tokenizer.id_to_token(i) or definitions.unused(i))) for i in ids]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for a JSON card; `former.save` keeps the long definition in a file of its own."""
        plain = {"kind": "wordpiece", "num_tokens": self.num_tokens, "definition": self._tokenizer.to_str()}
        return plain if self.closed else {**plain, "closed": False}


def special_ids(tokenizer: object) -> tuple[int, ...]:
    """The ids that a tokenizer puts around a text and that are no text themselves: [CLS] and [SEP] of a WordPiece."""
    return (tokenizer.cls_token, tokenizer.sep_token) if isinstance(tokenizer, WordPieceTokenizer) else ()


def _normalizer(lower_case: bool, strip_accents: bool | None, split_chinese: bool) -> Any:
    return normalizers.BertNormalizer(
        clean_text=True, handle_chinese_chars=split_chinese, strip_accents=strip_accents, lowercase=lower_case
    )


def _pre_tokenizer() -> Any:
    """Cuts at spaces and around punctuation."""
    return pre_tokenizers.BertPreTokenizer()
