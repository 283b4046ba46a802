"""The task of a classifier: to tell whether a review is positive.

Sizes: b batch, t tokens.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import torch
import torch.nn.functional as F
from torch import Tensor, nn

import former
from former import masks
from former.hooks import Capture
from former.tokens import Tokenizer, WordTokenizer
from former.tokens.labels import special_ids
from former.tokens.wordpiece import WordPieceTokenizer
from former.tokens.words import PAD_ID, UNK_ID
from former.training import data
from former.training.batches import Batch, Model, device_of, generator_of, last_words, pad_reviews
from former.training.init_weights import wordpiece_of
from former.training.measure.evaluate import Measure, accuracy
from former.training.recipes import Recipe
from former.training.tasks.teacher import Opinion, opinions

CLASSES = ["negative", "positive"]  # by their label
PIECE = 64  # maximum number of words
PIECES = 4  # pieces in place of one review in a batch, with about as many words


class ReviewTask:
    """The task of judging whether a review is positive, in batches of reviews of similar length.

    Args:
        splits: the reviews of each split.
        recipe: batch, context, vocabulary, seed, word dropout, teacher and pieces.
        corpus: the source of the reviews.
        tokenizer: None to build a word tokenizer from the training reviews.
    Raises:
        ValueError: there are fewer training reviews than the batch size, or no validation reviews.
    """

    figure: ClassVar[str] = "accuracy"
    higher_is_better: ClassVar[bool] = True

    def __init__(
        self,
        splits: dict[str, list[data.Review]],
        recipe: Recipe,
        corpus: data.Origin,
        tokenizer: Tokenizer | None = None,
    ) -> None:
        train = splits["train"]
        if recipe.batch > len(train):
            raise ValueError(f"batch must be at most the {len(train)} training reviews, got {recipe.batch}")
        if not splits["val"]:
            raise ValueError("the reviews' val split must hold at least one review, got none")
        self.tokenizer: Tokenizer = tokenizer or WordTokenizer.build(
            (review.text for review in train), recipe.model.num_tokens
        )
        self._special = torch.tensor((PAD_ID, *special_ids(self.tokenizer)))  # exempt from word dropout
        self._replacement = self.tokenizer.mask_token if isinstance(self.tokenizer, WordPieceTokenizer) else UNK_ID
        model = replace(recipe.model, num_tokens=self.tokenizer.num_tokens)  # a small corpus has fewer words
        self.recipe, self.corpus = replace(recipe, model=model), corpus
        self.splits = {
            name: [(last_words(self.tokenizer, r.text, recipe.model.seq_length), r.label) for r in splits[name]]
            for name in ("train", "val")
        }

        self._epoch: tuple[int, list[list[int]]] | None = None  # the current epoch and its batches

    @cached_property
    def opinions(self) -> list[Opinion]:
        """The teacher's opinion of each training review; slow, so computed only if the recipe uses the teacher."""
        return opinions(self.splits["train"], self.recipe.model.num_tokens)

    @classmethod
    def open(cls, recipe: Recipe, path: Path, unchecked: bool, folder: Path | None = None) -> ReviewTask:  # noqa: ARG003
        """Opens a file of reviews; see `Task.open`. A BERT uses the tokenizer of its initial weights, if any."""
        splits, tokenizer = data.load_reviews(path, recipe.corpus, unchecked), None
        if recipe.kind == "BertClassifier":
            tokenizer = wordpiece_of(recipe, (review.text for review in splits["train"]))
        return cls(splits, recipe, data.origin(path, unchecked), tokenizer)

    def batch(self, step: int) -> Batch:
        """Returns padded ids (b, t) of reviews, or of short pieces of them, and the target probabilities (b,) of
        "positive".

        If the recipe uses `words`, a third tensor has the teacher's score of each word (b, t). Batches of whole reviews
        go through all reviews once in an epoch, except a rest that does not fill a batch.
        """
        recipe, train = self.recipe, self.splits["train"]
        random = generator_of(recipe.seed, 3, step)
        if torch.rand((), generator=random) < recipe.pieces:
            selection = torch.randint(len(train), (PIECES * recipe.batch,), generator=random).tolist()
            reviews = [self._piece(i, random) for i in selection]
        else:
            per_epoch = len(train) // recipe.batch
            epoch, index = divmod(step, per_epoch)
            if self._epoch is None or self._epoch[0] != epoch:
                self._epoch = epoch, self._order(epoch)
            reviews = [(train[i][0], self._target(i), self._scores(i)) for i in self._epoch[1][index]]
        inputs, targets = pad_reviews([review[:2] for review in reviews], recipe.model.seq_length)
        drop = torch.rand(inputs.shape, generator=generator_of(recipe.seed, 1, step)) < recipe.word_dropout
        inputs = inputs.masked_fill(drop & ~torch.isin(inputs, self._special), self._replacement)
        scores = [F.pad(of_review, (0, inputs.shape[1] - len(of_review))) for *_, of_review in reviews]
        return (inputs, targets, torch.stack(scores)) if recipe.words else (inputs, targets)

    def _scores(self, i: int) -> Tensor:
        """The teacher's score of each word of a review, (t,), if the recipe uses them."""
        return self.opinions[i].scores if self.recipe.words else torch.empty(0)

    def _target(self, i: int) -> float:
        """The target of a whole review: its label and the teacher's probability, weighted by the recipe's `teacher`."""
        label, share = float(self.splits["train"][i][1]), self.recipe.teacher
        return (1 - share) * label + share * self.opinions[i].positive() if share else label

    def _piece(self, i: int, random: torch.Generator) -> tuple[list[int], float, Tensor]:
        """Returns the ids of up to 64 consecutive words of a review, and the teacher's probability and scores for them.

        BERT's `[CLS]`, by which it classifies, comes first.
        """
        ids = self.splits["train"][i][0]
        front = ids[: isinstance(self.tokenizer, WordPieceTokenizer)]
        size, start = torch.rand(2, generator=random).tolist()
        count = min(len(ids) - len(front), int(PIECE * (0.25 + 0.75 * size)) - len(front))
        first = len(front) + int(start * (len(ids) - len(front) - count + 1))
        piece = self.opinions[i].piece(first, count)
        return front + ids[first : first + count], piece.positive(), F.pad(piece.scores, (len(front), 0))

    def loss(self, model: Any, inputs: Tensor, targets: Tensor, scores: Tensor | None = None) -> Tensor:
        """Returns the mean cross-entropy of the two classes, given the target probabilities (b,) of "positive".

        With the teacher's scores (b, t), the recipe's `words` times 1 − c is added, where c is the cosine between the
        scores of a text's words and the log odds of each word's vector alone. In a classifier that averages its
        vectors, the verdict is the average of these log odds; in a BERT, this trains each word's vector for the
        question that `[CLS]` answers.
        """
        judge = causal(model) if self.recipe.causal else model
        last = Capture("resid_post", [self.recipe.model.depth - 1] if scores is not None else [], grad=True)
        negative, positive = judge(inputs, observer=last, recompute=self.recipe.checkpointing).float().unbind(-1)
        loss = -(targets * positive + (1 - targets) * negative).mean()
        if scores is None:
            return loss
        vectors = last["resid_post", self.recipe.model.depth - 1].flatten(0, 1)[:, None]  # (b·t, 1, e)
        alone = () if self.recipe.kind == "BertClassifier" else (torch.ones_like(inputs).flatten()[:, None],)
        each = model.unembed(vectors, *alone).float()
        known = inputs > UNK_ID  # hidden words and padding have no score
        log_odds = (each[:, 1] - each[:, 0]).view_as(scores)
        return loss + self.recipe.words * (1 - F.cosine_similarity(log_odds * known, scores * known)).mean()

    def validate(self, model: nn.Module) -> float:
        """Returns the accuracy on the validation split."""
        judge, device = causal(model) if self.recipe.causal else model, device_of(model)
        return accuracy(judge, self.splits["val"], self.recipe.model.seq_length, self.recipe.batch, device)

    @classmethod
    def evaluate(cls, bundle: former.Bundle, recipe: Recipe, path: Path, measure: Measure) -> dict[str, Any]:
        """Returns the accuracy on a split; see `Task.evaluate`."""
        if measure.stride is not None or measure.most is not None or measure.precision == "int8":
            raise ValueError("reviews do not support --stride, --bytes or --precision int8")
        context = recipe.model.seq_length
        reviews = data.load_reviews(path, recipe.corpus, measure.unchecked)[measure.split]
        rows = [(last_words(bundle.tokenizer, review.text, context), review.label) for review in reviews]
        judge = causal(bundle.model) if recipe.causal else bundle.model
        with measure.products():
            figure = accuracy(judge, rows, context, device=measure.device)
        return {"accuracy": round(figure, 4), "reviews": len(rows)}

    def _order(self, epoch: int) -> list[list[int]]:
        """Shuffles the reviews, sorts them by length within pools of 50 batches, and shuffles the batches."""
        train, batch = self.splits["train"], self.recipe.batch
        random = generator_of(self.recipe.seed, 0, epoch)
        # The remainder is dropped before sorting; after it, the longest reviews would be dropped in every epoch.
        shuffled = torch.randperm(len(train), generator=random).tolist()[: len(train) - len(train) % batch]
        pools = [shuffled[i : i + 50 * batch] for i in range(0, len(shuffled), 50 * batch)]
        ordered = [i for pool in pools for i in sorted(pool, key=lambda i: len(train[i][0]))]
        batches = [ordered[i : i + batch] for i in range(0, len(ordered), batch)]
        return [batches[i] for i in torch.randperm(len(batches), generator=random).tolist()]


def causal(model: Model) -> Model:
    """Wraps a BERT with a causal mask: each word attends to itself and earlier words; only `[CLS]` attends to all.

    Words do not attend to `[CLS]`, because it would pass on information from later words. A comparison with the model
    itself shows how much attention to later words helps.
    """

    def judge(tokens: Tensor, **options: Any) -> Tensor:
        return model(tokens, mask=causal_mask(tokens.shape[1], tokens.device), **options)

    return judge


def causal_mask(t: int, device: torch.device | None = None) -> Tensor:
    """Returns the mask of `causal`, bool (t, t), for t tokens of which the first is `[CLS]`."""
    mask = masks.causal(t).to(device)
    mask[1:, 0], mask[0] = False, True
    return mask
