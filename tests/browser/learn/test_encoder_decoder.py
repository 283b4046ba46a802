"""Section "Encoder-decoder": probabilities and weights are recomputed from the model; the map grows with the output."""

import math
from typing import Any

import pytest
import torch
from playwright.sync_api import expect

import former
from former.encoder_decoder import write
from former.training.tasks.dates_reader import read
from tests.browser.learn.pages import Learning
from tests.browser.pages import says
from tests.ranked import clear_draws

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Learning
MISREAD = "Thu, seventh of Setember, 1972"


def shares(text: str, target: str, prefix: list[int] | None = None) -> list[float]:
    """Returns the probability of each target token, after the target so far or after another prefix."""
    bundle: Any = former.load("dates")
    ids = bundle.tokenizer.encode_target(target)
    begun = ids[:-1] if prefix is None else [bundle.tokenizer.begin, *prefix]
    with torch.inference_mode():
        logits = bundle.model(torch.tensor([bundle.tokenizer.encode(text)]), torch.tensor([begun]))[0]
    return [float(row.softmax(-1)[token]) for row, token in zip(logits, ids[1:], strict=False)]


def shown(tab: Learning, prefix: str) -> list[float]:
    cells = tab.section.locator(f"[data-row={prefix}] [data-prob]").all()
    return [float(cell.get_attribute("data-prob") or "nan") for cell in cells]


def bits(probs: list[float]) -> float:
    return -sum(map(math.log2, probs))


def test_a_target_is_scored_after_its_true_beginning_and_after_the_model_s_own_and_the_map_grows_with_it(tab):
    tab.open("encoder-decoder", prefix="own", step=0)
    assert tab.view()["text"] == MISREAD
    bundle: Any = former.load("dates")
    source = torch.tensor([bundle.tokenizer.encode(MISREAD)])
    own = write(bundle.model, source, bundle.tokenizer.begin, bundle.tokenizer.end)[0]
    true, alone = shares(MISREAD, "1972-09-07"), shares(MISREAD, "1972-09-07", own)
    assert shown(tab, "true") == pytest.approx(true, abs=1e-5)
    assert shown(tab, "own") == []
    slider = tab.section.get_by_role("slider", name="Characters written")
    slider.press("ArrowRight")
    slider.press("ArrowRight")
    tab.wait("() => former.learn.find('encoder-decoder').live.view.step === 2")
    assert shown(tab, "own") == pytest.approx(alone[:2], abs=1e-5)
    weights = tab.page.evaluate("former.learn.find('encoder-decoder').live.answers.decoded.own.weights")
    view = tab.view()
    value = torch.tensor([[bundle.tokenizer.begin, *own]])
    _, capture = former.run_with_capture(bundle.model, (source, value), "cross.weights", [view["layer"]])
    expected = capture.get("cross.weights", view["layer"])[0, view["head"]]
    torch.testing.assert_close(torch.tensor(weights), expected, atol=1e-4, rtol=0)
    canvas = tab.section.locator(".map canvas")
    for key in ("ArrowDown", "ArrowRight", "ArrowRight"):  # the first cell, then two to the right
        canvas.press(key)
    third = tab.page.evaluate("former.learn.find('encoder-decoder').live.answers.decoded.source[2]")
    expect(tab.section.locator(".told")).to_contain_text(f"to “{third}”")
    left, top, width, height = map(float, (canvas.get_attribute("data-frame") or "").split())
    cell = {"x": left + 0.5 * width / len(source[0]), "y": top + 0.5 * height / len(weights)}
    canvas.hover(position=cell)
    expect(tab.section.locator(".told")).to_contain_text("To write “1” the head gives")
    canvas.hover(position={**cell, "y": top + 2.5 * height / len(weights)})
    expect(tab.section.locator(".told")).to_have_text("")  # not written yet
    slider.press("End")
    tab.wait("() => former.learn.find('encoder-decoder').live.view.step > 2")
    assert shown(tab, "own") == pytest.approx(alone, abs=1e-5)
    written = bundle.tokenizer.decode(own)
    costs = "Given the correct answer so far, the target costs {:.1f} bits; given its own answer so far, {:.1f}"
    assert says(tab.sentence(), f"The model writes “{written}”. {costs}", bits(true), bits(alone))
    text = tab.choose("A vector for each of its tokens")
    assert text.startswith(f"Yes. The text has {len(source[0])} tokens")


def test_a_date_is_written_back_in_forms_that_are_judged_and_what_names_none_is_refused(tab, guard, monkeypatch):
    guard.allow("422")
    monkeypatch.setattr(torch, "multinomial", lambda probs, _, generator: clear_draws(probs, generator, 1e-3))
    bundle: Any = former.load("dates")
    sources = torch.tensor([bundle.tokenizer.encode("2026-11-21")] * 6)
    for seed in (0, 1):
        tab.open("encoder-decoder", text="Saturday, the 21st of November, 2026", seed=seed)
        drawn = write(bundle.model, sources, bundle.tokenizer.begin, bundle.tokenizer.end, temperature=1.0, seed=seed)
        forms = tab.section.locator(".forms li")
        expect(forms.locator("span")).to_have_text([bundle.tokenizer.decode(answer) for answer in drawn])
        right = [form.get_attribute("data-right") for form in forms.all()]
        texts = forms.locator("span").all_text_contents()
        assert right == ["yes" if str(read(text)) == "2026-11-21" else "no" for text in texts]
    field = tab.section.get_by_role("textbox", name="Date")
    field.fill("the day <b>after</b>")
    expect(tab.page.locator(".former-learn > .note")).to_contain_text(
        "cannot read the text as a date from 1900 to 2099"
    )
    tab.section.get_by_role("textbox", name="Target").fill("1999-12-31")
    expect(tab.page.locator(".former-learn > .note")).to_have_text("")
    tab.settled()
    assert shown(tab, "true") == pytest.approx(shares("the day <b>after</b>", "1999-12-31"), abs=1e-5)
