"""Section "The block": the guesses equal the model's logit lens; without attention no other output changes."""

import pytest
import torch
from playwright.sync_api import expect

import former
from tests.browser.learn.pages import Learning
from viz.tabs.learn.sections import block
from viz.tabs.learn.sections.block import block_facts

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Learning


@pytest.fixture(scope="module")
def generator() -> former.Bundle:
    return former.load("generator")


def changes(tab: Learning) -> list[float]:
    """Returns how much each token's output changes, unrounded."""
    return [float(token.get_attribute("data-moved") or "") for token in tab.section.locator("[data-moved]").all()]


@pytest.mark.parametrize("asked", [{}, {"text": "In 1492, Christopher", "at": 5}])
def test_the_guesses_are_those_of_the_logit_lens(tab, generator, asked):
    tab.open("block", **asked)
    ids = generator.tokenizer.encode(tab.view()["text"])
    at = min(tab.view()["at"], len(ids) - 1)
    lens = former.logit_lens(generator.model, torch.tensor([ids]))[:, 0, at].softmax(-1)
    rows = tab.section.locator("tr[data-row=embedding], tr[data-layer]").all()
    for row, exact in zip(rows, lens, strict=True):
        values = [float(guess.get_attribute("data-prob") or "") for guess in row.locator(".guess").all()]
        assert values == pytest.approx(exact.topk(3).values.tolist(), abs=1e-4)
    first, second = lens[-1].topk(2).values.tolist()
    assert first - second > 1e-3, "no rounding decides between them"
    label = generator.tokenizer.labels([int(lens[-1].argmax())])[0]
    assert f"the model predicts “{label}”" in tab.sentence()


def test_with_attention_off_a_changed_token_moves_its_own_output_alone(tab, generator):
    tab.open("block")
    tab.section.locator(".tokens button").nth(13).click()
    tab.settled()
    at = tab.view()["at"]
    assert at == 13
    ids = generator.tokenizer.encode(tab.view()["text"])
    changed = [*ids[:at], ids[at] - 1, *ids[at + 1 :]]
    with torch.no_grad():
        before, after = generator.model(torch.tensor([ids, changed]))
    assert changes(tab) == pytest.approx((after - before).abs().amax(-1).tolist(), rel=1e-3, abs=1e-4)
    expect(tab.section.locator(".count")).to_contain_text(
        f"{len(ids) - 1 - at} of the {len(ids) - 1} other outputs change"
    )
    tab.page.evaluate("former.learn.find('block').live.set({ attention: 'off' })")  # a try would take another token
    tab.settled()
    assert [i for i, value in enumerate(changes(tab)) if value] == [at]
    expect(tab.section.locator(".count")).to_contain_text(": 0 of the")
    assert tab.choose("Only that byte’s own").startswith("Yes. Without attention")


def test_the_chart_holds_what_each_half_adds(tab):
    tab.open("block")
    tab.wait("() => document.querySelector('.former-learn-block .chart')?.data")
    bars = tab.section.locator(".in-stack .chart").evaluate("chart => chart.data.map(({y}) => [...y])")
    for column, lengths in enumerate(bars):
        cells = [row.locator("[data-added]").nth(column) for row in tab.section.locator("tr[data-layer]").all()]
        assert [float(cell.get_attribute("data-added") or "") for cell in cells] == pytest.approx(lengths)


@pytest.mark.parametrize("norms", ["pre", "post"])
def test_the_picture_is_lit_as_far_as_the_token_has_come(tab, norms):
    tab.open("block", norms=norms, step=8)
    shown = tab.page.evaluate("former.learn.find('block').live.answers.through.stages[1]")
    stages = tab.section.locator(".block-picture [data-stage]")
    names = [stage.get_attribute("data-stage") for stage in stages.all()]
    assert names == list(block.STAGES[norms])
    assert [float(stage.get_attribute("data-length") or "") for stage in stages.all()] == shown
    expect(tab.section.locator(".block-picture .stage.lit")).to_have_count(2)
    expect(tab.section.locator("tr[data-layer].chosen")).to_have_attribute("data-layer", "1")
    stages.nth(4).press("Enter")
    tab.settled()
    expect(tab.section.locator(".block-picture .stage.lit")).to_have_count(5)
    assert tab.view()["step"] == 11
    tab.section.locator("tr[data-layer='0'] button").click()
    tab.settled()
    assert tab.view()["step"] == 6


def test_a_token_is_followed_by_a_click_and_an_empty_text_is_refused(tab, guard):
    guard.allow("422")
    tab.open("block")
    tab.section.locator("[data-moved]").nth(3).click()
    tab.settled()
    assert tab.link()["at"] == "3"
    expect(tab.section.locator("[data-moved]").nth(3)).to_have_attribute("aria-pressed", "true")
    tab.section.get_by_role("textbox").fill(" ")
    expect(tab.page.locator(".former-learn > .note")).to_contain_text("There is no text yet")


def test_only_with_all_three_taken_out_is_the_block_additive(tab):
    tab.open("block")
    tab.attempt("linear")
    rows = tab.section.locator("tr[data-left]").all()
    off = {
        row.get_attribute("data-left"): float(row.locator("[data-off]").get_attribute("data-off") or "") for row in rows
    }
    assert list(off) == ["softmax activation norm", "softmax", "activation", "norm", ""]
    assert off[""] < 1e-5
    assert min(size for left, size in off.items() if left) > 1e-3
    expect(tab.section.locator("tr[data-left=''] .out")).to_have_text(["weights frozen", "removed", "removed"])
    assert "If none of them is kept, only rounding is left" in tab.sentence()


def test_the_gradients_of_any_depth_are_drawn_for_norms_after_and_before(tab):
    tab.open("block", tab="learn", show="gradient", depth=5, seed=3)
    tab.wait("() => document.querySelector('.former-learn-block .in-gradient .chart')?.data")
    tab.painted()
    drawn = tab.section.locator(".in-gradient .chart").evaluate("chart => chart.data.map(({y}) => [...y])")
    ids = torch.tensor([list(tab.view()["text"].encode())])
    for norm, shown in zip(("post", "pre"), drawn, strict=True):
        config = former.ModelConfig(emb=64, heads=4, seq_length=40, depth=5, norm=norm)
        model = block_facts.glorot_model(config, 3)
        torch.nn.functional.cross_entropy(model(ids[:, :-1])[0], ids[0, 1:]).backward()
        squares = [
            sum(p.grad.square().sum() for p in each.parameters() if p.grad is not None)
            for each in model.transformer.blocks
        ]
        assert shown == pytest.approx([float(square) ** 0.5 for square in squares], rel=1e-3)
    assert tab.sentence().startswith("With 5 blocks, the last one’s gradient is")
