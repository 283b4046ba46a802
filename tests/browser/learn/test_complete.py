"""Section "Complete self-attention": each line shows its tensor, of the shape that PyTorch gives it."""

import pytest
from playwright.sync_api import expect

from tests.browser.learn.pages import Learning

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Learning
LIVE = "former.learn.find('complete').live.answers.lines"


def test_each_line_says_the_shape_of_its_tensor_and_a_chosen_one_is_shown(tab):
    tab.open("complete")
    lines = tab.page.evaluate(LIVE)
    b, h = lines["shapes"]["x"][0], lines["heads"]
    for name, shape in lines["shapes"].items():
        said = "(" + ", ".join(map(str, shape)) + ")"
        expect(tab.section.locator(f"tr[data-step={name}] .shape b")).to_have_text(said)
    expect(tab.section.locator(".tensor figure")).to_have_count(b * h)  # opens where the heads are folded
    for name, count in (("x", b), ("weights", b * h), ("joined", b)):
        tab.section.locator(f"tr[data-step={name}] button").click()
        tab.settled()
        expect(tab.section.locator(".tensor figure")).to_have_count(count)
        expect(tab.section.locator("tr.chosen")).to_have_attribute("data-step", name)
    assert tab.choose("Eight, one for each head of each sentence").startswith("Yes.")


def test_a_number_is_read_as_pytorch_indexes_it(tab):
    tab.open("complete", step=6)
    weights = tab.page.evaluate(LIVE)["weights"]
    t = len(weights[0])
    canvas = tab.section.locator(".tensor canvas").nth(5)
    box = canvas.bounding_box()
    assert box is not None
    canvas.hover(position={"x": 1.5 / t * box["width"], "y": 2.5 / t * box["height"]})
    expect(tab.section.locator("p.readout")).to_contain_text("dot[5, 2, 1] = ")
