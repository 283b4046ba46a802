"""Section "Scaling": the random vectors are those of former, and the trained heads those of the two shipped models."""

import pytest
import torch

import former
from tests.browser.learn.pages import Learning
from viz.tabs.learn.sections import scaling

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Learning


def test_the_numbers_of_every_size_are_measured_on_the_same_vectors(tab):
    tab.open("scaling")
    tab.attempt("large")
    q, k = scaling.vectors(1024, 0)
    for way, scores in {"plain": q @ k.T, "scaled": q @ k.T / 32}.items():
        cell = tab.section.locator(f".random tr[data-way={way}] [data-measure=spread]")
        assert float(cell.get_attribute("data-value") or "") == pytest.approx(float(scores.std()), rel=1e-3)
    assert tab.choose("Twofold").startswith("Yes. Measured here")


def test_two_trained_models_are_compared_head_by_head(tab):
    tab.open("scaling")
    tab.attempt("trained")
    tab.wait("() => document.querySelector('.trained .chart')?.data")
    body = tab.section.locator(".panel-body")
    assert body.evaluate("body => body.scrollHeight - body.clientHeight") == 0, "it scrolls by the root of its equation"
    drawn = tab.section.locator(".trained .chart").evaluate("chart => chart._fullData.map(({x}) => [...x])")
    ids = torch.tensor([list(tab.view()["text"].encode())])
    for shown, (way, name) in zip(drawn, scaling.TRAINED.items(), strict=True):
        bundle = former.load(name)
        weights = former.run_with_capture(bundle.model, ids)[1].stack("weights")[:, 0].double()
        bits = -(weights * weights.clamp_min(1e-300).log2()).sum(-1).mean(-1)
        assert shown == pytest.approx(bits.flatten().tolist(), abs=1e-3)
        row = tab.section.locator(f".trained tr[data-way={way}]")
        assert float(row.locator("[data-measure=entropy]").get_attribute("data-value") or "") == pytest.approx(
            float(bits.mean()), abs=1e-3
        )
        card = next(held for held in bundle.card["quality"] if held["split"] == "val")
        assert float(row.locator("[data-measure=bits]").get_attribute("data-value") or "") == card["bits_per_byte"]
    assert tab.sentence().startswith("On this text the rows have a mean entropy of")
