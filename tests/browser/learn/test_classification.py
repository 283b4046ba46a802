"""Section "Classification": the words' contributions equal the shipped classifier's, and add up."""

from typing import Any

import pytest
import torch
from playwright.sync_api import expect

import former
from former.models import pool
from tests.browser.learn.pages import Learning
from tests.browser.written import number

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Learning
SECTION = "classification"


@pytest.fixture(scope="module")
def classifier() -> former.Bundle:
    return former.load("classifier")


def holds(tab: Learning, bundle: former.Bundle) -> dict[str, Any]:
    """Asserts that the verdicts on the screen are the model's for the text without the words removed in the view."""
    view, model = tab.view(), bundle.model
    ids = torch.tensor([bundle.tokenizer.encode(view["text"])[:60]])
    real = torch.ones_like(ids, dtype=torch.bool)
    real[0, [int(i) for i in view["out"].split(",") if i]] = False
    with torch.inference_mode():
        x = model.norm(model.transformer(model.transformer.embed(ids)))
        for how in ("average", "max"):
            logits = model.toprobs(pool(x, real, how))[0]
            text = tab.section.locator(f"[data-pooling={how}] b").inner_text()
            assert number(text.split("\u00a0%")[0]) / 100 == pytest.approx(float(logits.softmax(0)[1]), abs=0.006)
    result = tab.page.evaluate("former.learn.find('classification').live.answers.verdict")
    assert result["labels"] == bundle.tokenizer.labels(ids[0].tolist())
    return result


def test_the_verdicts_are_the_models_and_the_pulls_add_up_to_them(tab, classifier):
    tab.open(SECTION)
    result = holds(tab, classifier)
    for how in ("average", "max"):
        total = sum(result[how]["pulls"]) + result["bias"]
        assert total == pytest.approx(result[how]["difference"], abs=1e-4)
    texts = tab.section.locator(".strongest b").all_text_contents()
    text = tab.section.locator("p.readout").inner_text().split("Pulls ")[1].split(",")[0]
    assert sum(number(each.lstrip("+")) for each in texts) == pytest.approx(number(text.lstrip("+")), abs=0.006)


def test_a_word_is_taken_out_by_a_click_and_put_back(tab, classifier):
    tab.open(SECTION)
    word = tab.section.locator("[data-word='3']")
    word.click()
    tab.settled()
    assert tab.view()["out"] == "3"
    expect(word).to_have_attribute("aria-pressed", "true")
    holds(tab, classifier)
    word.click()
    tab.settled()
    assert tab.view()["out"] == ""


def test_another_text_is_read_with_all_its_words(tab, classifier):
    tab.open(SECTION, out="1,2")
    tab.section.get_by_role("textbox").fill("<b>never</b> boring, never dull")
    tab.wait("() => former.learn.find('classification').live.answers.verdict.labels.includes('dull')")
    tab.settled()
    assert tab.view()["out"] == ""
    holds(tab, classifier)


def test_the_tries_show_what_they_say(tab, classifier):
    tab.open(SECTION)
    tab.attempt("max")
    expect(tab.section.locator("[data-pooling=max]")).to_have_attribute("aria-pressed", "true")
    assert tab.sentence().startswith("With the maxima, the verdict is")
    tab.attempt("without")
    assert holds(tab, classifier)["pooled"].count(False) == 1


def test_an_empty_text_is_refused_and_the_last_verdict_stays(tab, guard):
    guard.allow("422")
    tab.open(SECTION)
    tab.section.get_by_role("textbox").fill("  ")
    expect(tab.page.locator(".former-learn > .note")).to_contain_text("There is no text yet")
    expect(tab.section.locator("[data-word='0']")).to_be_visible()
