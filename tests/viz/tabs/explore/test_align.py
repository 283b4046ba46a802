"""Two texts of different length are aligned by their longest common parts, and their maps are subtracted."""

import pytest
import torch

import former
from viz.tabs.explore.map.maps import align, compare_maps


def test_tokens_are_paired_by_the_longest_common_parts_with_gaps_between():
    one = ["the", "old", "nurse", "said", "that", "he"]
    other = ["the", "doctor", "said", "that", "she", "can", "go"]
    pairs = [(0, 0), (1, None), (2, None), (None, 1), (3, 2), (4, 3), (5, None), (None, 4), (None, 5), (None, 6)]
    assert align(one, other) == pairs
    assert align(list("abc"), list("xyz")) == [(0, 0), (1, 1), (2, 2)], "of one length: by position"
    assert align(list("abcd"), list("xyz")) is None
    assert align(list("abcde"), list("axcd")) == [(0, 0), (1, 1), (2, 2), (3, 3), (4, None)]
    assert align(list("the cat"), list("thick"), 3) is None, "two letters are no common part"


def test_a_map_is_subtracted_at_aligned_positions():
    bundle = former.load("gpt")
    pinned, run = bundle.run("The cat sat on the mat."), bundle.run("The old cat sat on the mat.")
    result = compare_maps(pinned, run, ("self", 4, 1, "head"), ("self", 4, 1, "head"))
    pairs = align(pinned.tokens, run.tokens)
    assert pairs is not None
    assert (result["rows"], result["columns"]) == (pairs, pairs)
    t = len(pairs)
    assert result["queries"][1] == "–|␣old"
    assert result["cells"].shape == (t, t) == result["mask"].shape
    was, now = pinned.weights[4, 1], run.weights[4, 1]
    for r, (i, j) in enumerate(pairs):
        for c, (k, m) in enumerate(pairs):
            one = 0 if i is None or k is None else float(was[i, k])
            other = 0 if j is None or m is None else float(now[j, m])
            expected = 0 if i is None or j is None else other - one
            assert float(result["cells"][r, c]) == pytest.approx(expected, abs=1e-6)
    rows = torch.tensor([None not in pair for pair in pairs])
    share = result["cells"][rows].abs().sum() / 2 / rows.sum()
    assert float(result["moved"][4, 1]) == pytest.approx(float(share), abs=1e-6)
