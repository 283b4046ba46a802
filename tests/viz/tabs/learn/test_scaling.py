"""Section "Scaling": the measurements equal numpy's and autograd's, and the root keeps the standard deviation at 1."""

import numpy as np
import pytest
import torch

import former
from viz.tabs.learn.sections import scaling
from viz.text import Refusal


@pytest.mark.parametrize("k", [2, 64, 1024])
@pytest.mark.parametrize("scaled", [False, True])
def test_mean_spread_and_entropy_are_those_of_numpy(k, scaled):
    q, keys = (tensor.double().numpy() for tensor in scaling.vectors(k, 3))
    scores = q @ keys.T / (np.sqrt(k) if scaled else 1)
    powers = np.exp(scores - scores.max(1, keepdims=True))
    weights = powers / powers.sum(1, keepdims=True)
    result = scaling.measure(k, 3, scaled)
    assert result["mean"] == pytest.approx(scores.mean(), abs=1e-4)
    assert result["spread"] == pytest.approx(scores.std(ddof=1), rel=1e-4)
    bits = [-sum(w * np.log2(w) for w in row if w > 0) for row in weights]
    assert result["entropy"] == pytest.approx(np.mean(bits), abs=1e-3)


def test_the_gradient_is_the_norm_of_what_autograd_gives():
    for scores in torch.randn(5, 16, dtype=torch.float64) * 3:
        jacobian = torch.autograd.functional.jacobian(lambda given: given.softmax(-1), scores)
        assert float(scaling.gradient(scores.softmax(-1))) == pytest.approx(float(jacobian.norm()), abs=1e-9)


def test_the_spread_grows_with_the_root_and_the_root_takes_it_back():
    result = scaling.SECTION.questions["measured"].answer({}, {"measure": "spread", "power": 10, "seed": 0})
    for size, plain, scaled in zip(result["sizes"], result["plain"], result["scaled"], strict=True):
        assert plain["spread"] == pytest.approx(size**0.5, rel=0.4 if size < 16 else 0.15)
        assert plain["spread"] / scaled["spread"] == pytest.approx(size**0.5, rel=1e-3)
    assert result["plain"][-1]["gradient"] < result["scaled"][-1]["gradient"] / 2
    assert result["plain"][-1]["entropy"] < 1 < result["scaled"][-1]["entropy"]
    assert sum(result["rows"]["plain"]) == pytest.approx(1, abs=1e-5)


def test_the_trained_heads_entropies_and_bits_are_those_of_a_plain_recomputation():
    result = scaling.SECTION.questions["trained"].answer({}, {"text": "The cat sat on the mat."})
    ids = torch.tensor([list(b"The cat sat on the mat.")])
    t = ids.shape[1]
    for way, name in {"scaled": "family/tiny-generator", "plain": "tiny-unscaled"}.items():
        bundle = former.load(name)
        logits, capture = former.run_with_capture(bundle.model, ids, ("q", "k"))
        q, k = (capture.stack(point)[:, 0].double().numpy() for point in ("q", "k"))  # (layers, h, t, s)
        scores = q @ k.swapaxes(-1, -2) / (4 if way == "scaled" else 1)
        powers = np.exp(scores - scores.max(-1, keepdims=True)) * np.tri(t)
        weights = powers / powers.sum(-1, keepdims=True)
        bits = -(weights * np.log2(np.where(weights > 0, weights, 1))).sum(-1).mean(-1)  # (layers, h)
        assert np.array(result[way]["entropy"]) == pytest.approx(bits, abs=1e-4)
        assert result[way]["mean"] == pytest.approx(bits.mean(), abs=1e-4)
        surprise = torch.nn.functional.cross_entropy(logits[0, :-1], ids[0, 1:]).item() / np.log(2)
        assert result[way]["surprise"] == pytest.approx(surprise, abs=1e-3)
        assert bundle.config.scaled is (way == "scaled")
    assert result["even"] == pytest.approx(np.mean(np.log2(np.arange(t) + 1)))
    assert (result["plain"]["mean"], result["scaled"]["mean"]) < (result["even"],) * 2


def test_the_two_trained_models_differ_in_the_root_alone_and_their_cards_say_what_they_are_worth():
    trained = scaling.props({})["trained"]
    cards = {way: former.load(each["name"]).card for way, each in trained.items()}
    assert {**cards["scaled"]["config"], "scaled": False} == cards["plain"]["config"]
    for field in ("step", "seed", "data"):
        assert cards["scaled"][field] == cards["plain"][field]
    for way, each in trained.items():
        assert each["bits"] == next(held["bits_per_byte"] for held in cards[way]["quality"] if held["split"] == "val")
    assert trained["scaled"]["bits"] < trained["plain"]["bits"]


@pytest.mark.parametrize("wrong", [{"text": " "}, {"text": None}, {}])
def test_a_text_that_is_none_is_refused(wrong):
    with pytest.raises(Refusal):
        scaling.SECTION.questions["trained"].answer({}, wrong)
