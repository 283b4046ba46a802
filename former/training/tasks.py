"""What a run trains on: the batch of a step, its loss, and the figure on validation.

A batch is a function of (seed, step) alone, so a run that goes on after a kill sees what it would have seen, and
several processes cut their shares from the same batch. Sizes: b batch, t tokens.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Protocol

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from former import masks
from former.hooks import Hook
from former.tokens import ByteTokenizer, Tokenizer, WordTokenizer
from former.training.data import Origin, Review
from former.training.recipes import PAD, UNK, Recipe
from former.training.teacher import Opinion, opinions

PIECE = 64  # words at most
PIECES = 4  # of them stand for one review of a batch: about as many words
Batch = tuple[Tensor, Tensor]  # what the model reads, and what it should say
Model = Callable[..., Tensor]


class Task(Protocol):
    """Text or reviews, to the loop."""

    corpus: Origin
    figure: str  # the name of the figure on validation
    higher_is_better: bool

    @property
    def tokenizer(self) -> Tokenizer:
        """What made tokens of the corpus."""
        ...

    def batch(self, step: int) -> Batch:
        """The whole batch of a step, for all processes."""
        ...

    def loss(self, model: Model, inputs: Tensor, targets: Tensor) -> Tensor:
        """The mean loss over a batch or a part of it, in nats."""
        ...

    def validate(self, model: nn.Module) -> float:
        """A quick figure on a fixed part of the validation split."""
        ...


class Explicit:
    """An observer that observes nothing: attention then runs by its equation, which trains faster than the kernel."""

    def at(self, layer: int) -> Hook | None:  # noqa: ARG002 (an Observer is asked for each layer)
        """A hook that leaves all as it is."""
        return lambda _name, _tensor: None


def generator_of(*numbers: int) -> torch.Generator:
    """A random generator that depends on these numbers alone."""
    return torch.Generator().manual_seed(int(np.random.SeedSequence(numbers).generate_state(1, np.uint64)[0] >> 1))


class TextTask:
    """The next byte, in random windows of a text.

    Args:
        text: uint8 (bytes,), the whole corpus.
        splits: where each split begins and ends.
        recipe: batch, context, seed and mask.
        corpus: where the text comes from.
    Raises:
        ValueError: a split too short for a window.
    """

    figure, higher_is_better = "bits_per_byte", False

    def __init__(self, text: Tensor, splits: dict[str, tuple[int, int]], recipe: Recipe, corpus: Origin) -> None:
        self.tokenizer: Tokenizer = ByteTokenizer()
        self.corpus = corpus
        self.recipe, self.length = recipe, recipe.model.seq_length
        self.train, self.val = (text[slice(*splits[name])] for name in ("train", "val"))
        self.mask = None if recipe.masked else masks.none(self.length)
        for name, part in (("train", self.train), ("val", self.val)):
            if len(part) <= self.length:
                raise ValueError(f"the text's {name} split must be longer than {self.length} bytes, got {len(part)}")

    def batch(self, step: int) -> Batch:
        """Windows at random places: bytes (b, t), and the byte after each (b, t)."""
        random = generator_of(self.recipe.seed, step)
        starts = torch.randint(len(self.train) - self.length, (self.recipe.batch,), generator=random)
        return self._windows(self.train, starts)

    def loss(self, model: Model, inputs: Tensor, targets: Tensor) -> Tensor:
        """Cross-entropy of the next byte."""
        logits = model(inputs, mask=self.mask, capture=Explicit())
        return F.cross_entropy(logits.float().flatten(0, 1), targets.flatten())

    def validate(self, model: nn.Module, windows: int = 128) -> float:
        """Bits per byte over evenly spaced windows, all their bytes counted alike: above a figure with a stride."""
        starts = torch.linspace(0, len(self.val) - self.length - 1, windows).long()
        losses = [self.loss(model, *self._windows(self.val, part)) for part in starts.split(16)]
        return float(torch.stack(losses).mean()) / math.log(2)

    def _windows(self, part: Tensor, starts: Tensor) -> Batch:
        windows = part[starts[:, None] + torch.arange(self.length + 1)].long()
        return windows[:, :-1], windows[:, 1:]


class ReviewTask:
    """Whether a review is positive, in batches of reviews of about one length.

    Args:
        splits: the reviews.
        recipe: batch, context, vocabulary, seed, word dropout, teacher and pieces.
        corpus: where the reviews come from.
        tokenizer: None to build one from the training reviews.
    Raises:
        ValueError: fewer training reviews than a batch, or none for validation.
    """

    figure, higher_is_better = "accuracy", True

    def __init__(
        self,
        splits: dict[str, list[Review]],
        recipe: Recipe,
        corpus: Origin,
        tokenizer: WordTokenizer | None = None,
    ) -> None:
        train = splits["train"]
        if recipe.batch > len(train):
            raise ValueError(f"batch must be at most the {len(train)} training reviews, got {recipe.batch}")
        if not splits["val"]:
            raise ValueError("the reviews' val split must hold at least one review, got none")
        self.tokenizer: Tokenizer = tokenizer or WordTokenizer.build(
            (review.text for review in train), recipe.model.num_tokens
        )
        self.recipe, self.corpus = recipe, corpus
        self.splits = {
            name: [(last_words(self.tokenizer, r.text, recipe.model.seq_length), r.label) for r in splits[name]]
            for name in ("train", "val")
        }

    @cached_property
    def opinions(self) -> list[Opinion]:
        """What the teacher says of each training review; only where the recipe has one."""
        return opinions(self.splits["train"], self.recipe.model.num_tokens)

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
            order = self._order(step // per_epoch)
            reviews = [(train[i][0], self._target(i)) for i in order[step % per_epoch]]
        inputs, targets = padded(reviews, recipe.model.seq_length)
        drop = torch.rand(inputs.shape, generator=generator_of(recipe.seed, 1, step)) < recipe.word_dropout
        return inputs.masked_fill(drop & (inputs != PAD), UNK), targets

    def _target(self, i: int) -> float:
        """Of a whole review: its label, and as far as the recipe says, what the teacher thinks."""
        label, share = float(self.splits["train"][i][1]), self.recipe.teacher
        return (1 - share) * label + share * self.opinions[i].positive() if share else label

    def _piece(self, i: int, random: torch.Generator) -> tuple[list[int], float]:
        """Words in a row of a review, up to 64, and what the teacher thinks of them: they have no label."""
        ids = self.splits["train"][i][0]
        size, place = torch.rand(2, generator=random).tolist()
        count = min(len(ids), int(PIECE * (0.25 + 0.75 * size)))
        first = int(place * (len(ids) - count + 1))
        return ids[first : first + count], self.opinions[i].positive(first, count)

    def loss(self, model: Model, inputs: Tensor, targets: Tensor) -> Tensor:
        """Cross-entropy of the two classes."""
        negative, positive = model(inputs, capture=Explicit()).float().unbind(-1)
        return -(targets * positive + (1 - targets) * negative).mean()

    def validate(self, model: nn.Module) -> float:
        """Accuracy on the validation split."""
        reviews = sorted(self.splits["val"], key=lambda review: len(review[0]))
        right = 0
        for start in range(0, len(reviews), self.recipe.batch):
            inputs, labels = padded(reviews[start : start + self.recipe.batch], self.recipe.model.seq_length)
            right += int((model(inputs, capture=Explicit()).argmax(-1) == labels).sum())
        return right / len(reviews)

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


def last_words(tokenizer: Tokenizer, text: str, length: int) -> list[int]:
    """Ids of a review's last words: where one is too long, its verdict stands at the end more often than not."""
    return tokenizer.encode(text)[-length:] or [UNK]


def padded(reviews: Sequence[tuple[list[int], float]], limit: int) -> Batch:
    """Reviews (b, t) and what is said of each (b,), padded to a multiple of 64 or to the limit: few shapes."""
    width = min(math.ceil(max(len(ids) for ids, _ in reviews) / 64) * 64, limit)
    rows = [ids + [PAD] * (width - len(ids)) for ids, _ in reviews]
    return torch.tensor(rows), torch.tensor([label for _, label in reviews])
