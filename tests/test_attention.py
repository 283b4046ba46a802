"""Attention compared with a plain loop and with torch's own layer."""

import math
from typing import Any

import hypothesis.strategies as st
import pytest
import torch
from hypothesis import given
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

import former
from former.hooks import POINTS, at_points

sizes = st.tuples(st.integers(1, 3), st.integers(1, 12), st.sampled_from([1, 2, 4]), st.integers(1, 6))  # b, t, h, s
some_mask = st.sampled_from(list(former.masks.MASKS))


def make_mask(name: str, t: int) -> Tensor:
    mask = getattr(former.masks, name)
    return mask(t) if name in ("none", "causal") else mask(t, 3)


def loop_over_queries(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """Computes outputs and weights by the equation with Python's own numbers, one query at a time."""
    out, all_weights = torch.zeros_like(q), torch.zeros(*q.shape[:-1], k.shape[-2], dtype=q.dtype)
    for b in range(q.shape[0]):
        for h in range(q.shape[1]):
            for i in range(q.shape[2]):
                observed = [j for j in range(k.shape[2]) if mask[i, j]]
                dots = [sum(float(x) * float(y) for x, y in zip(q[b, h, i], k[b, h, j], strict=True)) for j in observed]
                powers = [math.exp(dot / math.sqrt(q.shape[3])) for dot in dots]
                for j, power in zip(observed, powers, strict=True):
                    all_weights[b, h, i, j] = power / sum(powers)
                    out[b, h, i] += power / sum(powers) * v[b, h, j]
    return out, all_weights


@given(sizes, some_mask, st.integers(0, 2**31))
def test_attention_equals_a_plain_loop_over_queries_in_float64(size, mask_name, seed):
    b, t, h, s = size
    rng = torch.Generator().manual_seed(seed)
    q, k, v = (torch.randn(b, h, t, s, generator=rng, dtype=torch.float64) for _ in range(3))
    mask = make_mask(mask_name, t)
    expected, expected_weights = loop_over_queries(q, k, v, mask)
    scores, weights = former.attention_weights(q, k, mask)
    # float64 rounds at 1e-16; a dozen additions stay far below 1e-12.
    torch.testing.assert_close(weights, expected_weights, atol=1e-12, rtol=0)
    assert (scores.isinf() == ~mask).all()
    for hook in (None, lambda _name, _tensor: None):
        torch.testing.assert_close(former.attend(q, k, v, mask=mask, hook=hook), expected, atol=1e-12, rtol=0)


@given(st.integers(1, 3), st.integers(1, 12), st.integers(1, 8), st.booleans())
def test_basic_self_attention_equals_a_plain_loop_over_queries_in_float64(b, t, e, masked):
    x = torch.randn(b, t, e, generator=torch.Generator().manual_seed(b * t * e), dtype=torch.float64)
    mask = make_mask("causal" if masked else "none", t)
    # Unscaled: a loop that divides by √e is undone by queries that are √e as long.
    expected, weights = loop_over_queries((x * math.sqrt(e))[:, None], x[:, None], x[:, None], mask)
    y, w = former.basic_self_attention(x, mask if masked else None)
    torch.testing.assert_close(y, expected[:, 0], atol=1e-10, rtol=0)
    torch.testing.assert_close(w, weights[:, 0], atol=1e-10, rtol=0)


@given(st.integers(1, 3), st.integers(1, 12), st.sampled_from([1, 2, 4, 8]), some_mask, st.integers(0, 2**31))
def test_attention_equals_torch_multihead_attention_with_the_same_weights(b, t, heads, mask_name, seed):
    torch.manual_seed(seed)
    ours = former.SelfAttention(16, heads).double()
    theirs = nn.MultiheadAttention(16, heads, batch_first=True, dtype=torch.float64)
    copy_attention(ours, theirs)
    x, mask = torch.randn(b, t, 16, dtype=torch.float64), make_mask(mask_name, t)
    captured = {}
    y = ours(x, mask, hook=lambda name, tensor: captured.update({name: tensor}))
    expected, weights = theirs(x, x, x, attn_mask=~mask, average_attn_weights=False)  # there, True = may not attend
    torch.testing.assert_close(y, expected, atol=1e-12, rtol=0)
    torch.testing.assert_close(ours(x, mask), expected, atol=1e-12, rtol=0)
    torch.testing.assert_close(captured["weights"], weights, atol=1e-12, rtol=0)


def copy_attention(ours: former.SelfAttention, theirs: nn.MultiheadAttention) -> None:
    """Copies our weights into torch's layer, whose query, key and value maps share one matrix and have biases."""
    unify: Any = ours.unifyheads
    with torch.no_grad():
        theirs.in_proj_weight.copy_(
            torch.cat([ours.toqueries.weight, ours.tokeys.weight, ours.tovalues.weight])  # (3e, e)
        )
        theirs.in_proj_bias.zero_()
        theirs.out_proj.weight.copy_(unify.weight)
        theirs.out_proj.bias.copy_(unify.bias)


@given(sizes, some_mask, st.integers(0, 2**31))
def test_wide_attention_equals_a_sum_over_single_heads_of_the_full_size(size, mask_name, seed):
    b, t, heads, e = size
    torch.manual_seed(seed)
    wide = former.SelfAttention(e, heads, variant="wide").double().requires_grad_(False)
    x, mask = torch.randn(b, t, e, dtype=torch.float64), make_mask(mask_name, t)
    unify: Any = wide.unifyheads
    expected = unify.bias.expand(b, t, e)
    for head in range(heads):
        rows = slice(head * e, (head + 1) * e)
        q, k, v = (x @ to.weight[rows].T for to in (wide.toqueries, wide.tokeys, wide.tovalues))
        out, _ = loop_over_queries(q[:, None], k[:, None], v[:, None], mask)
        expected = expected + out[:, 0] @ unify.weight[:, rows].T
    torch.testing.assert_close(wide(x, mask), expected, atol=1e-12, rtol=0)


@pytest.mark.parametrize("t", [1, 7, 64, 256])
@pytest.mark.parametrize("masked", [True, False])
def test_the_fast_kernel_and_the_explicit_equation_are_equal_on_float32(t, masked):
    rng = torch.Generator().manual_seed(t)
    q, k, v = (torch.randn(2, 8, t, 32, generator=rng) for _ in range(3))
    mask = former.masks.causal(t) if masked else None
    fast, explicit = (former.attend(q, k, v, mask=mask, hook=hook) for hook in (None, lambda _name, _tensor: None))
    torch.testing.assert_close(fast, explicit, atol=1e-5, rtol=0)


@pytest.mark.parametrize("heads", [1, 2, 4, 8])
@pytest.mark.parametrize("emb", [8, 64])
def test_parameter_counts_follow_the_formulas(emb, heads):
    def count(variant):
        attention = former.SelfAttention(emb, heads, variant)
        unify = sum(p.numel() for p in attention.unifyheads.parameters())
        return sum(p.numel() for p in attention.parameters()) - unify, unify

    assert count("narrow") == (3 * emb**2, emb**2 + emb)  # for any number of heads
    assert count("wide") == (3 * heads * emb**2, heads * emb**2 + emb)
    assert count("chunked") == (3 * emb**2 // heads, emb**2 + emb)


def test_the_three_forms_of_eight_heads_at_256_have_the_weights_that_the_article_reckons():
    def maps(variant):
        attention = former.SelfAttention(256, 8, variant)
        return sum(to.weight.numel() for to in (attention.toqueries, attention.tokeys, attention.tovalues))

    assert (maps("chunked"), maps("narrow"), maps("wide")) == (24_576, 196_608, 1_572_864)


@pytest.mark.parametrize("bias", [False, True])
def test_chunked_attention_equals_narrow_attention_whose_matrices_are_zero_outside_their_blocks(bias):
    torch.manual_seed(0)
    chunked = former.SelfAttention(16, 4, "chunked", bias).double()
    narrow = former.SelfAttention(16, 4, "narrow", bias).double()
    narrow.unifyheads.load_state_dict(chunked.unifyheads.state_dict())
    for name in ("toqueries", "tokeys", "tovalues"):
        ours, theirs = getattr(chunked, name), getattr(narrow, name)
        with torch.no_grad():
            theirs.weight.copy_(torch.block_diag(*ours.weight))
            if bias:
                ours.bias.normal_()
                theirs.bias.copy_(ours.bias)
    x = torch.randn(2, 5, 16, dtype=torch.float64)
    torch.testing.assert_close(chunked(x), narrow(x), atol=1e-12, rtol=0)


@given(st.integers(1, 3), st.integers(1, 6), st.integers(1, 7), st.integers(0, 2**31))
def test_attention_to_a_context_equals_torch_multihead_attention_between_two_sequences(b, t_query, t_key, seed):
    torch.manual_seed(seed)
    ours = former.SelfAttention(16, 4, bias=True).double()
    theirs = nn.MultiheadAttention(16, 4, batch_first=True, dtype=torch.float64)
    copy_attention(ours, theirs)
    with torch.no_grad():
        for name, part in zip(("toqueries", "tokeys", "tovalues"), theirs.in_proj_bias.chunk(3), strict=True):
            part.copy_(getattr(ours, name).bias.normal_())
    x, context = torch.randn(b, t_query, 16).double(), torch.randn(b, t_key, 16).double()
    captured = {}
    y = ours(x, context=context, hook=lambda name, tensor: captured.update({name: tensor}))
    expected, weights = theirs(x, context, context, average_attn_weights=False)
    torch.testing.assert_close(y, expected, atol=1e-12, rtol=0)
    torch.testing.assert_close(ours(x, context=context), expected, atol=1e-12, rtol=0)
    torch.testing.assert_close(captured["weights"], weights, atol=1e-12, rtol=0)


@pytest.mark.parametrize("mask", [None, former.masks.causal(7), former.masks.Pattern("strided", 3)], ids=str)
@pytest.mark.parametrize("scaled", [True, False])
def test_a_divisor_of_the_scores_is_that_of_the_queries(mask, scaled):
    q, k, v = torch.randn(3, 2, 4, 7, 16, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    ways: list[dict[str, Any]] = [{}, {"hook": lambda _name, _tensor: None}, {"kernel": False}]
    for options in ways:
        got = former.attend(q, k, v, mask=mask, scaled=scaled, divisor=3.0, **options)
        expected = former.attend(q / 3, k, v, mask=mask, scaled=scaled, **options)
        torch.testing.assert_close(got, expected, atol=1e-12, rtol=0)


@pytest.mark.parametrize("mask", [None, former.masks.causal(7), former.masks.Pattern("strided", 3)], ids=str)
def test_unscaled_attention_is_that_of_queries_longer_by_the_root_of_their_size(mask):
    q, k, v = torch.randn(3, 2, 4, 7, 16, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    ways: list[dict[str, Any]] = [{}, {"hook": lambda _name, _tensor: None}, {"kernel": False}]
    for options in ways:
        got = former.attend(q, k, v, mask=mask, scaled=False, **options)
        torch.testing.assert_close(got, former.attend(4 * q, k, v, mask=mask, **options), atol=1e-12, rtol=0)


def test_without_a_map_that_unifies_them_the_heads_stand_side_by_side():
    attention = former.SelfAttention(16, 4, unify=False).double()
    x, seen = torch.randn(2, 7, 16, dtype=torch.float64), {}
    y = attention(x, hook=lambda name, tensor: seen.update({name: tensor}))
    for head in range(4):
        torch.testing.assert_close(y[..., 4 * head : 4 * head + 4], seen["out"][:, head])


@pytest.mark.parametrize("hook", [None, lambda _name, _tensor: None], ids=["fast", "seen"])
def test_float16_scores_do_not_overflow_where_the_unscaled_products_would(hook):
    q = torch.full((1, 1, 2, 256), 20.0).half()  # q · k is 102,400; a float16 ends at 65,504
    k = torch.cat((q[:, :, :1], q[:, :, :1] / 2), 2)
    out = former.attend(q, k, k, hook=hook)
    torch.testing.assert_close(out, former.attend(*(x.float() for x in (q, k, k))).half())
    assert torch.isfinite(former.attention_weights(q, k)[0]).all()


class Calls(TorchFunctionMode):
    """Records which functions of torch are called."""

    def __init__(self):
        super().__init__()
        self.names = set()

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.names.add(getattr(func, "__name__", ""))
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("points", [*POINTS, ("q", "k", "v", "out"), ("q", "weights")])
def test_attention_leaves_the_kernel_only_where_scores_or_weights_are_looked_at(points):
    points = (points,) if isinstance(points, str) else points
    q, k, v = torch.randn(3, 2, 4, 9, 8, generator=torch.Generator().manual_seed(0))
    mask, seen, whole = former.masks.causal(9), {}, {}
    with Calls() as calls:
        got = former.attend(q, k, v, mask=mask, hook=at_points(points, lambda name, x: seen.update({name: x})))
    by_equation = not {"scores", "weights"}.isdisjoint(points)
    assert ("scaled_dot_product_attention" in calls.names) != by_equation
    expected = former.attend(q, k, v, mask=mask, hook=lambda name, x: whole.update({name: x}))
    # Both round in float32, in another order: numbers near 1 differ by about 1e-7.
    torch.testing.assert_close(got, expected, atol=1e-5, rtol=0)
    for name in points:
        torch.testing.assert_close(seen[name], whole[name], atol=1e-5, rtol=0)


def test_what_is_put_in_the_place_of_q_or_out_counts_on_the_kernel_too():
    q, k, v = torch.randn(3, 2, 4, 9, 8, generator=torch.Generator().manual_seed(0), dtype=torch.float64)

    def change(_name, x):
        return 2 * x

    for point in ("q", "k", "v", "out"):
        hooks = at_points([point], change), lambda name, x, point=point: change(name, x) if name == point else None
        fast, explicit = (former.attend(q, k, v, hook=hook) for hook in hooks)
        torch.testing.assert_close(fast, explicit, atol=1e-12, rtol=0)


BLIND = {  # which keys each of 5 queries sees; some see none
    "one": former.masks.causal(5) & (torch.arange(5) != 2)[:, None],
    "all": torch.zeros(5, 5, dtype=torch.bool),
    "of one head": torch.ones(1, 4, 5, 5, dtype=torch.bool) & ~torch.eye(4, 5, dtype=torch.bool)[None, :, :, None],
    "of one sequence": torch.tensor([True, False])[:, None, None, None].expand(2, 1, 1, 5),
}


@pytest.mark.parametrize("mask", BLIND.values(), ids=BLIND)
@pytest.mark.parametrize("unread", [False, True], ids=["mask read", "mask unread, as on a GPU"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("terms", [None, lambda q, k: 0.5 * q @ k.transpose(2, 3)], ids=["alone", "positions"])
def test_a_query_that_sees_nothing_takes_nothing_and_the_others_take_what_they_would(
    monkeypatch, mask, unread, dtype, terms
):
    monkeypatch.setattr(torch.compiler, "is_compiling", lambda: unread)
    given = [x.to(dtype) for x in torch.randn(3, 2, 4, 5, 8, generator=torch.Generator().manual_seed(0))]
    blind = ~mask.any(-1, keepdim=True).expand(2, 4, 5, 1)
    remaining = {}
    for hook in (None, lambda name, x: remaining.update({name: x})):
        q, k, v = (x.clone().requires_grad_() for x in given)
        out = former.attend(q, k, v, mask=mask, hook=hook, terms=terms)
        assert (out[blind.expand_as(out)] == 0).all()
        plain = former.attend(*given, mask=mask | blind, terms=terms)
        tolerance = 0.05 if dtype == torch.bfloat16 else 1e-5  # bfloat16 has 8 bits
        torch.testing.assert_close(out, plain.masked_fill(blind, 0), atol=tolerance, rtol=0)
        out.float().square().sum().backward()
        assert all(x.grad is not None and torch.isfinite(x.grad).all() for x in (q, k, v))
    weights = remaining["weights"]
    assert (weights[blind.expand_as(weights)] == 0).all()
    sums = weights.float().sum(-1, keepdim=True)
    torch.testing.assert_close(sums, (~blind).float(), atol=0.05 if dtype == torch.bfloat16 else 1e-5, rtol=0)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("mask", BLIND.values(), ids=BLIND)
def test_a_query_that_sees_nothing_takes_nothing_on_a_gpu_too(mask):
    given = torch.randn(3, 2, 4, 5, 8, generator=torch.Generator().manual_seed(0))
    expected = former.attend(*given, mask=mask)
    for hook in (None, lambda _name, _tensor: None):
        out = former.attend(*given.cuda(), mask=mask.cuda(), hook=hook)
        torch.testing.assert_close(out.cpu(), expected, atol=2e-3, rtol=0)  # a GPU's products may have 10 bits


def test_weights_without_a_layer_are_0_too_where_a_query_sees_nothing():
    mask, x = BLIND["one"], torch.randn(1, 5, 8, generator=torch.Generator().manual_seed(0))
    y, weights = former.basic_self_attention(x, mask)
    _, of_heads = former.attention_weights(x[None], x[None], mask)
    for result in (y[0], weights[0], of_heads[0, 0]):
        assert (result[2] == 0).all()
        assert (result[[0, 1, 3, 4]] != 0).any(-1).all()


def test_no_mask_is_read_beside_a_cpu():
    q, mask = torch.empty(2, 4, 5, 8, device="meta"), BLIND["one"].to("meta")  # a device without values to read
    for hook in (None, lambda _name, _tensor: None):
        assert former.attend(q, q, q, mask=mask, hook=hook).shape == q.shape
    assert former.SelfAttention(16, 4).to("meta")(torch.empty(1, 5, 16, device="meta"), mask).shape == (1, 5, 16)
