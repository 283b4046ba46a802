"""The texts BERT learns from: articles as pieces of words, and two stretches of them put side by side.

A row is `[CLS] first [SEP] second [SEP]`. The first ends with a sentence and the second begins with one. In half of
the rows the second goes on where the first ends; in a quarter it comes from another article, in a quarter from
elsewhere in the same one, which only the thread of the text can tell: another article mostly has another topic.

Sizes: b batch, t tokens, n places that are chosen in a row.
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
CHOSEN, HIDDEN, REPLACED = 0.15, 0.8, 0.1  # share of pieces to say; of those, behind [MASK] or another in their place
IGNORED = -100  # the target of a place that does not count, as cross-entropy has it

SHORTEST = 5  # a row: [CLS] a [SEP] b [SEP]

_SENTENCES = re.compile(r"""(?<=[.!?])\s+|(?<=[.!?]["')\]])\s+|\n+""")


class Corpus(NamedTuple):
    """Articles as pieces in a row."""

    pieces: Tensor  # int32 (tokens,)
    articles: Tensor  # where each begins, and where the last ends
    sentences: Tensor  # where each begins that is not the first of its article

    @classmethod
    def read(cls, text: str, tokenizer: WordPieceTokenizer) -> Corpus:
        """Cuts a text into articles, at two blank lines, and those into sentences.

        Raises:
            ValueError: a text with fewer than two articles of two sentences.
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
        """The number of the article that a sentence stands in, both from 0."""
        return int(torch.searchsorted(self.articles, self.sentences[sentence], right=True)) - 1

    def pair(self, numbers: Sequence[float], room: int) -> tuple[Tensor, Tensor, int]:
        """Two stretches of up to `room` pieces together, and how they belong: FOLLOWS or another of the three.

        Args:
            numbers: four in [0, 1), which decide everything.
            room: at least 2.
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
            number += (last - first) * (number >= first)  # past the sentences of this article
            second, how = int(self.sentences[number]), OTHER_ARTICLE
            article = self.article(number)
        end = min(int(self.articles[article + 1]), second + room - before)
        return self.pieces[begin:cut], self.pieces[second:end], how

    def _sentences_of(self, article: int) -> tuple[int, int]:
        first, last = torch.searchsorted(self.sentences, self.articles[article : article + 2]).tolist()
        return first, last

    def _elsewhere(self, article: int, begin: int, cut: int, room: int) -> list[int]:
        """The sentences of an article from which `room` pieces neither follow nor meet those from begin to cut."""
        starts = self.sentences[slice(*self._sentences_of(article))]
        return starts[(starts > cut + room) | (starts + room < begin)].tolist()


def rows(corpus: Corpus, tokenizer: WordPieceTokenizer, count: int, length: int, random: torch.Generator) -> Rows:
    """Rows of a corpus, with a share of their pieces chosen to be said.

    Args:
        corpus: what to draw from.
        tokenizer: what it was read with.
        count: b, how many.
        length: t, at most; `SHORTEST` or more.
        random: where all choices come from.
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
    """What a model reads, and what it should say."""

    tokens: Tensor  # (b, t)
    places: Tensor  # (b, n), where pieces are to be said
    targets: Tensor  # (b, n), those pieces; IGNORED where a short row has fewer
    segments: Tensor  # (b, t)
    belongs: Tensor  # (b,), of FOLLOWS and the others


def hide(tokens: Tensor, tokenizer: WordPieceTokenizer, random: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
    """Chooses 15 % of a row's pieces; of these, 80 % are hidden, 10 % replaced by any other, 10 % left as they are.

    So that what is not hidden must be understood too (Devlin et al. 2018, section 3.1).

    Args:
        tokens: (b, t).
        tokenizer: of the tokens.
        random: where the choice comes from.
    Returns:
        tokens (b, t), places (b, n) and targets (b, n), as `Rows` has them.
    """
    special = torch.tensor([tokenizer.pad_token, tokenizer.cls_token, tokenizer.sep_token])
    free = ~torch.isin(tokens, special)  # (b, t)
    most = max(1, round(CHOSEN * tokens.shape[1]))  # n
    order = torch.rand(tokens.shape, generator=random).masked_fill(~free, -1)
    places = order.topk(most).indices  # (b, n), in random order
    chosen = torch.arange(most) < (CHOSEN * free.sum(1, keepdim=True)).round().clamp(min=1)
    pieces = tokens.gather(1, places)
    what = torch.rand(pieces.shape, generator=random)
    ordinary = _ordinary(tokenizer)
    others = ordinary[torch.randint(len(ordinary), pieces.shape, generator=random)]
    shown = torch.where(what < HIDDEN, tokenizer.mask_token, pieces)
    shown = torch.where((what >= HIDDEN) & (what < HIDDEN + REPLACED), others, shown)
    tokens = tokens.scatter(1, places, torch.where(chosen, shown, pieces))
    return tokens, places, torch.where(chosen, pieces, IGNORED)


def _ordinary(tokenizer: WordPieceTokenizer) -> Tensor:
    """The ids of all pieces but the special ones."""
    special = (tokenizer.pad_token, tokenizer.unk_token, tokenizer.cls_token, tokenizer.sep_token, tokenizer.mask_token)
    return torch.tensor([i for i in range(tokenizer.num_tokens) if i not in special])
