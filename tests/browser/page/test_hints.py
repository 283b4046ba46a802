"""Explanations of terms open by pointer, touch and keyboard, and close without any other effect."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.pages import Exploring, stands_still, tab_to
from viz.text.en import MESSAGES
from viz.text.en import glossary as glossary_words

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Exploring


def card(page: Page):
    return page.locator(".hint-card")


def glossary(page: Page):
    return page.locator(".former-lesson[data-tab=explore]").get_by_role("button", name="Glossary")


def test_the_glossary_opens_by_a_click_with_every_term_and_closes_by_one_elsewhere(tab):
    page = tab.open(text="abc").page
    glossary(page).click()
    terms = [key for key in glossary_words.MESSAGES if key.startswith("term_") and not key.endswith("_means")]
    assert len(terms) >= 10
    names = card(page).locator("dt").all_inner_texts()
    assert sorted(names) == sorted(MESSAGES[key] for key in terms)
    for key in terms:
        expect(card(page)).to_contain_text(MESSAGES[f"{key}_means"])
    page.locator(".former-head-map h2").click()
    expect(card(page)).to_be_hidden()


def test_it_opens_by_a_finger_and_stays_within_a_phone(browser: Browser, guard):
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    guard.watch(context)
    page = context.new_page()
    Exploring(page, guard.origin).open(text="abc")
    glossary(page).tap()
    box = card(page).bounding_box()
    assert box
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    glossary(page).tap()
    expect(card(page)).to_be_hidden()
    context.close()


@pytest.mark.own_page  # where walking by Tab begins at its top
def test_it_opens_by_the_keyboard_and_escape_closes_it_and_nothing_else(tab):
    page = tab.open(text="abc", token=1).page
    tab_to(page, "at.textContent === 'Glossary'")
    page.keyboard.press("Enter")
    expect(card(page)).to_contain_text("query")
    page.keyboard.press("Escape")
    expect(card(page)).to_be_hidden()
    assert page.evaluate("document.activeElement.textContent") == "Glossary"
    assert tab.link()["token"] == "1", "Escape has unlocked the token too"


@pytest.mark.parametrize("field", ["of", "view", "scale", "show"])
def test_a_choice_s_name_opens_what_each_of_its_values_is(tab, field):
    page = tab.open(text="abc").page
    page.locator(f"[data-field={field}] legend button").click()
    for value in page.evaluate("(field) => former.store.fields[field].choices", field):
        expect(card(page)).to_contain_text(MESSAGES[f"control_{field}_{value}_hint"])


@pytest.mark.parametrize(
    ("panel", "button", "hints"),
    [
        ("interventions", "What the controls do", ["edit_off_hint", "edit_uniform_hint", "edit_undo_hint"]),
        ("export", "The view on screen", ["export_png_hint", "export_csv_hint"]),
    ],
)
def test_what_buttons_do_can_be_opened(tab, panel, button, hints):
    page = tab.open(text="abc").page
    hint = page.locator(f".former-{panel}").get_by_role("button", name=button)
    hint.scroll_into_view_if_needed()
    stands_still(hint)  # what came into view on the way moves the page as it arrives
    hint.click()
    for key in hints:
        expect(card(page)).to_contain_text(MESSAGES[key])


@pytest.mark.parametrize(
    ("name", "part", "hints"),
    [
        ("generate", ".former-writing-controls .transport", ["write_run_hint", "write_temperature_hint", "write_dice"]),
        ("permute", ".former-word-order", ["permute_shuffle_hint", "permute_restore_hint"]),
        ("permute", ".former-equivariance", ["permute_output_basic_hint", "permute_output_classifier_hint"]),
    ],
)
def test_what_buttons_do_can_be_opened_in_other_tabs(tab, name, part, hints):
    tab.visit(tab=name)
    tab.page.locator(f"{part} button.hint").last.click()
    for key in hints:
        expect(card(tab.page)).to_contain_text(MESSAGES[key])
