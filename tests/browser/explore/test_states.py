"""The lens of two texts side by side: a state is carried by keys and by dragging, as the library carries it."""

import pytest
from playwright.sync_api import expect

import former
from former import analysis
from tests.browser.held import Held
from tests.browser.pages import Exploring, presents
from tests.ranked import check_largest
from viz.text import message
from viz.text.examples import CARRIED

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Exploring
PINNED, TEXT = CARRIED["piece"]["number"]


def opened(tab: Exploring, **more):
    """Opens both grids; returns the panel, the pinned grid, the current one and that after a state is carried."""
    tab.open(model="gpt", text=TEXT, pin="gpt", pin_text=PINNED, **more)
    panel = tab.unfold("lens")
    parts = panel.locator(".lens-part")
    expect(parts).to_have_count(2)
    expect(parts.nth(0).locator("td").first).to_be_visible()
    expect(parts.nth(1).locator("td").first).to_be_visible()
    return panel, parts.nth(0), parts.nth(1), panel.locator(".lens-third")


def cell(grid, row: int, column: int):
    return grid.locator(f"td[data-row='{row}'][data-column='{column}']")


def test_a_state_chosen_and_put_by_keys_changes_the_prediction_as_in_the_library(tab):
    panel, pinned, now, third = opened(tab)
    expect(third).to_be_hidden()
    cell(pinned, 0, 0).focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "ArrowRight", "Enter"):
        panel.locator("td:focus").press(key)
    expect(cell(pinned, 3, 1)).to_have_attribute("aria-selected", "true")
    cell(now, 3, 1).focus()
    cell(now, 3, 1).press("Enter")
    expect(third).to_be_visible()
    bundle = former.load("gpt")
    run = analysis.carry_state(bundle.run(PINNED), bundle.run(TEXT), (3, 1), (3, 1))
    log_probs, ids = analysis.lens(run, 1)
    labels = bundle.tokenizer.labels(range(bundle.tokenizer.num_tokens))
    for row in range(len(ids)):
        said = cell(third, row, 7).text_content() or ""
        check_largest(labels.index(said), run_logits(run, row), 1e-4)  # float32 on both sides
    assert log_probs.shape[:2] == (7, 8)
    assert (tab.link()["lens_from"], tab.link()["lens_to"]) == ("3.1", "3.1")
    panel.get_by_role("button", name=message("states_back")).click()
    expect(third).to_be_hidden()
    assert "lens_from" not in tab.link()


def run_logits(run, row: int):
    return former.logit_lens(run.model, run.inputs[0], edits=run.edits)[row, 0, 7]


def test_a_state_is_dragged_onto_the_other_grid_and_a_link_opens_it(tab):
    _, pinned, now, third = opened(tab)
    cell(pinned, 2, 1).drag_to(cell(now, 2, 1))
    expect(third).to_be_visible()
    assert (tab.link()["lens_from"], tab.link()["lens_to"]) == ("2.1", "2.1")
    expect(third.locator("td.put")).to_have_attribute("data-row", "2")
    _, pinned, _, third = opened(tab, lens_from="5.7", lens_to="4.7")
    expect(third.locator("td.put")).to_have_attribute("data-row", "4")
    expect(third.locator(".comparison tbody th").first).to_be_visible()
    expect(third.locator("td[data-row='4'][data-column='7']")).to_have_text(cell(pinned, 5, 7).text_content() or "")


def test_what_is_dragged_is_under_the_pointer(tab):
    _, pinned, now, _ = opened(tab)
    start, to = (cell(grid, 2, 1).bounding_box() for grid in (pinned, now))
    assert start
    assert to
    tab.page.mouse.move(start["x"] + 5, start["y"] + 5)
    tab.page.mouse.down()
    tab.page.mouse.move(to["x"] + 8, to["y"] + 5, steps=4)
    ghost = tab.page.locator(".states-ghost").bounding_box()
    tab.page.mouse.up()
    assert ghost
    assert (ghost["x"], ghost["y"]) == pytest.approx((to["x"] + 8, to["y"] + 5), abs=1)


