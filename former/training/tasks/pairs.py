"""BERT's training texts: articles as pieces of words, and rows of two passages.

A row is `[CLS] first [SEP] second [SEP]`. The first passage ends at the end of a sentence, and the second begins at the
beginning of one. In half of the rows the second passage follows the first; in a quarter it comes from another article;
in a quarter from elsewhere in the same article. The last case is the hardest, because the topic is the same.

Sizes: b batch, t tokens, n positions per row whose piece is predicted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from former.tokens.wordpiece import WordPieceTokenizer
from former.training.data import ARTICLES

FOLLOWS, OTHER_ARTICLE, SAME_ARTICLE = range(3)
CHOSEN = 0.15  # share of pieces to predict
HIDDEN, REPLACED = 0.8, 0.1  # shares of these that [MASK] or a random piece replaces
IGNORED = -100  # as a target: not scored, by convention of `F.cross_entropy`

SHORTEST = 5  # tokens of a row: [CLS] a [SEP] b [SEP]

_SENTENCES = re.compile(r"""(?<=[.!?])\s+|(?<=[.!?]["')\]])\s+|\n+""")


class Corpus(NamedTuple):
    """The pieces of all articles, one after another."""

    pieces: Tensor  # int32 (tokens,)
    articles: Tensor  # index of each article's first piece, and the end of the last
    sentences: Tensor  # index of each sentence's first piece, without the first sentence of each article

    @classmethod
    def read(cls, text: str, tokenizer: WordPieceTokenizer) -> Corpus:
        """Splits a text into articles, at two blank lines, and articles into sentences.

        Raises:
            ValueError: the text has fewer than two articles of two sentences.
        """
        pieces: list[Tensor] = []
        articles, sentences, length = [0], [], 0
        for article in text.split(ARTICLES):
            for sentence in _SENTENCES.split(article):
                if ids := tokenizer.pieces(sentence):
                    if length > articles[-1]:
                        sentences.append(length)
                    pieces.append(torch.tensor(ids, dtype=torch.int32))
                    length += len(ids)
            if length > articles[-1]:
                articles.append(length)
        corpus = cls(torch.cat([torch.empty(0, dtype=torch.int32), *pieces]), *map(torch.tensor, (articles, sentences)))
        if not sentences or corpus.article(0) == corpus.article(-1):
            raise ValueError("the text must hold two articles of two sentences, with two blank lines between articles")
        return corpus

    def article(self, sentence: int) -> int:
        """Returns the index of the article that contains the sentence with this index."""
        return int(torch.searchsorted(self.articles, self.sentences[sentence], right=True)) - 1

    def pair(self, numbers: Sequence[float], room: int) -> tuple[Tensor, Tensor, int]:
        """Returns two passages and their relation: FOLLOWS, OTHER_ARTICLE or SAME_ARTICLE.

        Args:
            numbers: four random numbers in [0, 1), which determine the result.
            room: maximum length of both passages together, at least 2.
        """
        where, share, kind, where_else = numbers
        sentence = int(where * len(self.sentences))
        article, cut = self.article(sentence), int(self.sentences[sentence])
        before = max(1, int(room * (0.25 + 0.5 * share)))
        begin = max(int(self.articles[article]), cut - before)
        second, how = cut, FOLLOWS
        if kind >= 0.75 and (places := self._elsewhere(article, begin, cut, room - before)):
            second, how = places[int(where_else * len(places))], SAME_ARTICLE
        elif kind >= 0.5:
            first, last = self._sentences_of(article)
            others = len(self.sentences) - (last - first)
            number = int(where_else * others)
            number += (last - first) * (number >= first)  # skips the sentences of this article
            second, how = int(self.sentences[number]), OTHER_ARTICLE
            article = self.article(number)
        end = min(int(self.articles[article + 1]), second + room - before)
        return self.pieces[begin:cut], self.pieces[second:end], how

    def _sentences_of(self, article: int) -> tuple[int, int]:
        first, last = torch.searchsorted(self.sentences, self.articles[article : article + 2]).tolist()
        return first, last

    def _elsewhere(self, article: int, begin: int, cut: int, room: int) -> list[int]:
        """Returns the sentences of an article whose next `room` pieces neither overlap nor follow begin:cut."""
        starts = self.sentences[slice(*self._sentences_of(article))]
        return starts[(starts > cut + room) | (starts + room < begin)].tolist()


def rows(corpus: Corpus, tokenizer: WordPieceTokenizer, count: int, length: int, random: torch.Generator) -> Rows:
    """Draws rows from a corpus, and chooses the pieces to predict.

    Args:
        corpus: the source of the passages.
        tokenizer: of the corpus.
        count: number of rows, b.
        length: tokens per row with padding, t; at least `SHORTEST`.
        random: source of all random numbers.
    """
    tokens = torch.full((count, length), tokenizer.pad_token)
    segments = torch.zeros_like(tokens)
    belongs = torch.empty(count, dtype=torch.long)
    for row, numbers in enumerate(torch.rand(count, 4, generator=random, dtype=torch.float64).tolist()):
        first, second, belongs[row] = corpus.pair(numbers, length - 3)
        middle, end = len(first) + 2, len(first) + len(second) + 3
        tokens[row, 0], tokens[row, middle - 1], tokens[row, end - 1] = tokenizer.cls_token, *[tokenizer.sep_token] * 2
        tokens[row, 1 : middle - 1], tokens[row, middle : end - 1] = first, second
        segments[row, middle:end] = 1
    return Rows(*hide(tokens, tokenizer, random), segments, belongs)


class Rows(NamedTuple):
    """The inputs and targets of a batch."""

    tokens: Tensor  # (b, t)
    places: Tensor  # (b, n), positions of the pieces to predict
    targets: Tensor  # (b, n), these pieces; IGNORED if a short row has fewer than n
    segments: Tensor  # (b, t), 0 for the first passage, 1 for the second
    belongs: Tensor  # (b,), FOLLOWS, OTHER_ARTICLE or SAME_ARTICLE


def hide(tokens: Tensor, tokenizer: WordPieceTokenizer, random: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
    """Chooses 15 % of each row's pieces to predict: 80 % of them become [MASK], 10 % a random piece, 10 % stay.

    The random and the unchanged pieces make a model also read pieces that are not hidden (Devlin et al. 2018, section
    3.1).

    Args:
        tokens: (b, t).
        tokenizer: of the tokens.
        random: source of all random numbers.
    Returns:
        tokens (b, t), places (b, n) and targets (b, n), as in `Rows`.
    """
    special = torch.tensor([tokenizer.pad_token, tokenizer.cls_token, tokenizer.sep_token])
    free = ~torch.isin(tokens, special)  # (b, t)
    most = max(1, round(CHOSEN * tokens.shape[1]))  # n
    order = torch.rand(tokens.shape, generator=random).masked_fill(~free, -1)
    places = order.topk(most).indices  # (b, n), in random order
    selection = torch.arange(most) < (CHOSEN * free.sum(1, keepdim=True)).round().clamp(min=1)
    pieces = tokens.gather(1, places)
    what = torch.rand(pieces.shape, generator=random)
    ordinary = _ordinary(tokenizer)
    others = ordinary[torch.randint(len(ordinary), pieces.shape, generator=random)]
    inputs = torch.where(what < HIDDEN, tokenizer.mask_token, pieces)
    inputs = torch.where((what >= HIDDEN) & (what < HIDDEN + REPLACED), others, inputs)
    tokens = tokens.scatter(1, places, torch.where(selection, inputs, pieces))
    return tokens, places, torch.where(selection, pieces, IGNORED)


def _ordinary(tokenizer: WordPieceTokenizer) -> Tensor:
    """Returns the ids of all pieces except special tokens."""
    special = (tokenizer.pad_token, tokenizer.unk_token, tokenizer.cls_token, tokenizer.sep_token, tokenizer.mask_token)
    return torch.tensor([i for i in range(tokenizer.num_tokens) if i not in special])
