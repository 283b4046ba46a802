"""Masks compared with their definitions cell by cell, and their counts."""

import math

import hypothesis.strategies as st
import pytest
import torch
from hypothesis import given

from former import masks
from tests import mask_rules

sizes, steps = st.integers(1, 40), st.integers(1, 12)


def by_rule(t, allowed):
    return torch.tensor([[allowed(i, j) for j in range(t)] for i in range(t)])


@given(sizes)
def test_none_allows_all_and_causal_what_is_not_later(t):
    assert torch.equal(masks.none(t), by_rule(t, lambda _i, _j: True))
    assert torch.equal(masks.causal(t), by_rule(t, lambda i, j: j <= i))
    assert masks.causal(t).sum() == t * (t + 1) // 2


@given(sizes, steps)
def test_local_allows_the_last_window_of_tokens(t, window):
    mask = masks.local(t, window)
    assert torch.equal(mask, by_rule(t, lambda i, j: i - window < j <= i))
    assert (mask.sum(-1) == torch.arange(1, t + 1).clamp(max=window)).all()


@given(sizes, steps)
def test_strided_is_the_union_of_the_two_factors_of_the_paper(t, stride):
    def allowed(i, j):  # Child et al. 2019, section 4.2: A1 = {t .. i}, t = max(0, i - l); A2 = (i - j) mod l = 0
        return max(0, i - stride) <= j <= i or (j <= i and (i - j) % stride == 0)

    assert torch.equal(masks.strided(t, stride), by_rule(t, allowed))


@given(sizes, steps)
def test_fixed_is_the_union_of_the_two_factors_of_the_paper(t, stride):
    def allowed(i, j):  # the paper's c = 1: a summary is the last token of its block
        return j <= i and (j // stride == i // stride or j % stride == stride - 1)

    assert torch.equal(masks.fixed(t, stride), by_rule(t, allowed))


@pytest.mark.parametrize("pattern", [masks.strided, masks.fixed])
def test_the_sparse_patterns_have_on_the_order_of_n_root_n_cells(pattern):
    # cells / (n√n) settles between constants while n grows 16-fold; a quadratic count would grow 4-fold in it.
    ratios = [int(pattern(n, math.isqrt(n)).sum()) / n**1.5 for n in (64, 256, 1024)]
    assert all(0.5 < ratio < 2 for ratio in ratios)
    assert ratios[-1] / ratios[0] < 1.25


@given(sizes, steps)
def test_every_pattern_is_causal_and_every_query_sees_itself(t, step):
    for mask in (masks.causal(t), masks.local(t, step), masks.strided(t, step), masks.fixed(t, step)):
        assert mask.dtype == torch.bool
        assert not (mask & ~masks.causal(t)).any()
        assert mask.diagonal().all()


@given(st.sampled_from(list(masks.MASKS)), sizes, steps)
def test_the_formula_counts_what_the_mask_allows(kind, t, step):
    assert masks.count(kind, t, step) == int(masks.named(kind, t, step).sum())


@pytest.mark.parametrize("kind", masks.MASKS)
@pytest.mark.parametrize(("t", "step"), [(1, 1), (1, 9), (97, 7), (100, 10), (256, 16), (513, 23), (1000, 1000)])
def test_the_formula_counts_large_masks_and_uneven_ends(kind, t, step):
    assert masks.count(kind, t, step) == int(masks.named(kind, t, step).sum())


def test_a_mask_is_known_by_its_name():
    assert torch.equal(masks.named("strided", 20, 4), masks.strided(20, 4))
    assert torch.equal(masks.named("fixed", 20, 4), masks.fixed(20, 4))
    assert torch.equal(masks.named("local", 20, 4), masks.local(20, 4))
    with pytest.raises(ValueError, match="kind"):
        masks.named("full", 4)
    with pytest.raises(ValueError, match="kind"):
        masks.count("full", 4)
    with pytest.raises(ValueError, match="stride must be a whole number of at least 1, got 0"):
        masks.count("fixed", 4, 0)


@pytest.mark.parametrize("kind", masks.MASKS)
@pytest.mark.parametrize("use", [masks.named, masks.count])
def test_a_kind_that_has_a_size_is_not_made_without_it(kind, use):
    size = masks.MASKS[kind].size
    if size is None:
        assert torch.equal(torch.as_tensor(use(kind, 10)), torch.as_tensor(use(kind, 10, 3)))
    else:
        with pytest.raises(ValueError, match=f"size must be the {size} of a '{kind}' mask, got None"):
            use(kind, 10)


@given(st.sampled_from(list(masks.MASKS)), sizes, steps, st.integers(0, 12))
def test_the_rows_of_new_tokens_are_the_last_rows_of_the_whole_mask(kind, t, step, past):
    assert torch.equal(masks.named(kind, t, step, past=past), masks.named(kind, past + t, step)[past:])


@given(st.sampled_from(list(masks.MASKS)), steps, st.integers(0, 60), st.integers(0, 60), st.integers(0, 4))
def test_shifting_query_and_key_by_the_size_changes_nothing(kind, size, query, key, times):
    sees, shift = masks.MASKS[kind].sees, times * (size if masks.MASKS[kind].size else 1)
    assert sees(query, key, size) == sees(query + shift, key + shift, size)
    assert masks.MASKS[kind].causal == (kind != "none")


@given(st.sampled_from(list(masks.MASKS)), st.integers(1, 14), st.integers(1, 5), st.integers(1, 5))
def test_reach_is_where_a_path_of_allowed_steps_leads(kind, t, step, layers):
    mask = masks.named(kind, t, step)
    reach = [{i} for i in range(t)]  # what each token's vector holds before the first layer
    for reached in masks.reach(mask, layers):
        reach = [set().union(*(reach[j] for j in range(t) if mask[i, j])) | reach[i] for i in range(t)]
        assert [set(row.nonzero()[:, 0].tolist()) for row in reached] == reach


def test_reach_refuses_what_is_no_mask_of_layers():
    with pytest.raises(ValueError, match="layers"):
        masks.reach(masks.causal(3), 0)
    with pytest.raises(ValueError, match="square"):
        masks.reach(torch.ones(2, 3, dtype=torch.bool), 1)


def test_every_kind_is_held_against_a_definition_that_uses_nothing_of_former():
    assert list(mask_rules.KINDS) == list(masks.MASKS)
    for kind in masks.MASKS:
        for t, size in ((1, 1), (7, 3), (12, 4)):
            assert torch.equal(masks.named(kind, t, size), mask_rules.seen(kind, t, size))
