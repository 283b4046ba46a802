"""Section "Scaling": what is measured is what numpy and autograd give, and the root keeps the spread at 1."""

import numpy as np
import pytest
import torch

from viz.tabs.learn.sections import scaling


@pytest.mark.parametrize("k", [2, 64, 1024])
@pytest.mark.parametrize("scaled", [False, True])
def test_mean_spread_and_entropy_are_those_of_numpy(k, scaled):
    q, keys = (tensor.double().numpy() for tensor in scaling.vectors(k, 3))
    found = q @ keys.T / (np.sqrt(k) if scaled else 1)
    powers = np.exp(found - found.max(1, keepdims=True))
    weights = powers / powers.sum(1, keepdims=True)
    made = scaling.measure(k, 3, scaled)
    assert made["mean"] == pytest.approx(found.mean(), abs=1e-4)
    assert made["spread"] == pytest.approx(found.std(ddof=1), rel=1e-4)
    bits = [-sum(w * np.log2(w) for w in row if w > 0) for row in weights]
    assert made["entropy"] == pytest.approx(np.mean(bits), abs=1e-3)


def test_the_gradient_is_the_norm_of_what_autograd_gives():
    for scores in torch.randn(5, 16, dtype=torch.float64) * 3:
        jacobian = torch.autograd.functional.jacobian(lambda given: given.softmax(-1), scores)
        assert float(scaling.gradient(scores.softmax(-1))) == pytest.approx(float(jacobian.norm()), abs=1e-9)


def test_the_spread_grows_with_the_root_and_the_root_takes_it_back():
    found = scaling.measured({}, {"measure": "spread", "power": 10, "seed": 0})
    for size, plain, scaled in zip(found["sizes"], found["plain"], found["scaled"], strict=True):
        assert plain["spread"] == pytest.approx(size**0.5, rel=0.4 if size < 16 else 0.15)
        assert plain["spread"] / scaled["spread"] == pytest.approx(size**0.5, rel=1e-3)
    assert found["plain"][-1]["gradient"] < found["scaled"][-1]["gradient"] / 2
    assert found["plain"][-1]["entropy"] < 1 < found["scaled"][-1]["entropy"]
    assert sum(found["rows"]["plain"]) == pytest.approx(1, abs=1e-5)


def test_trained_models_are_compared_only_where_both_were_measured():
    both = {name: {"quality": [{"split": "val", "bits_per_byte": 2.0}]} for name in scaling.TRAINED}
    assert [each["name"] for each in scaling.quality(both)] == list(scaling.TRAINED)
    assert scaling.quality({"tiny-generator": both["tiny-generator"]}) == []
    assert scaling.quality(both | {"tiny-unscaled": {}}) == []
