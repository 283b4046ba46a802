"""The charts: when Plotly is loaded, what is drawn, and what a visitor can do."""

import math
import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.mask.pages import Masking, T
from tests.browser.pages import Chart, Exploring, tab_to
from tests.browser.permute.pages import Permuting
from tests.browser.permute.test_positions import table_of
from tests.mask_rules import KINDS, cells

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Masking
SIZE = 6


def scripts(requests: list[str]) -> list[str]:
    return [request for request in requests if "plotly" in request]


@pytest.fixture
def growth(tab) -> Chart:
    """The cost of a mask with a fixed stride: six lines and a mark."""
    tab.open(mask="strided", size=SIZE)
    return Chart(tab, "mask-growth").shown()


@pytest.fixture
def similarity(page: Page, guard) -> Chart:
    """The similarity of position 20 to the others, in the classifier."""
    tab = Permuting(page, guard.origin)
    tab.open(text="film", table="classifier", at=20)
    tab.wait("() => document.querySelector('.former-position-maps[data-table]')")
    return Chart(tab, "position-maps").shown()


@pytest.mark.own_page
def test_plotly_comes_once_and_only_when_a_chart_comes_into_view(page, guard):
    tab = Exploring(page, guard.origin)
    tab.open()
    tab.painted()
    assert scripts(guard.requests) == []
    page.set_viewport_size({"width": 1280, "height": 560})
    masks = Masking(page, guard.origin)
    masks.open()
    assert scripts(guard.requests) == []  # the chart is far below the first screen
    Chart(masks, "mask-growth").shown()
    Chart(masks, "mask-growth").shown()
    (script,) = scripts(guard.requests)
    answer = page.request.get(guard.origin + script.removeprefix("GET "))
    assert answer.headers["content-encoding"] == "gzip"
    assert "immutable" in answer.headers["cache-control"]
    assert re.search(r"plotly-\d+\.\d+\.\d+\.js", script)  # another version has another address


def test_every_line_is_the_count_of_its_mask(growth):
    traces = growth.traces()
    names = {"none": "none", "causal": "causal", "local": "local window", "strided": "strided", "fixed": "fixed"}
    for kind in KINDS:
        lengths, counts = traces[names[kind]]
        assert lengths[0] == 1
        assert lengths[-1] == 100_000
        for t, count in zip(lengths, counts, strict=True):
            if t <= 60:
                assert count == cells(kind, int(t), math.isqrt(int(t)) if kind in ("strided", "fixed") else SIZE)
    lengths, counts = traces["strided 6"]
    assert counts[lengths.index(T)] == cells("strided", T, SIZE)
    assert traces["at"] == [[T], [cells("strided", T, SIZE)]]


def test_the_values_stand_under_the_pointer_and_are_those_of_the_list(growth):
    growth.point(0.7)
    label = " ".join(growth.under_pointer())
    assert growth.tab.part("mask-growth").locator("[data-tokens]").get_attribute("data-tokens")
    for count in growth.tab.counts().values():
        assert f"{count:,}" in label


def test_a_drag_zooms_another_answer_keeps_the_zoom_and_a_button_ends_it(growth):
    tab, box = growth.tab, growth.root.locator(".nsewdrag").bounding_box()
    assert box
    whole = growth.range()
    tab.page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 0.3 * box["height"])
    tab.page.mouse.down()
    tab.page.mouse.move(box["x"] + 0.7 * box["width"], box["y"] + 0.7 * box["height"], steps=4)
    tab.page.mouse.up()
    tab.wait("([root, low]) => root._fullLayout.xaxis.range[0] > low + 0.5", [growth.root.element_handle(), whole[0]])
    zoomed = growth.range()
    assert zoomed == pytest.approx([0.3 * whole[1], 0.7 * whole[1]], abs=0.2)
    tab.set("fixed")
    tab.wait("root => root.data.some(({ name }) => name === 'fixed 6')", growth.root.element_handle())
    assert growth.range() == zoomed
    growth.root.hover()
    growth.root.get_by_role("button", name="Reset axes").click()
    tab.wait("([root, low]) => root._fullLayout.xaxis.range[0] < low + 0.1", [growth.root.element_handle(), whole[0]])


