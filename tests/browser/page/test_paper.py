"""Printing: light colours, no controls, everything drawn, the address at the foot; Learn as a booklet."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.learn.pages import SHOWN
from tests.browser.pages import Exploring, Tab
from viz.text.examples import CARRIED

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Exploring
TEXT = "The cat sat on the mat because it was tired."
CARRIED_PATH = "**/ask/carry/carried*"
CONTROLS = ":is(.gradio-container button:not(.panel-body button), [role=tablist], [type=range], .modebar):visible"


def printing(page: Page) -> bool:
    """Returns whether the page is laid out as on paper."""
    return page.evaluate("document.getElementById('former-paper').media === 'all'")


def test_what_is_printed_is_light_whole_and_without_controls_and_the_screen_is_as_before(tab: Exploring):
    page = tab.open(model="gpt", text=TEXT).page
    page.evaluate("former.page.showAll.explore()")
    page.evaluate("document.body.classList.add('dark')")
    controls = page.locator(CONTROLS)
    assert controls.count()
    page.evaluate("former.paper.prepare()")
    assert printing(page)
    assert controls.count() == 0
    assert not page.evaluate("document.body.classList.contains('dark')")
    expect(page.locator(".paper-address")).to_have_text(tab.address())
    expect(page.locator(".former-fold .fold:visible")).to_have_count(0)
    expect(tab.part("scan").locator(".nsewdrag").first).to_be_visible()  # a chart far below the screen
    assert tab.part("writes").get_attribute("data-rev")  # a panel that asks once it is in view
    assert page.pdf(prefer_css_page_size=True).startswith(b"%PDF")
    page.wait_for_function("document.getElementById('former-paper').media === 'print'")  # printed
    assert page.evaluate("document.body.classList.contains('dark')")
    assert controls.count()
    page.evaluate("document.body.classList.remove('dark')")


def test_the_keys_for_printing_make_the_page_ready_first(tab: Exploring):
    page = tab.open(model="gpt", text=TEXT).page
    page.evaluate("window.print = () => (window.printed = document.getElementById('former-paper').media)")
    page.keyboard.press("Control+p")
    page.wait_for_function("window.printed === 'all'")
    page.wait_for_function("document.getElementById('former-paper').media === 'print'")  # nothing was printed


def test_the_browsers_own_menu_prints_maps_and_charts_as_wide_as_the_paper(tab: Exploring):
    page = tab.open(model="gpt", text=TEXT).page
    ends = page.evaluate("""async () => {
      dispatchEvent(new Event("beforeprint"));  // no frame comes before what is printed
      await null;
      const body = document.querySelector(".former-head-map .panel-body").getBoundingClientRect();
      return [".former-head-map canvas", ".former-overview canvas"].map((name) => {
        const { right } = document.querySelector(name).getBoundingClientRect();
        return (right - body.left) / body.width;
      });
    }""")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.wait_for_function("document.getElementById('former-paper').media === 'print'")
    assert 0.85 < ends[0] <= 1.01
    assert 0.75 < ends[1] <= 1.01, "with whole pixels a cell"


def test_on_paper_masks_keep_their_names_and_no_map_is_split_between_pages(tab: Tab):
    tab.visit(tab="mask")
    tab.wait("['reach th button', 'proof canvas'].every((each) => document.querySelector(`.former-mask-${each}`))")
    tab.painted()
    tab.page.evaluate("former.paper.prepare()")
    names = tab.page.locator(".former-mask-reach th button")
    expect(names.locator("visible=true")).to_have_count(names.count())
    maps = tab.page.locator(":is(.former-mask-stages, .former-mask-proof) .maps > *")
    assert maps.evaluate_all("all => all.map((one) => getComputedStyle(one).breakInside)") == ["avoid"] * 5


@pytest.mark.own_page
def test_maps_of_mask_without_their_answers_are_left_out(tab: Tab):
    tab.page.route("**/ask/mask-*/**", lambda _: None)
    tab.goto(tab="mask", mask="local", size="3")
    panels = tab.page.locator(":is(.former-mask-stages, .former-mask-proof) .panel")
    expect(panels).to_have_count(2)
    tab.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    tab.page.emulate_media(media="print")
    expect(panels.locator("visible=true")).to_have_count(0)


@pytest.mark.own_page
def test_a_link_opens_all_sections_of_learn_to_be_printed(tab: Tab):
    tab.goto(tab="learn", print="1")
    tab.page.wait_for_function("document.body.dataset.ready === 'print'", timeout=120_000)
    shown = tab.page.locator(".former-learn .section[data-drawn]:visible")
    names = [section.get_attribute("data-section") for section in shown.all()]
    assert names == [section.name for section in SHOWN]
    expect(tab.page.locator(".former-learn .check fieldset:visible")).to_have_count(len(names))
    assert printing(tab.page)
    widths = tab.page.locator(".former-learn .section .panel").evaluate_all("all => all.map((one) => one.offsetWidth)")
    assert min(widths) == max(widths) == 700, "one column, as wide as the text on paper"
    assert tab.page.locator(".former-learn .section .chart:empty:visible").count() == 0
    tables = tab.page.locator(".former-learn :is(.scrolled, .places):visible")
    assert tables.evaluate_all("all => all.filter((one) => one.scrollWidth > one.clientWidth + 1).length") == 0
    pages = re.findall(rb"/Type\s*/Page\b", tab.page.pdf(prefer_css_page_size=True))
    assert len(names) <= len(pages) <= 38, "30 here, as fonts have it; 45 if last lines had own pages"
    tab.page.evaluate("document.querySelector('.paper-address').remove()")
    alone = len(re.findall(rb"/Type\s*/Page\b", tab.page.pdf(prefer_css_page_size=True)))
    assert len(pages) == alone, "the address has no page to itself"
    cut = tab.page.locator(".former-learn input:visible").evaluate_all(
        "all => all.filter((one) => one.type === 'text' && one.scrollWidth > one.clientWidth).length"
    )
    assert cut == 0
    long = tab.page.locator(".former-learn-transformer-xl .paper-text")
    expect(long).to_have_text(tab.page.locator(".former-learn-transformer-xl input[type=text]").first.input_value())


@pytest.mark.own_page
def test_a_comparison_is_on_one_page_and_a_panel_without_its_answer_on_none(tab: Exploring):
    pinned, text = CARRIED["piece"]["number"]
    tab.page.route(CARRIED_PATH, lambda _: None)  # it may be asked for before the maps above move it off the screen
    tab.open(model="gpt", text=text, pin="gpt", pin_text=pinned)
    late = tab.page.locator(".former-carry.late")
    expect(late).to_have_count(1)
    tab.page.emulate_media(media="print")  # as from the browser's menu
    expect(late).to_be_hidden()
    tab.page.emulate_media(media="screen")
    tab.page.unroute(CARRIED_PATH)  # answers it too
    tab.page.evaluate("former.paper.prepare()")
    expect(tab.part("carry").locator("[role=gridcell]").first).to_be_visible()
    beside = tab.part("beside")
    tops = beside.locator(".beside-part").evaluate_all("(all) => all.map((part) => part.getBoundingClientRect().top)")
    assert len({round(top) for top in tops}) == 2, "rows of maps"
    height = beside.locator(".panel").evaluate("(panel) => panel.getBoundingClientRect().height")
    assert height < 900, "of 1,027 px on A4"


# How many elements of section Generation match, before the browser's own menu lays out the page and then.
COUNT_BESIDE_PRINT = """async (selector) => {
  const count = () => document.querySelectorAll(`[data-section=generation] ${selector}`).length;
  const counts = [count()];
  dispatchEvent(new Event("beforeprint"));
  for (let i = 0; i < 50; i++) await null;  // no frame comes before what is printed
  counts.push(count());
  dispatchEvent(new Event("afterprint"));
  return counts;
}"""


def test_the_browsers_own_menu_draws_charts_not_seen_yet_once_plotly_is_loaded(tab: Tab):
    tab.visit(tab="learn", section="scaling")
    tab.wait("document.querySelector('[data-section=scaling] .chart.js-plotly-plot')")
    tab.page.set_viewport_size({"width": 1280, "height": 300})
    tab.page.evaluate("former.learn.show('generation')")  # a new page would not have Plotly
    tab.wait("document.querySelector('[data-section=generation][data-drawn]')")
    expect(tab.page.locator(".former-lesson:visible .sentence")).to_contain_text("the next byte costs")
    tab.painted()
    assert tab.page.evaluate(COUNT_BESIDE_PRINT, ".chart:empty") == [1, 0]


@pytest.mark.own_page
def test_the_browsers_own_menu_loads_plotly_for_a_chart_below_the_screen(tab: Tab, guard):
    guard.allow("status of 503")
    tab.page.set_viewport_size({"width": 1280, "height": 300})
    tab.goto(tab="learn", section="generation")
    expect(tab.page.locator(".former-lesson:visible .sentence")).to_contain_text("the next byte costs")
    tab.painted()
    assert not tab.page.evaluate("Boolean(window.Plotly)")
    tab.page.route("**/plotly-*.js", lambda route: route.fulfill(status=503, body="{}"), times=1)
    assert tab.page.evaluate(COUNT_BESIDE_PRINT, ".chart:not(:empty)") == [0, 0]
    assert tab.page.evaluate(COUNT_BESIDE_PRINT, ".chart:not(:empty)") == [0, 1]
