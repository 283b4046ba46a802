"""The linear teacher compared with a plain computation, and the data that it may have seen."""

import math

import pytest
import torch

from former.training.tasks import teacher

WORDS = 12
BAD, GOOD, NOT, FILM, THE = 2, 3, 4, 5, 6


def test_features_are_words_and_pairs_in_order_and_the_unknown_are_none():
    features = teacher.features_of([GOOD, 1, BAD, FILM], WORDS).tolist()
    assert features[:4] == [GOOD, 0, BAD, FILM]
    assert features[4:6] == [0, 0]
    assert WORDS <= features[6] < WORDS + teacher.PAIRS
    assert features[6] == teacher.features_of([BAD, FILM], WORDS)[2]
    assert features[6] != teacher.features_of([FILM, BAD], WORDS)[2]


def test_the_occurrences_of_a_feature_share_its_weight():
    ids = [GOOD, FILM, GOOD, FILM, BAD]
    features = teacher.features_of(ids, WORDS)
    weights = torch.zeros(WORDS + teacher.PAIRS)
    weights[features] = torch.tensor([4.0, 2.0, 4.0, 2.0, 7.0, 16.0, 8.0, 16.0, 32.0])  # five words, then four pairs
    assert teacher.word_scores(features, weights).tolist() == [2.0 + 8.0, 1.0 + 8.0, 2.0 + 8.0, 1.0 + 32.0, 7.0]


def test_an_opinion_of_a_piece_is_the_sum_of_its_words():
    opinion = teacher.Opinion(torch.tensor([1.0, -2.0, 0.5]), 0.25)
    assert opinion.positive() == pytest.approx(1 / (1 + math.exp(0.25)))
    assert opinion.piece(1, 2).positive() == pytest.approx(1 / (1 + math.exp(1.25)))


def test_what_it_learns_is_the_log_count_ratio_scaled_and_rare_features_say_nothing():
    reviews = [teacher.features_of(ids, WORDS).unique() for ids in ([GOOD], [GOOD], [BAD], [BAD], [THE])]
    weights, _ = teacher.fit(reviews, torch.tensor([1.0, 1.0, 0.0, 0.0, 1.0]), WORDS + teacher.PAIRS)
    assert weights[GOOD] > 0 > weights[BAD]
    assert weights[THE] == 0, "it was in one review only"
    assert weights[0] == 0


def test_it_learns_that_a_pair_turns_a_word_and_has_not_seen_the_review_it_judges():
    reviews = [([NOT, GOOD, FILM], 0), ([THE, GOOD, FILM], 1), ([NOT, BAD, FILM], 1), ([THE, BAD, FILM], 0)] * 50
    reviews.sort(key=lambda review: review[1])
    opinions = teacher.opinions(reviews, WORDS)
    assert all((opinion.positive() > 0.5) == bool(label) for opinion, (_, label) in zip(opinions, reviews, strict=True))

    # A word that occurs in one fold only, always with one label: the teachers that judge this fold never saw it
    for i in range(20):
        reviews[i] = ([*reviews[i][0], 7], 0)
    assert all(opinion.scores[-1] == 0 for opinion in teacher.opinions(reviews, WORDS)[:20])
