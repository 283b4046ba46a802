"""Sparse attention against the dense equation under the same mask, and its cost counted."""

import hypothesis.strategies as st
import pytest
import torch
from hypothesis import given
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import FlopCounterMode

from former import attend, sparse
from tests import mask_rules

KINDS = ("local", "strided", "fixed")
SHAPES = [(1, 1), (7, 3), (12, 4), (5, 9), (10, 1), (33, 6), (64, 8)]  # tokens, size


@pytest.fixture(params=["kernel", "equation"])
def way(request, monkeypatch):
    """Both ways to compute a part: torch's fused kernel, and the equation, which serves other devices."""
    if request.param == "equation":
        monkeypatch.setattr(sparse, "_has_kernel", lambda _q: False)
    return request.param


def inputs(t, dtype=torch.float64, device="cpu", b=2, h=3, s=8) -> tuple[Tensor, Tensor, Tensor]:
    rng = torch.Generator().manual_seed(t)
    shape = (3, b, h, t, s)
    q, k, v = torch.randn(shape, generator=rng, dtype=torch.float64).to(device, dtype)
    return q.requires_grad_(), k.requires_grad_(), v.requires_grad_()


def with_gradients(out, leaves):
    rng = torch.Generator().manual_seed(1)
    upstream = torch.randn(out.shape, generator=rng, dtype=torch.float64).to(out)
    return (out.detach(), *torch.autograd.grad(out, leaves, upstream))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("t", "size"), SHAPES)
@pytest.mark.usefixtures("way")
def test_output_and_gradients_are_those_of_the_dense_mask(kind, t, size):
    leaves = inputs(t)
    ours = with_gradients(sparse.attend(*leaves, kind, size), leaves)
    dense = with_gradients(attend(*leaves, mask=mask_rules.seen(kind, t, size)), leaves)
    for got, expected in zip(ours, dense, strict=True):
        torch.testing.assert_close(got, expected, atol=1e-12, rtol=0)


@given(st.sampled_from(KINDS), st.integers(1, 40), st.integers(1, 45))
def test_any_length_and_size_will_do(kind, t, size):
    leaves = inputs(t, torch.float32)
    dense = attend(*leaves, mask=mask_rules.seen(kind, t, size))
    torch.testing.assert_close(sparse.attend(*leaves, kind, size), dense, atol=1e-5, rtol=0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.usefixtures("way")
def test_gradients_are_the_slopes_of_the_output(kind):
    leaves = inputs(7, b=1, h=2, s=3)
    assert torch.autograd.gradcheck(lambda q, k, v: sparse.attend(q, k, v, kind, 3), leaves)


@pytest.mark.parametrize(("dtype", "resolution"), [(torch.bfloat16, 2**-8), (torch.float16, 2**-11)])
@pytest.mark.usefixtures("way")
def test_half_floats_lose_no_more_than_their_own_rounding(dtype, resolution):
    for kind in KINDS:
        half = inputs(50, dtype)
        q, k, v = (x.detach().double().requires_grad_() for x in half)  # the same numbers
        ours = with_gradients(sparse.attend(*half, kind, 7), half)
        exact = with_gradients(attend(q, k, v, mask=mask_rules.seen(kind, 50, 7)), (q, k, v))
        for got, expected in zip(ours, exact, strict=True):
            assert got.dtype == dtype
            # Inputs, weights and outputs are rounded once each, and numbers reach about 4.
            torch.testing.assert_close(got.double(), expected, atol=16 * resolution, rtol=0)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("kind", KINDS)
def test_a_gpu_gives_what_the_cpu_gives(kind):
    here, there = inputs(50), inputs(50, device="cuda")
    ours = with_gradients(sparse.attend(*there, kind, 7), there)
    for got, expected in zip(ours, with_gradients(sparse.attend(*here, kind, 7), here), strict=True):
        torch.testing.assert_close(got.cpu(), expected, atol=1e-12, rtol=0)


@pytest.mark.parametrize("kind", KINDS)
def test_scores_of_any_size_stay_finite(kind, way):
    q, k, v = inputs(30, torch.float32)
    ours = with_gradients(sparse.attend(100 * q, 100 * k, v, kind, 5), (q, k, v))
    assert all(x.isfinite().all() for x in ours), way


class Largest(TorchDispatchMode):
    """The number of elements of the largest tensor that was made."""

    elements = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        self.elements = max(self.elements, *(x.numel() for x in tree_leaves(out) if isinstance(x, Tensor)), 0)
        return out


@pytest.mark.parametrize("kind", KINDS)
def test_work_and_memory_grow_as_t_root_t(kind, monkeypatch):
    monkeypatch.setattr(sparse, "_has_kernel", lambda _q: False)  # its products are counted, the kernel's are not

    def cost(t):
        leaves = inputs(t, torch.float32, b=1, h=1, s=4)
        with FlopCounterMode(display=False) as flops, Largest() as largest:
            sparse.attend(*leaves, kind, int(t**0.5)).sum().backward()
        return flops.get_total_flops(), largest.elements

    few, many = cost(64), cost(1024)
    assert few[0] > 0
    for less, more in zip(few, many, strict=True):
        assert more / less < 1.1 * 16**1.5  # t² would be 256 times


@pytest.mark.parametrize("kind", KINDS)
def test_gradients_do_not_reach_inputs_that_need_none(kind):
    q, k, v = inputs(9)
    out = sparse.attend(q, k.detach(), v.detach(), kind, 3)
    assert torch.autograd.grad(out.sum(), q)[0].isfinite().all()


def test_what_does_not_fit_is_refused():
    q, k, v = inputs(6)
    with pytest.raises(ValueError, match=r"kind must be one of 'local', 'strided', 'fixed', got 'causal'"):
        sparse.attend(q, k, v, "causal", 2)
    with pytest.raises(ValueError, match=r"size must be a whole number of at least 1, got 0"):
        sparse.attend(q, k, v, "fixed", 0)
    with pytest.raises(ValueError, match=r"one shape .* got \(2, 3, 5, 8\), \(2, 3, 6, 8\), \(2, 3, 6, 8\)"):
        sparse.attend(q[:, :, :5], k, v, "fixed", 2)
    with pytest.raises(ValueError, match=r"t at least 1, got \(2, 3, 0, 8\)"):
        sparse.attend(q[:, :, :0], k[:, :, :0], v[:, :, :0], "fixed", 2)
