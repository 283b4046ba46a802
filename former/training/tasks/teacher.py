"""A linear teacher of the classifier: how many nats each word of a review adds to the log odds of "positive".

A logistic regression over the words of a review and its pairs of neighbours, each scaled by its naive Bayes log-count
ratio (Wang and Manning 2012, "Baselines and bigrams"). A transformer this small, given 20,000 labels and no more,
learns which words are good and bad, and little of how words change each other; from the teacher's opinion of any piece
of a review it learns "not good" too (distillation, Hinton et al. 2015).

The corpus has up to 30 reviews of a film, side by side. Each review is judged by a teacher that has seen neither it nor
its neighbours: an opinion of films that it does not know.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

FOLDS = 5
PAIRS = 1 << 20  # places for pairs of words; two pairs may share one
ROUNDS, BATCH, RATE, DECAY = 6, 256, 0.01, 1e-4  # over the reviews; reviews; Adam's; of the squared weights


@dataclass(frozen=True)
class Opinion:
    """What the teacher says of one review."""

    scores: Tensor  # (t,) nats that each word adds, with the pair it begins; 0 where both came before
    bias: float  # nats before the first word

    def positive(self, first: int = 0, count: int | None = None) -> float:
        """The probability that `count` words from the `first` on (all, if None) are of a positive review."""
        end = None if count is None else first + count
        return float(torch.sigmoid(self.scores[first:end].sum() + self.bias))


def opinions(reviews: Sequence[tuple[list[int], int]], words: int) -> list[Opinion]:
    """One for each review, by a teacher that learned from the other folds.

    Args:
        reviews: ids and label (0 or 1) of each, those of one label in the order of their films.
        words: size of the vocabulary; ids 0 and 1 stand for no word.
    """
    features = [found(ids, words) for ids, _ in reviews]
    labels = torch.tensor([float(label) for _, label in reviews])
    folds = torch.empty(len(reviews), dtype=torch.long)
    for label in (0, 1):
        of_label = (labels == label).nonzero()[:, 0]
        folds[of_label] = torch.arange(len(of_label)) * FOLDS // max(1, len(of_label))
    held: dict[int, Opinion] = {}
    for fold in range(FOLDS):
        others = (folds != fold).nonzero()[:, 0].tolist()
        weights, bias = fit([features[i].unique() for i in others], labels[others], words + PAIRS)
        for i in (folds == fold).nonzero()[:, 0].tolist():
            held[i] = Opinion(word_scores(features[i], weights), bias)
    return [held[i] for i in range(len(reviews))]


def found(ids: Sequence[int], words: int) -> Tensor:
    """A review's features in order: t words, then t - 1 pairs; unknown words and padding at 0."""
    word = torch.tensor(ids)
    pair = words + (word[:-1] * 1_000_003 + word[1:] * 7_919) % PAIRS
    known = word > 1
    return torch.cat([word * known, pair * (known[:-1] & known[1:])])


def fit(reviews: list[Tensor], labels: Tensor, features: int) -> tuple[Tensor, float]:
    """A logistic regression on which features a review has: nats for each (features,), and the bias."""
    counts = torch.zeros(2, features)
    for review, label in zip(reviews, labels.tolist(), strict=True):
        counts[int(label), review] += 1
    twice = counts.sum(0) >= 2
    twice[0] = False
    shares = (counts + 1) / (counts.sum(1, keepdim=True) + twice.sum())
    ratio = (shares[1] / shares[0]).log() * twice
    weights = torch.zeros(features, requires_grad=True)
    bias = torch.zeros(1, requires_grad=True)
    optimiser = torch.optim.Adam([weights, bias], lr=RATE)
    random = torch.Generator().manual_seed(0)
    for _ in range(ROUNDS):
        for chosen in torch.randperm(len(reviews), generator=random).split(BATCH):
            batch = [reviews[i] for i in chosen.tolist()]
            starts = torch.tensor([0] + [len(review) for review in batch]).cumsum(0)[:-1]
            log_odds = F.embedding_bag(torch.cat(batch), (weights * ratio)[:, None], starts, mode="sum")[:, 0] + bias
            loss = F.binary_cross_entropy_with_logits(log_odds, labels[chosen]) + DECAY * weights.square().sum()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    return (weights * ratio).detach(), bias.item()


def word_scores(features: Tensor, weights: Tensor) -> Tensor:
    """(t,) what each word adds; a feature counts where it comes first, a pair with its first word."""
    distinct, places = features.unique(return_inverse=True)
    first = torch.full((len(distinct),), len(features)).scatter_reduce(0, places, torch.arange(len(features)), "amin")
    scores = torch.zeros(len(features)).index_put((first,), weights[distinct])
    t = (len(features) + 1) // 2
    return scores[:t] + F.pad(scores[t:], (0, 1))
