"""The page's arithmetic equals former's up to one millionth."""

import math

import pytest
import torch

import former
from tests.modules import evaluate

ATTENTION = "({ arithmetic }, given) => arithmetic.attention(...given)"


def attention(*tensors, divisor=1.0):
    values = [*(tensor.tolist() for tensor in tensors), divisor]
    return evaluate("tabs/learn/lib/arithmetic.js", ATTENTION, values)


def test_self_attention_without_parameters():
    x = torch.randn(6, 5, dtype=torch.float64)
    y, weights = former.basic_self_attention(x[None])
    result = attention(x, x, x)
    assert result["weights"] == pytest.approx(weights[0].numpy(), abs=1e-6)
    assert result["y"] == pytest.approx(y[0].numpy(), abs=1e-6)


def test_queries_and_keys_divided_by_a_root():
    q, k = torch.randn(2, 4, 3, dtype=torch.float64)
    scores, weights = former.attention_weights(q[None, None], k[None, None])
    result = attention(q, k, k, divisor=math.sqrt(3))
    assert result["scores"] == pytest.approx(scores[0, 0].numpy(), abs=1e-6)
    assert result["weights"] == pytest.approx(weights[0, 0].numpy(), abs=1e-6)
