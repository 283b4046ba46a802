"""Section "Generation": each probability is the model's own for the next byte; the step slider goes through its
snapshots."""

import json
import math

import pytest
import torch
from playwright.sync_api import expect

import former
from former.checkpoints import CHECKPOINTS
from former.sampling import next_token_probs
from tests.browser.learn.pages import Learning
from tests.browser.pages import says
from tests.ranked import clear_draw, clear_largest
from viz.tabs.learn.sections.generation import OTHER

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Learning
TEXT = "In 1905 he moved to the United States."
STEPS = [0, 50, 100, 200, 350, 500, 1000, 1500, 2000, 3000]


def targets(name: str, text: str) -> list[float]:
    """Returns the model's probability of each byte after the first."""
    ids = torch.tensor([list(text.encode())])
    with torch.inference_mode():
        probs = former.load(name).model(ids[:, :-1])[0].softmax(-1)
    return [float(probs[i, ids[0, i + 1]]) for i in range(ids.shape[1] - 1)]


def shown(tab: Learning, row: str) -> list[float]:
    cells = tab.section.locator(f"[data-row={row}] [data-prob]").all()
    return [float(cell.get_attribute("data-prob") or "nan") for cell in cells]


def bits(probs: list[float]) -> float:
    return -sum(map(math.log2, probs)) / len(probs)


def test_targets_are_the_input_shifted_by_one_and_without_a_mask_all_but_the_last_are_known(tab):
    tab.open("generation")
    letters = [tab.section.locator(f"[data-row={row}] .letter").all_text_contents() for row in ("input", "target")]
    assert letters[0] == [char.replace(" ", "␣") for char in TEXT[:-1]]
    assert letters[1] == [char.replace(" ", "␣") for char in TEXT[1:]]
    own, unmasked = targets("tiny-generator", TEXT), targets("tiny-unmasked", TEXT)
    assert shown(tab, "trained") == pytest.approx(own, abs=1e-5)
    assert shown(tab, "unmasked") == pytest.approx(unmasked, abs=1e-5)
    assert says(tab.sentence(), "At step 3,000 the next byte costs {:.2f} bits on average.", bits(own))
    assert says(tab.sentence(), "{:.2f}", bits(unmasked))
    text = tab.choose("The last")
    assert text.startswith(f"Yes. The least likely target is number {len(TEXT) - 1} of {len(TEXT) - 1}")


def test_the_step_is_a_snapshot_with_its_own_probabilities_its_place_on_the_curve_and_its_writing(tab):
    tab.open("generation", step=0)
    assert shown(tab, "trained") == pytest.approx([1 / 256] * (len(TEXT) - 1), rel=1e-3)
    slider = tab.section.get_by_role("slider", name="Training step")
    for at, step in ((1, 50), (2, 100)):
        slider.press("ArrowRight")
        tab.wait("(at) => former.learn.find('generation').live.view.step === at", at)
        tab.settled()
        assert shown(tab, "trained") == pytest.approx(targets(f"tiny-generator/step-{step:06d}", TEXT), abs=1e-5)
    model = former.load("tiny-generator/step-000100").model
    steps = list(former.generate(model, list(TEXT.encode()), 120, temperature=0.5, seed=0))
    dice = torch.Generator().manual_seed(0)
    for step in steps:  # 1e-4: ten times the difference of two ways of computing a probability
        assert step.token == clear_draw(next_token_probs(step.probs.log(), 0.5), dice, 1e-4)
    text = bytes(step.token for step in steps).decode(errors="replace")
    expect(tab.section.locator("[data-by=tiny-generator]")).to_have_text(text, use_inner_text=False)
    chart = tab.section.locator(".chart")
    chart.locator(".nsewdrag").wait_for()
    tab.wait("() => document.querySelector('.former-learn-generation .chart').layout?.shapes[0].x0 === 100")
    curves = chart.evaluate("chart => chart.data.map(({ name, x, y }) => [name, [...x], [...y]])")
    assert curves[0][1] == STEPS
    record = json.loads((CHECKPOINTS / "tiny-generator" / "curve.json").read_text())
    assert curves[0][2] == record["bits_per_byte"]
    names = [*(f"tiny-generator/step-{step:06d}" for step in STEPS[:-1]), "tiny-generator"]
    own = [bits(targets(name, TEXT)) for name in names]
    assert curves[1][2] == pytest.approx(own, abs=0.006)
    element = tab.section.locator(".course-said")
    assert min(own) == own[-1] < min(own[:-1]) - 0.1, "the loss of the text that is shown falls to the end"
    expect(element).to_contain_text("On this text the loss falls too")
    tab.attempt("other")
    least = clear_largest([-bits(targets(name, OTHER)) for name in names], 0.006)
    assert STEPS[least] == 350
    expect(element).to_contain_text("On this text the loss is lowest at step 350 (")
    for element in (record["date"], record["machine"]["cpu"], record["command"]):
        expect(tab.section.locator(".curve .source")).to_contain_text(element)


def test_play_goes_through_the_snapshots_and_with_reduced_motion_one_at_each_press(tab, guard):
    guard.allow("422")
    tab.open("generation", step=7)
    play = tab.section.locator(".training .course button")
    play.click()
    tab.settled()
    assert tab.view()["step"] == 8
    tab.page.emulate_media(reduced_motion="no-preference")
    play.click()
    expect(play).to_have_text("Stop")
    tab.wait("() => former.learn.find('generation').live.view.step === 9")
    expect(play).to_have_text("Play")
    field = tab.section.get_by_role("textbox")
    field.fill("ab")
    expect(tab.page.locator(".former-learn > .note")).to_have_text(
        "Please type at least three characters: the last one is only predicted, never read."
    )
    field.fill("<img src=x onerror=window.hacked=1>" * 3)
    tab.wait("() => former.learn.find('generation').live.answers.predicted.labels[0] === '<'")
    tab.settled()
    assert len(shown(tab, "trained")) == 39
    assert tab.page.evaluate("window.hacked") is None


def test_the_cache_is_shown_by_heads_and_a_step_is_measured_with_it_and_without(tab):
    tab.open("generation", show="cache", cache="tiny-grouped", tokens=90)
    kept = tab.section.locator(".cache")
    expect(kept.locator(".now")).to_contain_text(
        "46.1 kB"
    )  # 90 · 2 layers · (2 keys + 2 values) · 16 numbers · 4 bytes
    for name, count in (("queries", 4), ("keys", 2)):
        expect(kept.locator(f"i.{name}")).to_have_count(count)
    kept.get_by_role("button", name="Measure a step").click()
    expect(kept.locator("[data-time]")).to_have_count(2)
    kept.get_by_role("slider").press("ArrowRight")
    expect(kept.locator(".now")).to_contain_text("91 tokens")
    expect(kept.locator("[data-time]")).to_have_count(0)
    tab.attempt("begin")
    expect(tab.section.locator(".training")).to_be_visible()
    expect(kept).to_be_hidden()
