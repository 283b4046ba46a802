"""Tab Mask with late, missing or shortened answers: no sentence mixes the answers to two questions."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.held import Held
from tests.browser.mask.pages import TEXT, Masking
from tests.browser.pages import Chart

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Masking

LEFT = "The causal mask keeps 276 of 529 scores"
FREE = "Without a mask, all 529 scores remain"


def drawn(tab: Masking, condition: str) -> None:
    """Waits until the pictures show this answer, even if newer requests are pending."""
    tab.wait(f"() => (({{ text, mask }}) => {condition})(former.masking.answers.stages)")
    tab.painted()


def test_the_sentence_says_of_a_new_mask_only_what_is_known_until_the_proof_is_there(tab):
    tab.open(mask="none")
    assert tab.lesson() == f"{FREE}. Changing “a” (5) changes every output, also those before it."
    held = Held(tab.page, "**/ask/mask-proof/masked")
    tab.page.get_by_role("radio", name="causal", exact=True).check()
    drawn(tab, "mask === 'causal'")
    assert tab.lesson() == f"{LEFT}."
    held.release()
    tab.settled()
    moves = "Changing “a” (5) changes outputs 5 to 22, none before it; without the mask it would change every output."
    assert tab.lesson() == f"{LEFT}. {moves}"


def test_a_proof_that_is_refused_is_not_replaced_by_the_last_one(tab, guard):
    guard.allow("status of 422")
    tab.open(mask="none")
    tab.page.route(
        "**/ask/mask-proof/masked",
        lambda route: route.fulfill(status=422, json={"error": {"key": "busy_measuring", "values": {}}}),
    )
    tab.page.get_by_role("radio", name="causal", exact=True).check()
    expect(tab.part("mask-controls").locator(".note")).to_have_text(re.compile("busy with other measurements"))
    drawn(tab, "mask === 'causal'")
    assert tab.lesson() == f"{LEFT}."


@pytest.mark.parametrize(
    "paths",
    [["**/ask/mask-proof/masked"], ["**/ask/mask-proof/unmasked"], ["**/ask/mask-proof/*masked"]],
)
def test_a_text_of_the_same_length_is_not_joined_with_the_proof_of_the_last(tab, paths):
    tab.open()
    text = "X" * len(TEXT)
    held = Held(tab.page, *paths)
    tab.page.evaluate("text => former.masking.set({ text })", text)
    drawn(tab, f"text === '{text}'")
    assert tab.lesson() == f"{LEFT}."
    assert "Changing “a” (5) changes" in tab.moves("masked")
    held.release()
    tab.settled()
    assert f"{LEFT}. Changing “X” (5) changes" in tab.lesson()
    assert "Changing “X” (5) changes" in tab.moves("masked")


def test_nothing_is_said_to_stand_before_the_first_token(tab):
    tab.open(mask="none", token=0)
    assert tab.lesson() == f"{FREE}. Changing “T” (0) changes every output."


def test_a_link_without_a_new_text_ends_where_its_text_ends(tab):
    tab.open(text="0123456789", row=2)
    tab.follow(text="0123456789", row=20, token=15)
    assert tab.page.evaluate("[former.masking.view.row, former.masking.view.token]") == [9, 9]
    tab.follow(text="0123456789", row=3)
    assert tab.page.get_by_role("spinbutton", name="Row", exact=True).get_attribute("max") == "9"
    tab.token(0).focus()
    tab.page.keyboard.press("End")
    assert tab.link()["token"] == "9"
    tab.follow(text="0123456789abcdef", row=15)
    assert tab.link()["row"] == "15"


def test_a_shorter_text_under_the_pointer_of_the_chart_is_read_at_its_end(tab):
    tab.open()
    Chart(tab, "mask-growth").shown().point(0.999)
    assert tab.counts()["none"] == 100_000**2
    tab.page.evaluate("former.masking.set({ text: '0123456789' })")  # by hand the pointer would leave
    tab.settled()
    assert tab.counts()["none"] == 100_000**2


@pytest.mark.own_page
def test_the_tab_opens_on_maps_that_the_page_came_with(tab, guard):
    tab.open()
    first = tab.page.evaluate("former.masking.answers.stages")
    assert not [asked for asked in guard.requests if "/ask/mask-stages/" in asked]
    tab.set("local window")
    tab.set("causal")
    tab.settled()
    assert [asked for asked in guard.requests if "/ask/mask-stages/" in asked]
    assert tab.page.evaluate("former.masking.answers.stages") == first
