"""Two texts of different length are aligned by their longest common parts, and their maps are subtracted."""

import pytest
import torch

import former
from viz.tabs.explore.map.maps import align, compare_heads, compare_maps


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
    assert result["share"] == pytest.approx(float(share), abs=1e-6)
    largest = result["largest"]
    before, after = (torch.tensor(largest[name]) for name in ("before", "after"))  # in float32, as the cells
    assert largest["size"] == float(result["cells"].abs().max()) == float((after - before).abs())
    assert abs(float(result["cells"][largest["row"], largest["column"]])) == largest["size"]
    heads = compare_heads(pinned, run, "self", "self")
    assert (heads["rows"], heads["columns"]) == (pairs, pairs)
    assert float(heads["moved"][4, 1]) == pytest.approx(float(share), abs=1e-6)
    assert heads["mean"] == pytest.approx(float(heads["moved"].mean()))
    assert heads["most"]["share"] == float(heads["moved"].max())
    assert heads["most"]["share"] == float(heads["moved"][heads["most"]["layer"], heads["most"]["head"]])


def test_heads_of_models_of_other_shapes_are_not_compared():
    pinned, run = (former.load(name).run("The cat sat.") for name in ("tiny-generator", "gpt"))
    assert set(compare_heads(pinned, run, "self", "self").values()) == {None}
    assert compare_maps(pinned, run, ("self", 1, 1, "head"), ("self", 4, 1, "head"))["largest"] is None
