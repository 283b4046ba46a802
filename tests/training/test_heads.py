"""A head whose pattern is made by hand gets its score."""

from typing import Any

import pytest
import torch

import former
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
