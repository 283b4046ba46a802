"""In front of a class: one panel at a time fills the window, and keys go through all of them."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.pages import Exploring, presented, presents

pytestmark = pytest.mark.browser
TAB = Exploring


def test_a_key_presents_one_panel_and_escape_ends_it(tab):
    tab.open(token=4)
    assert presented(tab.page) is None
    tab.page.keyboard.press("p")
    presents(tab.page, "overview")
    box = tab.page.locator(".presented").bounding_box()
    assert box
    assert (box["x"], box["y"], box["width"]) == (0, 0, 1280)
    assert box["height"] > 600
    expect(tab.page.get_by_role("textbox", name="Text", exact=True)).to_be_hidden()
    expect(tab.page.get_by_role("tab", name="Generate")).to_be_hidden()
    tab.page.keyboard.press("Escape")
    assert presented(tab.page) is None
    assert tab.page.evaluate("former.store.view.token") == 4, "Escape has ended presenting and nothing else"
    expect(tab.page.get_by_role("tab", name="Generate")).to_be_visible()
    assert "present" not in tab.link()


VIEWS = {
    "explore": "overview head-map statistics pair token-strip interventions prediction surprise",
    "generate": "written-text next-token trail",
    "mask": "mask-stages mask-proof mask-growth mask-reach mask-consequence",
    "permute": "word-order permutation equivariance moved-rows verdicts position-maps",
}


def test_arrow_keys_and_a_remote_control_go_through_the_panels_of_all_tabs_and_back(tab):
    tab.open()
    tab.page.keyboard.press("p")
    views = [(name, panel) for name, panels in VIEWS.items() for panel in panels.split()]
    presents(tab.page, views[0][1])
    for number, (name, panel) in enumerate(views[1:]):
        tab.page.keyboard.press(("ArrowRight", "PageDown")[number % 2])
        presents(tab.page, panel)
        assert tab.link().get("tab", "explore") == name
    tab.page.keyboard.press("ArrowRight")  # after the last, nothing more
    presents(tab.page, views[-1][1])
    for _ in VIEWS["permute"].split():
        tab.page.keyboard.press("PageUp")
    presents(tab.page, "mask-consequence")
    assert tab.link()["tab"] == "mask"


def test_type_is_larger_than_on_the_page(tab):
    tab.open()
    number = tab.page.locator(".former-statistics [data-statistic=previous] > span").last
    before = number.bounding_box()
    tab.page.goto(f"{tab.origin}/?tab=explore&present=1&panel=statistics")
    presents(tab.page, "statistics")
    expect(number).to_contain_text("%")
    after = number.bounding_box()
    assert before
    assert after
    assert after["height"] == pytest.approx(2.8 * before["height"], rel=0.05)


def test_a_copied_link_presents_the_same_panel(tab, other):
    tab.open(layer=2, head=3)
    tab.page.keyboard.press("p")
    presents(tab.page, "overview")
    tab.page.keyboard.press("ArrowRight")
    presents(tab.page, "head-map")
    copy = other()
    copy.page.goto(tab.page.evaluate("location.href"))
    presents(copy.page, "head-map")
    expect(copy.page.locator(".presented h2")).to_have_text("Layer 2, head 3")


@pytest.mark.parametrize(
    ("tab_name", "panel", "first"), [("mask", "mask-proof", "mask-stages"), ("permute", "verdicts", "word-order")]
)
def test_a_link_presents_a_panel_of_the_tab_it_names_or_its_first(tab, tab_name, panel, first):
    for asked, seen in (({"panel": panel}, panel), ({}, first)):
        tab.goto(tab=tab_name, present=1, **asked)
        presents(tab.page, seen)
        assert tab.link()["tab"] == tab_name


def test_the_caption_says_what_to_look_at_and_which_panel_of_how_many(tab):
    tab.open(present=1)
    presents(tab.page, "overview")
    caption = tab.page.locator(".presenter-caption")
    expect(caption).to_contain_text("Look at layer 0, head 0: it looks")
    expect(caption).to_contain_text(re.compile(r"1 of \d+ · All heads"))


def test_the_pointed_cell_lights_up_as_under_a_laser_pointer(tab):
    tab.open(present=1, panel="head-map")
    presents(tab.page, "head-map")
    tab.settled()
    read = tab.point(0.4, 0.7)
    assert {"query", "key"} <= set(read)
    red = """() => {
      const cross = document.querySelectorAll('.former-head-map canvas')[1];
      const { data } = cross.getContext('2d').getImageData(0, 0, cross.width, cross.height);
      const isRed = (i) => data[i] > 200 && data[i + 1] < 60 && data[i + 2] < 90 && data[i + 3] > 200;
      let count = 0;
      for (let i = 0; i < data.length; i += 4) count += isRed(i);
      return count;
    }"""
    assert tab.page.evaluate(red) > 20
    tab.page.keyboard.press("Escape")
    tab.page.mouse.move(0, 0)
    tab.settled()
    tab.point(0.4, 0.7)
    assert tab.page.evaluate(red) == 0


def test_pointing_at_a_presented_map_reads_the_cell_under_the_pointer(tab):
    tab.open(text="abcdefgh", present=1, panel="head-map")
    presents(tab.page, "head-map")
    tab.settled()
    frame = tab.page.evaluate(
        """() => {
          const { width, height } = document.querySelector('.former-head-map canvas').style;
          return former.axes(former.store.map, parseFloat(width), parseFloat(height)).frame;
        }"""
    )
    zoom = tab.page.evaluate("document.querySelector('.former-head-map canvas').currentCSSZoom")
    assert zoom == 1.5
    box = tab.map.bounding_box()
    assert box
    for query, key in ((6, 2), (3, 1)):
        x = box["x"] + zoom * (frame["left"] + (key + 0.5) * frame["width"] / 8)
        y = box["y"] + zoom * (frame["top"] + (query + 0.5) * frame["height"] / 8)
        tab.page.mouse.move(x, y)
        tab.painted()
        read = tab.page.locator(".former-head-map .readout").evaluate("node => ({ ...node.dataset })")
        assert (int(read["query"]), int(read["key"])) == (query, key)


def test_presenting_that_ends_before_the_tab_has_panels_looks_for_them_no_more(tab):
    tab.open()
    looked = tab.page.evaluate(
        """async () => {
          const find = document.querySelector.bind(document);
          const place = ".former-lesson[data-tab=explore]"; // by it the panels of a tab are found
          find(place).dataset.tab = "none";
          former.presenter.toggle();
          former.presenter.toggle();
          const pause = () => new Promise((done) => setTimeout(done, 500));
          await pause();
          let looked = 0;
          document.querySelector = (asked) => ((looked += asked === place), find(asked));
          await pause();
          return looked;
        }"""
    )
    assert looked == 0


def test_typing_a_p_in_the_text_does_not_present(tab):
    tab.open()
    tab.page.get_by_role("textbox", name="Text", exact=True).press("p")
    assert presented(tab.page) is None
