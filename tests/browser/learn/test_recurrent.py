"""Section "Why not recurrent or convolutional": steps are counted again from the models' definitions, and figures read
again from their cards."""

import json

import pytest
import torch
from playwright.sync_api import expect

import former
from former.checkpoints import CHECKPOINTS
from tests.browser.learn.pages import Learning
from tests.browser.pages import stands_still

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Learning
TEXT = "A cat sat"
NAMES = {"recurrent": "tiny-gru", "convolutional": "tiny-conv", "attention": "family/tiny-generator"}


def stands(tab: Learning) -> dict[str, int]:
    return {
        kind: int(tab.section.locator(f"figure[data-kind={kind}]").get_attribute("data-stands") or -1) for kind in NAMES
    }


def test_outputs_of_the_recurrent_network_stand_one_after_another_and_those_of_the_others_all_at_once(tab):
    tab.open("recurrent", text=TEXT, step=0)
    t = len(TEXT)
    slider = tab.section.get_by_role("slider", name="Steps done")
    for step in range(1, t + 2):
        slider.press("ArrowRight")
        tab.wait("(step) => former.learn.find('recurrent').live.view.step === step", step)
        assert stands(tab) == {
            "recurrent": max(0, step - 1),
            "convolutional": t if step >= 5 else 0,
            "attention": t if step >= 2 else 0,
        }
    answer = tab.page.evaluate("former.learn.find('recurrent').live.answers.reached")
    assert answer["recurrent"]["steps"][-1] == [t - j + 1 for j in range(t)]
    tokens = torch.tensor([list(TEXT.encode())])
    for kind, name in NAMES.items():
        influence = former.analysis.influence(former.load(name).model.double(), tokens)
        value = torch.tensor(answer[kind]["moved"], dtype=torch.float64)
        torch.testing.assert_close(value, influence, atol=1e-9, rtol=1e-7)  # answers hold 8 digits of each number
    element = tab.section.locator("figure[data-kind=recurrent] p")
    expect(element).to_contain_text(f"Outputs ready: {t} of {t}; all of them after {t + 1} steps.")
    expect(element).to_contain_text(f"The first input reaches the last output after {t + 1} steps.")
    assert (
        f"recurrent network needs {t + 1} steps one after another, the convolutions 5, self-attention 2"
        in tab.sentence()
    )
    assert tab.choose("At least one for each byte").startswith(f"Yes. With these {t} bytes it takes {t + 1} steps.")


def test_a_cell_that_is_pointed_at_says_its_steps(tab):
    tab.open("recurrent", text=TEXT)
    canvas = tab.section.locator("figure[data-kind=recurrent] canvas")
    tab.wait("() => former.learn.find('recurrent').live.answers.reached")
    stands_still(canvas)  # late content moves everything below it
    left, top, width, height = map(float, (canvas.get_attribute("data-frame") or "").split())
    t = len(TEXT)
    canvas.hover(position={"x": left + 0.5 * width / t, "y": top + (t - 0.5) * height / t})
    expect(tab.section.locator(".told")).to_contain_text(
        f"recurrent: “A” reaches the output at “t” after {t + 1} steps; changing it changes the logits there by"
    )
    canvas.hover(position={"x": left + (t - 0.5) * width / t, "y": top + 0.5 * height / t})
    expect(tab.section.locator(".told")).to_have_text("recurrent: “t” never reaches the output at “A”.")


def test_times_are_those_that_were_measured_and_bits_those_of_the_cards_where_the_convolutions_win(tab):
    tab.open("recurrent")
    tab.attempt("time")
    record = json.loads((CHECKPOINTS / "tiny-generator" / "lengths.json").read_text())
    chart = tab.section.locator(".charted:visible .chart")
    chart.locator(".nsewdrag").wait_for()
    lines = chart.evaluate("chart => chart.data.map(({ y }) => [...y])")
    assert lines == [record["milliseconds"][name] for name in ("tiny-gru", "tiny-conv", "tiny-generator")]
    ratio = tab.section.locator(".times [data-kind=attention] td").last
    taken = record["milliseconds"]["tiny-generator"]
    assert float(ratio.get_attribute("data-value") or 0) == pytest.approx(taken[-1] / taken[len(taken) // 2])
    for said in (record["date"], record["machine"]["cpu"], record["command"]):
        expect(tab.section.locator(".source:visible")).to_contain_text(said)
    tab.attempt("bits")
    cards = {kind: former.load(name).card for kind, name in NAMES.items()}
    for kind, card in cards.items():
        cells = tab.section.locator(f".worth [data-kind={kind}] td").all()
        values = [float(cell.get_attribute("data-value") or 0) for cell in cells]
        parameters = sum(weight.numel() for weight in former.load(NAMES[kind]).model.parameters())
        assert values == [parameters, 500 * 16 * 256, card["processor_seconds"], card["quality"][0]["bits_per_byte"]]
    expect(tab.section.locator(".winner")).to_contain_text(
        "Best with equal parameters and equal bytes: convolutional, 2.8575 bits. It also took the least time"
    )
