"""The focus of a visitor with a keyboard stays where it was, or near it, when its control is drawn anew or vanishes."""

import re
import time

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Guard
from tests.browser.mask.pages import Masking
from tests.browser.pages import Exploring, Writing, tab_to

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Exploring

TEXT = "The cat sat on the mat."


def focused(page: Page) -> str:
    """Returns the element with the focus, as HTML."""
    return page.evaluate("document.activeElement.outerHTML.slice(0, 160)")


def test_a_token_of_the_strip_keeps_the_focus_when_another_text_comes(tab):
    tab.open(model="tiny-generator", text=TEXT)
    tab.token(2).focus()
    tab.open(model="tiny-generator", text="A dog ran.")
    expect(tab.token(2)).to_be_focused()
    tab.token(9).focus()
    tab.open(model="tiny-generator", text="A dog")
    expect(tab.token(4)).to_be_focused()


def test_ask_again_keeps_the_focus_as_long_as_the_server_is_away(tab, guard, context):
    tab.open(model="tiny-generator", text=TEXT)
    guard.allow("ERR_INTERNET_DISCONNECTED")
    context.set_offline(True)
    tab.page.get_by_role("textbox", name="Text", exact=True).fill("typed offline")
    again = tab.part("notices").get_by_role("button", name="Try now")
    again.focus()
    for _ in range(2):
        again.evaluate("(button) => button.setAttribute('data-old', '')")
        again.press("Enter")
        expect(again).not_to_have_attribute("data-old", "")
        expect(again).to_be_focused()
    context.set_offline(False)
    tab.wait("() => former.store.pass.header.text === 'typed offline'")
    expect(again).to_have_count(0)
    assert not focused(tab.page).startswith("<body")


EDITED = {"model": "tiny-generator", "text": TEXT, "layer": 0, "head": 0, "edits": "0.0.off"}
LAST = {  # a button that is off once it was pressed: its link, its name, and where the focus goes
    "stepper": ({**EDITED, "edits": ""}, "Layer: one more", "Layer: one less"),
    "edit": (EDITED, "As trained", "Switch off"),
    "edits": (EDITED, "Reset all", "Switch off"),
    "step": ({"tab": "mask", "stage": 3}, "Next →", "← Back"),
    "section": ({"tab": "learn", "section": "films"}, "Previous section (key B)", "Next section (key N)"),
    "order": ({"tab": "permute", "text": "not a bad film", "order": "1.0.2.3"}, "Restore order", "Shuffle"),
    "writing": ({"tab": "generate", "model": "tiny-generator", "text": "In", "written": "32.49"}, "Stop", "Start"),
}


@pytest.mark.parametrize("control", LAST)
def test_a_button_that_is_off_once_it_was_pressed_hands_the_focus_to_the_one_beside_it(tab, control):
    link, pressed, beside = LAST[control]
    tab.visit(**link)
    if "edits" in link:
        tab.settled()
        tab.part("interventions").scroll_into_view_if_needed()
    button = tab.page.get_by_role("button", name=pressed, exact=True).locator("visible=true")
    button.press("Enter")
    expect(button).to_be_disabled()
    expect(tab.page.locator(":focus")).to_have_accessible_name(beside)


def test_the_form_that_opens_a_room_hands_the_focus_to_its_link(tab):
    tab.open(model="tiny-generator", text=TEXT)
    tab.page.get_by_text("In class", exact=True).press("Enter")
    tab_to(tab.page, "at.matches('.class-menu form input')")
    tab.page.keyboard.type(f"focus-{time.time_ns()}")
    tab.page.keyboard.press("Enter")
    expect(tab.page.locator(".class-menu .shared input").first).to_be_focused()
    tab.page.locator(".room-bar").get_by_role("button", name="Stop leading").press("Enter")
    expect(tab.page.locator(".room-bar")).to_be_hidden()
    assert not focused(tab.page).startswith("<body")


def test_a_comparison_that_ends_leaves_the_focus_near_it(tab):
    tab.open(model="tiny-generator", text=TEXT)
    tab.page.get_by_role("button", name="Pin to compare").press("Enter")
    tab.page.get_by_role("button", name="Unpin").press("Enter")
    expect(tab.part("beside")).to_be_hidden()
    assert tab.page.evaluate("Boolean(document.activeElement.closest('[role=tabpanel]'))"), focused(tab.page)


def test_a_round_of_the_game_hands_the_focus_to_the_next(page, guard: Guard):
    tab = Writing(page, guard.origin).open(model="tiny-generator", text=TEXT)
    game = tab.part("guess")
    game.get_by_role("button", name="Play").press("Enter")
    game.get_by_role("radio").first.press(" ")
    game.get_by_role("button", name="Guess", exact=True).press("Enter")
    expect(game.locator(".forward")).to_be_focused()
    game.locator(".forward").press("Enter")
    expect(game.get_by_role("radio").first).to_be_focused()


def test_an_offer_that_is_taken_hands_the_focus_to_its_map(tab):
    tab.open(model="generator", text=TEXT * 3, of="mean", layer=0)
    offer = tab.page.locator(".former-head-map .offer button")
    offer.press("Enter")
    expect(offer).to_be_hidden()
    expect(tab.map).to_be_focused()


@pytest.mark.own_page
def test_a_part_that_is_loaded_again_is_drawn_once_in_place_of_the_error(page, guard: Guard):
    guard.allow("ERR_FAILED|Failed to fetch")
    page.route(re.compile(r"/tabs/mask/mask_controls\.js$"), lambda route: route.abort())
    Masking(page, guard.origin).goto(tab="mask", model="tiny-generator")
    controls = page.locator(".former-mask-controls .former-mask-controls")
    controls.locator(".note.error button").press("Enter")
    expect(controls.locator("select").first).to_have_value("tiny-generator")
    expect(controls.locator(".field-select")).to_have_count(1)
    expect(controls.get_by_role("alert")).to_have_count(0)


@pytest.mark.own_page
def test_a_part_that_is_loaded_again_has_the_focus_near_it(page, guard: Guard):
    guard.allow("ERR_FAILED|Failed to fetch")
    page.route(re.compile(r"/tabs/mask/mask_reach\.js$"), lambda route: route.abort())  # the retry has another
    Masking(page, guard.origin).goto(tab="mask")
    again = page.locator(".former-mask-reach .note.error button")
    again.press("Enter")
    page.locator(".former-mask-reach[data-rev]").wait_for()
    expect(page.locator(".former-mask-reach .panel").get_by_role("button").first).to_be_focused()
