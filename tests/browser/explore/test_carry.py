"""Parts of the pinned pass patched into the current one: the grid, the prediction after one patch, links, refusals."""

import re

import pytest
import torch
from playwright.sync_api import expect

import former
from former import patching
from tests.browser.held import Held
from tests.browser.pages import Exploring
from tests.ranked import clear_largest
from viz.text import message
from viz.text.examples import CARRIED

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Exploring
PINNED, TEXT = CARRIED["piece"]["number"]


@pytest.fixture(scope="module")
def shares() -> torch.Tensor:
    """Returns the effect of patching each head of `gpt`, computed by the library."""
    bundle = former.load("gpt")
    pinned, run = bundle.run(PINNED), bundle.run(TEXT)
    return patching.heads(pinned, run, patching.logit_difference("␣are", "␣is"), share=True)


def opened(tab: Exploring, **more):
    tab.open(model="gpt", text=TEXT, pin="gpt", pin_text=PINNED, **more)
    panel = tab.part("carry")
    panel.scroll_into_view_if_needed()
    expect(panel.locator("[role=gridcell]").first).to_be_visible()
    return panel


def percents(panel) -> torch.Tensor:
    rows = [row.split("\t")[1:] for row in panel.locator("tbody").first.inner_text().replace("−", "-").splitlines()]
    return torch.tensor([[float(cell) for cell in row] for row in rows])


def test_the_grid_is_the_library_s_and_a_cell_shows_the_prediction_with_that_part(tab, shares):
    panel = opened(tab)
    torch.testing.assert_close(percents(panel), 100 * shares, atol=1, rtol=0)  # whole percents
    panel.get_by_role("button", name=message("effects_show")).click()
    layer, head = divmod(clear_largest(shares, 1e-3), shares.shape[1])
    expect(panel.locator("td.at")).to_have_attribute("data-layer", str(layer))
    expect(panel.locator(".comparison tbody th").first).to_have_text("␣are")
    link = tab.link()
    assert [link[name] for name in ("carry_layer", "carry_from", "layer", "head")] == [*map(str, (layer, head) * 2)]
    expect(panel.locator(".carry-at")).to_contain_text(message("head_name", layer=layer, head=head))


def test_a_link_opens_what_is_carried_and_keys_go_through_the_grid(tab):
    panel = opened(tab, carry="stream", carry_layer=2, carry_from=1)
    expect(panel.locator("td.at")).to_have_attribute("data-from", "1")
    expect(panel.locator(".comparison tbody tr")).not_to_have_count(0)
    cell = panel.locator("td.at")
    cell.focus()
    cell.press("ArrowDown")
    expect(panel.locator("td:focus")).to_have_attribute("data-layer", "3")
    panel.locator("td:focus").press("Enter")
    expect(panel.locator("td.at")).to_have_attribute("data-layer", "3")
    reached = panel.locator("td.reached")
    assert {cell.get_attribute("data-from") for cell in reached.all()} == {str(i) for i in range(1, 8)}
    assert {cell.get_attribute("data-layer") for cell in reached.all()} == {"4", "5"}


def test_the_comparison_of_two_passes_leads_there(tab):
    tab.open(model="gpt", text=TEXT, pin="gpt", pin_text=PINNED)
    tab.part("beside").get_by_role("button", name=message("carry_from_here")).click()
    expect(tab.part("carry").locator("[role=gridcell]").first).to_be_in_viewport()


def test_another_answer_makes_another_grid(tab):
    panel = opened(tab)
    before = percents(panel)
    rivals = panel.locator("[data-field=carry_rival]")
    other = rivals.locator("option").nth(2).get_attribute("value")
    rivals.select_option(other)
    expect(panel.locator(".former-carry .late")).to_have_count(0)
    tab.wait("() => !document.querySelector('.former-carry.late')")
    assert tab.link()["carry_rival"] == other
    assert not torch.equal(percents(panel), before)


def test_texts_of_different_lengths_are_refused_in_words_and_pairs_that_work_are_offered(tab):
    tab.open(model="gpt", text="The city", pin="gpt", pin_text=PINNED)
    panel = tab.part("carry")
    panel.scroll_into_view_if_needed()
    expect(panel).to_contain_text(message("carry_lengths", pinned=8, tokens=2))
    panel.get_by_role("button", name=TEXT).click()
    expect(panel.locator("[role=gridcell]").first).to_be_visible()
    expect(panel).to_contain_text(message("carry_found", pair="number"))
    link = tab.link()
    assert (link["text"], link["pin_text"]) == (TEXT, PINNED)


def test_a_long_text_says_that_it_is_at_work_and_a_refused_part_leaves_the_choice_of_another(tab):
    texts = [
        f"The {word} in the north of the country was old. " + "The city was new. " * 30 for word in ("house", "city")
    ]
    held = Held(tab.page, "**/ask/carry/carried")
    tab.open(model="gpt", text=texts[0], pin="gpt", pin_text=texts[1])
    panel = tab.part("carry")
    panel.scroll_into_view_if_needed()
    expect(panel).to_contain_text(message("carry_running"))
    held.release()
    expect(panel.locator("[role=gridcell]")).to_have_count(48)
    expect(panel).not_to_contain_text(message("carry_running"))
    part = panel.locator("[data-field=carry]")
    part.select_option("stream")
    expect(panel).to_contain_text(re.compile(r"this page can carry the residual stream .+ texts of up to 1\d\d tokens"))
    expect(panel.locator("[role=gridcell]").first).to_be_hidden()
    part.select_option("heads")
    expect(panel.locator("[role=gridcell]").first).to_be_visible()
    expect(panel.locator("[data-field=carry_rival]")).to_be_visible()
