"""A rather than B: two tokens are chosen in the prediction, and other panels show their difference."""

import re

import pytest
from playwright.sync_api import expect

import former
from former import analysis, patching
from tests.browser.pages import Exploring
from viz.text import message
from viz.text.examples import CARRIED

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Exploring
PINNED, TEXT = CARRIED["piece"]["number"]


def test_two_tokens_chosen_by_pointer_and_key_are_compared_split_and_carried(tab):
    bundle = former.load("gpt")
    run, pinned = bundle.run(TEXT), bundle.run(PINNED)
    answer, rival = (patching.index_of(run, token) for token in (" are", " is"))
    tab.open(model="gpt", text=TEXT, pin="gpt", pin_text=PINNED, layer=4, head=5, carry_answer=answer)
    panel = tab.part("prediction")
    panel.scroll_into_view_if_needed()
    side = panel.locator(f"[data-id='{rival}'][data-side=B]")
    side.focus()
    side.press("Enter")
    expect(side).to_have_attribute("aria-pressed", "true")
    expect(panel.locator(".finding")).to_contain_text(f"{'␣are'}” rather than “{'␣is'}”")
    difference = patching.logit_difference(answer, rival)
    shown = panel.locator(".finding").inner_text().replace("−", "-")
    numbers = re.findall(r"by ([+-][\d.]+)", shown)
    assert float(numbers[0]) == pytest.approx(difference(run), abs=0.0051)  # two decimals are shown
    assert (tab.link()["carry_answer"], tab.link()["carry_rival"]) == (str(answer), str(rival))

    writes = tab.unfold("writes")
    expect(writes.locator("caption")).to_contain_text("minus that of")
    section = writes.locator(".panel")
    parts = analysis.head_writes(run, 4, 5, 7, answer, rival).parts
    total = sum(float(part.sum()) for part in parts.values())
    assert float(section.get_attribute("data-sum") or "nan") == pytest.approx(total, abs=1e-3)
    cell = writes.locator("td.at").inner_text().replace("−", "-")
    assert float(cell) == pytest.approx(float(parts["heads"][4, 5]), abs=0.0051)

    carry = tab.part("carry")
    carry.scroll_into_view_if_needed()
    expect(carry.locator("[data-field=carry_rival]")).to_have_value(str(rival))
    expect(carry.locator("[data-field=carry_answer]")).to_have_value(str(answer))
    share = patching.heads(pinned, run, difference, share=True)[4, 5]
    cell = carry.locator("td[data-layer='4'][data-from='5']").inner_text().replace("−", "-")
    assert float(cell) == pytest.approx(100 * float(share), abs=1)

    panel.scroll_into_view_if_needed()
    panel.get_by_role("button", name=message("rivals_clear")).click()
    expect(panel.locator(".finding")).to_have_text(message("rivals_none"))
    assert "carry_rival" not in tab.link()


def test_two_classes_chosen_to_carry_are_not_compared_as_next_tokens(tab):
    tab.open(model="classifier", text="a good film", carry_answer=0, carry_rival=1)
    tab.page.wait_for_load_state("networkidle")
    expect(tab.part("prediction").locator(".finding")).to_have_text("")


def test_the_same_token_again_is_released_and_the_other_side_s_changes_sides(tab):
    tab.open(model="gpt", text=TEXT)
    chosen = tab.page.evaluate(
        """() => {
            const { chooseRival, rivals } = former;
            const after = (...choice) => (chooseRival(...choice), Object.values(rivals()));
            return [
                after(5, true, 7), after(7, true), after(9, false), after(9, false), after(3, false), after(3, true),
            ];
        }"""
    )
    assert chosen == [[7, 5], [5, 7], [9, 7], [None, None], [3, None], [3, None]]
