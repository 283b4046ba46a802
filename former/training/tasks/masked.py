"""BERT's two tasks: words that are hidden, and whether one stretch of text follows another.

Sizes: b batch, t tokens, n places that are chosen in a row.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

import former
from former.bert import Bert
from former.tokens.wordpiece import WordPieceTokenizer
from former.training import cache, data
from former.training.batches import Batch, device_of, generator_of, moved
from former.training.data import ARTICLES
from former.training.init_weights import pieces_of
from former.training.measure.evaluate import Measure
from former.training.recipes import Recipe
from former.training.tasks.pairs import FOLLOWS, IGNORED, OTHER_ARTICLE, SAME_ARTICLE, SHORTEST, Corpus, Rows, rows

VALIDATION_ROWS = 512


class MaskedTask:
    """Hidden words and following sentences, in rows of a text's articles.

    The first two thirds of the steps read texts of a quarter of the context, four times as many: they cost less, and
    show sooner what the words around a place say of it. Then three steps of four read texts of half the context, and
    the fourth whole ones (Devlin et al. 2018, appendix A.2, has one of ten). The positions of short texts go on from
    one to the next as if they stood behind each other, so that all are learned from the first step on.

    Args:
        texts: the splits "train" and "val".
        recipe: batch, context and seed, and how many pieces the vocabulary may have.
        corpus: where the texts come from.
        tokenizer: None for that of the recipe's weights, and without weights to train one on "train".
        folder: where that and the pieces are kept for the next start; None to keep nothing.
    Raises:
        ValueError: a split without two articles of two sentences.
    """

    figure: ClassVar[str] = "masked_accuracy"
    higher_is_better: ClassVar[bool] = True

    def __init__(
        self,
        texts: dict[str, str],
        recipe: Recipe,
        corpus: data.Origin,
        tokenizer: WordPieceTokenizer | None = None,
        folder: Path | None = None,
    ) -> None:
        size = recipe.model.num_tokens

        def make() -> cache.Encoded:
            reader = tokenizer or pieces_of(recipe, texts["train"].split("\n"))
            read = {name: Corpus.read(text, reader)._asdict() for name, text in texts.items()}
            return reader, {f"{name}.{field}": read[name][field] for name in read for field in Corpus._fields}

        facts = {"pieces": "wordpiece", "corpus": corpus["sha256"], "num_tokens": size, "weights": recipe.weights}
        held, tensors = cache.cached(folder, facts, make)
        self.tokenizer, self.corpus = cast(WordPieceTokenizer, held), corpus
        model = replace(recipe.model, num_tokens=held.num_tokens)  # a small corpus has fewer pieces
        self.recipe, self.length = replace(recipe, model=model), model.seq_length
        self.train, self.val = (
            Corpus(*(tensors[f"{name}.{field}"] for field in Corpus._fields)) for name in ("train", "val")
        )

    @classmethod
    def open(cls, recipe: Recipe, path: Path, unchecked: bool, folder: Path | None = None) -> MaskedTask:
        """The task on a file of text, or of reviews, each an article; see `Task.open`."""
        texts = read_texts(recipe.corpus, path, ("train", "val"), unchecked)
        return cls(texts, recipe, data.origin(path, unchecked), folder=folder)

    def batch(self, step: int) -> Batch:
        """Rows of a step, as `pairs.Rows` has them."""
        parts = 4 if step < self.recipe.steps * 2 // 3 else 1 if step % 4 == 3 else 2
        count, length = parts * self.recipe.batch, max(self.length // parts, SHORTEST)
        return tuple(rows(self.train, self.tokenizer, count, length, generator_of(self.recipe.seed, step)))

    def loss(
        self, model: Any, tokens: Tensor, places: Tensor, targets: Tensor, segments: Tensor, belongs: Tensor
    ) -> Tensor:
        """The sum of both tasks' cross-entropies."""
        b, t = tokens.shape
        together = math.gcd(b, max(1, self.length // t))  # texts behind each other in a row of the context
        x, padding = model.embed(tokens.view(-1, together * t), segments.view(-1, together * t))
        mask = None if padding is None else padding.view(b, 1, 1, t)
        x = model.transformer(x.view(b, t, -1), mask, recompute=self.recipe.checkpointing)
        words, follows = _say(model, x, places)
        hidden = F.cross_entropy(words.float().flatten(0, 1), targets.flatten(), ignore_index=IGNORED)
        return hidden + F.cross_entropy(follows.float(), (belongs != FOLLOWS).long())

    def validate(self, model: nn.Module) -> float:
        """Accuracy at the places that are hidden, in rows of the whole context."""
        return figures(model, self.val, self.tokenizer, self.length, VALIDATION_ROWS)[self.figure]

    @classmethod
    def evaluate(cls, bundle: former.Bundle, recipe: Recipe, path: Path, measure: Measure) -> dict[str, Any]:
        """Both tasks' accuracies on a split, over as many rows as it fills; see `Task.evaluate`."""
        if not isinstance(bundle.model, Bert) or not isinstance(bundle.tokenizer, WordPieceTokenizer):
            raise ValueError(f"bundle must hold a Bert and its WordPiece, got a {type(bundle.model).__name__}")
        if measure.stride is not None or measure.precision == "int8":
            raise ValueError("hidden words have no --stride and no --precision int8; give neither")
        (text,) = read_texts(recipe.corpus, path, (measure.split,), measure.unchecked, measure.most).values()
        corpus, length = Corpus.read(text, bundle.tokenizer), recipe.model.seq_length
        count = max(VALIDATION_ROWS, len(corpus.pieces) // length)
        with measure.products():
            found = figures(bundle.model, corpus, bundle.tokenizer, length, count)
        return {name: round(figure, 4) for name, figure in found.items()} | {"rows": count, "context": length}


def read_texts(
    corpus: str, path: Path, splits: Iterable[str], unchecked: bool, most: int | None = None
) -> dict[str, str]:
    """Splits of a corpus as texts of articles; of reviews each is an article.

    Args:
        corpus: its name in `data.CORPORA`.
        path: its file.
        splits: which.
        unchecked: take any file, not only a known one.
        most: bytes of a text's split, from its beginning; reviews are all read. None for all.
    Raises:
        ValueError: a missing or wrong corpus.
    """
    if corpus == "imdb":
        reviews = data.load_reviews(path, corpus, unchecked)
        return {name: ARTICLES.join(review.text for review in reviews[name]) for name in splits}
    content = data.load_text(path, corpus, unchecked)
    return {name: data.split_as_text(content, name, most) for name in splits}


@torch.inference_mode()
def figures(
    model: Any, corpus: Corpus, tokenizer: WordPieceTokenizer, length: int, count: int, batch: int = 32
) -> dict[str, float]:
    """How often a model is right.

    Args:
        model: a Bert with both heads.
        corpus: what rows are drawn from; the same rows at every call.
        tokenizer: what it was read with.
        length: t of the rows.
        count: how many rows.
        batch: rows at a time.
    Returns:
        "masked_accuracy" at the places that show [MASK], and "commonest", that of always saying the piece that is
        commonest there; "next_sentence_other" where a row's second stretch follows or comes from another article, and
        "next_sentence_same" where it follows or comes from elsewhere in the same one: each the mean of the two
        cases' own, so that 0.5 is guessing.
    """
    hidden, said, belongs, follows = [], [], [], []
    random, device = generator_of(0), device_of(model)
    for begin in range(0, count, batch):
        drawn = rows(corpus, tokenizer, min(batch, count - begin), length, random)
        row = Rows(*moved(tuple(drawn), device))
        words, verdict = _say(model, model.encode(row.tokens, row.segments), row.places)
        masked = (row.tokens.gather(1, row.places) == tokenizer.mask_token) & (row.targets != IGNORED)
        hidden.append(row.targets[masked])
        said.append(words.argmax(-1)[masked])
        belongs.append(row.belongs)
        follows.append(verdict.argmax(-1) == 0)
    right, how, yes = torch.cat(hidden), torch.cat(belongs), torch.cat(follows)
    return {
        "masked_accuracy": float((torch.cat(said) == right).float().mean()),
        "commonest": float((right == right.mode().values).float().mean()),
        "next_sentence_other": _balanced(yes, how, OTHER_ARTICLE),
        "next_sentence_same": _balanced(yes, how, SAME_ARTICLE),
    }


def _balanced(yes: Tensor, how: Tensor, negative: int) -> float:
    """Of "it follows" (b,): the mean of how often it is said rightly, and rightly not said of one kind of negatives."""
    return float((yes[how == FOLLOWS].float().mean() + (~yes[how == negative]).float().mean()) / 2)


def _say(model: Any, x: Tensor, places: Tensor) -> tuple[Tensor, Tensor]:
    """Logits at the chosen places (b, n, num_tokens), and of following (b, 2), from vectors x (b, t, e)."""
    chosen = x.gather(1, places[..., None].expand(-1, -1, x.shape[-1]))  # (b, n, e)
    return model.unembed(chosen), model.next_sentence_logits(x)
