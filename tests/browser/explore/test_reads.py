"""Heads that read heads: arcs by keys and pointer, and the path of one, compared with the library."""

import pytest
from playwright.sync_api import expect

import former
from former import analysis, patching
from tests.browser.pages import Exploring
from viz.text import message
from viz.text.examples import CARRIED

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Exploring
PINNED, TEXT = CARRIED["piece"]["name"]


def test_an_arc_chosen_by_keys_is_patched_alone_and_stands_in_the_link(tab):
    bundle = former.load("gpt")
    pinned, run = bundle.run(PINNED), bundle.run(TEXT)
    tab.open(model="gpt", text=TEXT, pin="gpt", pin_text=PINNED, reads_count=7)
    panel = tab.unfold("reads")
    expect(panel.locator(".arc")).to_have_count(7)
    expect(panel.locator("select").nth(1)).to_have_value("7")
    expect(panel.locator(".reads-side")).to_contain_text(message("reads_choose"))
    first = panel.locator("[data-arc='0']")
    first.focus()
    first.press("ArrowDown")
    second = panel.locator("[data-arc='1']")
    expect(second).to_be_focused()
    expect(panel.locator(".reads-at")).to_have_text(second.get_attribute("aria-label") or "")
    second.press("Enter")
    path = panel.locator("[data-step=path] [data-value]")
    expect(path).to_be_visible()
    reader, writer = ([int(each) for each in end.split(".")] for end in tab.link()["reads_arc"].split("-"))
    apart = analysis.tell_apart(pinned, run)
    metric = patching.logit_difference(apart.answers[0], apart.rivals[0], apart.at)
    expected = patching.path(pinned, run, (writer[0], writer[1]), [(reader[0], reader[1], "k")], metric)
    assert float(path.get_attribute("data-value") or "nan") == pytest.approx(expected, abs=1e-3)
    panel.locator("select").first.select_option("q")  # other arcs: none is chosen
    expect(panel.locator(".reads-side")).to_contain_text(message("reads_choose"))
    assert "reads_arc" not in tab.link()


def test_without_a_pinned_text_it_says_what_is_needed_and_models_of_several_stacks_have_no_such_panel(tab):
    tab.open(model="gpt", text=TEXT)
    panel = tab.unfold("reads")
    expect(panel.locator(".reads-side")).to_contain_text(message("reads_needs"))
    expect(panel.locator(".arc")).to_have_count(30)
    tab.open(model="dates", text="4 July 1976")
    expect(panel).to_be_hidden()
