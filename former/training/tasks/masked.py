"""BERT's two tasks: to predict hidden words, and whether one passage of text follows another.

Sizes: b batch, t tokens, n positions per row whose piece is predicted.
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
from former.training.batches import Batch, device_of, generator_of, to_device
from former.training.data import ARTICLES
from former.training.init_weights import wordpiece_of
from former.training.measure.evaluate import Measure
from former.training.recipes import Recipe
from former.training.tasks.pairs import FOLLOWS, IGNORED, OTHER_ARTICLE, SAME_ARTICLE, SHORTEST, Corpus, Rows, rows
from former.training.tasks.reviews import causal_mask

VALIDATION_ROWS = 512
BATCH = 32  # rows per forward pass of a measurement


class MaskedTask:
    """The task of predicting hidden words, and whether a passage follows another, in rows of a text's articles.

    In the recipe's share `short` of the steps, which come first, a row is a quarter of the context long, and a batch
    has four times as many rows: they cost less, and the model learns to use neighbouring words sooner. After that,
    three of four steps have rows of half the context, and the fourth has rows of the whole context (in Devlin et al.
    2018, appendix A.2, one step of ten). Short rows are numbered as if they followed each other in one long row, so
    that all position embeddings are trained from the first step on.

    Args:
        texts: the splits "train" and "val".
        recipe: batch, context, seed and the maximum size of the vocabulary.
        corpus: the source of the texts.
        tokenizer: None for that of the recipe's weights; without weights, one is trained on "train".
        folder: to cache the tokenizer and the pieces; None for no cache.
    Raises:
        ValueError: a split has fewer than two articles of two sentences.
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
            wordpiece = tokenizer or wordpiece_of(recipe, texts["train"].split("\n"))
            parts = {name: Corpus.read(text, wordpiece)._asdict() for name, text in texts.items()}
            return wordpiece, {f"{name}.{field}": parts[name][field] for name in parts for field in Corpus._fields}

        facts = {"pieces": "wordpiece", "corpus": corpus["sha256"], "num_tokens": size, "weights": recipe.weights}
        own, tensors = cache.load_or_make(folder, facts, make)
        self.tokenizer, self.corpus = cast(WordPieceTokenizer, own), corpus
        model = replace(recipe.model, num_tokens=own.num_tokens)  # a small corpus has fewer pieces
        self.recipe, self.length = replace(recipe, model=model), model.seq_length
        self.train, self.val = (
            Corpus(*(tensors[f"{name}.{field}"] for field in Corpus._fields)) for name in ("train", "val")
        )

    @classmethod
    def open(cls, recipe: Recipe, path: Path, unchecked: bool, folder: Path | None = None) -> MaskedTask:
        """Opens a file of text, or of reviews, where each counts as an article; see `Task.open`."""
        texts = read_texts(recipe.corpus, path, ("train", "val"), unchecked)
        return cls(texts, recipe, data.origin(path, unchecked), folder=folder)

    def batch(self, step: int) -> Batch:
        """Returns the tensors of a step's rows, in the order of the fields of `pairs.Rows`."""
        parts = 4 if step < int(self.recipe.steps * self.recipe.short) else 1 if step % 4 == 3 else 2
        count, length = parts * self.recipe.batch, max(self.length // parts, SHORTEST)
        return tuple(rows(self.train, self.tokenizer, count, length, generator_of(self.recipe.seed, step)))

    def loss(
        self, model: Any, tokens: Tensor, places: Tensor, targets: Tensor, segments: Tensor, belongs: Tensor
    ) -> Tensor:
        """Returns both tasks' mean cross-entropies (2,): of hidden pieces, and of pairs of passages."""
        b, t = tokens.shape
        count = math.gcd(b, max(1, self.length // t))  # short rows whose positions are numbered as one long row
        x, padding = model.embed(tokens.view(-1, count * t), segments.view(-1, count * t))
        mask = None if padding is None else padding.view(b, 1, 1, t)
        if self.recipe.causal:
            mask = causal_mask(t, x.device) if mask is None else mask & causal_mask(t, x.device)
        x = model.transformer(x.view(b, t, -1), mask, recompute=self.recipe.checkpointing)
        words, follows = _predict(model, x, places)
        hidden = F.cross_entropy(words.float().flatten(0, 1), targets.flatten(), ignore_index=IGNORED)
        return torch.stack((hidden, F.cross_entropy(follows.float(), (belongs != FOLLOWS).long())))

    def scored(self, *batch: Tensor) -> tuple[int, int]:
        """Returns how many pieces, and how many pairs of passages, the two means of `loss` average."""
        row = Rows(*batch)
        return int((row.targets != IGNORED).sum()), len(row.belongs)

    def validate(self, model: nn.Module) -> float:
        """Returns the accuracy on hidden pieces, in rows of the whole context."""
        causal = self.recipe.causal
        return figures(model, self.val, self.tokenizer, self.length, VALIDATION_ROWS, causal=causal)[self.figure]

    @classmethod
    def evaluate(cls, bundle: former.Bundle, recipe: Recipe, path: Path, measure: Measure) -> dict[str, Any]:
        """Returns both tasks' accuracies on a split, over as many rows as it fills; see `Task.evaluate`."""
        if not isinstance(bundle.model, Bert) or not isinstance(bundle.tokenizer, WordPieceTokenizer):
            raise ValueError(f"bundle must hold a Bert and its WordPiece, got {type(bundle.model).__name__}")
        if measure.stride is not None or measure.precision == "int8":
            raise ValueError("hidden words do not support --stride or --precision int8")
        (text,) = read_texts(recipe.corpus, path, (measure.split,), measure.unchecked, measure.most).values()
        corpus, length = Corpus.read(text, bundle.tokenizer), recipe.model.seq_length
        count = max(VALIDATION_ROWS, len(corpus.pieces) // length)
        with measure.products():
            results = figures(bundle.model, corpus, bundle.tokenizer, length, count, causal=recipe.causal)
        return {name: round(figure, 4) for name, figure in results.items()} | {"rows": count, "context": length}


def read_texts(
    corpus: str, path: Path, splits: Iterable[str], unchecked: bool, most: int | None = None
) -> dict[str, str]:
    """Reads splits of a corpus as text, with `data.ARTICLES` between articles; a review counts as an article.

    Args:
        corpus: its name in `data.CORPORA`.
        path: its file.
        splits: their names.
        unchecked: accept any file, not only a known one.
        most: maximum number of bytes per split of a text; None for all. Reviews are always read completely.
    Raises:
        ValueError: the corpus is missing or wrong.
    """
    if corpus == "imdb":
        reviews = data.load_reviews(path, corpus, unchecked)
        return {name: ARTICLES.join(review.text for review in reviews[name]) for name in splits}
    content = data.load_text(path, corpus, unchecked)
    return {name: data.split_as_text(content, name, most) for name in splits}


@torch.inference_mode()
def figures(
    model: Any,
    corpus: Corpus,
    tokenizer: WordPieceTokenizer,
    length: int,
    count: int,
    causal: bool = False,
) -> dict[str, float]:
    """Measures a model's accuracy on both tasks.

    Args:
        model: a Bert with both heads.
        corpus: the source of the rows; every call draws the same ones.
        tokenizer: of the corpus.
        length: t of the rows.
        count: number of rows.
        causal: whether words attend only to earlier ones (`reviews.causal`).
    Returns:
        masked_accuracy: on pieces hidden by [MASK].
        commonest: accuracy of always predicting the commonest of these pieces.
        next_sentence_other: accuracy on rows whose second passage follows the first or comes from another article.
        next_sentence_same: the same, with passages from elsewhere in the same article. In both, the accuracies of the
            two cases are averaged, so 0.5 is chance.
    """
    hidden, predicted, belongs, follows = [], [], [], []
    random, device = generator_of(0), device_of(model)
    mask = causal_mask(length, device) if causal else None
    for begin in range(0, count, BATCH):
        drawn = rows(corpus, tokenizer, min(BATCH, count - begin), length, random)
        row = Rows(*to_device(tuple(drawn), device))
        words, verdict = _predict(model, model.encode(row.tokens, row.segments, mask), row.places)
        masked = (row.tokens.gather(1, row.places) == tokenizer.mask_token) & (row.targets != IGNORED)
        hidden.append(row.targets[masked])
        predicted.append(words.argmax(-1)[masked])
        belongs.append(row.belongs)
        follows.append(verdict.argmax(-1) == 0)
    right, how, yes = torch.cat(hidden), torch.cat(belongs), torch.cat(follows)
    return {
        "masked_accuracy": float((torch.cat(predicted) == right).float().mean()),
        "commonest": float((right == right.mode().values).float().mean()),
        "next_sentence_other": _balanced(yes, how, OTHER_ARTICLE),
        "next_sentence_same": _balanced(yes, how, SAME_ARTICLE),
    }


def _balanced(yes: Tensor, how: Tensor, negative: int) -> float:
    """Computes the balanced accuracy of the predictions "follows" (b,), against one kind of negatives."""
    return float((yes[how == FOLLOWS].float().mean() + (~yes[how == negative]).float().mean()) / 2)


def _predict(model: Any, x: Tensor, places: Tensor) -> tuple[Tensor, Tensor]:
    """Returns the logits at places (b, n, num_tokens) and of the next sentence (b, 2), from vectors x (b, t, e)."""
    at_places = x.gather(1, places[..., None].expand(-1, -1, x.shape[-1]))  # (b, n, e)
    return model.unembed(at_places), model.next_sentence_logits(x)
