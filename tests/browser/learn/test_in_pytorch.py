"""Section "In PyTorch": the tensors on the screen are those of the article's three lines, and a loop gives the same."""

import pytest
import torch
from playwright.sync_api import expect

import former
from tests.browser.learn.pages import Learning
from tests.browser.written import number

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Learning


@pytest.fixture(scope="module")
def classifier() -> former.Bundle:
    return former.load("classifier")


TEXT = "the cat walks on the street"


def exact(bundle: former.Bundle, text: str, factor: int = 1) -> dict[str, torch.Tensor]:
    ids = bundle.tokenizer.encode(text)[:16]
    x = factor * bundle.model.transformer.token_embedding.weight.detach()[ids][None]
    y, weights = former.basic_self_attention(x)
    return {"x": x[0], "raw": (x @ x.mT)[0], "weights": weights[0], "y": y[0]}


@pytest.mark.parametrize(("text", "factor"), [(TEXT, 1), ("not a bad film", 16)])
def test_the_tensors_are_those_of_basic_self_attention(tab, classifier, text, factor):
    tab.open("in-pytorch", text=text, factor=factor)
    result = exact(classifier, text, factor)
    value = tab.page.evaluate("former.learn.find('in-pytorch').live.answers.tensors")
    for name, tensor in result.items():
        torch.testing.assert_close(torch.tensor(value[name]), tensor, atol=1e-5, rtol=1e-5)
    for name, sums in {"rows": result["weights"].sum(1), "columns": result["weights"].sum(0)}.items():
        assert value[name] == pytest.approx([float(sums.min()), float(sums.max())], abs=1e-5)
    t, e = result["x"].shape
    for name, shape in {"x": (1, t, e), "raw": (1, t, t), "weights": (1, t, t), "y": (1, t, e)}.items():
        expect(tab.section.locator(f"[data-tensor={name}] .shape").first).to_have_text(f"{shape}")


def test_what_is_pointed_at_is_read_as_pytorch_indexes_it(tab, classifier):
    tab.open("in-pytorch", text=TEXT, factor=4)
    weights = exact(classifier, TEXT, 4)["weights"]
    canvas = tab.section.locator("[data-tensor=weights] .of-times canvas")
    left, top, width, height = (float(side) for side in (canvas.get_attribute("data-frame") or "").split())
    canvas.hover(position={"x": left + 1.5 / 6 * width, "y": top + 2.5 / 6 * height})
    tab.painted()
    reading = tab.section.locator("p.readout")
    expect(reading).to_contain_text("weights[0, 2, 1] =")
    expect(reading).to_contain_text("from “walks” to “cat”")
    assert float(reading.get_attribute("data-value") or "") == pytest.approx(float(weights[2, 1]), abs=1e-6)


def test_the_weights_of_the_vectors_as_they_are_stand_beside_those_of_longer_ones(tab, classifier):
    tab.open("in-pytorch")
    view = tab.view()
    result = tab.page.evaluate("former.learn.find('in-pytorch').live.answers")
    for question, factor in (("plain", 1), ("tensors", view["factor"])):
        weights = exact(classifier, view["text"], factor)["weights"]
        torch.testing.assert_close(torch.tensor(result[question]["weights"]), weights, atol=1e-5, rtol=1e-5)
    even = 1 / len(result["plain"]["labels"])
    plain = exact(classifier, view["text"])["weights"]
    assert plain.min() > even / 2, "every word gives a share to every other"
    assert plain.max() < 3 * even
    assert exact(classifier, view["text"], view["factor"])["weights"].max() > 0.9
    expect(tab.section.locator(".of-one canvas:visible")).to_have_count(2)
    tab.attempt("factor1")
    expect(tab.section.locator(".of-one canvas:visible")).to_have_count(0)


def test_the_loop_gives_the_same_and_takes_longer(tab):
    tab.open("in-pytorch")
    times = {
        name: float(tab.section.locator(f"[data-time={name}]").get_attribute("data-seconds") or "")
        for name in ("loop", "lines")
    }
    text = tab.section.locator(".clock .quiet").inner_text()
    assert number(text.split(" times")[0]) == pytest.approx(times["loop"] / times["lines"], rel=0.1)
    assert tab.page.evaluate("former.learn.find('in-pytorch').live.answers.timed.error") < 1e-5
    assert times["loop"] > times["lines"]


def test_measuring_again_asks_again_and_copies_make_the_sentence_longer(tab):
    tab.open("in-pytorch", text=TEXT)
    tab.section.get_by_role("button", name="Measure again").click()
    tab.settled()
    assert tab.view()["run"] == 1
    tab.attempt("copies")
    assert tab.page.evaluate("former.learn.find('in-pytorch').live.answers.timed.words") == 8 * len(
        tab.view()["text"].split()
    )


def test_an_empty_text_is_refused_and_the_last_picture_stays(tab, guard):
    guard.allow("422")
    tab.open("in-pytorch", text=TEXT)
    tab.section.get_by_role("textbox").fill("  ")
    expect(tab.page.locator(".former-learn > .note")).to_contain_text("There is no text yet")
    expect(tab.section.locator("[data-tensor=x] .labels span")).to_have_count(6)
