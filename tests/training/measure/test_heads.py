"""Heads whose patterns are set by hand get the expected scores."""

import math
from typing import Any

import pytest
import torch

import former
from former import hooks
from former.training.__main__ import main
from former.training.measure import heads


class Made:
    """A model of one layer whose three heads attend to the previous token, to the token after the last occurrence of
    the same token, and to all tokens evenly."""

    def __init__(self, length):
        t = 2 * length
        index = torch.arange(t)
        looks = torch.zeros(3, t, t)
        looks[0, index, (index - 1).clamp(min=0)] = 1
        looks[1, index, (index - length + 1).clamp(min=0)] = 1
        looks[2] = 1 / t
        self.looks = looks
        self.config = former.ModelConfig(depth=1)

    def __call__(self, tokens, observer: Any):
        half = tokens.shape[1] // 2
        assert torch.equal(tokens[:, :half], tokens[:, half:])
        observer.at(0)("weights", self.looks.expand(len(tokens), -1, -1, -1))
        return tokens


def test_each_pattern_gets_its_score():
    model: Any = Made(32)
    scores = heads.head_scores(model, length=32)
    assert scores["previous"].tolist() == [pytest.approx([1, 0, 1 / 64], abs=0.05)]
    assert scores["induction"].tolist() == [pytest.approx([0, 1, 1 / 64], abs=1e-6)]
    assert heads.to_text(scores).count("\n") == 3


def test_a_head_that_looks_at_all_tokens_alike_is_even_and_one_that_looks_at_one_is_not():
    model: Any = Made(4)
    texts = [[1, 2, 3, 4] * 2, [5, 6, 7, 8] * 2]
    assert heads.even_scores(model, texts)["even"].tolist() == [pytest.approx([0, 0, 1], abs=1e-6)]


def test_a_text_of_one_token_says_nothing_of_how_evenly_heads_look():
    model: Any = Made(4)
    text = [1, 2, 3, 4] * 2
    assert torch.equal(heads.even_scores(model, [[1], text, []])["even"], heads.even_scores(model, [text])["even"])
    with pytest.raises(ValueError, match="two tokens or more"):
        heads.even_scores(model, [[1]])


def test_the_heads_of_a_classifier_are_measured_on_reviews(reviews_file, capsys):
    assert main(["heads", "classifier", "--data", str(reviews_file), "--unchecked"]) == 0
    head, *rows = capsys.readouterr().out.splitlines()
    assert head.split() == ["layer", "head", "even"]
    even = [float(row.split()[-1]) for row in rows]
    assert len(even) == 6 * 4
    assert all(0 <= share <= 1 for share in even)


def test_a_letter_that_is_copied_costs_nothing_and_one_that_is_guessed_4_7_bits():
    def copies(tokens):
        following = torch.nn.functional.one_hot(tokens.roll(31, 1), 256)  # what followed the same letter 32 before
        return 100.0 * following

    def guesses(tokens):
        letters = torch.zeros(256)
        letters[list(heads.LETTERS)] = 100.0
        return letters.expand(*tokens.shape, 256)

    values: Any = [copies, guesses]
    assert [heads.copied_bits(model, length=32) for model in values] == [
        pytest.approx(0, abs=1e-6),
        pytest.approx(math.log2(26), abs=1e-5),
    ]


class Aligned:
    """An encoder-decoder of one layer whose two heads attend to the next digit of the year, and to the task's token."""

    points = former.EncoderDecoder.points
    config = former.ModelConfig(depth=1)

    def __call__(self, sources, targets, observer: Any):
        looks = torch.zeros(len(sources), 2, targets.shape[1], sources.shape[1])
        looks[:, 1, :, 0] = 1
        for row, (source, target) in enumerate(zip(sources.tolist(), targets.tolist(), strict=True)):
            year = target[1:5]
            first = next(i for i in range(len(source)) if source[i : i + 4] == year)
            for i in range(4):
                looks[row, 0, i, first + i] = 1
        cross: Any = hooks.scoped(observer, "cross")
        cross.at(0)("weights", looks)


def test_a_head_that_looks_at_the_digit_to_write_has_a_year_score_of_1():
    aligned: Any = Aligned()
    assert heads.year_scores(aligned, texts=50)["year"].tolist() == [[1, 0]]
