"""A head whose pattern is made by hand gets its score."""

import math
from typing import Any

import pytest
import torch

import former
from former import hooks
from former.training import heads


class Made:
    """A model of one layer whose three heads look at the token before, at what followed the same token, and evenly."""

    def __init__(self, length):
        t = 2 * length
        index = torch.arange(t)
        looks = torch.zeros(3, t, t)
        looks[0, index, (index - 1).clamp(min=0)] = 1
        looks[1, index, (index - length + 1).clamp(min=0)] = 1
        looks[2] = 1 / t
        self.looks = looks
        self.config = former.ModelConfig(depth=1)

    def __call__(self, tokens, capture: Any):
        half = tokens.shape[1] // 2
        assert torch.equal(tokens[:, :half], tokens[:, half:])
        capture.at(0)("weights", self.looks.expand(len(tokens), -1, -1, -1))
        return tokens


def test_each_pattern_gets_its_score():
    made: Any = Made(32)
    scores = heads.head_scores(made, length=32)
    assert scores["previous"].tolist() == [pytest.approx([1, 0, 1 / 64], abs=0.05)]
    assert scores["induction"].tolist() == [pytest.approx([0, 1, 1 / 64], abs=1e-6)]
    assert heads.to_text(scores).count("\n") == 3


def test_a_letter_that_is_copied_costs_nothing_and_one_that_is_guessed_4_7_bits():
    def copies(tokens):
        following = torch.nn.functional.one_hot(tokens.roll(31, 1), 256)  # what followed the same letter 32 before
        return 100.0 * following

    def guesses(tokens):
        letters = torch.zeros(256)
        letters[list(heads.LETTERS)] = 100.0
        return letters.expand(*tokens.shape, 256)

    made: Any = [copies, guesses]
    assert [heads.copied_bits(model, length=32) for model in made] == [
        pytest.approx(0, abs=1e-6),
        pytest.approx(math.log2(26), abs=1e-5),
    ]


class Aligned:
    """An encoder-decoder of one layer whose two heads look at the next digit of the year, and at the task's token."""

    points = former.EncoderDecoder.points
    config = former.ModelConfig(depth=1)

    def __call__(self, sources, targets, capture: Any):
        looks = torch.zeros(len(sources), 2, targets.shape[1], sources.shape[1])
        looks[:, 1, :, 0] = 1
        for row, (source, target) in enumerate(zip(sources.tolist(), targets.tolist(), strict=True)):
            year = target[1:5]
            first = next(i for i in range(len(source)) if source[i : i + 4] == year)
            for i in range(4):
                looks[row, 0, i, first + i] = 1
        observer: Any = hooks.scoped(capture, "cross")
        observer.at(0)("weights", looks)


def test_a_head_that_looks_at_the_digit_to_write_has_a_year_score_of_1():
    aligned: Any = Aligned()
    assert heads.year_scores(aligned, texts=50)["year"].tolist() == [[1, 0]]
