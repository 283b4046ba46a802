"""Section "Positions": verdicts and scores are the shipped models'; losses are the recorded ones."""

import json

import pytest
import torch
from playwright.sync_api import expect

import former
from tests.browser.learn.pages import Learning
from tests.ranked import clear_largest
from viz.tabs.learn.score_terms import TERMS
from viz.tabs.learn.sections.positions import MEASURED

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Learning


def shares(tab: Learning) -> dict[str, list[float]]:
    """Returns each classifier's probability of "positive" for the text as typed and in the other order."""
    return {
        card.get_attribute("data-model") or "": [
            float(bar.get_attribute("data-share") or "") for bar in card.locator("[data-share]").all()
        ]
        for card in tab.section.locator(".card").all()
    }


def positive(name: str, words: list[str]) -> float:
    """Returns a shipped classifier's probability that these words are positive."""
    bundle = former.load(name)
    with torch.no_grad():
        return float(bundle.model(torch.tensor([bundle.tokenizer.encode(" ".join(words))]))[0, 1].exp())


def test_another_order_moves_the_classifier_with_positions_and_not_the_one_without(tab):
    tab.open("positions")
    buttons = tab.section.locator("[data-place]")
    typed, other = [""], [""]
    for _ in range(2):
        typed = tab.section.locator(".in-order .chips-of span").all_text_contents()
        other = buttons.all_text_contents()
        assert sorted(typed) == sorted(other) != [typed, other]
        result = shares(tab)
        for name in ("classifier", "classifier-bag"):
            assert result[name] == pytest.approx([positive(name, typed), positive(name, other)], abs=1e-4)
        assert abs(result["classifier"][0] - result["classifier"][1]) > 1e-3
        buttons.nth(0).click()
        buttons.nth(5).click()
        tab.settled()
    assert buttons.all_text_contents()[0] == other[5]
    expect(tab.section.locator("[data-model=classifier-bag]")).to_contain_text("Unchanged, up to rounding.")
    tab.section.get_by_role("button", name="Shuffle").click()
    tab.settled()
    assert sorted(buttons.all_text_contents()) == sorted(typed)
    assert "reads the same set and does not change" in tab.sentence()


def test_the_four_terms_of_a_key_add_up_to_the_score_of_the_model(tab):
    tab.open("positions")
    tab.attempt("position")
    view = tab.view()
    bundle = former.load("generator")
    ids = bundle.tokenizer.encode(view["text"])
    _, capture = former.run_with_capture(bundle.model, torch.tensor([ids]), ("scores", "weights"), [0])
    for at, chosen in ((len(ids) - 1, None), (12, 4)):
        if chosen is not None:
            tab.section.locator(f"[data-token='{at}']").click()
            tab.page.evaluate("(key) => former.learn.find('positions').live.set({ key })", chosen)
            tab.settled()
        scores = capture.get("scores", 0)[0, view["head"], at]
        key = clear_largest(scores, 1e-4) if chosen is None else chosen
        element = tab.section.locator("[data-sum]")
        assert float(element.get_attribute("data-score") or "") == pytest.approx(float(scores[key]), abs=1e-4)
        assert float(element.get_attribute("data-sum") or "") == pytest.approx(float(scores[key]), abs=1e-4)
        cells = tab.section.locator("[data-term]").all()
        assert [cell.get_attribute("data-term") for cell in cells] == list(TERMS)
        terms = [float(cell.get_attribute("data-value") or "") for cell in cells]
        assert sum(terms) == pytest.approx(float(scores[key]), abs=1e-4)
        tab.wait("(t) => document.querySelector('.in-score .chart')?.data?.[0].x.length === t", at + 1)
        drawn = tab.section.locator(".in-score .chart").evaluate("chart => chart.data.map(({y}) => [...y])")
        assert [line[key] for line in drawn] == pytest.approx([*terms, sum(terms)], abs=1e-4)
    tab.attempt("token")
    assert tab.view()["head"] != view["head"]
    assert "With all four terms" in tab.choose("No, to another")


def test_the_losses_beyond_the_trained_length_are_those_measured_and_say_where_and_when(tab):
    record = json.loads(MEASURED.read_text(encoding="utf-8"))
    tab.open("positions")
    tab.attempt("beyond")
    tab.wait("() => document.querySelector('.in-length .chart')?.data")
    drawn = tab.section.locator(".in-length .chart").evaluate("chart => chart.data.map(({x, y}) => [[...x], [...y]])")
    for model, (read, bits) in zip(record["models"], drawn, strict=True):
        assert bits == model["bits"]
        assert read == [record["width"] * (i + 1) for i in range(len(bits))]
    assert max(drawn[0][0]) == 256 < max(drawn[1][0]) == record["length"]
    element = tab.section.locator(".in-length .source")
    for part in (record["date"], record["machine"]["cpu"], record["command"]):
        expect(element).to_contain_text(part)


def test_an_empty_text_is_refused_and_a_long_one_is_cut(tab, guard):
    guard.allow("422")
    tab.open("positions", tab="learn", show="score")
    box = tab.section.get_by_role("textbox")
    box.fill("<b>film</b> " * 40)
    tab.wait("() => former.learn.find('positions').live.answers.scored.text.startsWith('<b>')")
    tab.settled()
    assert tab.section.locator("[data-token]").count() == 40
    assert tab.view()["order"] == "typed"
    box.fill(" ")
    expect(tab.page.locator(".former-learn > .note")).to_contain_text("There is no text yet")
    assert tab.section.locator("[data-token]").count() == 40