@pytest.mark.own_page
def test_the_keyboard_switches_a_line_off_and_presses_the_buttons(growth):
    page = growth.tab.page
    growth.root.focus()
    tab_to(page, "at.getAttribute('aria-label') === 'causal'")
    legend = growth.root.get_by_role("checkbox", name="causal", exact=True)
    expect(legend).to_be_checked()
    page.keyboard.press("Space")
    expect(legend).not_to_be_checked()
    expect(legend).to_be_focused()
    assert growth.root.evaluate("root => root._fullData.map(({ visible }) => visible)").count("legendonly") == 1
    tab_to(page, "at.getAttribute('aria-label').startsWith('Download')")
    with page.expect_download() as saved:
        page.keyboard.press("Enter")
    assert saved.value.suggested_filename == "cells-a-mask-keeps-up-to-100-000-tokens.png"
    assert saved.value.path().read_bytes()[:4] == b"\x89PNG"


def test_no_button_sends_the_chart_anywhere(growth):
    names = growth.root.get_by_role("button").evaluate_all("all => all.map((node) => node.getAttribute('aria-label'))")
    assert names == ["Download plot as a PNG", "Zoom in", "Zoom out", "Reset axes"]


@pytest.mark.own_page
def test_the_chart_takes_its_colours_from_the_theme_that_is_on(growth):
    ask = "root => [root._fullLayout.paper_bgcolor, root.data[1].line.color]"
    variables = "() => ['panel', 'accent'].map(former.variable)"
    light = growth.root.evaluate(ask)
    assert light == growth.tab.page.evaluate(variables)
    growth.tab.page.evaluate("document.body.classList.toggle('dark')")
    growth.tab.wait("root => root._fullLayout.paper_bgcolor === former.variable('panel')", growth.root.element_handle())
    dark = growth.root.evaluate(ask)
    assert dark == growth.tab.page.evaluate(variables)
    assert dark != light


def test_the_curve_is_how_alike_the_chosen_position_is_to_every_other(similarity):
    vectors = table_of("classifier").double()
    cosines = (vectors @ vectors[20]) / (vectors.norm(dim=1) * vectors[20].norm())
    positions, drawn = similarity.traces()["similarity"]
    assert positions == list(range(512))
    assert drawn == pytest.approx(cosines.tolist(), abs=1e-4)
    similarity.tab.page.locator(".former-position-maps [data-field=product] input[value=dot]").check(force=True)
    similarity.tab.wait("root => root.dataset.keep.endsWith(' dot')", similarity.root.element_handle())
    assert similarity.traces()["similarity"][1] == pytest.approx((vectors @ vectors[20]).tolist(), abs=1e-3)
    assert similarity.traces()["at"][0] == [20]


def test_the_curve_is_read_like_the_picture_beside_it_and_a_click_chooses(similarity):
    tab = similarity.tab
    similarity.point(0.2)
    match = re.search(
        r"Positions 20 and (\d+): cosine (.+)$", tab.page.locator(".former-position-maps .readout").inner_text()
    )
    assert match
    assert int(match[1]) == pytest.approx(0.2 * 1024, abs=4)
    tab.page.mouse.down()
    tab.page.mouse.up()
    tab.wait("at => former.permuting.view.at === at", int(match[1]))
    assert tab.link()["at"] == match[1]


@pytest.mark.own_page
def test_a_chart_that_is_presented_is_read_where_one_points(tab):
    tab.goto(tab="mask", mask="strided", size=SIZE, present=1, panel="mask-growth")
    chart = Chart(tab, "mask-growth")
    chart.root.locator(".nsewdrag").wait_for()
    tab.settled()
    for part in (0.999, 0.001):
        chart.point(part)
        tokens = tab.part("mask-growth").locator("[data-tokens]").get_attribute("data-tokens")
        assert tokens == ("100000" if part > 0.5 else "1")


@pytest.mark.own_page
def test_a_script_that_does_not_come_is_said_and_asked_for_again(tab, guard):
    guard.allow("ERR_FAILED")
    tab.page.route("**/plotly-*.js", lambda route: route.abort())
    tab.open(mask="strided", size=SIZE)
    chart = Chart(tab, "mask-growth")
    chart.container.scroll_into_view_if_needed()
    expect(chart.container.get_by_text("The server did not answer")).to_be_visible()
    tab.page.unroute("**/plotly-*.js")
    tab.set("causal")
    chart.container.scroll_into_view_if_needed()  # setting the mask may have scrolled the page up
    chart.root.locator(".nsewdrag").wait_for()
    expect(chart.container.locator("p")).to_be_hidden()
