"""Whether a review is positive: what a classifier trains on.

Sizes: b batch, t tokens.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

import former
from former import masks
from former.tokens import Tokenizer, WordTokenizer
from former.tokens.wordpiece import WordPieceTokenizer, special_ids
from former.tokens.words import PAD_ID, UNK_ID
from former.training import data
from former.training.batches import Batch, Model, device_of, generator_of, last_words, padded
from former.training.init_weights import pieces_of
from former.training.measure.evaluate import Measure, accuracy
from former.training.recipes import Recipe
from former.training.tasks.teacher import Opinion, opinions

CLASSES = ["negative", "positive"]  # by their label
PIECE = 64  # words at most
PIECES = 4  # of them stand for one review of a batch: about as many words


class ReviewTask:
    """Whether a review is positive, in batches of reviews of about one length.

    Args:
        splits: the reviews.
        recipe: batch, context, vocabulary, seed, word dropout, teacher and pieces.
        corpus: where the reviews come from.
        tokenizer: None to build one of words from the training reviews.
    Raises:
        ValueError: fewer training reviews than a batch, or none for validation.
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
        self._kept = torch.tensor((PAD_ID, *special_ids(self.tokenizer)))  # by word dropout
        self._dropped = self.tokenizer.mask_token if isinstance(self.tokenizer, WordPieceTokenizer) else UNK_ID
        model = replace(recipe.model, num_tokens=self.tokenizer.num_tokens)  # a small corpus has fewer words
        self.recipe, self.corpus = replace(recipe, model=model), corpus
        self.splits = {
            name: [(last_words(self.tokenizer, r.text, recipe.model.seq_length), r.label) for r in splits[name]]
            for name in ("train", "val")
        }

        self._epoch: tuple[int, list[list[int]]] | None = None  # the order of the epoch under way

    @cached_property
    def opinions(self) -> list[Opinion]:
        """What the teacher says of each training review; only where the recipe has one."""
        return opinions(self.splits["train"], self.recipe.model.num_tokens)

    @classmethod
    def open(cls, recipe: Recipe, path: Path, unchecked: bool, folder: Path | None = None) -> ReviewTask:  # noqa: ARG003
        """The task on a file of reviews; see `Task.open`. BERT reads pieces of words: those of its weights, if any."""
        splits, tokenizer = data.load_reviews(path, recipe.corpus, unchecked), None
        if recipe.kind == "BertClassifier":
            tokenizer = pieces_of(recipe, (review.text for review in splits["train"]))
        return cls(splits, recipe, data.origin(path, unchecked), tokenizer)

    def batch(self, step: int) -> Batch:
        """Reviews (b, t), padded, and the probability (b,) that each is positive; or short pieces of reviews.

        Without pieces every review comes once an epoch, but for an odd rest.
        """
        recipe, train = self.recipe, self.splits["train"]
        random = generator_of(recipe.seed, 3, step)
        if torch.rand((), generator=random) < recipe.pieces:
            chosen = torch.randint(len(train), (PIECES * recipe.batch,), generator=random).tolist()
            reviews = [self._piece(i, random) for i in chosen]
        else:
            per_epoch = len(train) // recipe.batch
            epoch, place = divmod(step, per_epoch)
            if self._epoch is None or self._epoch[0] != epoch:
                self._epoch = epoch, self._order(epoch)
            reviews = [(train[i][0], self._target(i)) for i in self._epoch[1][place]]
        inputs, targets = padded(reviews, recipe.model.seq_length)
        drop = torch.rand(inputs.shape, generator=generator_of(recipe.seed, 1, step)) < recipe.word_dropout
        return inputs.masked_fill(drop & ~torch.isin(inputs, self._kept), self._dropped), targets

    def _target(self, i: int) -> float:
        """Of a whole review: its label, and as far as the recipe says, what the teacher thinks."""
        label, share = float(self.splits["train"][i][1]), self.recipe.teacher
        return (1 - share) * label + share * self.opinions[i].positive() if share else label

    def _piece(self, i: int, random: torch.Generator) -> tuple[list[int], float]:
        """Words in a row of a review, up to 64, and what the teacher thinks of them: they have no label.

        BERT's `[CLS]`, which gives the verdict, stands before them.
        """
        ids = self.splits["train"][i][0]
        front = ids[: isinstance(self.tokenizer, WordPieceTokenizer)]
        size, place = torch.rand(2, generator=random).tolist()
        count = min(len(ids) - len(front), int(PIECE * (0.25 + 0.75 * size)) - len(front))
        first = len(front) + int(place * (len(ids) - len(front) - count + 1))
        return front + ids[first : first + count], self.opinions[i].positive(first, count)

    def loss(self, model: Model, inputs: Tensor, targets: Tensor) -> Tensor:
        """Cross-entropy of the two classes."""
        model = causal(model) if self.recipe.causal else model
        negative, positive = model(inputs, recompute=self.recipe.checkpointing).float().unbind(-1)
        return -(targets * positive + (1 - targets) * negative).mean()

    def validate(self, model: nn.Module) -> float:
        """Accuracy on the validation split."""
        judge, device = causal(model) if self.recipe.causal else model, device_of(model)
        return accuracy(judge, self.splits["val"], self.recipe.model.seq_length, self.recipe.batch, device)

    @classmethod
    def evaluate(cls, bundle: former.Bundle, recipe: Recipe, path: Path, measure: Measure) -> dict[str, Any]:
        """Accuracy over a split; see `Task.evaluate`."""
        if measure.stride is not None or measure.most is not None or measure.precision == "int8":
            raise ValueError("reviews have no --stride, no --bytes and no --precision int8; give none of them")
        context = recipe.model.seq_length
        reviews = data.load_reviews(path, recipe.corpus, measure.unchecked)[measure.split]
        read = [(last_words(bundle.tokenizer, review.text, context), review.label) for review in reviews]
        judge = causal(bundle.model) if recipe.causal else bundle.model
        with measure.products():
            figure = accuracy(judge, read, context, device=measure.device)
        return {"accuracy": round(figure, 4), "reviews": len(read)}

    def _order(self, epoch: int) -> list[list[int]]:
        """An epoch's batches: shuffled, sorted by length within pools of 50 batches, and the batches shuffled."""
        train, batch = self.splits["train"], self.recipe.batch
        random = generator_of(self.recipe.seed, 0, epoch)
        # The rest is left out before the sorting: after it, it would be the longest reviews in every epoch.
        shuffled = torch.randperm(len(train), generator=random).tolist()[: len(train) - len(train) % batch]
        pools = [shuffled[i : i + 50 * batch] for i in range(0, len(shuffled), 50 * batch)]
        ordered = [i for pool in pools for i in sorted(pool, key=lambda i: len(train[i][0]))]
        batches = [ordered[i : i + batch] for i in range(0, len(ordered), batch)]
        return [batches[i] for i in torch.randperm(len(batches), generator=random).tolist()]


def causal(model: Model) -> Model:
    """A BERT whose words see only what is before them, and not `[CLS]`, which sees them all and gives the verdict.

    What is lost beside the model itself is what a generator's attention has not: the words that come after.
    """

    def judge(tokens: Tensor, **options: Any) -> Tensor:
        mask = masks.causal(tokens.shape[1]).to(tokens.device)
        mask[1:, 0], mask[0] = False, True
        return model(tokens, mask=mask, **options)

    return judge