@pytest.mark.own_page  # a page that has shown these passes has their lenses, and asks for none
def test_the_lens_of_the_pinned_text_waits_for_that_of_a_text_that_was_typed_meanwhile(tab, guard):
    lenses = Held(tab.page, "**/ask/lens/depths")
    tab.open(model="gpt", text=TEXT, pin="gpt", pin_text=PINNED)
    panel = tab.unfold("lens")
    lenses.wait(1)
    lenses.routes[0].continue_()
    lenses.wait(2)  # of the pinned text
    tab.type("The town in the north of the country")
    panel.scroll_into_view_if_needed()
    lenses.wait(3)
    with tab.page.expect_response("**/ask/lens/depths"):
        lenses.routes[1].continue_()
    tab.painted()
    assert not guard.unexpected()
    lenses.routes[2].continue_()
    tab.page.unroute("**/ask/lens/depths")
    parts = panel.locator(".lens-part")
    for part in (parts.nth(0), parts.nth(1)):
        expect(part.locator("td").nth(5)).to_be_visible()
    expect(parts.nth(1).locator("thead")).to_contain_text("town")


def test_texts_of_other_lengths_show_one_grid(tab):
    tab.open(model="gpt", text="The city", pin="gpt", pin_text=PINNED)
    panel = tab.unfold("lens")
    expect(panel.locator(".lens-part").nth(1).locator("td").first).to_be_visible()
    expect(panel.locator(".lens-part").nth(0)).to_be_hidden()


def seen_in_full(grid) -> bool:
    """Returns whether a grid's last column is not beyond the edge of its sheet."""
    return grid.evaluate(
        """(part) => {
          const sheet = part.querySelector(".lens-sheet").getBoundingClientRect();
          const last = part.querySelector("tbody tr").lastChild.getBoundingClientRect();
          return last.left >= sheet.left && last.right <= sheet.right + 1;
        }"""
    )


@pytest.mark.parametrize("width", [1280, 390])
def test_the_last_token_is_in_sight_in_both_grids(tab, width):
    tab.page.set_viewport_size({"width": width, "height": 844})
    pinned, text = CARRIED["piece"]["name"]  # nine tokens, wider than half the panel
    tab.open(model="gpt", text=text, pin="gpt", pin_text=pinned)
    parts = tab.unfold("lens").locator(".lens-part")
    for part in parts.all():
        expect(part.locator("tbody tr").first.locator("td")).to_have_count(9)  # not of the text before
    tab.painted()
    assert all(seen_in_full(part) for part in parts.all())


@pytest.mark.parametrize(
    ("name", "more", "grid"),
    [
        ("lens", {}, ".lens-part"),
        ("lens", {"lens_from": "4.8", "lens_to": "4.8"}, ".lens-third"),
        ("carry", {"carry": "stream"}, ".carry-sheet"),
    ],
    ids=["lenses", "carried state", "carried parts"],
)
def test_grids_of_nine_tokens_are_whole_when_presented(tab, name, more, grid):
    pinned, text = CARRIED["piece"]["name"]
    tab.open(model="gpt", text=text, pin="gpt", pin_text=pinned, **more)
    panel = tab.unfold(name) if name == "lens" else tab.part(name)
    panel.scroll_into_view_if_needed()
    expect(panel.locator(f"{grid} td").first).to_be_visible()
    expect(panel.locator(".lens-third")).to_be_visible(visible="lens_from" in more)
    tab.page.set_viewport_size({"width": 1920, "height": 1080})
    tab.page.evaluate("name => former.presenter.go('explore', name)", name)
    presents(tab.page, name)
    tab.painted()
    assert beyond(panel) == []


def beyond(panel) -> list[str]:
    """Returns the cells of a presented panel that are not all in its body or in their sheet."""
    return panel.evaluate(
        """(part) => {
          const body = part.querySelector(".panel-body").getBoundingClientRect();
          const isBeyond = (cell) => {
            const box = cell.getBoundingClientRect();
            const frames = [body, cell.closest(".lens-sheet, .carry-sheet").getBoundingClientRect()];
            return frames.some(({ right, bottom }) => box.right > right + 1 || box.bottom > bottom + 1);
          };
          const cells = [...part.querySelectorAll("[role=gridcell]")].filter((cell) => cell.checkVisibility());
          return cells.filter(isBeyond).map((cell) => cell.textContent);
        }"""
    )
