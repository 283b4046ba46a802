""" "Copy as Python": the program belongs to the current view, and is displayed if the clipboard cannot be used."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.mask.pages import Masking
from tests.browser.pages import Exploring, Writing
from tests.browser.permute.pages import Permuting

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Exploring


def lines(tab, name: str) -> str:
    tab.page.get_by_role("button", name=f"Copy as Python: {name}").click()
    box = tab.page.get_by_role("dialog").get_by_role("textbox")
    box.wait_for()
    return box.input_value()


def test_the_lines_are_of_the_text_the_head_and_the_edits_on_screen_and_are_copied(tab):
    tab.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    tab.open(text='it\'s "so" {x}', layer=2, head=3, edits="0.1.off")
    code = lines(tab, "Head map")
    assert f"bundle.run({tab.page.evaluate('former.store.pass.header.text')!r}, edits=edits)" in code
    assert "layer=2, head=3" in code
    assert "edits = [former.edits.ablate_head(0, 1)]" in code
    compile(code, "code", "exec")
    expect(tab.page.get_by_role("dialog")).to_contain_text("Copied.")
    assert tab.page.evaluate("navigator.clipboard.readText()") == code
    tab.page.keyboard.press("Escape")
    expect(tab.page.get_by_role("dialog")).to_have_count(0)


@pytest.mark.own_browser
def test_a_page_that_may_not_copy_shows_the_lines_selected(tab):
    tab.page.add_init_script("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    tab.open(text="abc")
    assert "figures.heads" in lines(tab, "All heads")
    expect(tab.page.get_by_role("dialog")).to_contain_text("These lines reproduce")
    assert tab.page.evaluate("document.activeElement.value.slice(document.activeElement.selectionStart)").startswith(
        "from __future__ import annotations"
    )


def test_every_panel_that_has_lines_gives_them(page, guard):
    tab = Masking(page, guard.origin).open(mask="local", size=3)
    measured = "If a model is trained"
    for name in ("Scores, mask, softmax", "What a mask costs", "Change one token", "How far information", measured):
        code = lines(tab, name)
        compile(code, name, "exec")
        assert name == measured or "'local'" in code
        tab.page.get_by_role("dialog").get_by_role("button", name="Close").click()


def test_the_lines_of_generate_have_the_text_and_the_branches_on_screen(page, guard):
    tab = Writing(page, guard.origin).open(text="The capital of", written="32.80", seed=4)
    tab.press("← Back")
    tab.rested()
    page.locator(".former-next-token .candidate:not(.taken)").first.click()
    tab.rested()
    tokens = tab.written()
    for name in ("Attention of the outlined token", "What comes next"):
        assert f"written={tokens}" in lines(tab, name)
        page.get_by_role("dialog").get_by_role("button", name="Close").click()
    code = lines(tab, "Branches")
    assert "(0, 0, [32, 80])" in code
    assert f"(0, 1, [{tokens[1]}])" in code


def test_the_lines_of_permute_have_the_order_on_screen(page, guard):
    tab = Permuting(page, guard.origin).open(text="not a bad film", order="3.1.0.2")
    button = tab.page.get_by_role("button", name=re.compile("^Copy as Python"))
    assert button.count() == 6
    for i in range(6):
        button.nth(i).click()
        box = tab.page.get_by_role("dialog").get_by_role("textbox")
        box.wait_for()
        compile(box.input_value(), "code", "exec")
        assert "[3, 1, 0, 2]" in box.input_value() or "figures.similarity" in box.input_value()
        tab.page.get_by_role("dialog").get_by_role("button", name="Close").click()
