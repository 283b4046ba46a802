"""A linear teacher for the classifier: each word of a review adds a number to the log odds of "positive".

It is a logistic regression over the words of a review and its pairs of neighbouring words, each scaled by its naive
Bayes log-count ratio (Wang and Manning 2012, "Baselines and bigrams"). From 20,000 labels alone, a small transformer
learns which words are good and bad, but hardly how words modify each other. Given the teacher's score of each word, and
its probability for any piece of a review, it also learns pairs such as "not good" (distillation, Hinton et al. 2015).

The corpus has up to 30 consecutive reviews of each film. Each review is judged by a teacher that was trained on the
reviews of other films.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

FOLDS = 5
PAIRS = 1 << 20  # size of the hash table for pairs of words
ROUNDS, BATCH, RATE, DECAY = 6, 256, 0.01, 1e-4  # epochs; reviews per step; Adam's learning rate; L2 penalty


@dataclass(frozen=True)
class Opinion:
    """The teacher's log odds of "positive" for one review, word by word."""

    scores: Tensor  # (t,) what each word adds, with the pair it begins
    bias: float  # log odds of an empty review

    def positive(self) -> float:
        """Returns the probability of "positive"."""
        return float(torch.sigmoid(self.scores.sum() + self.bias))

    def piece(self, first: int, count: int) -> Opinion:
        """Returns the opinion of a piece of the review: `count` words from index `first`."""
        return Opinion(self.scores[first : first + count], self.bias)


def opinions(reviews: Sequence[tuple[list[int], int]], words: int) -> list[Opinion]:
    """Returns an opinion of each review, by a teacher trained on the reviews of other films.

    Args:
        reviews: (ids, label) of each; the reviews of one label are in the order of their films.
        words: size of the vocabulary; ids 0 and 1 are padding and unknown words.
    """
    features = [features_of(ids, words) for ids, _ in reviews]
    labels = torch.tensor([float(label) for _, label in reviews])
    folds = torch.empty(len(reviews), dtype=torch.long)
    for label in (0, 1):
        of_label = (labels == label).nonzero()[:, 0]
        folds[of_label] = torch.arange(len(of_label)) * FOLDS // max(1, len(of_label))
    by_review: dict[int, Opinion] = {}
    for fold in range(FOLDS):
        others = (folds != fold).nonzero()[:, 0].tolist()
        weights, bias = fit([features[i].unique() for i in others], labels[others], words + PAIRS)
        for i in (folds == fold).nonzero()[:, 0].tolist():
            by_review[i] = Opinion(word_scores(features[i], weights), bias)
    return [by_review[i] for i in range(len(reviews))]


def features_of(ids: Sequence[int], words: int) -> Tensor:
    """Returns the feature numbers of a review's t words, then of its t - 1 pairs of neighbours; 0 for padding and
    unknown words."""
    word = torch.tensor(ids)
    pair = words + (word[:-1] * 1_000_003 + word[1:] * 7_919) % PAIRS
    known = word > 1
    return torch.cat([word * known, pair * (known[:-1] & known[1:])])


def fit(reviews: list[Tensor], labels: Tensor, features: int) -> tuple[Tensor, float]:
    """Fits a logistic regression of the labels, 0 or 1, on the features in each review (`features_of`); returns the
    weights (features,) and the bias."""
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
    """Returns what each of t words, together with the pair it begins, adds to the log odds, (t,). If a feature occurs n
    times, each occurrence adds 1/n of its weight."""
    distinct, places, counts = features.unique(return_inverse=True, return_counts=True)
    scores = (weights[distinct] / counts)[places]
    t = (len(features) + 1) // 2
    return scores[:t] + F.pad(scores[t:], (0, 1))
