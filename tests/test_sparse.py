"""Sparse attention compared with the dense equation under the same mask; its cost is counted."""

from itertools import product
from typing import Any

import hypothesis.strategies as st
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import FlopCounterMode

import former
from former import attend, sparse
from tests import mask_rules

KINDS = ("local", "strided", "fixed")
SHAPES = [(1, 1), (7, 3), (12, 4), (5, 9), (10, 1), (33, 6), (64, 8), (200, 14)]  # tokens, size


@pytest.fixture(params=["kernel", "equation"])
def way(request, monkeypatch):
    """Runs each test with both implementations: torch's fused kernel, and the equation, which serves other devices."""
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


@pytest.mark.usefixtures("way")
def test_a_second_derivative_is_refused_and_not_wrong():
    leaves = inputs(7, torch.float32)
    (slope,) = torch.autograd.grad(sparse.attend(*leaves, "strided", 3).square().sum(), leaves[0], create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        slope.sum().backward()


@pytest.mark.parametrize(("dtype", "resolution"), [(torch.bfloat16, 2**-8), (torch.float16, 2**-11)])
@pytest.mark.usefixtures("way")
def test_half_floats_lose_no_more_than_their_own_rounding(dtype, resolution):
    for kind, (t, size) in product(KINDS, ((50, 7), (200, 14))):
        half = inputs(t, dtype)
        q, k, v = (x.detach().double().requires_grad_() for x in half)  # the same numbers
        ours = with_gradients(sparse.attend(*half, kind, size), half)
        exact = with_gradients(attend(q, k, v, mask=mask_rules.seen(kind, t, size)), (q, k, v))
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
    """Records the number of elements of the largest tensor created."""

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
    for empty in (lambda x: x[:, :, :0], lambda x: x[:0], lambda x: x[..., :0]):
        with pytest.raises(ValueError, match=r"each size at least 1, got \("):
            sparse.attend(empty(q), empty(k), empty(v), "fixed", 2)
    with pytest.raises(ValueError, match=r"floating point of one dtype, got torch\.float64, torch\.float32"):
        sparse.attend(q, k.float(), v, "fixed", 2)
    with pytest.raises(ValueError, match=r"floating point of one dtype, got torch\.int64"):
        sparse.attend(q.long(), k.long(), v.long(), "fixed", 2)


def generator(kind, seq_length=64, **changes):
    torch.manual_seed(0)
    shape: dict[str, Any] = {"num_tokens": 20, "emb": 16, "heads": 4, "depth": 2, "norm": "pre", **changes}
    config = former.ModelConfig(**shape, seq_length=seq_length, mask=kind, mask_size=None if kind == "causal" else 7)
    return former.Generator(config).double().eval()


def dense(model, tokens):
    """Computes the same by the equation, with the mask as a tensor."""
    mask = mask_rules.seen(model.config.mask, tokens.shape[1], model.config.mask_size)
    return former.run_with_capture(model, tokens, mask=mask)[0]


@pytest.fixture
def sparsely(monkeypatch):
    """Records the number of tokens of each call of `sparse.attend`."""
    calls, run = [], sparse.attend

    def counted(q, *arguments):
        calls.append(q.shape[2])
        return run(q, *arguments)

    monkeypatch.setattr(sparse, "attend", counted)
    return calls


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_with_a_sparse_mask_runs_sparsely_and_says_what_it_says_densely(kind, sparsely):
    model, tokens = generator(kind), torch.randint(20, (3, 50))
    torch.testing.assert_close(model(tokens), dense(model, tokens), atol=1e-12, rtol=0)
    assert sparsely == [50, 50]  # two layers, and none of the dense run


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_learns_sparsely_what_it_learns_densely(kind):
    tokens, gradients = torch.randint(20, (3, 50)), []
    for recompute, mask in ((False, None), (True, None), (False, mask_rules.seen(kind, 50, 7))):
        model = generator(kind).train()
        model(tokens, mask, recompute=recompute).square().sum().backward()
        gradients.append([parameter.grad for parameter in model.parameters()])
    for sparse_grad, repeated, dense_grad in zip(*gradients, strict=True):
        torch.testing.assert_close(sparse_grad, dense_grad, atol=1e-10, rtol=1e-10)
        torch.testing.assert_close(repeated, dense_grad, atol=1e-10, rtol=1e-10)


@pytest.mark.parametrize("kind", KINDS)
def test_weights_that_are_looked_at_are_those_of_the_dense_mask(kind, sparsely):
    model, tokens = generator(kind), torch.randint(20, (1, 50))
    said, capture = former.run_with_capture(model, tokens, ("weights", "scores"))
    _, expected = former.run_with_capture(model, tokens, ("weights", "scores"), mask=mask_rules.seen(kind, 50, 7))
    torch.testing.assert_close(said, model(tokens), atol=1e-12, rtol=0)
    for name in ("weights", "scores"):
        assert torch.equal(capture.stack(name), expected.stack(name))
    assert sparsely == [50, 50]  # only the runs without an observer


def test_other_points_are_seen_and_changed_without_weights(sparsely):
    model, tokens = generator("strided"), torch.randint(20, (1, 50))
    said, capture = former.run_with_capture(model, tokens, ("q", "out"), edits=[former.edits.ablate_head(0, 1)])
    _, expected = former.run_with_capture(
        model, tokens, ("q", "out"), mask=mask_rules.seen("strided", 50, 7), edits=[former.edits.ablate_head(0, 1)]
    )
    assert sparsely == [50, 50]
    assert not torch.allclose(said, model(tokens))
    for name in ("q", "out"):
        torch.testing.assert_close(capture.stack(name), expected.stack(name), atol=1e-12, rtol=0)


def test_weights_of_long_texts_are_refused_and_the_text_is_read_without():
    model = generator("fixed", 1100, depth=1)
    tokens = torch.randint(20, (1, 1025))
    torch.testing.assert_close(model(tokens), dense(model, tokens), atol=1e-10, rtol=0)
    with pytest.raises(ValueError, match=r"of the 'fixed' pattern can be captured up to 1024 tokens, got 1025"):
        former.run_with_capture(model, tokens, ("weights",))
    assert former.run_with_capture(model, tokens[:, :1024], ("weights",))[1].stack("weights").shape[-1] == 1024


@pytest.mark.parametrize("kind", KINDS)
def test_writing_with_the_cache_sees_what_the_pattern_allows(kind, sparsely):
    model = generator(kind)
    steps = list(former.generate(model, list(range(15)), 12, seed=1))
    assert sparsely == [15, 15]  # the prompt; a new token's row is dense
    ids = torch.tensor([[*range(15), *(step.token for step in steps)]])
    logits = dense(model, ids)
    for at, step in enumerate(steps, start=14):
        torch.testing.assert_close(step.probs, logits[0, at].softmax(-1), atol=1e-10, rtol=0)


def test_relative_positions_under_a_sparse_mask_are_computed_densely(sparsely):
    model, tokens = generator("strided", positions="relative"), torch.randint(20, (1, 50))
    torch.testing.assert_close(model(tokens), dense(model, tokens), atol=1e-12, rtol=0)
    assert sparsely == []


def test_training_through_the_pattern_learns_a_text_that_repeats(sparsely):
    model = generator("strided").float().train()
    tokens = torch.arange(20).repeat(3)[None]
    optimiser = torch.optim.Adam(model.parameters(), lr=0.01)
    losses = []
    for _ in range(40):
        loss = F.cross_entropy(model(tokens[:, :-1])[0], tokens[0, 1:])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(float(loss.detach()))
    assert losses[0] > 2
    assert losses[-1] < 0.1
    assert sparsely == [59, 59] * 40


def test_writing_past_the_longest_maps_still_yields_the_newest_tokens_weights():
    model = generator("local", 2_060, depth=1)
    prompt = torch.randint(20, (2_055,))
    steps = list(former.generate(model, prompt, 8, seed=1, capture=True))  # the window jumps, and 1,030 are read again
    assert [step.token for step in steps] == [step.token for step in former.generate(model, prompt, 8, seed=1)]
    for step in steps:
        weights = step.weights[0]
        assert weights.shape[-1] > 1_024
        torch.testing.assert_close(weights.sum(-1), torch.ones(4, dtype=torch.float64))
        assert not weights[:, :-7].any()
    with pytest.raises(ValueError, match=r"use_cache must be True to capture .*'local' mask, got False and up to 2060"):
        former.generate(model, prompt, 8, capture=True, use_cache=False)


def test_under_autocast_rotary_positions_and_a_pattern_work_together():
    config = former.ModelConfig(
        **{"num_tokens": 30, "emb": 16, "heads": 2, "depth": 2, "seq_length": 32, "mask": "local", "mask_size": 4},
        positions="rotary",
    )
    model, tokens = former.Generator(config).eval(), torch.arange(20)[None]
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        logits = model(tokens)
    with torch.no_grad():
        exact = model(tokens)
    torch.testing.assert_close(logits.float(), exact, atol=0.05, rtol=0)  # bfloat16 has 8 bits
